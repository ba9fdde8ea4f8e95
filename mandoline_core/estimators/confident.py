"""What estimators on class probabilities share: when they apply, and the rows they can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.answers import ClassCodes
from mandoline_core.errors import MandolineError, listed
from mandoline_core.estimators.base import Evidence, Outcome, Problem, Rows
from mandoline_core.findings import Finding
from mandoline_core.intervals import RowInfluence
from mandoline_core.patterns import Floats

MUCH_MISSING = 0.01


@dataclass(frozen=True, eq=False)
class Answered:
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


class Known(NamedTuple):
    """Hold what is known of both samples' usable rows, and what to say about the others."""

    source: Answered
    target: Answered
    classes: tuple[str, ...]
    findings: tuple[Finding, ...]


def read_known(problem: Problem, *, kept: NDArray[np.bool_] | None = None) -> Known:
    """Take the rows that have a prediction and probabilities.

    Parameters
    ----------
    problem : Problem
        For which a method on probabilities applies.
    kept : array of bool, shape (n_patterns,), optional
        False for patterns whose target rows are set aside.
    """
    rows = problem.rows
    if rows is None:
        raise ValueError("This problem has no rows; an estimator must check that first.")
    said = rows.evidence
    source_rows, target_rows = _complete(said)
    findings = [*said.findings, *_left_out(source_rows, rows.source.name), *_left_out(target_rows, rows.target.name)]
    if kept is not None:
        target_rows = target_rows & kept[problem.members.target]
    for chosen, name in ((source_rows, rows.source.name), (target_rows, rows.target.name)):
        if not chosen.any():
            raise MandolineError(
                f"No row of {name} that counts has class probabilities, so there is nothing to go by. Fill them in."
            )
    source, target = (
        Answered(chosen, answers.truth[chosen], answers.predicted[chosen], probabilities[chosen])
        for chosen, answers, probabilities in (
            (source_rows, said.source, said.source_probabilities),
            (target_rows, said.target, said.target_probabilities),
        )
    )
    return Known(source, target, said.source.classes, tuple(dict.fromkeys(findings)))


def _complete(said: Evidence) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    source = (said.source.predicted >= 0) & (said.source.truth >= 0) & np.isfinite(said.source_probabilities[:, 0])
    return source, (said.target.predicted >= 0) & np.isfinite(said.target_probabilities[:, 0])


def _left_out(rows: NDArray[np.bool_], name: str) -> tuple[Finding, ...]:
    missing = int((~rows).sum())
    if not missing:
        return ()
    return (
        Finding(
            "rows_without_probabilities",
            "warning" if missing > MUCH_MISSING * len(rows) else "info",
            f"{missing:,} of {len(rows):,} rows of {name} lack a prediction or class probabilities and are left out.",
            "Fill in what is missing if these rows differ from the others.",
        ),
    )


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
    rows = _rows(problem)
    if rows.model is None or not rows.model.probabilities:
        name = "" if rows.model is None else f" {rows.model.name!r}"
        return f"Model{name} has no class probabilities. Name their columns in probabilities."
    try:
        _ = rows.evidence
    except MandolineError as error:
        return str(error)
    return None


def why_not_one_class(problem: Problem) -> str | None:
    """Say whether the labels are all of one class, so that nothing tells classes apart."""
    truth = _rows(problem).answers[0].truth
    if len(truth) and (truth == truth[0]).all():
        source = _rows(problem).answers[0]
        return (
            f"Every label of {_rows(problem).source.name} is {source.classes[truth[0]]!r}, so nothing can be learned "
            "about other classes. Label rows of at least two classes."
        )
    return None


def why_not_new_classes(problem: Problem) -> str | None:
    """Say which classes the target's predictions bring that no scored source row shows."""
    source, target = _rows(problem).answers
    shown = np.zeros(len(target.classes) + 1, dtype=bool)
    shown[-1] = True  # code -1 (missing) reads the last entry
    shown[source.truth] = shown[source.predicted] = True
    new = np.unique(target.predicted[~shown[target.predicted]])
    if not len(new):
        return None
    names = listed(repr(target.classes[code]) for code in new)
    return (
        f"{_rows(problem).target.name} has predictions of class {names}, which is neither a label nor a prediction in "
        f"{_rows(problem).source.name}. Label rows of this class, or merge it with another."
    )


def _rows(problem: Problem) -> Rows:
    if problem.rows is None:
        raise ValueError("This problem has no rows; an estimator must check that first.")
    return problem.rows


def even_outcome(
    problem: Problem, *, value: float, means: Floats, influence: RowInfluence, findings: tuple[Finding, ...]
) -> Outcome:
    """Build the outcome of a method that does not weight source rows: all count the same."""
    table = problem.patterns
    return Outcome(
        value=value,
        means=means,
        influence=influence,
        row_weights=np.tile(np.where(table.source > 0, 1 / table.n_source, 0.0), (len(problem.groups), 1)),
        kept=np.ones(len(table), dtype=bool),
        unused=np.zeros(len(table), dtype=bool),
        findings=findings,
    )


class OnProbabilities:
    """Run a method that looks at class probabilities; a subclass says how in `solve`."""

    needs: tuple[str, ...] = ("probabilities",)
    later: bool = True

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return why_not_probabilities(problem)

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        why = self.reason(problem)
        if why is not None:
            raise MandolineError(why)
        return self.solve(problem)

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric of a problem that the method applies to."""
        raise NotImplementedError
