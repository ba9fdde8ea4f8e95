"""BBSE: black-box shift estimation, which weights source rows by label to correct for label shift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, row_outcome, rows_of, what_stops
from mandoline_core.estimators.intervals import RowInfluence
from mandoline_core.estimators.probabilities import why_not_classes, why_not_new_classes, why_not_one_class
from mandoline_core.findings import Finding, rows_left_out
from mandoline_core.formatting import listed
from mandoline_core.metrics import ClassCodes, ClassLabels, evaluate
from mandoline_core.patterns import add_up
from mandoline_core.weighting import Problem

WORST_CONDITION = 1e3
LARGEST_ERROR = 1.0  # of a ratio; of a large ratio, half of it


@dataclass(frozen=True, eq=False)
class LabelShift:
    """Hold the ratio of class frequencies between target and source, and what it is computed from.

    Parameters
    ----------
    table : array of float, shape (n_classes, n_classes)
        Source shares by prediction (rows) and truth (columns).
    inverse : array of float, shape (n_classes, n_classes)
    target_shares : array of float, shape (n_classes,)
        Target shares by prediction.
    names : tuple of str
        Of the classes.
    position : array of int
        Where a class code is among the classes that the source shows, which are the ones above.
    """

    table: Floats
    inverse: Floats
    target_shares: Floats
    names: tuple[str, ...]
    position: Index

    @property
    def solution(self) -> Floats:
        """The ratios that solve the equation; sampling error may make one negative."""
        return self.inverse @ self.target_shares

    @property
    def ratios(self) -> Floats:
        """The same without negative ones; they average 1 over the source."""
        positive = np.maximum(self.solution, 0.0)
        return positive / float(self.table.sum(axis=0) @ positive)

    def standard_errors(self, n_source: int, n_target: int) -> Floats:
        """Compute the standard error of each ratio that solves the equation."""
        solution = self.solution
        by_source = self.inverse[:, :, None] * solution[None, None, :] - solution[:, None, None]
        by_target = self.inverse - solution[:, None]
        return np.sqrt(
            np.einsum("kc,akc->a", self.table, by_source**2) / n_source + by_target**2 @ self.target_shares / n_target
        )

    def influence(self, by_class: Floats) -> tuple[Floats, Floats]:
        """Differentiate a value that moves by `by_class` with the ratios, by the samples' shares.

        Returns
        -------
        by_source : array of float, shape (n_classes, n_classes)
            Of a source row, by prediction and truth.
        by_target : array of float, shape (n_classes,)
            Of a target row, by prediction.
        """
        solution = self.solution
        # A ratio that was negative stays 0, and the others move through the inverse and through their common scale.
        total = float(self.table.sum(axis=0) @ np.maximum(solution, 0.0))
        moved = np.where(solution > 0, by_class, 0.0) @ self.inverse / total
        level = float(moved @ self.target_shares)
        return level - moved[:, None] * solution[None, :], moved - level


def fit_label_shift(source: ClassLabels, predicted: ClassCodes) -> LabelShift:
    """Solve for the ratios of the classes' frequencies; refuse if the model confuses classes too often.

    Parameters
    ----------
    source : ClassLabels
        Without gaps.
    predicted : array of int, shape (n_target,)

    Examples
    --------
    >>> truth, predicted = np.repeat([0, 1], [20, 40]), np.repeat([0, 1, 0], [20, 30, 10])
    >>> shift = fit_label_shift(ClassLabels(("no", "yes"), truth, predicted), np.repeat([0, 1], [30, 10]))
    >>> shift.ratios.round(3).tolist()
    [2.0, 0.5]
    """
    shown = np.union1d(source.truth, source.predicted)
    names = tuple(source.classes[code] for code in shown)
    position = np.zeros(len(source.classes), dtype=np.intp)
    position[shown] = np.arange(len(shown))
    n = len(shown)
    counts = np.bincount(position[source.predicted] * n + position[source.truth], minlength=n * n).reshape(n, n)
    target_shares = np.bincount(position[predicted], minlength=n) / len(predicted)
    _check_classes(counts, names)
    table = counts / counts.sum()
    given = table / table.sum(axis=0)
    # Errors in the shares of predictions grow by as much as this when the table is inverted.
    condition = float(np.linalg.cond(given))
    if condition > WORST_CONDITION:
        raise MandolineError(
            "The model confuses classes too often to estimate label shift from its predictions (condition number "
            f"{condition:.3g}, at most {WORST_CONDITION:g}). Merge confused classes, or use another method."
        )
    shift = LabelShift(table, np.linalg.inv(table), target_shares, names, position)
    errors = shift.standard_errors(len(source.truth), len(predicted))
    worst = int(np.argmax(errors / np.maximum(LARGEST_ERROR, np.abs(shift.solution) / 2)))
    if errors[worst] > max(LARGEST_ERROR, abs(shift.solution[worst]) / 2):
        raise MandolineError(
            f"The frequency of class {names[worst]!r} in the new data is too uncertain: "
            f"{float(shift.solution[worst]):.2g}x, with a standard error of {float(errors[worst]):.2g}. "
            "Label more rows of this class, or merge it with another."
        )
    return shift


def _check_classes(counts: Index, names: tuple[str, ...]) -> None:
    """Refuse classes that have only labels or only predictions: as many equations are needed as there are ratios."""
    for axis, what in (
        (1, "never predicted"),
        (0, "predicted but never a label"),
    ):
        lacking = [name for name, total in zip(names, counts.sum(axis=axis), strict=True) if not total]
        if lacking:
            raise MandolineError(
                f"Class {listed(map(repr, lacking))} is {what} in the labelled data, so label shift cannot be "
                "estimated. Merge it with another class."
            )


class Bbse(Estimator):
    """Correct for label shift: black-box shift estimation (Lipton et al., 2018)."""

    name = "bbse"
    title = "Label shift (BBSE)"
    does = "Reweights classes to frequencies estimated from predictions on new data and the confusion matrix."
    assumes = "Label shift: class frequencies change, the rows within a class do not."
    needs = ("predictions",)
    premise = "classes"
    interval_note = "Covers sampling error only, not a wrong assumption."
    later = True

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        return (
            why_not_classes(problem)
            or what_stops(lambda: rows_of(problem).answers)
            or why_not_one_class(problem)
            or why_not_new_classes(problem)
            or what_stops(lambda: _fit(problem))
        )

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence through the ratios of the classes.

        A source row moves the value by its own weight, and through the table of predictions and labels; a target
        row through the shares of predictions.
        """
        self.check(problem)
        shift, source, predictions = _fit(problem)
        members, n, position = problem.members, len(source.truth), shift.position
        truth, predicted = position[source.truth], position[source.predicted]
        weights = shift.ratios[truth] / n
        evaluation = evaluate(problem.metric, members.statistics, weights)
        by_class = add_up(truth, evaluation.slopes, len(shift.target_shares)) / n
        by_source, by_target = shift.influence(by_class)
        complete = predictions >= 0
        target = np.zeros(len(predictions))
        target[complete] = by_target[position[predictions[complete]]] / complete.sum()
        spread = RowInfluence(
            weights * evaluation.slopes + by_source[predicted, truth] / n, target, designed=problem.designed
        )
        name, missing = rows_of(problem).target.name, int((~complete).sum())
        findings = [*rows_left_out("rows_without_predictions", missing, len(complete), name=name, lacking="prediction")]
        negative = [name for name, ratio in zip(shift.names, shift.solution, strict=True) if ratio < 0]
        if negative:
            findings.append(
                Finding(
                    "fit",
                    "negative_class_share",
                    "warning",
                    f"Class {listed(map(repr, negative))} gets a negative share of the new data; 0 is used instead.",
                    "If the new data contain this class, there is more than label shift. Use another method.",
                    numbers={"classes": tuple(negative)},
                )
            )
        return row_outcome(problem, evaluation, np.arange(n), weights, spread, tuple(findings))


def _fit(problem: Problem) -> tuple[LabelShift, ClassLabels, ClassCodes]:
    """Fit the shift; return it with the source's answers and the target's predictions, gaps included."""
    rows = rows_of(problem)
    source, target = rows.answers
    predicted = target.predicted[target.predicted >= 0]
    if not len(predicted):
        raise MandolineError(f"No row of {rows.target.name} has a prediction. Add predictions.")
    return fit_label_shift(source, predicted), source, target.predicted
