"""Methods and models compared, backtests and labels, each fact worded by one function, in plain text."""

from __future__ import annotations

from mandoline_core.comparison import Difference, Entry, ModelComparison
from mandoline_core.comparison.backtests import ModelBacktest
from mandoline_core.formatting import (
    counted,
    is_nothing,
    show_difference,
    show_interval,
    show_percent,
    show_points,
    show_value,
)
from mandoline_core.labels import FewLabels, LabelPlan, power_words
from mandoline_core.metrics import Metric
from mandoline_core.report.words.vocabulary import title_of

LARGE = 0.03  # of a share: a spread that matters whatever the intervals
_SHIFTED_BY = {
    "slices": "shifts of your slices",
    "held-out slice": "shifts of a slice left out",
    "class": "shifts of the classes",
    "column": "splits by a column",
}


def agreement(comparison: ModelComparison) -> tuple[str, bool]:
    """Say how far methods with the same assumption are apart, and whether that is a reason for caution."""
    spread, ends, share = comparison.disagreement, comparison.furthest, comparison.metric.share
    if spread is None or ends is None:
        found = [name for name, e in comparison.entries.items() if e.estimate is not None and name != "source"]
        if len(found) > 1:
            return "No two methods share an assumption and pass their self-test.", False
        return f"Only {title_of(found[0])} has an estimate." if found else "No method has an estimate.", False
    gap, intervals = show_difference(spread, share=share), [entry.interval or (0.0, 0.0) for entry in ends]
    if spread > max((high - low) / 2 for low, high in intervals) and (not share or spread > LARGE):
        lowest, highest = (
            f"{title_of(entry.estimator)} says {show_value(entry.estimate or 0.0, share=share)}" for entry in ends
        )
        return f"Methods with the same assumption disagree by {gap}: {lowest}, {highest}.", True
    return f"Methods with the same assumption agree within {gap}.", False


def self_tested(entry: Entry, *, share: bool) -> str:
    """Say how far a method is off on the labelled data alone, with its standard error; and whether it fails.

    >>> from mandoline_core.pipeline import SelfTest
    >>> self_tested(Entry("cot", True, self_test=SelfTest(0.043, 0.004, 6000, failed=True)), share=True)
    '+4.3 (0.4), fails'
    >>> self_tested(Entry("cot", True, not_self_tested="It follows other methods."), share=True)
    'not tested'
    """
    if entry.self_test is None:
        return "not tested" if entry.available else ""
    bias = show_points(entry.self_test.bias, share=share, unit=False)
    error = show_points(entry.self_test.standard_error, share=share, sign=False, unit=False)
    return f"{bias} ({error}){', fails' if entry.failed else ''}"


def entry_change(entry: Entry, *, share: bool) -> str:
    """Say how a method changes the score on the labelled data.

    >>> entry_change(Entry("simple", True, change=-0.088, direction="down"), share=True)
    'down 8.8 points'
    >>> entry_change(Entry("simple", True, change=-0.001, direction="unchanged"), share=True)
    'within its interval'
    """
    if entry.change is None:
        return ""
    if entry.direction == "unchanged":
        return "within its interval" if entry.change else "unchanged"
    return f"{entry.direction} {show_difference(entry.change, share=share)}"


def difference(found: Difference, metric: Metric) -> str:
    """Say which of two models is better by one method, and by how much."""
    first, second, value = found.first, found.second, found.value
    if value is None or found.interval is None:
        raise ValueError("A difference that is held back is not shown.")
    low, high = found.interval
    if (value < 0) != (metric.better == "lower"):
        first, second, value, low, high = second, first, -value, -high, -low
    if metric.better == "lower":  # the better one has the smaller value; a difference is written as a gain
        value, low, high = -value, -high, -low
    word = "higher" if metric.better == "near 0" else "better"
    ends = " to ".join(show_points(end, share=metric.share, sign=False, unit=False) for end in (low, high))
    gap = f"{show_difference(value, share=metric.share)} {word}"
    if low <= 0 <= high:
        same = is_nothing(value, share=metric.share)
        gap = "no difference" if same else f"{first} is {gap}"
        return f"{first} and {second} do not differ beyond sampling error: {gap} ({ends}), same rows."
    return f"{first} is {gap} than {second} ({ends}), same rows."


def backtest(found: ModelBacktest, best: str) -> str:
    """Say how the project's own method did where the true value was known.

    Parameters
    ----------
    best : str
        The method with the smallest error.
    """
    own, source = found.expected_error(found.estimator), found.expected_error("source")
    share, title = found.metric.share, title_of(found.estimator)
    if own is None:
        return f"{title} had no estimate on any of the shifts."
    held = [
        f"{show_percent(coverage)} of {_SHIFTED_BY.get(kind, kind)}"
        for kind, judged in found.kinds.items()
        if found.estimator in judged and (coverage := judged[found.estimator].coverage) is not None
    ]
    said = f"On shifts made from the labelled data, {title} was off by {show_difference(own, share=share)} on average"
    if source is not None and found.estimator != "source":
        said += f", the labelled data's score by {show_difference(source, share=share)}"
    if held:
        said += f". Its {100 * found.confidence:g}% intervals contained the true value in {', '.join(held)}"
    if best != found.estimator and (error := found.expected_error(best)) is not None:
        said += f". Best: {title_of(best)}, off by {show_difference(error, share=share)}"
    return f"{said}. Natural shifts are often larger."


def few_labels(found: FewLabels, metric: Metric) -> str:
    """Say what labels of new rows add to the estimate."""
    alone, both = (
        show_interval(one.value, one.interval, share=metric.share) for one in (found.labels_only, found.combined)
    )
    labels = counted(found.n_labelled, "label")
    return f"{labels} of new rows alone give {alone}. All rows together give {both}, worth {found.worth:,.0f} labels."


def plan(found: LabelPlan, metric: Metric) -> str:
    """Say what labelling the planned rows would give."""
    share = metric.share
    planned, at_random = (
        show_difference((high - low) / 2, share=share)
        for low, high in (found.expected_interval_after, found.expected_interval_at_random)
    )
    return (
        f"{power_words(metric, len(found.rows), found.detectable)}. {plan_needs(found, share=share)} The margin of "
        f"error is then about {planned}, even if a slice is missing (rows drawn at random: {at_random})."
    )


def plan_needs(found: LabelPlan, *, share: bool) -> str:
    """Say how many labels would confirm the estimate, if they agree."""
    if found.needed is None:
        return "No number of labels can confirm the estimate: its own margin of error is too wide."
    if found.detectable <= found.limit:
        return "If they agree, they confirm the estimate."
    size = show_difference(found.limit, share=share)
    return f"About {found.needed:,} labels would confirm it (show {size})."
