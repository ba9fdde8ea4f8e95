"""The check of the labels: whether those that the target has for some of its rows agree with the slices."""

from __future__ import annotations

from mandoline_core.errors import MandolineError
from mandoline_core.estimating import ModelReport
from mandoline_core.findings import Finding
from mandoline_core.labelling import use_labels
from mandoline_core.trust.check import CheckRule


class LabelsCheck(CheckRule):
    """Ask whether the labels that arrived agree; what labels may show is declared where they are used."""

    name = "labels"
    question = "Do the labels that arrived agree?"

    def look(self, report: ModelReport) -> tuple[Finding, ...] | None:
        """Test the slices by a label column that is being filled in; one with the whole truth is for revealing."""
        rows = report.prepared.counted.rows
        label = None if rows is None else rows.source.label
        if (
            rows is None
            or label is None
            or label not in rows.target.columns
            or not rows.target.series(label).is_null().any()
        ):
            return None
        try:
            found = use_labels(report.prepared, report.settings, rows.target)
        except MandolineError:  # too few, or of no use to this metric: `labels` says why
            return None
        if found.test is None:
            return None
        return tuple(finding for finding in found.findings if finding.code == "slices_do_not_explain")
