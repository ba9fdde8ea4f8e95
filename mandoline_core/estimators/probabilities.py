"""What estimators on class probabilities share: when they apply, the rows they can use, and how rows are weighted."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, complete_outcome, rows_of, what_stops
from mandoline_core.estimators.intervals import RowInfluence
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.findings import Finding, FindingKind, rows_left_out
from mandoline_core.formatting import Sentence, listed
from mandoline_core.metrics import ClassCodes
from mandoline_core.weighting import Problem

MUCH_MISSING = 0.01
WITHOUT_PROBABILITIES = rows_left_out("rows_without_probabilities", lacking="a prediction or class probabilities")


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """Hold the rows of one sample that have a prediction and probabilities, and where they are among all.

    Parameters
    ----------
    rows : array of bool, shape (n_all,)
        Which of the sample's scored rows, or target rows, these are.
    truth, predicted : array of int, shape (n_rows,)
    probabilities : array of float, shape (n_rows, n_classes)
    """

    rows: NDArray[np.bool_]
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

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.predicted)

    def spread_out(self, values: Floats) -> Floats:
        """Put the rows' values back among all rows, 0 elsewhere."""
        out = np.zeros(len(self.rows))
        out[self.rows] = values
        return out


class UsableRows(NamedTuple):
    """Hold what is known of both samples' usable rows, and what to say about the others."""

    source: PredictedRows
    target: PredictedRows
    classes: tuple[str, ...]
    findings: tuple[Finding, ...]


class Expectation(NamedTuple):
    """Hold the metric to expect on the target, by what is known of weighted source rows, and how it moves.

    Parameters
    ----------
    means : array of float, shape (n_statistics,)
    by_target : array of float, shape (n_target,)
        How far each target row moves the value, the weights staying as they are.
    by_weight : array of float, shape (n_source,), optional
        Derivative by each source row's weight; weighted, 0.
    by_source : array of float, shape (n_source,), optional
        How far each source row moves the value otherwise than by its weight.
    pooled : float
        How far the value may be off because scores were pooled.
    """

    value: float
    means: Floats
    by_target: Floats
    by_weight: Floats | None = None
    by_source: Floats | None = None
    pooled: float = 0.0
    findings: tuple[Finding, ...] = ()

    def turned_round(self) -> Expectation:
        """Take what a share says for one minus the share."""
        by_weight, by_source = (None if moved is None else -moved for moved in (self.by_weight, self.by_source))
        return self._replace(
            value=1 - self.value,
            means=1 - self.means,
            by_target=-self.by_target,
            by_weight=by_weight,
            by_source=by_source,
        )


def usable_rows(problem: Problem, *, kept: NDArray[np.bool_] | None = None) -> UsableRows:
    """Take the rows that have a prediction and probabilities.

    Parameters
    ----------
    problem : Problem
        For which a method on probabilities applies.
    kept : array of bool, shape (n_patterns,), optional
        False for patterns whose target rows are set aside.
    """
    rows = rows_of(problem)
    evidence = rows.evidence
    sides, findings = [], list(evidence.findings)
    for sample, predictions, probabilities, labelled, counted in (
        (rows.source, evidence.source, evidence.source_probabilities, evidence.source.truth >= 0, True),
        (
            rows.target,
            evidence.target,
            evidence.target_probabilities,
            True,
            kept is None or kept[problem.members.target],
        ),
    ):
        complete = (predictions.predicted >= 0) & np.isfinite(probabilities[:, 0]) & labelled
        findings += left_out(complete, sample.name, WITHOUT_PROBABILITIES)
        chosen = complete & counted
        if not chosen.any():
            raise MandolineError(
                f"No row of {sample.name} that counts has class probabilities, so there is nothing to go by. "
                "Fill them in."
            )
        sides.append(
            PredictedRows(chosen, predictions.truth[chosen], predictions.predicted[chosen], probabilities[chosen])
        )
    source, target = sides
    return UsableRows(source, target, evidence.source.classes, tuple(dict.fromkeys(findings)))


def left_out(rows: NDArray[np.bool_], name: str, kind: FindingKind) -> tuple[Finding, ...]:
    """Say how many rows of a sample are left out."""
    missing = int((~rows).sum())
    if not missing:
        return ()
    much = missing > MUCH_MISSING * len(rows)
    return (kind.found("warning" if much else "info", missing=missing, n=len(rows), name=name),)


def why_not_classes(problem: Problem) -> str | None:
    """Say why a method that compares predictions with labels does not apply to a problem; None if it may."""
    if problem.metric.needs in ("numbers", "column"):
        return (
            f"This method compares predicted classes with labels, and metric {problem.metric.name!r} is not about "
            "classes. Choose a metric such as 'accuracy'."
        )
    rows = problem.rows
    if rows is None or problem.membership is None:
        return "This method looks at the rows themselves, and only their slice codes are known."
    if rows.model is None or rows.model.prediction is None or rows.source.label is None:
        return "This method needs labels and a model's predictions. Name the label column and a prediction column."
    return None


def why_not_probabilities(problem: Problem) -> str | None:
    """Say why a method that looks at class probabilities does not apply to a problem; None if it may."""
    why = why_not_classes(problem)
    if why is not None:
        return why
    rows = rows_of(problem)
    if rows.model is not None and not rows.model.probabilities:
        return f"Model {rows.model.name!r} has no class probabilities. Name their columns in probabilities."
    return what_stops(lambda: rows.evidence)


def why_not_one_class(problem: Problem) -> str | None:
    """Say whether the labels are all of one class, so that nothing tells classes apart."""
    rows = rows_of(problem)
    source = rows.answers[0]
    if not len(source.truth) or (source.truth != source.truth[0]).any():
        return None
    return (
        f"Every label of {rows.source.name} is {source.classes[source.truth[0]]!r}, so nothing can be learned "
        "about other classes. Label rows of at least two classes."
    )


def why_not_new_classes(problem: Problem) -> str | None:
    """Say which classes the target's predictions bring that no scored source row shows."""
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
        f"{rows.target.name} has predictions of class {names}, which is neither a label nor a prediction in "
        f"{rows.source.name}. Label rows of this class, or merge it with another."
    )


def why_not_accuracy(problem: Problem) -> str | None:
    """Say why a method that estimates the accuracy and nothing else does not apply to a problem; None if it may."""
    why = why_not_classes(problem)
    if why is None and problem.metric.name not in ("accuracy", "error"):
        why = (
            f"This method estimates how often predictions are right, and metric {problem.metric.name!r} asks for "
            "more. Choose metric 'accuracy' or 'error', or a method such as cbpe."
        )
    return why


class OnProbabilities(Estimator):
    """Run a method that looks at class probabilities; a subclass says how in `expect`.

    One that needs slices, too, gets source rows that Mandoline weights; for the others they all count the same.

    Parameters
    ----------
    of_accuracy : bool
        Whether it estimates the accuracy and nothing else.
    """

    needs: tuple[str, ...] = ("probabilities",)
    later = True
    weights_rows = False
    of_accuracy: bool = False

    @abstractmethod
    def expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:
        """Compute the metric to expect from the usable rows, those of the source weighted, shape (n_source,)."""

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        why = (why_not_accuracy(problem) if self.of_accuracy else None) or why_not_probabilities(problem)
        if why is None and self.uses_slices:
            why = why_not_new_classes(problem) or Mandoline().reason(problem)
        return why

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        self.check(problem)
        if self.uses_slices:
            return self._estimate_weighted(problem)
        rows = usable_rows(problem)
        n = len(rows.source)
        expected = self._expect(problem, rows, np.full(n, 1 / n))
        by_source = np.zeros(n) if expected.by_source is None else expected.by_source
        if expected.by_weight is not None:
            by_source = by_source + expected.by_weight / n  # a row that counts once more weighs 1 / n more
        influence = RowInfluence(
            rows.source.spread_out(by_source), rows.target.spread_out(expected.by_target), pooled=expected.pooled
        )
        findings = (*rows.findings, *expected.findings)
        return complete_outcome(problem, expected.value, expected.means, influence, findings=findings)

    def _estimate_weighted(self, problem: Problem) -> Outcome:
        """Estimate the metric with Mandoline's weights, with influence through them."""
        # A target row has a prediction of its own: it counts or not, and no pattern is kept in part.
        problem = replace(problem, whole_patterns=True)
        first = Mandoline().weigh(problem)
        rows = usable_rows(problem, kept=first.kept > 0)
        weights = first.weights(problem.members)[rows.source.rows]
        if not weights.any():
            raise MandolineError(
                Sentence("No {source_row} that the weights count has class probabilities. Fill them in.")
            )
        expected = self._expect(problem, rows, weights)
        by_weight = np.zeros(len(weights)) if expected.by_weight is None else expected.by_weight
        # The value moves with the weights like the weighted mean of its derivatives by them.
        second = Mandoline().weigh(problem, rows.source.spread_out(by_weight), first.delta)
        through = RowInfluence.of(second.influence.pieces(problem.members))
        source, target, pooled = through.source, through.target, math.hypot(through.pooled, expected.pooled)
        if expected.by_source is not None:
            source = source + rows.source.spread_out(expected.by_source)
        return replace(
            second,
            value=expected.value,
            means=expected.means,
            influence=RowInfluence(source, target + rows.target.spread_out(expected.by_target), pooled=pooled),
            findings=(*second.findings, *rows.findings, *expected.findings),
        )

    def _expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:
        """Compute what to expect; a method of the accuracy is asked for it also where the metric is the error."""
        expected = self.expect(problem, rows, weights)
        return expected.turned_round() if self.of_accuracy and problem.metric.name == "error" else expected
