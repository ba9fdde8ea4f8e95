"""Pairs of slices without an edge: how often they agree, before and after weighting."""

from __future__ import annotations

import itertools

import numpy as np

from mandoline_core.checks.balance import BalanceLine, worst_first
from mandoline_core.errors import MandolineError
from mandoline_core.pipeline import NO_VARIANCE, Estimate, standardise
from mandoline_core.weighting import (
    ProductPairs,
    edge_threshold,
    expected_potentials,
    has_rows,
    pair_gaps,
    score_tests,
)

AGREEMENT = "gap between shares of rows on which the two agree"


def unmodelled_pairs(report: Estimate) -> tuple[BalanceLine, ...]:
    """Compare how often each pair of slices without an edge agrees, before and after weighting.

    The suggestion is an edge, where the source has rows for it. Nothing is returned for methods that do not fit
    slices, or where testing would mean enumerating too many uncertain slices together.
    """
    problem = report.problem
    names = problem.patterns.names
    if report.outcome.delta is None or len(names) < 2:
        return ()
    try:
        tests, gaps = score_tests(problem), pair_gaps(problem)
    except MandolineError:
        return ()
    corrections, table = problem.corrections(), problem.patterns
    kept = report.outcome.kept * table.target
    pairs = tuple(itertools.combinations(range(len(names)), 2))
    truth = expected_potentials(table.codes, corrections.target, ())
    means = ProductPairs(truth, pairs).average(kept / kept.sum())
    agree = dict(zip(pairs, (1 + means) / 2, strict=True))
    lines = []
    for test in tests:
        target, (before, after) = float(agree[test.edge]), gaps[test.edge]
        source = target - before
        variance = (source * (1 - source) + target * (1 - target)) / 2
        deviation = np.sqrt(variance) if variance > NO_VARIANCE else 0.0  # they always agree, or never
        shifts = standardise(np.array([before, after]), np.array(deviation), 1.0).tolist()
        pair = names[test.edge[0]], names[test.edge[1]]
        lines.append(
            BalanceLine(
                column=f"{pair[0]} + {pair[1]}",
                kind="pair",
                detail="agree",
                source=source,
                weighted=target - after,
                target=target,
                before=shifts[0],
                after=shifts[1],
                distance=AGREEMENT,
                distance_before=abs(before),
                distance_after=abs(after),
                z=test.z,
                threshold=edge_threshold(len(names)),
                suggestion=pair if has_rows(problem, test.edge) else None,
            )
        )
    return worst_first(lines)
