"""Cross-fitting: what the chosen slices say on labelled rows that did not help to choose them.

Slices that were chosen for what they do to the score flatter themselves on the rows they were chosen on. So the source
is split at random; slices chosen on one half are judged on the other, and back, and the two are averaged. Weights never
look at scores, so each half fits its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Bools
from mandoline_core.discovery.choosing import Choice, choose, try_rule
from mandoline_core.discovery.pool import Pool
from mandoline_core.discovery.standing import Standing


@dataclass(frozen=True)
class CrossFit:
    """Hold one model's estimate on rows that did not choose, with its standard error.

    Parameters
    ----------
    halves : pair of float
        The two estimates that are averaged.
    """

    estimate: float
    standard_error: float
    halves: tuple[float, float]


def cross_fit(
    standings: Sequence[Standing],
    pools: Sequence[Pool],
    never: Collection[object],
    *,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
) -> dict[str, CrossFit]:
    """Choose on one half of the labelled rows and estimate on the other, and back; by model."""
    by_scored: dict[bytes, Bools] = {}
    whole = rng.random(len(standings[0].fit.cells.scored)).argsort() % 2 == 0
    parts = []
    for standing in standings:
        scored = standing.fit.cells.scored
        parts.append(by_scored.setdefault(scored.tobytes(), whole[scored]))
    judged: list[tuple[Standing, ...]] = []
    for number in range(2):
        chosen_on = tuple(one.on(part == bool(number)) for one, part in zip(standings, parts, strict=True))
        judged_on = tuple(one.on(part != bool(number)) for one, part in zip(standings, parts, strict=True))
        judged.append(_follow(judged_on, choose(chosen_on, pools, never)))
        if progress is not None:
            progress((number + 1) / 2)
    return {one.fit.model: _average(one, other) for one, other in zip(*judged, strict=True)}


def _follow(standings: tuple[Standing, ...], choice: Choice) -> tuple[Standing, ...]:
    """Add what was chosen elsewhere; what cannot be fitted here is passed over."""
    for candidate in choice.accepted:
        standings = try_rule(standings, candidate.rule) or standings
    return standings


def _average(one: Standing, other: Standing) -> CrossFit:
    """Average two estimates on different source rows and the same target rows."""
    values = one.report.estimate, other.report.estimate
    first, second = (side.report.outcome.influence.pieces(side.report.problem.members) for side in (one, other))
    if len(first) == 2 and len(second) == 2:
        both = (first[1] + second[1]) / 2
        variance = float(first[0] @ first[0] + second[0] @ second[0]) / 4 + float(both @ both)
    else:  # redraws do not tell the samples apart: at most, all of their luck is common
        variance = (math.sqrt(float(first[0] @ first[0])) + math.sqrt(float(second[0] @ second[0]))) ** 2 / 4
    return CrossFit(sum(values) / 2, math.sqrt(variance), values)
