"""Two-sample bootstrap on patterns: redraw both samples, refit the weights, estimate again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.patterns import Membership, Patterns, add_up
from mandoline_core.weighting import (
    GRADIENT_TOLERANCE,
    Problem,
    build_tilt,
    expected_potentials,
    fit,
    varying_directions,
)

Progress = Callable[[float], None]
_BATCH = 250
_MAX_STEPS = 30


def bootstrap(
    problem: Problem,
    estimator: Estimator,
    outcome: Outcome,
    *,
    replicates: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """Redraw the rows of both samples with replacement and estimate again, many times.

    Redrawing rows is redrawing how many rows each pattern gets, and how their scores add up: no row is touched. Rows
    that were drawn together are redrawn together.
    Edges stay as they are. Without noise, all refits of a batch are solved at once.

    Returns
    -------
    array of float, shape (n_succeeded,)
        The estimates; fewer than asked for where the estimator could not be computed on some redraws.
    """
    problem = replace(problem, start=outcome.delta)
    together = _solves_together(problem, estimator, outcome)
    values: list[float] = []
    low, high = problem.metric.bounds or (-np.inf, np.inf)  # which a denoised value may leave, as the estimate may
    for start in range(0, replicates, _BATCH):
        n = min(_BATCH, replicates - start)
        for redrawn, means in _redraw(problem, n, rng, together):
            with suppress(MandolineError):
                solved = estimator.means(redrawn) if means is None else means
                value = problem.metric.combine(solved)  # fails where a redraw lost the metric's class
                values.append(min(max(value, low), high))
        if progress is not None:
            progress((start + n) / replicates)
    return np.array(values)


def _redraw(
    problem: Problem, n: int, rng: np.random.Generator, together: bool
) -> Iterator[tuple[Problem, Floats | None]]:
    """Redraw a problem n times; return each with its means, or None where it must still be solved."""
    if not together:
        yield from ((draw_problem(problem, rng), None) for _ in range(n))
        return
    table = problem.patterns
    source, sums, target = _draw_samples(problem, n, rng)
    solved = _solve_together(problem, source, target, sums)
    for source_counts, target_counts, total, means in zip(source, target, sums, solved, strict=True):
        drawn = replace(table, source=source_counts, target=target_counts, sums=total)
        yield replace(problem, patterns=drawn, groups=(drawn,)), means


def draw_problem(problem: Problem, rng: np.random.Generator) -> Problem:
    """Redraw both samples of a problem, each group of source rows on its own, and the rows of its audit."""
    if problem.designed is not None:
        return replace(draw_clusters(problem, problem.designed, 1, rng)[0], rule=problem.redraw_rule(rng))
    target = rng.multinomial(int(problem.patterns.n_target), problem.patterns.target / problem.patterns.n_target)
    groups = []
    for group in problem.groups:
        source, sums = _draw_source(group, 1, rng)
        groups.append(replace(group, source=source[0], sums=sums[0], target=target.astype(float)))
    whole = replace(
        problem.patterns,
        source=np.sum([group.source for group in groups], axis=0),
        sums=np.sum([group.sums for group in groups], axis=0),
        target=target.astype(float),
    )
    return replace(problem, patterns=whole, groups=tuple(groups), rule=problem.redraw_rule(rng))


def _draw_samples(problem: Problem, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Redraw both samples of a problem that is not split, n times: source rows, sums, and target rows by pattern."""
    table = problem.patterns
    if problem.designed is not None:
        drawn = [one.patterns for one in draw_clusters(problem, problem.designed, n, rng)]
        return (
            np.array([one.source for one in drawn]),
            np.array([one.sums for one in drawn]),
            np.array([one.target for one in drawn]),
        )
    target = rng.multinomial(int(table.n_target), table.target / table.n_target, size=n).astype(float)
    return *_draw_source(table, n, rng), target


def draw_clusters(problem: Problem, cells: Membership, n: int, rng: np.random.Generator) -> list[Problem]:
    """Redraw whole clusters of rows of both samples, n times; each group of source rows on its own."""
    n_patterns, n_groups = len(problem.patterns), len(problem.groups)
    parts = [cells.groups == number if n_groups > 1 else np.ones(len(cells.source), bool) for number in range(n_groups)]
    drawn_source = np.zeros((n, len(cells.source)))
    for part in parts:
        drawn_source[:, part] = cells.design[0].take(part).redraw(cells.source_rows[part], n, rng)
    drawn_target = cells.design[1].redraw(cells.target_rows, n, rng)
    drawn = []
    for of_source, of_target in zip(drawn_source, drawn_target, strict=True):
        target = add_up(cells.target, of_target, n_patterns)
        groups = []
        for group, part in zip(problem.groups, parts, strict=True):
            index, rows = cells.source[part], of_source[part]
            sums = np.stack([add_up(index, rows * column, n_patterns) for column in cells.statistics[part].T], axis=1)
            groups.append(replace(group, source=add_up(index, rows, n_patterns), sums=sums, target=target))
        whole = groups[0]
        if n_groups > 1:
            source, sums = (np.sum([getattr(group, what) for group in groups], axis=0) for what in ("source", "sums"))
            whole = replace(problem.patterns, source=source, sums=sums, target=target)
        drawn.append(replace(problem, patterns=whole, groups=tuple(groups)))
    return drawn


def _draw_source(patterns: Patterns, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Redraw source rows: counts and sums of each pattern, for n draws."""
    counts = rng.multinomial(int(patterns.n_source), patterns.source / patterns.n_source, size=n)
    rows = np.maximum(patterns.source, 1)
    means = patterns.sums / rows[:, None]
    if patterns.products is None:
        # Indicators of which at most one is 1: redrawn sums are multinomial.
        rest = np.clip(1 - means.sum(axis=1, keepdims=True), 0.0, 1.0)
        shares = np.hstack([means, rest])
        shares /= shares.sum(axis=1, keepdims=True)
        sums = rng.multinomial(counts, shares)[..., :-1].astype(float)
    else:
        spread = patterns.products / rows[:, None, None] - means[:, :, None] * means[:, None, :]
        values, vectors = np.linalg.eigh(spread)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        noise = np.einsum("pij,npj->npi", roots, rng.standard_normal((*counts.shape, means.shape[1])))
        sums = counts[..., None] * means + np.sqrt(counts)[..., None] * noise
    return counts.astype(float), sums


def _solves_together(problem: Problem, estimator: Estimator, outcome: Outcome) -> bool:
    """Tell whether refits are plain KLIEP on the same potentials, so that a batch is one set of matrix products."""
    corrections = problem.corrections()
    certain = build_tilt(problem.patterns.codes, corrections.source, problem.edges, problem.patterns.names).certain
    return (
        type(estimator).means is Mandoline.means  # denoised or not: the same when nothing is uncertain
        and certain
        and len(problem.groups) == 1
        and problem.ridge == 0.0
        and problem.audit is None
        and outcome.converged
        and bool((outcome.kept == 1).all())
        and not outcome.unused.any()
        and bool((problem.patterns.codes != 0).all())
    )


def _solve_together(problem: Problem, source: Floats, target: Floats, sums: Floats) -> list[Floats | None]:
    """Refit a batch by damped Newton steps in lockstep; None where a refit did not settle.

    Parameters
    ----------
    source, target : array of float, shape (n_draws, n_patterns)
        Redrawn counts.
    sums : array of float, shape (n_draws, n_patterns, n_statistics)
    """
    table = problem.patterns
    corrections = problem.corrections()
    fitted = fit(table, problem.edges, corrections, start=problem.start)
    basis = varying_directions(fitted.tilt, table.source[fitted.rows] > 0)
    potentials = fitted.tilt.fixed @ basis
    target_potentials = expected_potentials(table.codes, corrections.target, problem.edges) @ basis
    goal = target @ target_potentials / target.sum(axis=1, keepdims=True)  # redrawn groups are not equally large
    with np.errstate(divide="ignore"):
        log_share = np.log(source[:, fitted.rows] / table.n_source)
    pairs = (potentials[:, :, None] * potentials[:, None, :]).reshape(len(potentials), -1)
    rank = basis.shape[1]
    eta = np.tile(fitted.solution.delta @ basis, (len(goal), 1))
    settled = np.zeros(len(goal), dtype=bool)
    weights = np.zeros_like(log_share)
    for _ in range(_MAX_STEPS):
        log_weights = log_share + eta @ potentials.T
        log_weights -= logsumexp(log_weights, axis=1, keepdims=True)
        weights = np.exp(log_weights)
        mean = weights @ potentials
        gradient = goal - mean
        settled = np.abs(gradient).max(axis=1, initial=0.0) <= 1e3 * GRADIENT_TOLERANCE
        if settled.all():
            break
        hessian = (weights @ pairs).reshape(-1, rank, rank) - mean[:, :, None] * mean[:, None, :]
        hessian += 1e-14 * np.eye(rank)  # a redraw may lose all rows along a direction
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        # A full Newton step is safe near the start; a long one is a sign of trouble and is cut.
        length = np.abs(step).max(axis=1, keepdims=True, initial=0.0)
        eta += step * np.minimum(1.0, 2.0 / np.maximum(length, 1e-300))
    with np.errstate(invalid="ignore", divide="ignore"):
        pattern_means = np.nan_to_num(sums[:, fitted.rows] / source[:, fitted.rows][..., None])
    means = np.einsum("np,npi->ni", weights, pattern_means)
    return [means[i] if settled[i] else None for i in range(len(goal))]
