"""What estimators on class probabilities share: when they apply, and the rows they can use."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, rows_of, what_stops
from mandoline_core.estimators.intervals import RowInfluence
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import listed
from mandoline_core.metrics import ClassCodes
from mandoline_core.weighting import Problem

MUCH_MISSING = 0.01
WITHOUT_PROBABILITIES = FindingKind(
    "rows",
    "rows_without_probabilities",
    "{missing:,} of {n:,} rows of {name} lack a prediction or class probabilities and are left out",
    "Fill in what is missing if these rows differ from the others.",
)


@dataclass(frozen=True, eq=False)
class AnsweredRows:
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

    source: AnsweredRows
    target: AnsweredRows
    classes: tuple[str, ...]
    findings: tuple[Finding, ...]

    def influence(self, source: Floats, target: Floats, *, pooled: float = 0.0) -> RowInfluence:
        """Put together how far the usable rows of either sample move an estimate; the others move nothing.

        Pooled is how far it may be off because rows were evened out.
        """
        return RowInfluence(self.source.spread_out(source), self.target.spread_out(target), pooled=pooled)


class Expectation(NamedTuple):
    """Hold the metric to expect on the target by what is known of weighted source rows, and how it moves.

    Parameters
    ----------
    means : array of float, shape (n_statistics,)
    by_weight : array of float, shape (n_source,)
        Derivative by each source row's weight; weighted, 0.
    by_target : array of float, shape (n_target,)
        How far each target row moves the value, the weights staying as they are.
    by_source : array of float, shape (n_source,), optional
        How far each source row moves the value otherwise than by its weight.
    pooled : float
        How far the value may be off because scores were pooled.
    """

    value: float
    means: Floats
    by_weight: Floats
    by_target: Floats
    by_source: Floats | None = None
    pooled: float = 0.0
    findings: tuple[Finding, ...] = ()


def read_known(problem: Problem, *, kept: NDArray[np.bool_] | None = None) -> UsableRows:
    """Take the rows that have a prediction and probabilities.

    Parameters
    ----------
    problem : Problem
        For which a method on probabilities applies.
    kept : array of bool, shape (n_patterns,), optional
        False for patterns whose target rows are set aside.
    """
    rows = rows_of(problem)
    said = rows.evidence
    sides, findings = [], list(said.findings)
    for sample, answers, probabilities, labelled, counted in (
        (rows.source, said.source, said.source_probabilities, said.source.truth >= 0, True),
        (rows.target, said.target, said.target_probabilities, True, kept is None or kept[problem.members.target]),
    ):
        complete = (answers.predicted >= 0) & np.isfinite(probabilities[:, 0]) & labelled
        findings += left_out(complete, sample.name, WITHOUT_PROBABILITIES)
        chosen = complete & counted
        if not chosen.any():
            raise MandolineError(
                f"No row of {sample.name} that counts has class probabilities, so there is nothing to go by. "
                "Fill them in."
            )
        sides.append(AnsweredRows(chosen, answers.truth[chosen], answers.predicted[chosen], probabilities[chosen]))
    source, target = sides
    return UsableRows(source, target, said.source.classes, tuple(dict.fromkeys(findings)))


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


class OnAnswers(Estimator):
    """Run a method that compares predicted classes with labels; a subclass says how in `solve`."""

    needs: tuple[str, ...] = ("predictions",)
    later = True

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return why_not_classes(problem)

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        self.check(problem)
        return self.solve(problem)

    @abstractmethod
    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric of a problem that the method applies to."""


class OnProbabilities(OnAnswers):
    """Run a method that looks at class probabilities; a subclass says how in `solve`."""

    needs: tuple[str, ...] = ("probabilities",)
    weights_rows = False

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return why_not_probabilities(problem)
