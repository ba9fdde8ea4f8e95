"""PAPE: CBPE with the calibration fitted on source rows that Mandoline weights to look like the target."""

from __future__ import annotations

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.cbpe import Cbpe, calibrated_expectation
from mandoline_core.estimators.confident import Expectation, UsableRows
from mandoline_core.estimators.reweighted import OnReweighted
from mandoline_core.weighting import Problem


class Pape(OnReweighted):
    """Calibrate the probabilities on the source weighted by slices, and take them for the target's chances."""

    name = "pape"
    title = "Probabilities calibrated by slices (PAPE)"
    does = "As calibrated probabilities, but made right for the slices as frequent as they are in the new data."
    assumes = (
        "Rows with the same probabilities in the same slice pattern are right as often on the new data as on "
        "labelled data."
    )

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return Cbpe().reason(problem) or super().reason(problem)

    def expect(self, problem: Problem, known: UsableRows, weights: Floats) -> Expectation:
        """Calibrate on the weighted rows."""
        if not weights.any():
            raise MandolineError("No source row that the weights count has class probabilities. Fill them in.")
        return calibrated_expectation(problem.metric, known.source, known.target, weights)
