"""A model's report with all its checks: what the weights' tail, other columns and the model's answers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mandoline_core.estimating import ModelProblem, ModelReport, Progress, solve_model
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, Verdict, worst_first
from mandoline_core.labelling import check_slices
from mandoline_core.project import EstimatorSettings
from mandoline_core.trust.drift import Drift, drift_findings
from mandoline_core.trust.evidence import CheckedReport, gather_evidence
from mandoline_core.trust.tail import USABLE, Tail
from mandoline_core.trust.unmodelled.columns import unmodelled_findings
from mandoline_core.trust.unmodelled.line import BalanceLine
from mandoline_core.trust.verdict import judge


def report_model(
    prepared: ModelProblem, settings: EstimatorSettings, progress: Progress | None = None
) -> CheckedReport:
    """Solve one model's problem on its patterns, check what can be checked, and judge; no rows are touched."""
    report = solve_model(prepared, settings, progress)
    evidence = gather_evidence(report)
    found, lines = evidence.drift, evidence.columns
    if lines is None or not _weights_rows(report):
        found, lines = replace(found, predicted=(), confidence=None), None
    labels = check_slices(prepared, settings)
    findings = [
        *report.findings,
        *_about_tail(evidence.tail),
        *unmodelled_findings(lines or ()),
        *drift_findings(found),
        *(labels or ()),
    ]
    return CheckedReport.of(
        report,
        evidence,
        findings=worst_first(findings),
        verdict=_judge(report, findings, lines, found, labelled=labels is not None),
    )


def _weights_rows(report: ModelReport) -> bool:
    """Tell whether the method makes the labelled rows stand for the new ones; those on probabilities alone do not."""
    return get_estimator(report.estimator).needs != ("probabilities",)


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
