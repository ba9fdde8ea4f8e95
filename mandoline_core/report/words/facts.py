"""One function a fact: what is said of a report in its text and on its page; checks bring their own sentences."""

from __future__ import annotations

from collections.abc import Sequence

from mandoline_core.checks import ModelReport, SensitivityPoint
from mandoline_core.comparison import Entry, ModelComparison
from mandoline_core.discovery import Spread
from mandoline_core.formatting import (
    Sentence,
    counted,
    direction,
    show_difference,
    show_ends,
    show_interval,
    show_percent,
    show_times,
    show_value,
)
from mandoline_core.pipeline import Estimate, SliceRow, is_share

ICONS = {
    "green": "M8 12.5l2.8 2.8L16.5 9",
    "amber": "M12 7v6.2M12 16.6v.4",
    "red": "M8.5 8.5l7 7M15.5 8.5l-7 7",
    "none": "M8 12h8",
}
STATES = {"passed": "green", "doubtful": "amber", "failed": "red", "not run": "none"}
STATE_WORDS = {"passed": "passed", "doubtful": "in doubt", "failed": "failed", "not run": "not run"}
NO_VERDICT = "No verdict: only slice codes are known, so most checks cannot be made."


def level_of(report: ModelReport) -> str:
    """Return the light of an estimate; "none" where there is no verdict."""
    return "none" if report.verdict is None else report.verdict.level


def number(report: Estimate) -> str:
    """Write the estimate with its interval."""
    if not report.converged:
        return "no estimate"
    return show_interval(report.estimate, report.interval, share=is_share(report))


def labelled(report: ModelReport) -> str:
    """Write the score on the labelled data with its interval."""
    return show_interval(report.source, report.source_interval, share=is_share(report))


def estimate_sentence(report: ModelReport) -> str:
    """Say the estimate in the manner of its verdict: plainly, with its condition, or after what stands in the way."""
    metric = report.problem.metric.spoken
    if not report.converged:
        return "There is no estimate: the weights could not be fitted."
    if level_of(report) == "red":
        return f"For the record, and not to be quoted: {metric} on the new data, {number(report)}."
    return f"On the new data the {metric} is probably {number(report)}."


def change(report: ModelReport) -> str:
    """Say how the estimate differs from the score on the labelled data."""
    before = f"On the labelled data it is {labelled(report)}"
    if not report.converged:
        return f"{before}."
    difference, share = report.estimate - report.source, is_share(report)
    way = direction(difference, share=share)
    if way == "the same":
        return f"{before}: the same."
    return f"{before}: the estimate is {show_difference(difference, share=share)} {way}."


def truth(report: ModelReport) -> str:
    """Say the truth, where it is known, and how far off the estimate is."""
    if report.truth is None:
        return ""
    share = is_share(report)
    low, high = report.interval
    where = "inside" if low <= report.truth <= high else "outside"
    off = show_difference(report.estimate - report.truth, share=share)
    return (
        f"The truth, revealed from labels that were used for nothing else, is {show_value(report.truth, share=share)}: "
        f"{off} from the estimate, {where} its interval."
    )


def basis(report: ModelReport) -> str:
    """Say on how many rows the estimate rests."""
    return (
        f"It rests on {counted(report.effective_sample_size, 'effective row')} out of {report.n_source:,} labelled "
        f"ones; the heaviest row counts {show_times(report.largest_ratio)}."
    )


def changed_most(rows: Sequence[SliceRow]) -> SliceRow | None:
    """Find the slice that shifts most."""
    return max(rows, key=lambda row: abs(row.shift), default=None)


def hidden(point: SensitivityPoint, *, share: bool) -> str:
    """Say what a hidden change of one strength could do."""
    low, high = (show_value(end, share=share) for end in (point.low, point.high))
    return (
        f"A hidden change that makes rows count up to {point.gamma:g} times more or less than they do could put the "
        f"number anywhere from {low} to {high} (with sampling error, {show_ends(point.interval, share=share)})."
    )


def agreement(comparison: ModelComparison) -> str:
    """Say how far the methods are apart."""
    if comparison.disagreement is None:
        return "Fewer than two methods have an estimate here, so there is nothing to compare."
    return f"The methods are {show_difference(comparison.disagreement, share=comparison.metric.share)} apart at most."


def entry_change(entry: Entry, *, share: bool) -> str:
    """Say how a method changes the labelled data's score."""
    if entry.change is None:
        return "-"
    if entry.direction == "unchanged":
        return "unchanged" if not entry.change else "unchanged within its interval"
    return f"{entry.direction} {show_difference(entry.change, share=share)}"


def set_aside(report: ModelReport) -> Sentence:
    """Say which part of the new data the estimate does not speak of."""
    if not report.set_aside:
        return Sentence("No row of the {target} is set aside: the estimate speaks of all of them.")
    return Sentence(
        "{share} of the {target_rows} are set aside: no weighting of the {source_rows} can match them, and the "
        "estimate does not speak of them.",
        share=show_percent(report.set_aside),
    )


def edge_pairs(report: ModelReport) -> list[str]:
    """Name the pairs of slices that move together, with how clearly where that was learned."""
    z = report.edge_z or (None,) * len(report.edges)
    return [
        f"{a} and {b}{'' if value is None else f' (z = {value:.1f})'}"
        for (a, b), value in zip(report.edges, z, strict=True)
    ]


def spread_sentence(spread: Spread) -> Sentence | str:
    """Say how much hangs on the choice of slices."""
    return (spread.finding and spread.finding.message) or spread.sentence
