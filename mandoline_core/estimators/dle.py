"""Direct loss estimation (DLE): an outcome model of each row's loss, averaged over the target."""

from __future__ import annotations

from mandoline_core.arrays import Bools
from mandoline_core.estimators.expectation import UsableRows
from mandoline_core.estimators.outcome_model import DescribedRows, OnOutcomes, describe_by_columns, why_not_losses
from mandoline_core.weighting import Problem


class Dle(OnOutcomes):
    """Predict the loss of new rows from columns and prediction.

    Like DLE of NannyML, but by regression instead of trees, which gives it an interval.
    """

    name = "dle"
    title = "Direct loss estimation (DLE)"
    does = "Predicts the loss of each new row with a model fitted on labelled rows, from columns and prediction."
    assumes = (
        "Rows with the same columns and prediction keep their expected loss, and the model of the loss is correct."
    )
    needs = ("features",)
    premise = "columns"
    interval_note = "Covers sampling error only, not a wrong assumption."
    seconds = 0.5

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        return why_not_losses(problem)

    def usable(self, problem: Problem, kept: Bools | None = None) -> UsableRows[DescribedRows]:
        """Describe rows by their columns."""
        return describe_by_columns(problem, kept)
