"""Ranking: which candidates would matter most to the estimate, for one model or several."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix, hstack

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.checks import sampling_threshold, weigh
from mandoline_core.discovery.candidates import CLEARLY_MORE, Candidate, distinct
from mandoline_core.discovery.conjunctions import is_joinable, join_rules
from mandoline_core.discovery.pool import Pool, supported
from mandoline_core.discovery.relevance import Relevance, Scored, relevance, score_table
from mandoline_core.discovery.standing import Edge, Standing, rule_key, rule_name
from mandoline_core.pipeline import Tally, cell_marks
from mandoline_core.slices import Slice
from mandoline_core.weighting import has_rows, take_step

MOST_JOINED = 10  # candidates that are looked at in pairs


@dataclass(frozen=True, eq=False)
class Ranking:
    """Hold candidates, the most relevant first, and how far one must stand out among so many.

    Parameters
    ----------
    candidates : tuple of Candidate
        Each rule once, for the model that it matters to most.
    by_model : mapping
        The same rules by their keys, for every model.
    gap_threshold : float
        The |z| of a gap beyond which it stands out from luck, among all that were looked at (Bonferroni).
    threshold : float
        The |z| beyond which a candidate stands out among those whose gap does. Which these are, no score decides, so
        only they count.
    """

    candidates: tuple[Candidate, ...]
    by_model: Mapping[object, Mapping[str, Candidate]]
    gap_threshold: float
    threshold: float

    def is_off(self, candidate: Candidate) -> bool:
        """Tell whether luck does not explain what remains off."""
        return abs(candidate.gap_z) > self.gap_threshold

    def stands_out(self, candidate: Candidate) -> bool:
        """Tell whether luck explains neither what remains off nor what that does to the estimate."""
        return self.is_off(candidate) and abs(candidate.z) > self.threshold


def rank(standings: Sequence[Standing], pools: Sequence[Pool], never: Collection[object]) -> Ranking:
    """Rank all candidates by their largest |z| over models; function words come last.

    Of a slice and its opposite, the one that the target has more of comes first.
    """
    found: dict[object, dict[str, Candidate]] = {}
    gaps: list[Floats] = []
    for standing, pool in zip(standings, pools, strict=True):
        take_step()
        listed, looked_at = _rank_one(standing, pool, never)
        gaps += looked_at
        for one in listed:
            found.setdefault(one.key, {})[one.model] = one
    best = [max(some.values(), key=lambda one: abs(one.z)) for some in found.values()]
    best.sort(key=lambda one: (one.last, -round(one.merit, 6), one.gap < 0, one.name))
    every = np.abs(np.concatenate([*gaps, np.empty(0)]))
    first = sampling_threshold(len(every))
    return Ranking(tuple(best), found, first, sampling_threshold(int((every > first).sum())))


class _Drawn:
    """The drawn rows of one standing, in cells, with their scores."""

    def __init__(self, standing: Standing, pool: Pool) -> None:
        count = standing.fit.cells.count
        rows = pool.source_rows
        here = np.ones(len(rows), dtype=bool) if standing.part is None else standing.part[rows]
        place = rows if standing.part is None else (np.cumsum(standing.part) - 1)[rows[here]]
        self.used: Index = np.flatnonzero(here)
        n = len(count.patterns)
        self.patterns = count.source_index[place], count.target_index[pool.target_rows]
        self.cells = cell_marks(self.patterns[0], n), cell_marks(self.patterns[1], n)
        self.scores = standing.scores[place]
        self.weighing = weigh(standing.report)

    def relevance(self, source: csr_matrix, target: csr_matrix) -> Relevance | None:
        sides = tuple(zip(self.cells, (source, target), strict=True))
        rows, sums = [cell @ np.ones(cell.shape[1]) for cell in self.cells], [cell @ side for cell, side in sides]
        squares = None
        if any((side.data != 1).any() for side in (source, target)):
            sums = [hstack([one, cell @ side.power(2)]) for one, (cell, side) in zip(sums, sides, strict=True)]
            squares = np.tile(np.arange(source.shape[1], 2 * source.shape[1]), 2)
        tally = Tally(rows[0], rows[1], csr_matrix(sums[0]), csr_matrix(sums[1]), squares)
        cells, scores = self.cells[0], self.scores
        products = score_table(cells, scores, source)
        return relevance(self.weighing, Scored(tally, *products, cells @ scores, cells @ scores**2))


def _rank_one(standing: Standing, pool: Pool, never: Collection[object]) -> tuple[list[Candidate], list[Floats]]:
    """List one model's candidates, and the z of every gap that was looked at."""
    drawn = _Drawn(standing, pool)
    source, target = csr_matrix(pool.source[drawn.used]), pool.target
    taken = {rule.key for rule in standing.rules} | set(never)
    found = drawn.relevance(source, target)
    rules: dict[int, Slice | Edge] = {column: pool.rules[place] for column, place in enumerate(pool.rule_of)}
    singles = [] if found is None else _listed(standing, rules, found, source, target, pool.last, taken)
    joined, more = _conjunctions(standing, drawn, singles, taken)
    pairs, others = _edges(standing, drawn, taken)
    gaps = [one.gap_z for one in (found, more, others) if one is not None]
    return [*singles, *joined, *pairs], gaps


def _listed(
    standing: Standing,
    rules: Mapping[int, Slice | Edge],
    found: Relevance,
    source: csr_matrix,
    target: csr_matrix,
    last: Bools,
    taken: Collection[object],
) -> list[Candidate]:
    """Make candidates of the columns that have something of their own; the best column of each rule."""
    best: dict[object, int] = {}
    for place, rule in sorted(rules.items(), key=lambda item: -abs(float(found.z[item[0]]))):
        key = rule_key(rule)
        if found.z[place] != 0 and key not in taken and rule_name(rule) not in taken:
            best.setdefault(key, place)
    here, there = source.tocsc(), target.tocsc()
    return [
        Candidate(
            model=standing.fit.model,
            rule=rules[i],
            source=float(found.source[i]),
            target=float(found.target[i]),
            gap=float(found.gap[i]),
            gap_z=float(found.gap_z[i]),
            difference=float(found.difference[i]),
            z=float(found.z[i]),
            tables=(here, there),
            column=i,
            last=bool(last[i]),
        )
        for i in best.values()
    ]


def _conjunctions(
    standing: Standing, drawn: _Drawn, singles: Sequence[Candidate], taken: Collection[object]
) -> tuple[list[Candidate], Relevance | None]:
    """Join the most relevant candidates in pairs, where that says clearly more than either."""
    able = [one for one in singles if not one.last and is_joinable(one.rule)]
    parts = distinct(sorted(able, key=lambda one: -abs(one.z)), MOST_JOINED)
    ways = list(itertools.product(itertools.combinations(parts, 2), ((True, True), (True, False), (False, True))))
    if not ways:
        return [], None
    columns = [
        np.prod([part.inside if yes else 1 - part.inside for part, yes in zip(pair, way, strict=True)], axis=0)
        for pair, way in ways
    ]
    both = csr_matrix(np.column_stack(columns))
    source, target = csr_matrix(both[: len(drawn.used)]), csr_matrix(both[len(drawn.used) :])
    found = drawn.relevance(source, target)
    if found is None:
        return [], None
    enough = supported(source, target)
    least = [CLEARLY_MORE * max(abs(part.z) for part in pair) for pair, _ in ways]
    rules: dict[int, Slice | Edge] = {
        place: rule
        for place in np.flatnonzero(enough & (np.abs(found.z) > least)).tolist()
        if (rule := join_rules((ways[place][0][0].rule, ways[place][0][1].rule), ways[place][1])) is not None
    }
    listed = _listed(standing, rules, found, source, target, np.zeros(len(ways), dtype=bool), taken)
    return [replace(one, joined=True) for one in listed], found


def _edges(standing: Standing, drawn: _Drawn, taken: Collection[object]) -> tuple[list[Candidate], Relevance | None]:
    """Look at pairs of slices of different rules that have no edge yet."""
    problem, origins = standing.fit.problem, standing.fit.cells.origins
    names, codes = problem.patterns.names, problem.patterns.codes.astype(float)
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
        if origins.get(names[i]) != origins.get(names[j]) and (i, j) not in problem.edges and has_rows(problem, (i, j))
    ]
    if not pairs:
        return [], None
    agree = np.column_stack([(1 + codes[:, i] * codes[:, j]) / 2 for i, j in pairs])
    source, target = (csr_matrix(agree[side]) for side in drawn.patterns)
    found = drawn.relevance(source, target)
    if found is None:
        return [], None
    rules: dict[int, Slice | Edge] = {number: (names[i], names[j]) for number, (i, j) in enumerate(pairs)}
    return _listed(standing, rules, found, source, target, np.zeros(len(pairs), dtype=bool), taken), found
