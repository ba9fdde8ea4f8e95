"""A model's report with all its checks: each looks at the report, and from what they found follows the verdict."""

from __future__ import annotations

from dataclasses import replace

from mandoline_core.checks.check import CheckRule, NotRun, Solution
from mandoline_core.checks.columns import ColumnsCheck, DomainCheck
from mandoline_core.checks.corrections import CorrectionsCheck, LabelsCheck
from mandoline_core.checks.evidence import ModelReport, gather_evidence
from mandoline_core.checks.overlap import OverlapCheck
from mandoline_core.checks.predictions import PredictionsCheck
from mandoline_core.checks.slices import PairsCheck, SlicesCheck
from mandoline_core.checks.verdict import conclude, judge
from mandoline_core.checks.weights import FitCheck, RowsCheck, WeightsCheck
from mandoline_core.estimators import Mandoline, get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.formatting import Sentence
from mandoline_core.pipeline import Fit, Progress, solve_model
from mandoline_core.project import EstimatorSettings

CHECKS: list[CheckRule] = [
    FitCheck(),
    RowsCheck(),
    OverlapCheck(),
    WeightsCheck(),
    SlicesCheck(),
    PairsCheck(),
    CorrectionsCheck(),
    ColumnsCheck(),
    DomainCheck(),
    PredictionsCheck(),
    LabelsCheck(),
]


def report_model(prepared: Fit, settings: EstimatorSettings, progress: Progress | None = None) -> ModelReport:
    """Solve one model's problem on its patterns, check what can be checked, and judge; no rows are touched."""
    if goes_by_verdict(settings.name):
        prepared = with_verdict(prepared, settings)
    solved = solve_model(prepared, settings, progress)
    report = ModelReport.of(solved, gather_evidence(solved))
    solution = Solution(report.estimator, report.problem, report.outcome, report.diagnostics)
    findings = [*report.findings, *find_all(solution)]
    applied: dict[CheckRule, NotRun | None] = {}
    for rule in CHECKS:
        seen = rule.look(report) if report.uses_slices or not rule.on_slices else None
        if seen is None:
            continue
        applied[rule] = None
        for found in seen:
            if isinstance(found, NotRun):
                applied[rule] = found
            else:
                findings.append(found)
    checks = []
    for rule in CHECKS:
        own = [finding for finding in findings if finding.check == rule.name]
        if rule in applied or any(finding.severity != "info" for finding in own):
            checks.append(conclude(rule, own, applied.get(rule)))
    return replace(
        report, findings=worst_first(findings), verdict=judge(checks, _assumption(report), prepared.trust.harmless)
    )


def with_verdict(prepared: Fit, settings: EstimatorSettings) -> Fit:
    """State the light that Mandoline's estimate gets with the problem, for a method that goes by it.

    Where Mandoline cannot be asked there is none, and the method says so.
    """
    if prepared.problem.verdict is not None or Mandoline().reason(prepared.problem) is not None:
        return prepared
    judged = report_model(prepared, replace(settings, name=Mandoline.name, interval="influence")).verdict
    return replace(prepared, problem=replace(prepared.problem, verdict=None if judged is None else judged.level))


def goes_by_verdict(name: str) -> bool:
    """Tell whether a method must know the verdict on Mandoline's estimate.

    >>> goes_by_verdict("second_opinion"), goes_by_verdict("mandoline")
    (True, False)
    """
    return "verdict" in get_estimator(name).needs


def find_all(solution: Solution) -> list[Finding]:
    """List what the checks find in a solved problem alone: what a comparison of methods says of each."""
    asked = [rule for rule in CHECKS if solution.uses_slices or not rule.on_slices]
    return [finding for rule in asked for finding in rule.find(solution)]


def _assumption(report: ModelReport) -> Sentence:
    if not report.uses_slices:
        return Sentence("this holds: {assumes}", assumes=get_estimator(report.estimator).assumes)
    rules = len(set(report.fit.cells.origins.values())) or len(report.problem.patterns.names)
    return Sentence("your slice captures the shift." if rules == 1 else "your {n} slices capture the shift.", n=rules)
