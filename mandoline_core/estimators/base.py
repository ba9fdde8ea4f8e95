"""The interface of estimators: a problem goes in, an outcome with its sampling error comes out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.intervals import RowInfluence, SamplingError
from mandoline_core.findings import Finding
from mandoline_core.metrics import Evaluation, Metric, evaluate
from mandoline_core.patterns import Membership, SampleDesign, add_up
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem, Rows


@dataclass(frozen=True, eq=False)
class Outcome:
    """Hold an estimate, its sampling error, and what it does not cover.

    Parameters
    ----------
    value : float
        The metric's estimate on the target.
    means : array of float, shape (n_statistics,)
        Estimated means of the metric's statistics on the target.
    influence : SamplingError
        How the rows of both samples move the estimate.
    row_weights : array of float, shape (n_groups, n_patterns)
        The weight of one row of a pattern, by group of source rows; all rows' weights sum to 1.
    kept : array of float, shape (n_patterns,)
        The share of each pattern's target rows that the estimate covers; the others are left out.
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
        Other estimates that the interval must cover, with their own intervals.
    """

    value: float
    means: Floats
    influence: SamplingError
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
        """Return the weight of each scored cell, with all its rows, shape (n_scored,); sums to 1."""
        if self.scored_weights is not None:
            return self.scored_weights
        return np.asarray(self.row_weights[membership.groups, membership.source] * membership.source_rows)


class PointEstimate(NamedTuple):
    """Hold an estimate without its sampling error.

    Parameters
    ----------
    effective_rows : float
        On how many it rests.
    left_out : float
        The share of the target that no source row matches.
    """

    value: float
    effective_rows: float
    converged: bool
    left_out: float = 0.0


def share_left_out(problem: Problem, kept: Floats) -> float:
    """Return the share of the target that no source row matches."""
    return float(1 - problem.patterns.target @ kept / problem.patterns.n_target)


def effective_rows(problem: Problem, row_weights: Floats, scored_weights: Floats | None = None) -> float:
    """Count the effective rows of weights, which are as in an outcome."""
    if problem.designed is not None:  # rows that are drawn together are not what this counts
        cells = problem.designed
        each = row_weights[cells.groups, cells.source] * cells.source_rows if scored_weights is None else scored_weights
        return SampleDesign(None, *cells.design[0][1:]).effective(each, cells.source_rows)
    if scored_weights is not None:
        return 1 / float(scored_weights @ scored_weights)
    counts = np.array([group.source for group in problem.groups])
    return 1 / float((counts * np.where(counts > 0, row_weights, 0.0) ** 2).sum())


def complete_outcome(
    problem: Problem,
    value: float,
    means: Floats,
    influence: SamplingError,
    *,
    weights: Floats | None = None,
    converged: bool = True,
    findings: tuple[Finding, ...] = (),
    scored_weights: Floats | None = None,
) -> Outcome:
    """Build the outcome of a method that leaves no row out.

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

    To add a method, write one file in this package, one line in `registry.py` and a test. The command line, the
    library and the app then offer it. Subclass this class, or one of these, which leave less to define:

    - `on_patterns.OnPatterns` weights slice patterns: define `fit`, or `solve` and `means`;
    - `features.OnFeatures` weights rows by their columns: define `fit`;
    - `probabilities.OnProbabilities` uses class probabilities, and Mandoline's weights if it needs slices: define
      `expect`.

    `evaluate_rows`, `row_influence` and `row_outcome` help with weighted rows.

    Parameters
    ----------
    does : str
        What it does, in one sentence that a reader from the field recognises.
    seconds : float
        Rough run time on 10,000 rows of each sample; 0 if negligible. It grows with the square of the rows. Backtests
        leave out slow methods unless asked for.
    assumes : str
        What must hold for the estimate to be unbiased, in one sentence.
    premise : str
        What it assumes, in a word: "slices", "columns", "confidence", "classes" or "transport". Only methods with the
        same word are expected to agree; "" for none.
    interval_note : str
        What its interval leaves out, in one sentence, where the assumption cannot be tested.
    ranks : bool
        Whether it may rank models.
    needs : tuple of str
        Inputs: "slices", "features", "scores", "predictions", "probabilities", "transformer" (a model to fine-tune),
        "verdict" (on Mandoline's estimate).
    later : bool
        Whether the method is younger than the paper.
    most_patterns : float
        With more slice patterns it is slow.
    on_patterns : bool
        Whether it needs slice patterns only and defines `means`: then rows may stay in a table, and the bootstrap
        works.
    weights_rows : bool
        Whether it weights the source rows to match the target rows.
    trusts_confidence : bool
        Whether it uses the model's probabilities as correct, whatever the labels say of them.
    weighted_mean : bool
        Whether its estimate is a weighted mean, so that trimming and hidden-change analysis apply.
    tilts_slices : bool
        Whether it uses the weights of `Problem.fitted`, so that edge tests and attribution apply.
    takes_corrections : bool
        Whether it corrects for noisy slices, so that such methods are shown together.
    takes_labels : bool
        Whether a few target labels can test it, be combined with it and be planned with it.
    denoises : bool
        Whether it adds a regression on the true slices.
    design_weights : bool
        Whether it takes design weights; else it does not apply to samples that have them.

    Examples
    --------
    A complete method: the score of the source rows with the most common slice pattern of the target.

    >>> from mandoline_core.estimators.base import evaluate_rows, row_influence, row_outcome
    >>> class Commonest(Estimator):
    ...     name = "commonest"
    ...     title = "Commonest pattern"
    ...     does = "Averages the labelled rows with the slice pattern that is most common in the new data."
    ...     assumes = "All new rows score like those with the most common pattern."
    ...     needs, later = ("slices",), True
    ...
    ...     def reason(self, problem):
    ...         rows_alike = problem.patterns.source[problem.patterns.target.argmax()]
    ...         return None if rows_alike else "No labelled row has the most common pattern. Use fewer slices."
    ...
    ...     def estimate(self, problem):
    ...         self.check(problem)
    ...         rows = np.flatnonzero(problem.members.source == problem.patterns.target.argmax())
    ...         evaluation, weights = evaluate_rows(problem, rows, np.ones(len(rows)))
    ...         influence = row_influence(problem, (rows, weights * evaluation.slopes))
    ...         return row_outcome(problem, evaluation, rows, weights, influence)

    It applies to any metric. Half of the source rows at site b are right, and most target rows are there:

    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample, prepare
    >>> frame = pd.DataFrame({"site": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = Sample(pd.DataFrame({"site": ["a"] * 40 + ["b"] * 60, "p": 1}))
    >>> source, site_b = Sample(frame, label="y", prediction="p"), Category("b", column="site", values=("b",))
    >>> outcome = Commonest().estimate(prepare(source, target, [site_b], model=source.models[0]).problem)
    >>> outcome.value, round(outcome.influence.standard_error(), 3)
    (0.5, 0.112)
    """

    name: str
    title: str
    does: str
    assumes: str
    premise: str = ""
    interval_note: str = ""
    ranks: bool = True
    needs: tuple[str, ...] = ()
    later: bool = False
    seconds: float = 0.0
    most_patterns: float = math.inf
    on_patterns: bool = False
    weights_rows: bool = True
    trusts_confidence: bool = False
    weighted_mean: bool = False
    tilts_slices: bool = False
    takes_corrections: bool = False
    takes_labels: bool = False
    denoises: bool = False
    design_weights: bool = False

    @property
    def uses_slices(self) -> bool:
        """Whether it uses slices."""
        return "slices" in self.needs

    def needs_for(self, metric: Metric) -> tuple[str, ...]:  # noqa: ARG002 - for those whose inputs depend on it
        """Name the inputs that it needs for a metric."""
        return self.needs

    @property
    def slow(self) -> bool:
        """Whether it is slow, and so runs only on request."""
        return self.seconds > 1

    def is_quick(self, problem: Problem) -> bool:
        """Tell whether it is fast on a problem."""
        return not self.slow and len(problem.patterns) <= self.most_patterns

    @abstractmethod
    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, in one sentence, or None."""

    def why_not(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None; first of all, whether it takes design weights."""
        if not self.design_weights and problem.membership is not None and problem.membership.has_weights:
            return "This method does not support design weights. Choose a method such as mandoline."
        return self.reason(problem)

    @abstractmethod
    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error.

        Raise a `MandolineError` with one sentence for the user if that is impossible.
        """

    def point(self, problem: Problem) -> PointEstimate:
        """Estimate the metric on the target without the sampling error, where that saves work."""
        outcome = self.estimate(problem)
        rows = effective_rows(problem, outcome.row_weights, outcome.scored_weights)
        return PointEstimate(outcome.value, rows, outcome.converged, share_left_out(problem, outcome.kept))

    def means(self, problem: Problem) -> Floats:  # noqa: ARG002 - for methods on patterns
        """Estimate the means of the statistics only, fast; for methods on patterns."""
        raise TypeError(f"Estimator {self.name!r} does not work on patterns alone; ask for `on_patterns` first.")

    def expected_seconds(self, methods: MethodSettings, n_rows: int) -> float:  # noqa: ARG002 - for those with settings
        """Estimate the run time on a number of rows of both samples."""
        return self.seconds * (n_rows / 20_000) ** 2

    def check(self, problem: Problem) -> None:
        """Refuse a problem that the method does not apply to."""
        why = self.why_not(problem)
        if why is not None:
            raise MandolineError(why)


def rows_of(problem: Problem) -> Rows:
    """Return the rows of a problem that has rows."""
    if problem.rows is None:
        raise ValueError("This problem has no rows; an estimator must check that first.")
    return problem.rows


def what_stops(compute: Callable[[], object]) -> str | None:
    """Return the error message of a computation, or None if it succeeds.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> what_stops(lambda: get_metric("accuracy"))
    >>> what_stops(lambda: get_metric("acuracy"))[:25]
    "Unknown metric 'acuracy'."
    """
    try:
        compute()
    except MandolineError as error:
        return str(error)
    return None


def why_not_whole(problem: Problem) -> str | None:
    """Return why a method that weights rows one by one does not apply to a metric of all rows together, or None."""
    if problem.metric.whole is None:
        return None
    return (
        f"This method needs a metric made of scores by row. Metric {problem.metric.name!r} is one number for all rows. "
        "Choose a method such as mandoline."
    )


def evaluate_rows(problem: Problem, rows: Index, ratios: Floats) -> tuple[Evaluation, Floats]:
    """Evaluate the metric on some scored rows, weighted by ratios; also return the weights, which sum to 1."""
    weights = ratios / ratios.sum()
    return evaluate(problem.metric, problem.members.statistics[rows], weights), weights


def row_influence(
    problem: Problem, source: tuple[Index, Floats], target: tuple[Index, Floats] | None = None
) -> RowInfluence:
    """Extend the influence of the rows a method used to all rows, centred by sample.

    A fixed penalty does not grow with the rows, so what rows add up to through a penalised fit is not quite 0.

    Parameters
    ----------
    source, target : pair of arrays, each of shape (n_rows,)
        Places among the scored source rows, or the target rows; and how far each moves the estimate.
    """
    sizes = len(problem.members.source), len(problem.members.target)
    by_source, by_target = (
        np.zeros(n) if part is None else add_up(part[0], part[1] - part[1].mean(), n)
        for part, n in zip((source, target), sizes, strict=True)
    )
    return RowInfluence(by_source, by_target, designed=problem.designed)


def row_outcome(
    problem: Problem,
    evaluation: Evaluation,
    rows: Index,
    weights: Floats,
    influence: SamplingError,
    findings: tuple[Finding, ...] = (),
) -> Outcome:
    """Build the outcome of a method on single rows.

    Parameters
    ----------
    evaluation : Evaluation
        Of the metric on the weighted rows.
    rows : array of int, shape (n_rows,)
        Places among the scored source rows; the others count for nothing.
    weights : array of float, shape (n_rows,)
    """
    table, members = problem.patterns, problem.members
    scored = add_up(rows, weights, len(members.source))
    return complete_outcome(
        problem,
        evaluation.value,
        evaluation.means,
        influence,
        weights=add_up(members.source, scored, len(table)) / np.where(table.source > 0, table.source, 1.0),
        findings=findings,
        scored_weights=scored,
    )
