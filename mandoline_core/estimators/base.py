"""The contract every estimator keeps: a problem in, an outcome with its spread out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.intervals import Spread
from mandoline_core.findings import Finding
from mandoline_core.patterns import Membership
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem, Rows


@dataclass(frozen=True, eq=False)
class Outcome:
    """Hold an estimate, how sure it is, and what it does not cover.

    Parameters
    ----------
    value : float
        The metric's estimate on the target.
    means : array of float, shape (n_statistics,)
        Estimated means of the metric's statistics on the target.
    influence : Spread
        How luck in both samples moves the estimate.
    row_weights : array of float, shape (n_groups, n_patterns)
        The weight of one row of a pattern, by group of source rows; all rows' weights sum to 1.
    kept : array of float, shape (n_patterns,)
        The share of each pattern's target rows that the estimate speaks of; the others are set aside.
    delta : array of float, shape (n_potentials,), optional
        Fitted parameters, averaged over folds.
    beyond : tuple of str
        Slices that put target rows beyond the source's reach.
    unused : array of bool, shape (n_patterns,)
        Source patterns that get no weight because the target has nothing like them.
    scored_weights : array of float, shape (n_scored,), optional
        The weight of every scored row, where rows of one pattern differ.
    error_if_known : float, optional
        The standard error if measured corrections were known exactly; None where none were measured.
    spanned : tuple of Outcome
        Other answers to the same question that the interval must hold, with their own intervals.
    """

    value: float
    means: Floats
    influence: Spread
    row_weights: Floats
    kept: Floats
    delta: Floats | None = None
    beyond: tuple[str, ...] = ()
    unused: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    converged: bool = True
    findings: tuple[Finding, ...] = ()
    scored_weights: Floats | None = None
    error_if_known: float | None = None
    spanned: tuple[Outcome, ...] = ()

    def weights(self, membership: Membership) -> Floats:
        """Return how much each scored cell counts, with all its rows, shape (n_scored,); sums to 1."""
        if self.scored_weights is not None:
            return self.scored_weights
        return np.asarray(self.row_weights[membership.groups, membership.source] * membership.source_rows)


def complete_outcome(
    problem: Problem,
    value: float,
    means: Floats,
    influence: Spread,
    *,
    weights: Floats | None = None,
    converged: bool = True,
    findings: tuple[Finding, ...] = (),
    scored_weights: Floats | None = None,
) -> Outcome:
    """Build the outcome of a method that sets no row aside.

    Parameters
    ----------
    weights : array of float, shape (n_patterns,), optional
        The weight of one row of a pattern, whatever its group. All source rows count the same when left out.
    value, means, influence, converged, findings, scored_weights
        As in an outcome.
    """
    table = problem.patterns
    if weights is None:
        weights = np.where(table.source > 0, 1 / table.n_source, 0.0)
    return Outcome(
        value=value,
        means=means,
        influence=influence,
        row_weights=np.tile(weights, (len(problem.groups), 1)),
        kept=np.ones(len(table)),
        converged=converged,
        findings=findings,
        scored_weights=scored_weights,
    )


class Estimator(ABC):
    """Describe a method and run it.

    A new method is one file in this package, one line in the registry (`registry.py`) and its test. The command line,
    the library and the app then offer it. Its class comes from this one, or from what methods of a kind share, which
    leaves less to define:

    - `on_patterns.OnPatterns` weights slice patterns: define `solve` and `means`;
    - `on_patterns.OnRatios` does so by a ratio fitted to the patterns: define `fit`;
    - `on_features.OnFeatures` weights rows by their columns: define `fit` and `evaluate`;
    - `on_features.OnFeatureRatios` does so by a ratio fitted to the rows: define `fit`;
    - `confident.OnAnswers` looks at predicted classes, `confident.OnProbabilities` at their probabilities: define
      `solve`;
    - `of_accuracy.OfAccuracy` turns probabilities into an accuracy: define `accuracy`;
    - `reweighted.OnReweighted` looks at probabilities of rows that Mandoline weights: define `expect`.

    Otherwise `row_weights` has what evaluates the metric on weighted rows and puts the outcome together.

    Parameters
    ----------
    does : str
        What it does, in one sentence for a person who does not know the method.
    seconds : float
        How long it takes on 10,000 rows of each sample, roughly, where it is long enough to be noticed; else 0. It
        grows with the square of the rows.
    assumes : str
        What must hold for the estimate to be right, in one sentence.
    needs : tuple of str
        What it looks at: "slices", "features", "scores", "predictions", "probabilities"; "transformer" if it
        fine-tunes one; "verdict" if it goes by the one on Mandoline's estimate.
    later : bool
        Whether the method is younger than the paper.
    on_cells : bool
        Whether it works on slice patterns and cells alone, so that rows may stay in a table.

    Examples
    --------
    A whole method: the score of the source rows that have the target's commonest pattern of slices.

    >>> from mandoline_core.estimators.row_weights import evaluate_rows, row_influence, row_outcome
    >>> class Commonest(Estimator):
    ...     name = "commonest"
    ...     title = "Commonest pattern"
    ...     does = "Only labelled rows with the combination of slices that most new rows have count."
    ...     assumes = "All new rows are like those with the commonest pattern of slices."
    ...     needs, later = ("slices",), True
    ...
    ...     def reason(self, problem):
    ...         rows_alike = problem.patterns.source[problem.patterns.target.argmax()]
    ...         return None if rows_alike else "No source row has the target's commonest pattern. Use fewer slices."
    ...
    ...     def estimate(self, problem):
    ...         self.check(problem)
    ...         rows = np.flatnonzero(problem.members.source == problem.patterns.target.argmax())
    ...         found, weights = evaluate_rows(problem, rows, np.ones(len(rows)))
    ...         spread = row_influence(problem, (rows, weights * found.slopes))
    ...         return row_outcome(problem, found, rows, weights, spread)

    It applies to any metric. Half of the source rows at place b are right, and most target rows are there:

    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample, prepare
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 40 + ["b"] * 60, "p": 1})
    >>> known, there = Sample(source, label="y", prediction="p"), Category("there", column="place", values=("b",))
    >>> outcome = Commonest().estimate(prepare(known, Sample(target), [there], model=known.models[0]).problem)
    >>> outcome.value, round(outcome.influence.standard_error(), 3)
    (0.5, 0.112)
    """

    name: str
    title: str
    does: str
    assumes: str
    needs: tuple[str, ...] = ()
    later: bool = False
    seconds: float = 0.0
    on_cells: bool = False

    @abstractmethod
    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem, in one sentence; None if it does."""

    @abstractmethod
    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread.

        What cannot be done is a `MandolineError` with one sentence for the person who asked.
        """

    def expected_seconds(self, methods: MethodSettings, n_rows: int) -> float:  # noqa: ARG002 - for those with settings
        """Guess how long it takes on so many rows, of both samples together."""
        return self.seconds * (n_rows / 20_000) ** 2

    def check(self, problem: Problem) -> None:
        """Refuse a problem that the method does not apply to."""
        why = self.reason(problem)
        if why is not None:
            raise MandolineError(why)


@runtime_checkable
class Redrawable(Protocol):
    """Describe an estimator that works on patterns alone, so that redrawing patterns repeats it."""

    def means(self, problem: Problem) -> Floats:
        """Estimate the statistics' means only, as fast as possible."""
        ...


def rows_of(problem: Problem) -> Rows:
    """Return the rows behind a problem, for a method that has made sure that there are any."""
    if problem.rows is None:
        raise ValueError("This problem has no rows; an estimator must check that first.")
    return problem.rows


def what_stops(compute: Callable[[], object]) -> str | None:
    """Say what stands in the way of computing something, in its error's words; None if nothing does.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> what_stops(lambda: get_metric("accuracy"))
    >>> what_stops(lambda: get_metric("acuracy"))[:31]
    "Metric 'acuracy' is not known. "
    """
    try:
        compute()
    except MandolineError as error:
        return error.sentence
    return None
