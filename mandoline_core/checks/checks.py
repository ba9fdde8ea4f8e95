"""A model's report with all its checks: each looks at the report, and from what they found follows the verdict."""

from __future__ import annotations

from dataclasses import fields, replace

from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.checks.columns import ColumnsCheck, DomainCheck
from mandoline_core.checks.corrections import CorrectionsCheck, LabelsCheck
from mandoline_core.checks.evidence import ModelReport, gather_evidence
from mandoline_core.checks.overlap import OverlapCheck
from mandoline_core.checks.predictions import PredictionsCheck
from mandoline_core.checks.slices import PairsCheck, SlicesCheck
from mandoline_core.checks.verdict import conclude, judge
from mandoline_core.checks.weights import FitCheck, RowsCheck, WeightsCheck
from mandoline_core.estimators import Estimator, Mandoline, SecondOpinion, get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.formatting import Sentence
from mandoline_core.pipeline import Estimate, Fit, Progress
from mandoline_core.pipeline import estimate as estimate_fit
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


def check(estimate: Estimate) -> ModelReport:
    """Ask every check of an estimate, and judge it by what they found: the sixth step."""
    report = ModelReport(
        **{item.name: getattr(estimate, item.name) for item in fields(estimate)}, evidence=gather_evidence(estimate)
    )
    findings = [*estimate.findings, *find_all(estimate)]
    applied: dict[CheckRule, NotRun | None] = {}
    for rule in CHECKS:
        seen = rule.look(report) if report.uses_slices or not rule.on_slices else None
        if seen is None:
            continue
        applied[rule] = None
        for result in seen:
            if isinstance(result, NotRun):
                applied[rule] = result
            else:
                findings.append(result)
    checks = []
    for rule in CHECKS:
        own = [finding for finding in findings if finding.check == rule.name]
        if rule in applied or any(finding.severity != "info" for finding in own):
            checks.append(conclude(rule, own, applied.get(rule)))
    verdict = judge(checks, _assumption(report), estimate.fit.trust.harmless)
    return replace(report, findings=worst_first(findings), verdict=verdict)


def report_model(
    fit: Fit, settings: EstimatorSettings, progress: Progress | None = None, *, draw: Fit | None = None
) -> ModelReport:
    """Estimate and check: the last two steps for one model.

    Parameters
    ----------
    draw : Fit, optional
        Of the rows in memory, for a method that looks at rows, where these stay in a table.
    """
    return check(estimate_fit(fit, settings, progress, method=method_for(fit, settings), draw=draw))


def method_for(fit: Fit, settings: EstimatorSettings) -> Estimator:
    """Find the settings' method; one that goes by a verdict is told the one on Mandoline's estimate of the same fit.

    Where Mandoline cannot be asked there is none, and the method says so.
    """
    method = get_estimator(settings.name)
    if not isinstance(method, SecondOpinion) or Mandoline().reason(fit.problem) is not None:
        return method
    verdict = check(estimate_fit(fit, replace(settings, name=Mandoline.name, interval="influence"))).verdict
    return SecondOpinion(None if verdict is None else verdict.level)


def find_all(estimate: Estimate) -> list[Finding]:
    """List what the checks find in a solved problem alone: what a comparison of methods says of each."""
    asked = [rule for rule in CHECKS if estimate.uses_slices or not rule.on_slices]
    return [finding for rule in asked for finding in rule.find(estimate)]


def _assumption(report: ModelReport) -> Sentence:
    if not report.uses_slices:
        return Sentence("this holds: {assumes}", assumes=get_estimator(report.estimator).assumes)
    rules = len(set(report.cells.origins.values())) or len(report.problem.patterns.names)
    return Sentence("your slice captures the shift." if rules == 1 else "your {n} slices capture the shift.", n=rules)
