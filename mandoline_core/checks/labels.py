"""The check of the labels: whether those that the target has for some of its rows agree with the slices."""

from __future__ import annotations

from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.findings import Finding
from mandoline_core.labels import check_slices


class LabelsCheck(CheckRule):
    """Ask whether the labels that arrived agree; what labels may show is declared where they are used."""

    name = "labels"
    question = "Do the labels that arrived agree?"

    def look(self, report: ModelReport) -> tuple[Finding, ...] | None:
        """Test the slices by the labels at hand."""
        return check_slices(report.fit, report.settings)
