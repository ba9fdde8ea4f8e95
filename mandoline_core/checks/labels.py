"""The check of labels: a few labels of new rows join the headline, and confirm or contradict the estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mandoline_core.arrays import Floats
from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.verdict import CONFIRMED, FAILED, RED, conclude, judge
from mandoline_core.data import Sample
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Check, Finding, Severity, Verdict, loudest_first, worst_first
from mandoline_core.formatting import show_interval
from mandoline_core.labels import FewLabels, use_labels
from mandoline_core.pipeline import is_share


class LabelsCheck(CheckRule):
    """Ask whether labels of new rows agree with the estimate; `with_labels` answers, once there are any."""

    name = "labels"
    question = "Do labels of new rows agree with the estimate?"

    def look(self, report: ModelReport) -> None:  # noqa: ARG002 - as of every check
        """Leave it open: an estimate knows no labels of new rows."""
        return


def with_labels(
    report: ModelReport, target: Sample, plan: Floats | None, rules: Sequence[CheckRule], judged: Verdict
) -> ModelReport:
    """Let the labels of some new rows join a report: the quoted number is the combined one, if they allow it.

    Parameters
    ----------
    target : Sample
        The new data with its label column, empty where there is no label.
    plan : array of float, shape (n_target,), optional
        How many new rows each planned row represents.
    rules : sequence of CheckRule
        Every check, which says what of it labels outweigh.
    judged : Verdict
        The verdict without labels.
    """
    try:
        found = use_labels(report.fit, report.settings, target, plan=plan)
    except MandolineError as error:
        return not_used(report, str(error), "info")
    quoted = found.quoted and report.converged
    own = [_as_remark(one, quoted=quoted) for one in found.findings if one.check == LabelsCheck.name]
    return replace(
        report,
        estimate=found.combined.value if quoted else report.estimate,
        interval=found.combined.interval if quoted else report.interval,
        sampling_interval=None if quoted else report.sampling_interval,
        moved=0.0 if quoted else report.moved,
        labelled=found,
        without=report,
        findings=worst_first([*report.findings, *own]),
        verdict=_judge(report, found, [*judged.checks, conclude(LabelsCheck(), own)], rules, judged, quoted=quoted),
    )


def not_used(report: ModelReport, why: str, severity: Severity) -> ModelReport:
    """Say why labels of new rows have no part in a report."""
    unused = Finding("labels", "labels_not_used", severity, "The labels of the new data are not used.", detail=why)
    return replace(report, findings=worst_first([*report.findings, unused]))


def _as_remark(finding: Finding, *, quoted: bool) -> Finding:
    """Soften what speaks of the labels, not of the estimate; labels that cannot be quoted contradict nothing."""
    if finding.code == "few_labels":
        return replace(finding, severity="info")
    contradicts = finding.code == "slices_do_not_explain" and quoted
    return replace(finding, severity="warning") if finding.severity == "serious" and not contradicts else finding


def _judge(
    report: ModelReport,
    found: FewLabels,
    checks: Sequence[Check],
    rules: Sequence[CheckRule],
    judged: Verdict,
    *,
    quoted: bool,
) -> Verdict:
    """Judge again: contradicted is red; confirmed is above green, and outweighs what labels know better."""
    worst = loudest_first(checks)
    test = found.test if quoted else None
    if test is not None and test.state == "contradicted":
        others = sum(check.state == FAILED for check in worst) - 1
        more = f" {others} other check{'s' * (others > 1)} failed, too." if others else ""
        numbers = _numbers(report, found)
        reason = f"{test.words} {numbers}{more}"
        return replace(judged, level=RED, reason=reason, checks=tuple(checks), doubts=test.words, contradicted=True)
    outweighs = {rule.name: rule.labels_outweigh for rule in rules}
    held = [check for check in worst if not _is_outweighed(check, outweighs)]
    if test is not None and test.state == "confirmed" and get_estimator(report.estimator).takes_labels and not held:
        but = f" That outweighs: {worst[0].headline}" if worst else ""
        reason = f"{test.words} {_numbers(report, found)}{but}"
        return replace(judged, level=CONFIRMED, reason=reason, checks=tuple(checks), doubts="")
    again = judge(checks, judged.assumption, judged.harmless)
    said = "" if found.test is None or not quoted else f" {found.test.words}"
    return replace(again, reason=f"{again.reason}{said}")


def _is_outweighed(check: Check, outweighs: Mapping[str, str]) -> bool:
    by_labels = outweighs.get(check.name, "nothing")
    return by_labels == "failure" or (by_labels == "doubt" and check.state != FAILED)


def _numbers(report: ModelReport, found: FewLabels) -> str:
    share = is_share(report)
    combined = show_interval(*found.combined, share=share)
    return f"With them it is {combined}, without {show_interval(report.estimate, report.interval, share=share)}."
