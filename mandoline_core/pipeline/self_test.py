"""The self-test of a method: half of the labelled rows estimate the score of the other half, where nothing shifts.

What a method says there, minus the score that is there, is its own bias: it needs no new row, and no assumption on the
shift can excuse it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from weakref import WeakKeyDictionary

import numpy as np

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.data import SAMPLE_CACHE, Sample
from mandoline_core.domain_classifier import default_columns
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import (
    Estimator,
    Redraws,
    get_estimator,
    normal_reach,
    why_not_classes,
    why_not_probabilities,
)
from mandoline_core.patterns import add_up
from mandoline_core.pipeline.drawn_rows import read_predictions, restate
from mandoline_core.pipeline.fits import Fit, split_clusters
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import NOT_FITTED, Problem, Rows

N_SPLITS = 2  # each is used both ways
MOST_ROWS = 20_000  # of a split; of more rows, so many are drawn
MOST_ROWS_ON_COLUMNS = 2_000  # for a method that looks at columns, whose time grows with the square of the rows
MOST_SECONDS = 2.0  # for all estimates of a method
BY_REDRAWS = "Its sampling error is known by redraws only, so the error of a test on halves is not known."
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


_KNOWN: WeakKeyDictionary[Fit, dict[bool, tuple[_Halves, ...]]] = WeakKeyDictionary()


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
        halves = _halves_of(fit, columns=_sees_columns(fit, method))
        return _test(halves, method, fit.problem.members.design[0].clusters)
    except (MandolineError, np.linalg.LinAlgError) as error:
        return f"It failed on half of the labelled rows: {error}"


def _why_not(fit: Fit, method: Estimator) -> str | None:
    problem = fit.problem
    if "scores" in method.needs:
        return "Its column distinguishes labelled from new rows, not halves of the labelled rows."
    if _is_slow(fit, method):
        return f"It is slow, and a test takes {2 * N_SPLITS} estimates."
    if _sees_columns(fit, method) and fit.cells.rows is None:
        return "There are only slice codes."
    if "verdict" in method.needs:
        return "It follows other methods."
    if problem.metric.whole is not None:
        return "Its metric is one number for all rows."
    if fit.in_table or (problem.members.counts()[0] != 1).any():
        return "Rows stay in a table."
    if problem.patterns.n_source < 2 * FEWEST_ROWS:
        return f"It needs {2 * FEWEST_ROWS} labelled rows."
    return None


def _sees_columns(fit: Fit, method: Estimator) -> bool:
    return "features" in method.needs_for(fit.problem.metric)


def _is_slow(fit: Fit, method: Estimator) -> bool:
    """Tell whether all estimates of a method take too long; methods on columns get fewer rows."""
    if not _sees_columns(fit, method):
        return method.seconds > 0
    n_rows = min(MOST_ROWS_ON_COLUMNS, len(fit.problem.members.source))
    expected = 2 * N_SPLITS * method.expected_seconds(fit.problem.methods, n_rows)
    return "transformer" in method.needs or expected > MOST_SECONDS


def _halves_of(fit: Fit, *, columns: bool) -> tuple[_Halves, ...]:
    """Split the labelled rows of a fit, once for all methods that look at columns, and once for all others."""
    known = _KNOWN.setdefault(fit, {})
    if columns not in known:
        known[columns] = tuple(_split(fit, columns=columns))
    return known[columns]


def _split(fit: Fit, *, columns: bool) -> Iterator[_Halves]:
    real, rows = fit.problem, fit.cells.rows
    predictions = None
    if rows is not None and not columns and why_not_classes(real) is None:
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
    if columns and rows is not None:  # what both samples have: a column of the labelled rows alone is no help
        features = real.methods.features or default_columns(rows.source, rows.target)[0]
        real = replace(real, methods=replace(real.methods, features=features))
    settings = EstimatorSettings(ridge=real.ridge, seed=real.seed)
    most_rows = MOST_ROWS_ON_COLUMNS if columns else MOST_ROWS
    for number in range(N_SPLITS):
        rng = np.random.default_rng((real.seed, number))
        first, second = _halve(len(members.source), members.design[0].clusters, rng, most_rows)
        ways = (first, second), (second, first)
        problems = [replace(restate(real, *way, settings, predictions), overlap=real.overlap) for way in ways]
        if columns and rows is not None:
            problems = [replace(one, rows=_rows_of_halves(rows, *way)) for one, way in zip(problems, ways, strict=True)]
        scores = [get_estimator("source").estimate(problem) for problem in problems]
        for i, (source, target) in enumerate(ways):
            score, other = scores[1 - i], problems[1 - i]
            yield _Halves(problems[i], source, target, score.value, score.influence.pieces(other.members)[0])


def _rows_of_halves(rows: Rows, source: Index, target: Index) -> Rows:
    """Take the rows of both halves with their columns, once for all models that score the same rows."""
    label, measured = rows.source.label, rows.metric.column
    scored = np.flatnonzero(rows.scored)

    def take() -> tuple[Sample, Sample]:
        frame = rows.source.frame
        shown = [name for name in frame.columns if name in rows.target.columns and name not in (label, measured)]
        return (
            rows.source.with_rows(frame[scored[source].tolist()]),
            # Without roles: what the new rows belong together by, or weigh, need not be among these columns.
            Sample(frame[scored[target].tolist()].select(shown), models=rows.target.models, name=rows.target.name),
        )

    key = ("self-test", blake2b(np.concatenate([scored[source], [-1], scored[target]]).tobytes()).digest(), measured)
    first, second = SAMPLE_CACHE.of((rows.source, rows.target), key, take)
    read = None if rows.read is None else rows.read.take(scored[source])
    return Rows(first, second, rows.model, rows.metric, np.ones(len(source), dtype=bool), read=read)


def _halve(n: int, clusters: Index | None, rng: np.random.Generator, most_rows: int) -> tuple[Index, Index]:
    """Draw two halves of the rows; rows that belong together stay together."""
    order = rng.permutation(n)
    if clusters is not None:
        halves = split_clusters(clusters, rng)[order]
        return order[halves == 0][: most_rows // 2], order[halves == 1][: most_rows // 2]
    order = order[:most_rows]
    return order[: len(order) // 2], order[len(order) // 2 :]


def _test(halves: tuple[_Halves, ...], method: Estimator, clusters: Index | None) -> SelfTest | str:
    """Average what a method is off over the halves, with the influence of every row on it; or say why not."""
    moves = np.zeros(1 + max(int(max(half.source.max(), half.target.max())) for half in halves))
    biases = []
    for half in halves:
        method.check(half.problem)
        outcome = method.estimate(half.problem)
        if not outcome.converged or not math.isfinite(outcome.value):
            raise MandolineError(NOT_FITTED)
        if isinstance(outcome.influence, Redraws):
            return BY_REDRAWS
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
