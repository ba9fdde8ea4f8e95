"""What would be if: hidden changes, theory, labels to come and shifts made up, in sentences. Names are escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from app.words.wording import plain
from mandoline_core.checks import ModelReport, SensitivityPoint, SliceStrength, TheoremBound
from mandoline_core.comparison.backtests import ModelBacktest
from mandoline_core.formatting import counted, show_difference, show_interval, show_value
from mandoline_core.labels import FewLabels, LabelPlan
from mandoline_core.metrics import Metric
from mandoline_core.pipeline import is_share
from mandoline_core.report.charts import MOST_SLICES, method_order, show_strength, strongest
from mandoline_core.report.words import title_of

_MATTERS = 1.005  # times: leaving out a weaker slice changes nothing that is written
_MOST_NAMED = 3
_SHIFTED_BY = {
    "slices": "by your slices",
    "held-out slice": "by a slice it was not given",
    "class": "by class",
    "column": "by a column",
}


def hidden_sentence(point: SensitivityPoint, *, share: bool) -> str:
    """Say where the truth could be under hidden shift of one strength."""
    if point.gamma == 1.0:
        value = show_interval(point.low, point.interval, share=share)
        return f"With nothing hidden the estimate stands: **{value}**."
    low, high = show_value(point.low, share=share), show_value(point.high, share=share)
    ends = " to ".join(show_value(end, share=share) for end in point.interval)
    return (
        f"If a change that no slice shows makes rows count up to **{point.gamma:.2f} times** more or less, the truth "
        f"could be anywhere from **{low}** to **{high}** ({ends} with the luck of the draw)."
    )


def crossing_sentence(
    report: ModelReport, threshold: float, crossing: float | None, strengths: Sequence[SliceStrength]
) -> str:
    """Say how strong a missing slice would have to be to reach a threshold, in terms of the slices one knows."""
    share = is_share(report)
    written = show_value(threshold, share=share)
    way = "under" if threshold < report.estimate else "over"
    if crossing is None:
        return f"No hidden change, however strong, could bring it {way} {written}."
    known = [(one.largest or 1.0, one.name) for one in strongest(strengths)]
    weaker = [name for strength, name in known if _MATTERS < strength < crossing]
    stronger = [(name, strength) for strength, name in known if strength >= crossing]
    said = f"To bring it {way} **{written}**, a hidden change must make rows count {crossing:.2f} times more or less."
    if weaker:
        said += f" A missing slice would have to be stronger than {_names(weaker[:_MOST_NAMED])}."
    if stronger:
        name, strength = stronger[-1]
        said += f" One as strong as *{plain(name)}* ({show_strength(strength)}) could be enough."
    return said


def strengths_caption(strengths: Sequence[SliceStrength]) -> str:
    """Say what stands below the curve, and how many slices are not shown there."""
    band = "The grey band adds the luck of the draw."
    left = len(strongest(strengths)) - MOST_SLICES
    if not strongest(strengths):
        return band
    weaker = f"; {counted(left, 'weaker one')} {'is' if left == 1 else 'are'} not shown" if left > 0 else ""
    return (
        "Squares below the plot: how strong a hidden change each of your slices would have been, had you not thought "
        f"of it (a triangle: beyond the axis{weaker}). {band}"
    )


def _names(names: Sequence[str]) -> str:
    return _and([f"*{plain(name)}*" for name in names])


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def default_threshold(report: ModelReport) -> float:
    """Propose a round number on the bad side of an estimate, as far off as people would mind."""
    metric = report.problem.metric
    worse = -1 if metric.better == "higher" else 1
    if metric.share:
        step = 0.05
        found = (math.floor if worse < 0 else math.ceil)(report.estimate / step + worse * 0.2) * step
        return min(max(round(found, 2), 0.0), 1.0)
    off = report.estimate * (1 + worse * 0.1)
    digits = 1 - math.floor(math.log10(abs(off))) if off else 0
    return round(off, digits)


def is_of_use(bound: TheoremBound, report: ModelReport) -> bool:
    """Tell whether the paper's bound leaves out at least half of what the metric could be."""
    low, high = report.problem.metric.bounds or (0.0, math.inf)
    return bound.total < (high - low) / 2


TOO_WIDE = (
    "**The guarantee is too wide to be of use here**, even if nothing hidden changed and every correction is right. It "
    "has to hold in the worst case; the interval says what is likely. More labelled rows, or rows that count more "
    "evenly, would make it narrower."
)


def promise_sentence(bound: TheoremBound, report: ModelReport, failure: float) -> str:
    """Say what the paper's bound comes to."""
    if not is_of_use(bound, report):
        return "Under these assumptions the guarantee is too wide to be of use."
    off = show_difference(bound.total, share=is_share(report))
    return (
        f"Under these assumptions the estimate is within **{off}** of the truth, with a chance of {failure:.0%} to be "
        "wrong. That is the worst case; the interval says what is likely."
    )


def few_labels_sentence(found: FewLabels, metric: Metric) -> str:
    """Say what the labels add to the estimate."""
    share = metric.share
    labels = show_interval(found.labels_only.value, found.labels_only.interval, share=share)
    both = show_interval(found.combined.value, found.combined.interval, share=share)
    return (
        f"{counted(found.n_labelled, 'labelled new row')} by themselves say {labels}. With all rows together it is "
        f"**{both}**, as sure as {found.worth:,.0f} labels would be."
    )


def plan_sentence(plan: LabelPlan, *, share: bool) -> str:
    """Say what labelling the planned rows would bring."""

    def width(interval: tuple[float, float]) -> str:
        half = (interval[1] - interval[0]) / 2
        return show_difference(half, share=share)

    return (
        f"With these {counted(len(plan.rows), 'label')} the answer would be sure to about "
        f"**{width(plan.expected_interval_after)}** either way, whether the slices tell all or not "
        f"(rows drawn blindly: {width(plan.expected_interval_at_random)}). A change that the slices do not explain "
        f"would be noticed, four times in five, from {show_difference(plan.detectable, share=share)} on."
    )


def plan_table(plan: LabelPlan, *, most: int) -> pd.DataFrame:
    """List the slice patterns that a plan draws most rows of, as people read it; names are escaped."""
    planned = [one for one in plan.by_pattern if one.planned]
    return pd.DataFrame(
        [
            {
                "in slices": plain(one.in_slices),
                "to label": f"{one.planned:,}",
                "new rows": f"{one.n_target:,}",
                "labelled rows": f"{one.n_source:,}",
            }
            for one in planned[:most]
        ]
    )


def backtest_sentence(found: ModelBacktest) -> str:
    """Say how the project's own method did where the truth was known."""
    own, source = found.expected_error(found.estimator), found.expected_error("source")
    share = found.metric.share
    title = plain(title_of(found.estimator))
    if own is None:
        return f"{title} found no answer on any of the shifts that were tried."
    held = [
        f"{judged[found.estimator].coverage:.0%} of those {_SHIFTED_BY.get(kind, f'by {kind}')}"
        for kind, judged in found.kinds.items()
        if found.estimator in judged and judged[found.estimator].coverage is not None
    ]
    said = f"**{title}** was off by **{show_difference(own, share=share)}** on average"
    if source is not None and found.estimator != "source":
        said += f"; the labelled data's own score by {show_difference(source, share=share)}"
    if held:
        shares = _and(held).replace("those", "the shifts", 1)
        said += f". Its {found.confidence:.0%} intervals held the truth in {shares}"
    best = method_order(found)[0]
    if best != found.estimator and (error := found.expected_error(best)) is not None:
        said += f". Best was {plain(title_of(best))}, off by {show_difference(error, share=share)}"
    return f"{said}."


def backtest_table(found: ModelBacktest) -> pd.DataFrame:
    """List how every method did by kind of shift, at full precision."""
    lines = []
    for name in method_order(found):
        line: dict[str, object] = {"method": title_of(name), "error to expect": found.expected_error(name)}
        for kind, judged in found.kinds.items():
            one = judged.get(name)
            line[f"{kind}: error"] = None if one is None else one.mean_absolute_error
            line[f"{kind}: held"] = None if one is None else one.coverage
        line["failed"] = sum(judged[name].failures for judged in found.kinds.values() if name in judged)
        lines.append(line)
    return pd.DataFrame(lines)
