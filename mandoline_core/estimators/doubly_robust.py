"""Doubly robust: an outcome model plus weighted residuals; one of the two may be wrong."""

from __future__ import annotations

from mandoline_core.arrays import Bools
from mandoline_core.estimators.expectation import UsableRows
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.estimators.outcome_model import (
    DescribedRows,
    OnOutcomes,
    OutcomeDesign,
    describe_by_columns,
    of_losses,
    why_not_losses,
)
from mandoline_core.estimators.probabilities import usable_rows, why_not_new_classes, why_not_probabilities
from mandoline_core.metrics import Metric
from mandoline_core.weighting import Problem


class DoublyRobust(OnOutcomes):
    """Combine an outcome model with residuals weighted by slices: of classes, on confidence; of numbers, on columns."""

    name = "doubly_robust"
    title = "Doubly robust (weights and outcome model)"
    does = "Predicts the score of new rows with an outcome model, corrected by weighted residuals of labelled rows."
    assumes = (
        "Either the slices capture the shift, or the outcome model is correct. It looks at confidence and predicted "
        "class; of numbers, at columns and prediction."
    )
    premise = "slices"
    needs = ("slices", "probabilities")
    weights_rows = True

    def needs_for(self, metric: Metric) -> tuple[str, ...]:
        """Name the inputs that it needs for a metric."""
        return ("slices", "features") if of_losses(metric) else self.needs

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        if of_losses(problem.metric):
            return why_not_losses(problem) or Mandoline().reason(problem)
        why = why_not_probabilities(problem) or why_not_new_classes(problem) or Mandoline().reason(problem)
        if why is None and problem.metric.ranked:
            why = (
                f"This method needs a metric made of means over rows, unlike {problem.metric.name}. "
                "Choose a method such as mandoline or cbpe."
            )
        return why

    def usable(self, problem: Problem, kept: Bools | None = None) -> UsableRows[DescribedRows]:
        """Take the rows that the outcome model can look at."""
        if of_losses(problem.metric):
            return describe_by_columns(problem, kept)
        rows = usable_rows(problem, kept=kept)
        design = OutcomeDesign.of(rows.source, len(rows.classes))
        source, target = (
            DescribedRows(side.rows, design.columns(side), counted=side.counted) for side in (rows.source, rows.target)
        )
        return UsableRows(source, target, findings=rows.findings)
