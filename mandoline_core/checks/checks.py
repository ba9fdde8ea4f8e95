"""A model's report with all its checks, and the verdict that follows from what they found."""

from __future__ import annotations

from dataclasses import fields, replace

from mandoline_core.arrays import Floats
from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.checks.columns import ColumnsCheck, DomainCheck
from mandoline_core.checks.corrections import CorrectionsCheck
from mandoline_core.checks.evidence import ModelReport, gather_evidence
from mandoline_core.checks.groups import GroupsCheck
from mandoline_core.checks.labels import LabelsCheck, not_used, with_labels
from mandoline_core.checks.overlap import OverlapCheck
from mandoline_core.checks.predictions import PredictionsCheck
from mandoline_core.checks.second_opinion import hear
from mandoline_core.checks.slices import PairsCheck, SlicesCheck
from mandoline_core.checks.verdict import conclude, judge
from mandoline_core.checks.weights import FitCheck, RowsCheck, WeightsCheck
from mandoline_core.data import Sample
from mandoline_core.estimators import Estimator, Mandoline, SecondOpinion, get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.formatting import counted
from mandoline_core.pipeline import Estimate, Fit, Progress, fit_for
from mandoline_core.pipeline import estimate as estimate_fit
from mandoline_core.project import EstimatorSettings

CHECKS: list[CheckRule] = [
    FitCheck(),
    RowsCheck(),
    GroupsCheck(),
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


def add_labels(report: ModelReport, target: Sample, plan: Floats | None = None, problem: str = "") -> ModelReport:
    """Let labels of some new rows join a checked estimate: the quoted number and the verdict rest on them, too.

    Parameters
    ----------
    target : Sample
        The new data with its label column, empty where there is no label.
    plan : array of float, shape (n_target,), optional
        How many new rows each planned row represents; without it the labelled rows must be a random draw.
    problem : str
        Why the labels cannot be used; nothing where they can.
    """
    if problem:
        return not_used(report, problem, "warning")
    return report if report.verdict is None else with_labels(report, target, plan, CHECKS, report.verdict)


def report_model(
    fit: Fit, settings: EstimatorSettings, progress: Progress | None = None, *, draw: Fit | None = None
) -> ModelReport:
    """Estimate and check: the last two steps for one model.

    Parameters
    ----------
    draw : Fit, optional
        Of the rows in memory, for a method that looks at rows, where these stay in a table.
    """
    return check(estimate_fit(fit, settings, progress, method=method_for(fit, settings, draw), draw=draw))


def light_of_mandoline(fit: Fit, settings: EstimatorSettings) -> str | None:
    """Return the light that Mandoline's estimate of a fit gets; None if Mandoline does not apply."""
    if Mandoline().reason(fit.problem) is not None:
        return None
    verdict = check(estimate_fit(fit, replace(settings, name=Mandoline.name, interval="influence"))).verdict
    return None if verdict is None else verdict.level


def method_for(
    fit: Fit, settings: EstimatorSettings, draw: Fit | None = None, *, light: str | None = None
) -> Estimator:
    """Find the settings' method; one that goes by a verdict is told the one on Mandoline's estimate of the same fit.

    If Mandoline does not apply, there is no second opinion, and the method says why.

    Parameters
    ----------
    light : str, optional
        The verdict, where it is known already.
    """
    method = get_estimator(settings.name)
    if not isinstance(method, SecondOpinion):
        return method
    level, used = light or light_of_mandoline(fit, settings), fit_for(method, fit, draw)
    if SecondOpinion(level).reason(used.problem) is not None:
        return SecondOpinion(level)
    return SecondOpinion(level, tuple(hear(used, settings.confidence)[0]))


def find_all(estimate: Estimate) -> list[Finding]:
    """List what the checks find in a solved problem alone: what a comparison of methods says of each."""
    asked = [rule for rule in CHECKS if estimate.uses_slices or not rule.on_slices]
    return [finding for rule in asked for finding in rule.find(estimate)]


def _assumption(report: ModelReport) -> str:
    if not report.uses_slices:
        return f"this holds: {get_estimator(report.estimator).assumes}"
    rules = len(set(report.cells.origins.values())) or len(report.problem.patterns.names)
    pairs = len(report.edges)
    if rules == 1 and not pairs:
        return "your slice captures the shift."
    slices = "slice" if rules == 1 else f"{rules} slices"
    joined = f" and {counted(pairs, 'pair')}" if pairs else ""
    return f"your {slices}{joined} capture the shift."
