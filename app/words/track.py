"""What is said of estimates on one batch of new data after the other: data in, Markdown and tables out."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from app.words.trust import LIGHTS
from app.words.wording import plain, tell
from mandoline_core import MandolineError
from mandoline_core.formatting import (
    counted,
    direction,
    listed,
    show_difference,
    show_interval,
    show_points,
    show_value,
)
from mandoline_core.metrics import Metric
from mandoline_core.monitoring import AlertRule, Track

EMPTY = (
    "New data keep coming, week by week. Give them here, a file a batch, and see how the estimate moves from one to "
    "the next, with an alert when it falls too far."
)
COLUMNS = ("batch", "estimate", "verdict", "alert", "change", "new rows")
_BEYOND = {"higher": "below", "lower": "above", "near 0": "further from 0 than"}
BASES = {"source": "on the labelled data", "first": "on the first batch", "previous": "on the batch before"}


def newest_sentence(track: Track, model: str) -> str:
    """Say the estimate on the last batch, as its verdict allows."""
    last = track.targets[-1]
    point = last.models.get(model)
    if point is None or not point["converged"]:
        return f"There is no estimate on the newest batch, **{plain(last.target)}**."
    value = show_interval(point["estimate"], point["interval"], share=track.share)
    way = direction(point["estimate"] - point["source"], share=track.share)
    far = "" if way == "the same" else f"{show_difference(point['estimate'] - point['source'], share=track.share)} "
    than = f"{far}{way} {'as' if way == 'the same' else 'than'} on the labelled data"
    if point["verdict"] == "red":
        light = LIGHTS["red"]
        return f":red[{light.icon} Not to be trusted:] the estimate on **{plain(last.target)}**, {plain(value)}"
    return f"On the newest batch, **{plain(last.target)}**: **{plain(value)}**, {plain(than)}"


def alert_sentences(track: Track, model: str) -> tuple[list[str], str]:
    """Say what calls for a person: on the last batch in full, on earlier ones by name."""
    last = track.targets[-1].target
    said = [tell(sentence) for (target, _), sentence in track.alerts.items() if target == last]
    before = [target for target, name in track.alerts if name == model and target != last]
    earlier = f"{counted(len(before), 'alert')} on earlier batches: {plain(listed(before, most=5))}." if before else ""
    return said, earlier


def about(name: str, error: str | MandolineError) -> str:
    """Say what is wrong with a batch; most sentences name it already."""
    said = tell(error)
    return said if plain(name) in said else f"{plain(name)}: {said}"


def error_sentences(track: Track) -> list[str]:
    """Say why there is no estimate on some batches: each in its sentence, and what holds for several once."""
    found: dict[str, list[str]] = {}
    for one in track.targets:
        if one.error is not None:
            found.setdefault(one.error, []).append(one.target)
    return [about(listed(names, most=3), error) for error, names in found.items()]


def track_table(track: Track, model: str, waiting: Iterable[str] = ()) -> pd.DataFrame:
    """List a model's estimates, a line a batch, the newest first."""
    lines = []
    for one in track.targets:
        point = one.models.get(model)
        line: dict[str, object] = {"batch": one.target}
        if point is not None and point["converged"]:
            change = show_points(point["estimate"] - point["source"], share=track.share)
            line |= {
                "estimate": show_interval(point["estimate"], point["interval"], share=track.share),
                "change": change,
                "verdict": point["verdict"] or "",
                "alert": "alert" if (one.target, model) in track.alerts else "",
                "new rows": point["n_target"],
            }
        elif point is not None:
            line["estimate"] = "no estimate"
        else:
            line["estimate"] = "cannot be used"
        lines.append(line)
    lines += [{"batch": name, "estimate": "to come"} for name in waiting]
    return pd.DataFrame(lines, columns=list(COLUMNS)).astype({"new rows": "Int64"}).iloc[::-1]


def drop_label(metric: Metric) -> str:
    """Name the box for how much worse is too much."""
    return f"Alert when worse by more than ({'points' if metric.share else metric.spoken})"


def worst_label(metric: Metric) -> str:
    """Name the box for the worst score that will do."""
    return f"Alert when {_BEYOND[metric.better]} ({'%' if metric.share else metric.spoken})"


def rule_sentence(rule: AlertRule | None, metric: Metric) -> str:
    r"""Say when there is an alert.

    >>> from mandoline_core.metrics import get_metric
    >>> rule_sentence(AlertRule(3, "first", 0.8), get_metric("accuracy"))
    'Alerts: more than 3 points worse than on the first batch, or below 80\\.0%.'
    """
    if rule is None or (rule.drop is None and rule.worst is None):
        return "There is no alert rule."
    unit = " points" if metric.share else ""
    said = [] if rule.drop is None else [f"more than {rule.drop:g}{unit} worse than {BASES[rule.base]}"]
    if rule.worst is not None:
        said.append(f"{_BEYOND[metric.better]} {show_value(rule.worst, share=metric.share)}")
    return f"Alerts: {plain(', or '.join(said))}."
