"""Selection: accept one slice after the other, and judge the choice on labelled rows that did not make it.

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
from mandoline_core.discovery.pool import Pool
from mandoline_core.discovery.ranking import Candidate, rank
from mandoline_core.discovery.search_state import Edge, SearchState
from mandoline_core.errors import MandolineError
from mandoline_core.slices import Slice

MOST_ACCEPTED = 8  # more than anyone reads, and each has a weight to be estimated
FEWEST_EFFECTIVE = 100.0  # rows, unless there were fewer at the start: below, intervals are rough
LEAST_LEFT = 0.25  # of the effective rows at the start
MOST_ASIDE = 0.02  # of the target, beyond what was set aside at the start: else it covers other rows
MOST_REFUSED = 5  # in a row: what ranks lower hardly moves the estimate


def choose(
    states: Sequence[SearchState],
    pools: Sequence[Pool],
    never: Collection[object],
    progress: Callable[[float], None] = lambda _share: None,
) -> tuple[list[Candidate], list[tuple[SearchState, ...]]]:
    """Accept the most relevant candidate, rank the others again, and so on, until nothing is significant.

    At most eight are accepted. One that leaves fewer than 100 effective rows (or than a quarter of those at the
    start), or leaves out more than 2% more of the target, is skipped.

    Returns
    -------
    accepted : list of Candidate
        In order.
    steps : list of tuples of SearchState
        All models at the start, and after each acceptance.
    """
    accepted, steps, refused = list[Candidate](), [tuple(states)], set(never)
    while len(accepted) < MOST_ACCEPTED:
        progress(len(accepted) / MOST_ACCEPTED)
        ranking = rank(steps[-1], pools, refused)
        outstanding = [candidate for candidate in ranking.candidates if ranking.stands_out(candidate)]
        for candidate in outstanding[:MOST_REFUSED]:
            grown = try_rule(steps[-1], candidate.rule)
            if grown is not None and all(is_sane(*pair) for pair in zip(grown, states, strict=True)):
                accepted.append(candidate)
                steps.append(grown)
                break
            refused.add(candidate.key)  # for good: with more slices it would leave even fewer rows
        else:
            break
    return accepted, steps


def try_rule(states: Sequence[SearchState], rule: Slice | Edge) -> tuple[SearchState, ...] | None:
    """Add a rule for every model and solve; None where that cannot be done."""
    try:
        grown = tuple(state.add(rule) for state in states)
        solved = all(state.report.converged for state in grown)
    except MandolineError:
        return None
    return grown if solved else None


def fewest_effective(start: SearchState) -> float:
    """Say on how many effective rows another estimate must rest to be worth looking at."""
    rows = start.report.effective_sample_size
    return max(LEAST_LEFT * rows, min(FEWEST_EFFECTIVE, rows))


def is_sane(new: SearchState, start: SearchState) -> bool:
    """Tell whether enough rows carry the estimate, and it covers nearly as much of the target as at the start."""
    before, after = start.report, new.report
    return after.effective_sample_size >= fewest_effective(start) and after.set_aside <= before.set_aside + MOST_ASIDE


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
    states: Sequence[SearchState],
    pools: Sequence[Pool],
    never: Collection[object],
    *,
    rng: np.random.Generator,
    progress: Callable[[float], None] = lambda _share: None,
) -> dict[str, CrossFit]:
    """Choose on one half of the labelled rows and estimate on the other, and back; by model."""
    by_scored: dict[bytes, Bools] = {}  # one array for models that score the same rows, so that what it gives is shared
    clusters = states[0].request.source.clusters
    whole = np.arange(len(states[0].fit.cells.scored)) if clusters is None else clusters
    drawn = (rng.random(int(whole.max()) + 1).argsort() % 2 == 0)[whole]  # rows that belong together stay together
    parts = []
    for state in states:
        scored = state.fit.cells.scored
        parts.append(by_scored.setdefault(scored.tobytes(), drawn[scored]))
    judged: list[tuple[SearchState, ...]] = []
    for half in (False, True):
        accepted, _ = choose([state.on(part == half) for state, part in zip(states, parts, strict=True)], pools, never)
        others = tuple(state.on(part != half) for state, part in zip(states, parts, strict=True))
        for candidate in accepted:  # what cannot be fitted on the other half is passed over
            others = try_rule(others, candidate.rule) or others
        judged.append(others)
        progress((1 + half) / 2)
    return {first.fit.model: _average(first, second) for first, second in zip(*judged, strict=True)}


def _average(*halves: SearchState) -> CrossFit:
    """Average two estimates on different source rows and the same target rows."""
    values = halves[0].report.estimate, halves[1].report.estimate
    first, second = (
        half.report.problem.members.together(half.report.outcome.influence.pieces(half.report.problem.members))
        for half in halves
    )
    # The halves have source rows of their own; target rows are the same, so that their sampling error is common.
    if len(first) == 2 and len(second) == 2:
        both = (first[1] + second[1]) / 2
        variance = float(first[0] @ first[0] + second[0] @ second[0]) / 4 + float(both @ both)
    else:  # redraws do not distinguish the samples: at most, all of their sampling error is common
        variance = (math.sqrt(float(first[0] @ first[0])) + math.sqrt(float(second[0] @ second[0]))) ** 2 / 4
    return CrossFit(sum(values) / 2, math.sqrt(variance), values)
