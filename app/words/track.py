"""Estimates on one batch of new data after the other: data in, Markdown and tables out."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd

from app.words.trust import LIGHTS
from app.words.wording import plain, tell
from mandoline_core import MandolineError
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import (
    listed,
    show_change,
    show_interval,
    show_percent,
    show_points,
    show_value,
    tidy_number,
)
from mandoline_core.metrics import Metric
from mandoline_core.monitoring import LEVELS, AlertRule, Track, realised_words

EMPTY = (
    "Upload one file per batch of new data, such as one a week. The chart shows how the estimate moves, with an alert "
    "when it drops too far."
)
COLUMNS = ("batch", "estimate", "by labels", "verdict", "alert", "change", "new rows")
_BEYOND = {"higher": "below", "lower": "above", "near 0": "further from 0 than"}
FALSE_ALARMS = "False alarms per run (%)"
FALSE_ALARMS_HELP = (
    "Alert only when a score is beyond its limit by more than sampling error. A stable run ever alerts with this "
    "probability, however many batches come."
)
BASES = {"source": "on labelled data", "first": "on the first batch", "previous": "on the previous batch"}


def newest_sentence(track: Track, model: str) -> str:
    """Write the estimate on the last batch, as its verdict allows."""
    last = track.targets[-1]
    point = last.models.get(model)
    if point is None or not point["converged"]:
        return f"No estimate on the newest batch, **{plain(last.target)}**"
    value = plain(show_interval(point["estimate"], point["interval"], share=track.share))
    if point["verdict"] == "red":
        light = LIGHTS["red"]
        return f":red[{light.icon} {light.word}.] Raw result on **{plain(last.target)}**: {value}"
    change = show_change(point["estimate"] - point["source"], share=track.share, than="on labelled data")
    return f"Newest batch, **{plain(last.target)}**: **{value}**, {plain(change)}"


def light_sentence(track: Track, model: str) -> str:
    """Write the worst verdict of all batches, and why."""
    worst = track.worst_light(model)
    if worst is None:
        return ""
    light = LIGHTS[worst[0]]
    return f":{light.colour}[{light.icon}] {tell(worst[1])}"


def about(name: str, error: str | MandolineError) -> str:
    """Write what is wrong with a batch, with its name, which most sentences have already."""
    said = tell(error)
    return said if plain(name) in said else f"{plain(name)}: {said}"


def error_sentences(track: Track) -> list[str]:
    """Say why there is no estimate on some batches, or no use for their labels, each reason once."""
    found: dict[str, list[str]] = {}
    for one in track.targets:
        for error in (one.error, one.label_error):
            if error is not None:
                found.setdefault(error, []).append(one.target)
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
                "new rows": point["n_target"],
            }
        elif point is not None:
            line["estimate"] = "no estimate"
        else:
            line["estimate"] = "unusable"
        if point is not None:
            line |= {
                "by labels": realised_words(point, share=track.share),
                "verdict": MEANINGS.get(point["verdict"], ""),
                "alert": "alert" if (one.target, model) in track.alerts else "",
            }
        lines.append(line)
    lines += [{"batch": name, "estimate": "running"} for name in waiting]
    columns = [name for name in COLUMNS if name != "by labels" or any(line.get(name) for line in lines)]
    return pd.DataFrame(lines, columns=columns).astype({"new rows": "Int64"}).iloc[::-1]


def drop_label(metric: Metric) -> str:
    """Label the field for the largest drop without an alert."""
    return f"Alert on a drop of more than ({'points' if metric.share else metric.spoken})"


def limits(metric: Metric, scale: float) -> tuple[float | None, float | None]:
    """Return the least and the largest score that there can be, where there is one."""
    least, most = metric.bounds or (-math.inf, math.inf)
    least = max(least, 0.0) if metric.better == "near 0" else least
    return (
        float(scale * least) if math.isfinite(least) else None,
        float(scale * most) if math.isfinite(most) else None,
    )


def worst_label(metric: Metric) -> str:
    """Label the field for the worst score without an alert."""
    return f"Alert when {_BEYOND[metric.better]} ({'%' if metric.share else metric.spoken})"


def threshold_hint(threshold: float | None, scale: float) -> str:
    """Say in an empty field for the worst score which one holds.

    >>> threshold_hint(0.725, 100), threshold_hint(None, 100)
    ('72.5 (threshold)', 'never')
    """
    return "never" if threshold is None else f"{tidy_number(scale * threshold):g} (threshold)"


def rule_sentence(rule: AlertRule | None, metric: Metric) -> str:
    r"""Say when there is an alert.

    >>> from mandoline_core.metrics import get_metric
    >>> rule_sentence(AlertRule(3, "first", 0.8), get_metric("accuracy"))
    'Alerts: more than 3 points worse than on the first batch, or below 80.0%.'
    """
    if rule is None or not (rule.bounded or rule.verdict):
        return "No alert rule."
    unit = " points" if metric.share else ""
    said = [] if rule.drop is None else [f"more than {rule.drop:g}{unit} worse than {BASES[rule.base]}"]
    if rule.worst is not None:
        said.append(f"{_BEYOND[metric.better]} {show_value(rule.worst, share=metric.share)}")
    if rule.false_alarms is not None:
        said = said or [f"worse than {BASES[rule.base]}"]
        said[-1] += f", beyond sampling error ({show_percent(rule.false_alarms)} false alarms per run)"
    if rule.verdict is not None:
        said.append(f"verdict {verdict_choice(rule.verdict)}")
    return f"Alerts: {plain(', or '.join(said))}."


def verdict_choice(level: str) -> str:
    """Name the verdicts that alert, from this level on.

    >>> verdict_choice("amber"), verdict_choice("red")
    ('Usable with care or worse', 'Do not quote yet')
    """
    return MEANINGS[level] if level == LEVELS[-1] else f"{MEANINGS[level]} or worse"
