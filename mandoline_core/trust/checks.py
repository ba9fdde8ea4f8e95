"""A model's report with all its checks: what the weights' tail, other columns and the model's answers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mandoline_core.errors import MandolineError
from mandoline_core.estimating import ModelProblem, ModelReport, Progress, solve_model
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, Verdict, worst_first
from mandoline_core.labelling import use_labels
from mandoline_core.project import EstimatorSettings
from mandoline_core.samples import Sample
from mandoline_core.trust.drift import Drift, drift, drift_findings
from mandoline_core.trust.tail import USABLE, Tail, tail_of
from mandoline_core.trust.unmodelled.columns import columns_of, unmodelled_balance, unmodelled_findings
from mandoline_core.trust.unmodelled.line import BalanceLine
from mandoline_core.trust.unmodelled.table import ColumnTable
from mandoline_core.trust.verdict import judge


def report_model(prepared: ModelProblem, settings: EstimatorSettings, progress: Progress | None = None) -> ModelReport:
    """Solve one model's problem on its patterns, check what can be checked, and judge.

    Columns are read once for every set of slices; after that, a change of corrections or settings touches no rows.
    """
    report = solve_model(prepared, settings, progress)
    tail, found = tail_of(report), drift(report)
    lines = unmodelled_lines(report) if _weights_rows(report) else None
    if lines is None:
        found = replace(found, predicted=(), confidence=None)
    labels = _about_labels(prepared, settings)
    findings = [
        *report.findings,
        *_about_tail(tail),
        *unmodelled_findings(lines or ()),
        *drift_findings(found),
        *(labels or ()),
    ]
    return replace(
        report,
        findings=worst_first(findings),
        verdict=_judge(report, findings, lines, found, labelled=labels is not None),
    )


def column_table_of(report: ModelReport) -> ColumnTable | None:
    """Read the columns behind a report once for its slices; None where there are only codes."""
    kept = report.prepared.counted.kept
    key = ("columns", report.outcome.scored_weights is not None)
    if key not in kept:
        kept[key] = columns_of(report)
    table: ColumnTable | None = kept[key]
    return table


def unmodelled_lines(report: ModelReport) -> tuple[BalanceLine, ...] | None:
    """Compare the columns that no slice speaks of, before and after weighting; None where there are only codes."""
    table = column_table_of(report)
    return None if table is None else unmodelled_balance(report, table)


def _weights_rows(report: ModelReport) -> bool:
    """Tell whether the method makes the labelled rows stand for the new ones; those on probabilities alone do not."""
    return get_estimator(report.estimator).needs != ("probabilities",)


def _about_labels(prepared: ModelProblem, settings: EstimatorSettings) -> tuple[Finding, ...] | None:
    """Test the slices by labels that the target has for some of its rows; None where there are none to go by."""
    rows = prepared.counted.rows
    if rows is None or rows.source.label not in rows.target.columns or not _has_gaps(rows.target, rows.source.label):
        return None
    try:
        found = use_labels(prepared, settings, rows.target)
    except MandolineError:  # too few, or of no use to this metric: `labels` says why
        return None
    if found.test is None:
        return None
    return tuple(finding for finding in found.findings if finding.code == "slices_do_not_explain")


def _has_gaps(target: Sample, label: str | None) -> bool:
    """Tell a label column that is being filled in from one that holds the whole truth, which is for revealing only."""
    return label is not None and bool(target.series(label).is_null().any())


def _about_tail(tail: Tail) -> Iterator[Finding]:
    if tail.k is not None and tail.k >= USABLE:
        yield Finding(
            "heavy_tail",
            "serious",
            tail.words,
            "Drop or merge the slice that shifts most, or label more rows like the target's.",
        )


def _judge(
    report: ModelReport,
    findings: list[Finding],
    lines: tuple[BalanceLine, ...] | None,
    found: Drift,
    *,
    labelled: bool,
) -> Verdict:
    not_run: dict[str, str] = {}
    if not _weights_rows(report):
        why = "This method does not weight labelled rows, so there is nothing to compare with the new ones."
        not_run |= {"columns": why, "answers": why}
    elif lines is None:
        not_run["columns"] = "Only slice codes are known, so other columns could not be compared."
    elif not lines:
        not_run["columns"] = "There is no other column in both samples to compare, so a hidden change would not show."
    untested = next((finding.message for finding in findings if finding.code == "pairs_not_tested"), None)
    if untested is not None:
        not_run["pairs"] = untested
    if found.unread is not None and "answers" not in not_run:
        not_run["answers"] = found.unread
    if not found.predicted and "answers" not in not_run:
        not_run["answers"] = "There are no predicted classes to compare between the samples."
    estimator = get_estimator(report.estimator)
    on_slices = "slices" in estimator.needs
    rules = len(set(report.prepared.counted.origins.values())) or len(report.problem.patterns.names)
    assumption = (
        ("your slice captures the shift" if rules == 1 else f"your {rules} slices capture the shift")
        if on_slices
        else f"this holds: {estimator.assumes.rstrip('.').lower()[:1]}{estimator.assumes.rstrip('.')[1:]}"
    )
    skip = [] if on_slices else ["overlap", "slices", "corrections"]
    if report.outcome.delta is None:  # pairs are matched by edges, which only a fit of slices has
        skip.append("pairs")
    if not labelled:
        skip.append("labels")
    return judge(findings, assumption=assumption, not_run=not_run, skip=skip)
