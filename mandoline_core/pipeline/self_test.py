"""The self-test of a method: half of the labelled rows estimate the score of the other half, where nothing shifts.

What a method says there, minus the score that is there, is its own bias: it needs no new row, and no assumption on the
shift can excuse it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Estimator, get_estimator, normal_reach, why_not_classes, why_not_probabilities
from mandoline_core.patterns import add_up
from mandoline_core.pipeline.drawn_rows import read_predictions, restate
from mandoline_core.pipeline.fits import Fit, split_clusters
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import NOT_FITTED, Problem

N_SPLITS = 2  # each is used both ways
MOST_ROWS = 20_000  # of a split; of more rows, so many are drawn
FEWEST_ROWS = 30  # in a half
SURE = 0.99  # that a bias is more than the self-test's own sampling error, before a method is marked for it


@dataclass(frozen=True)
class SelfTest:
    """Hold how far a method is off where nothing shifts.

    Parameters
    ----------
    bias : float
        Estimate minus score of the half that plays the new data, averaged over the splits, each used both ways.
    standard_error : float
        Of the bias.
    n_rows : int
        Labelled rows in both halves.
    failed : bool
        Whether the bias is more than the method's interval allows for, beyond sampling error.
    """

    bias: float
    standard_error: float
    n_rows: int
    failed: bool = False

    def judged(self, estimate: float, interval: Interval) -> SelfTest:
        """Say whether the method fails: without its bias, its estimate would be outside its own interval."""
        sure = abs(self.bias) > normal_reach(SURE) * self.standard_error
        outside = not interval[0] <= estimate - self.bias <= interval[1]
        return replace(self, failed=sure and outside)


@dataclass(frozen=True, eq=False)
class _Halves:
    """Hold the problem of estimating one half from another, and the rows of both."""

    problem: Problem
    source: Index
    target: Index
    score: float
    score_moves: Floats  # of the half that plays the new data, by its rows


_KNOWN: WeakKeyDictionary[Fit, tuple[_Halves, ...]] = WeakKeyDictionary()


def self_test(fit: Fit, method: Estimator) -> SelfTest | str:
    """Test a method on halves of the labelled rows alone; say why not where it cannot be tested.

    Parameters
    ----------
    fit : Fit
        Of rows in memory.

    Examples
    --------
    The labelled score of new rows is free of bias where nothing shifts:

    >>> import pandas as pd
    >>> from mandoline_core import Sample, prepare
    >>> from mandoline_core.estimators import get_estimator
    >>> source = Sample(pd.DataFrame({"y": 1, "p": [1, 1, 1, 0] * 30}), label="y", prediction="p")
    >>> fit = prepare(source, source, [], model=source.models[0], need_slices=False)
    >>> round(self_test(fit, get_estimator("source")).bias, 12)
    0.0
    """
    why = _why_not(fit, method)
    if why is not None:
        return why
    try:
        halves = _halves_of(fit)
        return _test(halves, method, fit.problem.members.design[0].clusters)
    except (MandolineError, np.linalg.LinAlgError) as error:
        return f"It failed on half of the labelled rows: {error}"


def _why_not(fit: Fit, method: Estimator) -> str | None:
    problem = fit.problem
    if method.seconds:
        return f"It is slow, and a test takes {2 * N_SPLITS} estimates."
    if {"features", "scores"} & set(method.needs_for(problem.metric)):
        return "It uses columns."
    if "verdict" in method.needs:
        return "It follows other methods."
    if problem.metric.whole is not None:
        return "Its metric is one number for all rows."
    if fit.in_table or (problem.members.counts()[0] != 1).any():
        return "Rows stay in a table."
    if problem.patterns.n_source < 2 * FEWEST_ROWS:
        return f"It needs {2 * FEWEST_ROWS} labelled rows."
    return None


def _halves_of(fit: Fit) -> tuple[_Halves, ...]:
    """Split the labelled rows of a fit, once for all methods."""
    if fit not in _KNOWN:
        _KNOWN[fit] = tuple(_split(fit))
    return _KNOWN[fit]


def _split(fit: Fit) -> Iterator[_Halves]:
    real, rows = fit.problem, fit.cells.rows
    predictions = None
    if rows is not None and why_not_classes(real) is None:
        predictions = read_predictions(rows, probabilities=why_not_probabilities(real) is None)
    members = real.members
    # Whatever halves the source is split into, each row is there once; the target's own corrections are not a source's.
    real = replace(
        real,
        groups=(),
        folds=((0, 0),),
        membership=members._replace(groups=np.zeros(len(members.source), dtype=np.int8)),
        audit=None,
        rule=replace(real.rule, own_target=real.rule.source),
    )
    settings = EstimatorSettings(ridge=real.ridge, seed=real.seed)
    for number in range(N_SPLITS):
        rng = np.random.default_rng((real.seed, number))
        first, second = _halve(len(members.source), members.design[0].clusters, rng)
        ways = (first, second), (second, first)
        problems = [replace(restate(real, *way, settings, predictions), overlap=real.overlap) for way in ways]
        scores = [get_estimator("source").estimate(problem) for problem in problems]
        for i, (source, target) in enumerate(ways):
            score, other = scores[1 - i], problems[1 - i]
            yield _Halves(problems[i], source, target, score.value, score.influence.pieces(other.members)[0])


def _halve(n: int, clusters: Index | None, rng: np.random.Generator) -> tuple[Index, Index]:
    """Draw two halves of the rows; rows that belong together stay together."""
    order = rng.permutation(n)
    if clusters is not None:
        halves = split_clusters(clusters, rng)[order]
        return order[halves == 0][: MOST_ROWS // 2], order[halves == 1][: MOST_ROWS // 2]
    order = order[:MOST_ROWS]
    return order[: len(order) // 2], order[len(order) // 2 :]


def _test(halves: tuple[_Halves, ...], method: Estimator, clusters: Index | None) -> SelfTest:
    """Average what a method is off over the halves, with the influence of every row on it."""
    moves = np.zeros(1 + max(int(max(half.source.max(), half.target.max())) for half in halves))
    biases = []
    for half in halves:
        method.check(half.problem)
        outcome = method.estimate(half.problem)
        if not outcome.converged or not math.isfinite(outcome.value):
            raise MandolineError(NOT_FITTED)
        of_source, of_target, *_ = outcome.influence.pieces(half.problem.members)
        moves[half.source] += of_source / len(halves)
        moves[half.target] += (of_target - half.score_moves) / len(halves)
        biases.append(outcome.value - half.score)
    if clusters is not None:  # what rows of a cluster move adds up
        moves = add_up(clusters[: len(moves)], moves, int(clusters.max()) + 1)
    return SelfTest(
        bias=float(np.mean(biases)),
        standard_error=math.sqrt(float(moves @ moves)),
        n_rows=len(halves[0].source) + len(halves[0].target),
    )
