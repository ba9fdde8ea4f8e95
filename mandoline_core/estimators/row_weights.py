"""What estimators that weight single rows share: the rows they see, and how a row moves their estimate."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.sparse import vstack
from threadpoolctl import threadpool_limits

from mandoline_core.density.features import Features, Matrix, build_features
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.findings import Finding
from mandoline_core.intervals import RowInfluence, Spread
from mandoline_core.metrics import Evaluation, evaluate
from mandoline_core.patterns import Floats, Index, add_up

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Seen:
    """Hold the rows that a method on features sees.

    Parameters
    ----------
    source, target : array of float or csr_matrix, shape (n_rows, n_features)
    source_rows : array of int
        Their places among the scored source rows.
    target_rows : array of int
        Their places among the target rows.
    findings : tuple of Finding
        What to know about the choice of rows and columns.
    """

    source: Matrix
    target: Matrix
    source_rows: Index
    target_rows: Index
    findings: tuple[Finding, ...]


def reason_without_features(problem: Problem) -> str | None:
    """Say why features cannot be had; None if they can."""
    if problem.rows is None:
        return "Only slice codes are known here, and this method looks at the columns behind them."
    try:
        seen_rows(problem)
    except MandolineError as error:
        return str(error)
    return None


def seen_rows(problem: Problem) -> Seen:
    """Find the features of both samples: of the scored source rows, at most so many as the settings say."""
    rows, methods = problem.rows, problem.methods
    if rows is None:
        raise MandolineError("Only slice codes are known here; a method on features needs samples.")
    found: Features = remembered(
        problem,
        ("features", *features_key(problem)),
        lambda: build_features(
            rows.source, rows.target, methods.features or None, max_rows=methods.max_rows, seed=problem.seed
        ),
    )
    scored = rows.scored[found.source_rows]
    if not scored.any():
        raise MandolineError("None of the source rows drawn for the features has a score. Raise max_rows in [methods].")
    place = np.cumsum(rows.scored) - 1
    return Seen(
        source=found.source[scored],
        target=found.target,
        source_rows=place[found.source_rows[scored]],
        target_rows=found.target_rows,
        findings=_about_rows(problem, int(scored.sum()), len(found.target_rows)),
    )


def _about_rows(problem: Problem, *used: int) -> tuple[Finding, ...]:
    n_source, n_target = len(problem.members.source), len(problem.members.target)
    if used == (n_source, n_target):
        return ()
    return (
        Finding(
            "rows_drawn",
            "info",
            f"For speed, features are looked at in {used[0]:,} of {n_source:,} labelled rows and {used[1]:,} of "
            f"{n_target:,} new rows, drawn at random.",
            "Raise max_rows in [methods] to use more.",
        ),
    )


def remembered(problem: Problem, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Compute what does not depend on the model once for all models of the same samples.

    On one thread: these are many small products, which threads that wait for each other on a busy machine can
    slow down twentyfold.
    """
    if problem.rows is None:
        return compute()
    kept = problem.rows.source.kept
    if key not in kept:
        with threadpool_limits(1):
            kept[key] = compute()
    found: T = kept[key]
    return found


def features_key(problem: Problem) -> tuple[Hashable, ...]:
    """Tell one choice of features from another."""
    target = "" if problem.rows is None else problem.rows.target.fingerprint
    return target, problem.methods.features, problem.methods.max_rows, problem.seed


def scored_key(problem: Problem) -> bytes:
    """Tell one set of scored source rows from another."""
    return b"" if problem.rows is None or problem.rows.scored.all() else np.packbits(problem.rows.scored).tobytes()


def stacked(seen: Seen) -> Matrix:
    """Put the source's points above the target's."""
    if isinstance(seen.source, np.ndarray) and isinstance(seen.target, np.ndarray):
        return np.vstack([seen.source, seen.target])
    return vstack([seen.source, seen.target], format="csr")


def evaluate_rows(problem: Problem, rows: Index, ratios: Floats) -> tuple[Evaluation, Floats]:
    """Evaluate the metric on some scored rows, weighted by ratios; also return the weights, which sum to 1."""
    weights = ratios / ratios.sum()
    return evaluate(problem.metric, problem.members.statistics[rows], weights), weights


def row_outcome(
    problem: Problem, found: Evaluation, rows: Index, weights: Floats, spread: Spread, findings: tuple[Finding, ...]
) -> Outcome:
    """Put the outcome of a method on single rows together."""
    table, members = problem.patterns, problem.members
    scored = np.zeros(len(members.source))
    scored[rows] = weights
    average = add_up(members.source, scored, len(table)) / np.maximum(table.source, 1)
    return Outcome(
        value=found.value,
        means=found.means,
        influence=spread,
        row_weights=np.tile(average, (len(problem.groups), 1)),
        kept=np.ones(len(table), dtype=bool),
        unused=np.zeros(len(table), dtype=bool),
        findings=findings,
        scored_weights=scored,
    )


def row_influence(
    problem: Problem, rows: tuple[Index, Index], source: Floats, target: Floats | None = None
) -> RowInfluence:
    """Spread the influence of the rows a method saw over all rows, each sample's centred.

    A fixed penalty does not grow with the rows, so what rows add up to through a penalised fit is not quite 0.
    """
    by_source, by_target = np.zeros(len(problem.members.source)), np.zeros(len(problem.members.target))
    by_source[rows[0]] = source - source.mean()
    if target is not None:
        by_target[rows[1]] = target - target.mean()
    return RowInfluence(by_source, by_target)
