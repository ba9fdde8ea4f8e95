"""The base of estimators on class probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Bools, Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import rows_of, what_stops
from mandoline_core.estimators.expectation import ChosenRows, Expectation, OnExpectation, UsableRows
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.findings import rows_left_out
from mandoline_core.formatting import listed
from mandoline_core.metrics import ClassCodes
from mandoline_core.weighting import Problem


@dataclass(frozen=True, eq=False)
class PredictedRows(ChosenRows):
    """Hold the rows of one sample that have a prediction and probabilities, and where they are among all.

    Parameters
    ----------
    rows : array of bool, shape (n_all,)
        Which of the sample's scored rows, or target rows, these are.
    truth, predicted : array of int, shape (n_rows,)
    probabilities : array of float, shape (n_rows, n_classes)
    """

    truth: ClassCodes
    predicted: ClassCodes
    probabilities: Floats

    @property
    def confidence(self) -> Floats:
        """The probability of the class that is predicted, shape (n_rows,)."""
        return self.probabilities[np.arange(len(self.predicted)), self.predicted]

    @property
    def right(self) -> Floats:
        """1 where the prediction is right, else 0."""
        return (self.truth == self.predicted).astype(float)


def usable_rows(problem: Problem, *, kept: Bools | None = None) -> UsableRows[PredictedRows]:
    """Take the rows that have a prediction and probabilities.

    Parameters
    ----------
    problem : Problem
        For which a method on probabilities applies.
    kept : array of bool, shape (n_patterns,), optional
        False for patterns whose target rows are left out.
    """
    rows = rows_of(problem)
    evidence = rows.evidence
    sides, findings, members = [], list(evidence.findings), problem.members
    for sample, predictions, probabilities, labelled, counted, weights in (
        (
            rows.source,
            evidence.source,
            evidence.source_probabilities,
            evidence.source.truth >= 0,
            True,
            members.source_rows,
        ),
        (
            rows.target,
            evidence.target,
            evidence.target_probabilities,
            True,
            (members.target_rows > 0) & (kept is None or kept[members.target]),
            members.target_rows,
        ),
    ):
        complete = (predictions.predicted >= 0) & np.isfinite(probabilities[:, 0]) & labelled
        findings += rows_left_out(
            "rows_without_probabilities",
            int((~complete).sum()),
            len(complete),
            name=sample.name,
            lacking="prediction or class probabilities",
        )
        chosen = complete & counted
        if not chosen.any():
            raise MandolineError(f"No usable row of {sample.name} has class probabilities. Add them.")
        known = predictions.truth[chosen], predictions.predicted[chosen], probabilities[chosen]
        sides.append(PredictedRows(chosen, *known, counted=weights[chosen] if members.has_weights else None))
    source, target = sides
    return UsableRows(source, target, evidence.source.classes, tuple(dict.fromkeys(findings)))


def why_not_classes(problem: Problem) -> str | None:
    """Return why a method for classifiers does not apply, or None."""
    if problem.metric.needs in ("numbers", "column", "own"):
        return (
            f"This method is for classifiers. Metric {problem.metric.name!r} is not. "
            "Choose a metric such as 'accuracy'."
        )
    rows = problem.rows
    if rows is None or problem.membership is None:
        return "This method needs rows. Only slice codes are given."
    if rows.model is None or rows.model.prediction is None or rows.source.label is None:
        return "This method needs labels and predictions. Set label in [task], and prediction in [[models]]."
    return None


def why_not_probabilities(problem: Problem) -> str | None:
    """Return why a method on class probabilities does not apply, or None."""
    why = why_not_classes(problem)
    if why is not None:
        return why
    rows = rows_of(problem)
    if rows.model is not None and not rows.model.probabilities:
        return f"Model {rows.model.name!r} has no class probabilities. Set probabilities in [[models]]."
    return what_stops(lambda: rows.evidence)


def why_not_one_class(problem: Problem) -> str | None:
    """Say that all labels are of one class, if so."""
    rows = rows_of(problem)
    source = rows.answers[0]
    if not len(source.truth) or (source.truth != source.truth[0]).any():
        return None
    return (
        f"Every label of {rows.source.name} is {source.classes[source.truth[0]]!r}. Label rows of at least two classes."
    )


def why_not_new_classes(problem: Problem) -> str | None:
    """Name the classes that are predicted in the target but do not occur in the source."""
    rows = rows_of(problem)
    source, target = rows.answers
    shown = np.zeros(len(target.classes) + 1, dtype=bool)
    shown[-1] = True  # code -1 (missing) reads the last entry
    shown[source.truth] = shown[source.predicted] = True
    new = np.unique(target.predicted[~shown[target.predicted]])
    if not len(new):
        return None
    names = listed(repr(target.classes[code]) for code in new)
    return (
        f"{rows.target.name} has predictions of class {names}, which does not occur in {rows.source.name}. "
        "Label rows of this class, or merge it with another."
    )


def why_not_accuracy(problem: Problem) -> str | None:
    """Return why a method for accuracy only does not apply, or None."""
    why = why_not_classes(problem)
    if why is None and problem.metric.name not in ("accuracy", "error"):
        why = (
            f"This method estimates accuracy only. Metric {problem.metric.name!r} needs another method, such as cbpe. "
            "Or choose metric 'accuracy' or 'error'."
        )
    return why


class OnProbabilities(OnExpectation[PredictedRows]):
    """Run a method that looks at class probabilities; a subclass says how in `expect`.

    Parameters
    ----------
    of_accuracy : bool
        Whether it estimates the accuracy and nothing else.
    """

    premise = "confidence"
    interval_note = "Covers sampling error only, not a wrong assumption."
    needs: tuple[str, ...] = ("probabilities",)
    of_accuracy: bool = False

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        why = (why_not_accuracy(problem) if self.of_accuracy else None) or why_not_probabilities(problem)
        if why is None and self.uses_slices:
            why = why_not_new_classes(problem) or Mandoline().reason(problem)
        return why

    def usable(self, problem: Problem, kept: Bools | None = None) -> UsableRows[PredictedRows]:
        """Take the rows that have a prediction and probabilities."""
        return usable_rows(problem, kept=kept)

    def _expect(self, problem: Problem, rows: UsableRows[PredictedRows], weights: Floats) -> Expectation:
        """Compute what to expect; a method of the accuracy is asked for it also where the metric is the error."""
        expected = self.expect(problem, rows, weights)
        return expected.turned_round() if self.of_accuracy and problem.metric.name == "error" else expected
