"""The facts of one model's report, each worded by one function, in plain text: text, HTML and app share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mandoline_core.checks import ModelReport
from mandoline_core.discovery import Spread
from mandoline_core.formatting import (
    counted,
    listed,
    show_change,
    show_difference,
    show_ends,
    show_interval,
    show_percent,
    show_times,
    show_value,
)
from mandoline_core.pipeline import Estimate, SliceRow, is_share

WITHOUT = "without labels of new rows"
STATES = {"passed": "passed", "doubtful": "in doubt", "failed": "failed", "not run": "not run"}  # of checks
NO_ESTIMATE = "There is no estimate: the weights could not be fitted"
NO_VERDICT = "No verdict: most checks need more than slice codes."
ESTIMATE, LABELLED, TRUE_VALUE = "new data (estimate)", "labelled data", "true value"  # heads of tables


def number(report: Estimate) -> str:
    """Write the estimate with its interval."""
    if not report.converged:
        return "no estimate"
    return show_interval(report.estimate, report.interval, share=is_share(report))


def labelled(report: ModelReport) -> str:
    """Write the score on the labelled data with its interval."""
    return show_interval(report.source, report.source_interval, share=is_share(report))


def without_labels(report: ModelReport) -> str:
    """Write the estimate without labels of new rows, where the quoted one rests on some."""
    if report.without is None or not report.rests_on_labels:
        return ""
    return f"Without labels of new rows the estimate is {number(report.without)}."


def change(report: ModelReport) -> str:
    """Compare the estimate with the score on the labelled data; no full stop."""
    if not report.converged:
        return NO_ESTIMATE
    difference = report.estimate - report.source
    return f"The estimate is {show_change(difference, share=is_share(report), than='the score on labelled data')}"


def new_rows(models: Mapping[str, ModelReport]) -> str:
    """Give the prediction interval of each model; the quoted one is about the population the new rows come from."""
    ends = {
        name: show_ends(model.prediction_interval, share=is_share(model))
        for name, model in models.items()
        if model.prediction_interval is not None
    }
    if not ends:
        return ""
    n = next(iter(models.values())).n_target
    said = next(iter(ends.values())) if len(models) == 1 else "; ".join(f"{name} {one}" for name, one in ends.items())
    rows = "this new row" if n == 1 else f"exactly these {n:,} new rows"
    return f"The interval is for all data like the new data. For {rows}: {said}."


def truth(report: ModelReport) -> str:
    """Compare the estimate with the true value, which is that of these new rows."""
    if report.truth is None:
        return "The true value is unknown: the new data have no labels."
    share, found = is_share(report), report.prediction_interval
    off = show_difference(report.estimate - report.truth, share=share)
    said = f"The true value is {show_value(report.truth, share=share)}: the estimate is {off} off"
    if found is None:
        return f"{said}. There is no interval for the {report.problem.metric.spoken} of exactly these rows."
    contains = "contains it" if found[0] <= report.truth <= found[1] else "does not contain it"
    return f"{said}, and the interval for these rows ({show_ends(found, share=share)}) {contains}."


def basis(report: ModelReport) -> str:
    """Say how many rows the estimate rests on; no full stop."""
    rows = counted(report.effective_sample_size, "effective row")
    return f"{rows} out of {report.n_source:,}; the heaviest row weighs {show_times(report.largest_ratio)}"


def covers(report: ModelReport) -> str:
    """Say what intervals cover, and what not."""
    level = f"{100 * report.settings.confidence:g}%"
    return f"{level} intervals cover sampling error in both samples, but no change that no slice shows."


def left_out(report: ModelReport) -> str:
    """Say which part of the new data the estimate leaves out, if any."""
    if not report.set_aside:
        return ""
    share = show_percent(report.set_aside)
    return f"{share} of the new rows are left out: no weighting of the labelled rows can match them."


def edges(report: ModelReport) -> str:
    """Name the pairs of slices that move together, with z where the pairs were learned."""
    z = report.edge_z or (None,) * len(report.edges)
    pairs = [
        f"{a} and {b}{'' if value is None else f' (z = {value:.1f})'}"
        for (a, b), value in zip(report.edges, z, strict=True)
    ]
    return f"Slices that move together: {listed(pairs)}." if pairs else ""


def spread(found: Spread) -> str:
    """Say how sensitive the estimate is to the choice of slices."""
    return (found.finding and found.finding.message) or found.sentence


def model_rows(models: Mapping[str, ModelReport]) -> list[list[str]]:
    """List the models with their numbers, under a line of heads; true values where any is known."""
    known = any(model.truth is not None for model in models.values())
    joined = any(model.rests_on_labels for model in models.values())
    head = ["model", ESTIMATE, *([WITHOUT] if joined else []), LABELLED, *([TRUE_VALUE] if known else [])]
    return [head] + [
        [name, number(model), *([_without(model)] if joined else []), labelled(model)]
        + ([_true_value(model)] if known else [])
        for name, model in models.items()
    ]


def _without(report: ModelReport) -> str:
    return number(report.without or report)


def _true_value(report: ModelReport) -> str:
    return "-" if report.truth is None else show_value(report.truth, share=is_share(report))


def moved_most(rows: Sequence[SliceRow]) -> SliceRow | None:
    """Find the slice that shifts most."""
    return max(rows, key=lambda row: abs(row.shift), default=None)


def coverage(row: SliceRow) -> str:
    """Write how much of both samples a slice matches."""
    return f"{show_percent(row.source)} of labelled rows, {show_percent(row.target)} of new rows"
