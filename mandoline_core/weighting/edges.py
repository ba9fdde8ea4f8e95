"""Edges: pairs of slices that move together, and the rows behind a pair."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.weighting.components import Edges
from mandoline_core.weighting.pair_tests import ProductPairs, ratios_of
from mandoline_core.weighting.potentials import expected_potentials
from mandoline_core.weighting.problem import Problem

# An edge needs source rows in each combination of its two slices that the target shows.
MIN_CELL = 5
# Testing pairs of uncertain slices means enumerating them together.
MAX_UNCERTAIN = 8


def edges_by_name(pairs: Sequence[Sequence[str]], names: Sequence[str]) -> Edges:
    """Translate pairs of slice names to pairs of slice numbers.

    >>> edges_by_name([("b", "a")], ["a", "b"])
    ((0, 1),)
    """
    position = {name: i for i, name in enumerate(names)}
    edges = []
    for pair in pairs:
        for name in pair:
            if name not in position:
                raise ProjectError(
                    f"Edge {list(pair)!r} names an unknown slice {name!r}. "
                    f"Slices: {listed(names)}.{did_you_mean(str(name), names)}"
                )
        edges.append((position[pair[0]], position[pair[1]]))
    return check_edges(edges, len(names))


def check_edges(pairs: Sequence[Sequence[int]], n_slices: int) -> Edges:
    """Put pairs of slice numbers in order; refuse loops, repeats and numbers out of range.

    >>> check_edges([(2, 0)], 3)
    ((0, 2),)
    """
    edges = []
    for pair in pairs:
        if len(pair) != 2:
            raise ProjectError(f"An edge joins two slices. Got {list(pair)!r}.")
        i, j = sorted(int(x) for x in pair)
        if not 0 <= i <= j < n_slices:
            raise ProjectError(f"Edge {list(pair)!r} is out of range. Slices are numbered 0 to {n_slices - 1}.")
        if i == j:
            raise ProjectError(f"Edge {list(pair)!r} joins a slice to itself. An edge needs two different slices.")
        if (i, j) in edges:
            raise ProjectError(f"Edge {list(pair)!r} is given twice. Remove one of the two.")
        edges.append((i, j))
    return tuple(edges)


def pair_gaps(problem: Problem) -> dict[tuple[int, int], tuple[float, float]]:
    """Compare how often two slices agree in the target with the source, before and after weighting.

    Returns
    -------
    dict of pair to (before, after)
        Target minus source, in the share of rows on which the two slices (corrected) agree.
    """
    patterns, corrections = problem.patterns, problem.corrections()
    fitted = problem.fitted
    pairs, rows = tuple(itertools.combinations(range(len(patterns.names)), 2)), fitted.rows
    source = ProductPairs(expected_potentials(patterns.codes[rows], corrections.source, ()), pairs)
    target = ProductPairs(fitted.target_potentials[:, : len(patterns.names)], pairs).average(fitted.target_shares)
    plain = patterns.source[rows] / patterns.n_source
    before = target - source.average(plain)
    after = target - source.average(plain * ratios_of(fitted, patterns.source))
    # Two slices agree in (1 + E[g_i g_j]) / 2 of the rows.
    return {pair: (float(before[n] / 2), float(after[n] / 2)) for n, pair in enumerate(pairs)}


def has_rows(problem: Problem, edge: tuple[int, int]) -> bool:
    """Tell whether there are rows to learn an edge from: a few source rows in each combination that the target shows.

    A combination that neither sample shows leaves nothing to learn: two buckets of one column, a slice and its
    opposite, or a slice and a part of it never meet in one of the four, and the slices alone settle the others.
    """
    source, target = (rows[:, *edge] for rows in problem.rows_together)
    return bool(((source >= MIN_CELL) | ((target == 0) & (source > 0))).all())


def count_uncertain(problem: Problem) -> int:
    """Count the slices whose truth is not what they say: noisy ones, and those that abstain in the source."""
    noisy = (problem.rule.source[:, [0, 2]] != [0.0, 1.0]).any(axis=1)
    abstains = problem.patterns.rates("source")[:, 1] > 0
    return int((noisy | abstains).sum())
