"""Ranking: which candidates would matter most to the estimate, for one model or several, and which say the same."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.checks import sampling_threshold, weigh
from mandoline_core.data import take_step
from mandoline_core.discovery.pool import Pool, has_support
from mandoline_core.discovery.relevance import Relevance, relevance
from mandoline_core.discovery.rule_table import sparse_columns
from mandoline_core.discovery.search_state import Edge, SearchState, rule_key, rule_name
from mandoline_core.pipeline import cell_marks
from mandoline_core.slices import Expression, Keyword, Slice, conjoin
from mandoline_core.weighting import has_rows

MOST_JOINED = 10  # candidates that are looked at in pairs: more would be many tests for little
CLEARLY_MORE = 1.25  # times the z of its parts, and of what it comes before: then a conjunction is worth its length
ALIKE, ALIKE_OF_ONE = 0.8, 0.5  # correlation from which two slices say nearly the same, or two on the same columns


@dataclass(frozen=True, eq=False)
class Candidate:
    """Hold one candidate and what it would do to one model's estimate, to first order.

    Parameters
    ----------
    rule : Slice or pair of slice names
    tables : pair of csc_matrix
        What candidates say of the drawn rows, of both samples.
    column : int
        This candidate's, in both.
    last : bool
        Whether it is on function words, which come last.
    joined : bool
        Whether it joins two others.
    """

    model: str
    rule: Slice | Edge
    source: float
    target: float
    gap: float
    gap_z: float
    difference: float
    z: float
    tables: tuple[csc_matrix, csc_matrix]
    column: int
    last: bool = False
    joined: bool = False

    @cached_property
    def inside(self) -> Floats:
        """The drawn rows in the slice, of both samples joined."""
        return np.concatenate([table[:, [self.column]].toarray().ravel() for table in self.tables])

    @property
    def merit(self) -> float:
        """What it is ranked by: |z|, less for a conjunction, which may be what two slices say better."""
        return abs(self.z) / (CLEARLY_MORE if self.joined else 1.0)

    @property
    def key(self) -> object:
        """What tells it from other candidates."""
        return rule_key(self.rule)

    @property
    def name(self) -> str:
        """What a project calls the slice, or the two slices of an edge."""
        return rule_name(self.rule)


def distinct(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Take the first candidates that do not say nearly the same as one before."""
    chosen: list[Candidate] = []
    for candidate in candidates:
        if len(chosen) == most:
            break
        if not any(_alike(candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def _alike(one: Candidate, other: Candidate) -> bool:
    if len(one.inside) != len(other.inside):  # of models that score other rows
        return False
    bound = ALIKE
    if isinstance(one.rule, Slice) and isinstance(other.rule, Slice) and set(one.rule.reads) == set(other.rule.reads):
        if isinstance(one.rule, Keyword):  # a phrase with a word that comes before it
            return float(one.inside @ other.inside) >= ALIKE * one.inside.sum()
        bound = ALIKE_OF_ONE
    left, right = one.inside - one.inside.mean(), other.inside - other.inside.mean()
    scale = float(np.sqrt((left @ left) * (right @ right)))
    return scale > 0 and abs(float(left @ right)) / scale >= bound


@dataclass(frozen=True, eq=False)
class CandidateRanking:
    """Hold candidates, the most relevant first, and the threshold of significance among them.

    Parameters
    ----------
    candidates : tuple of Candidate
        Each rule once, for the model that it matters to most.
    by_model : mapping
        The same rules by their keys, for every model.
    gap_threshold : float
        The |z| of a gap beyond which it is significant among all candidates. Bonferroni, as
        candidates overlap in every way: it holds whatever their dependence.
    threshold : float
        The |z| beyond which a candidate is significant among those whose gap is. Scores do not decide which these are,
        so only they count.
    """

    candidates: tuple[Candidate, ...]
    by_model: Mapping[object, Mapping[str, Candidate]]
    gap_threshold: float
    threshold: float

    def is_off(self, candidate: Candidate) -> bool:
        """Tell whether sampling error does not explain what remains off."""
        return abs(candidate.gap_z) > self.gap_threshold

    def stands_out(self, candidate: Candidate) -> bool:
        """Tell whether sampling error explains neither what remains off nor what that does to the estimate."""
        return self.is_off(candidate) and abs(candidate.z) > self.threshold


def rank(states: Sequence[SearchState], pools: Sequence[Pool], never: Collection[object]) -> CandidateRanking:
    """Rank all candidates by their largest |z| over models; function words come last.

    Of a slice and its opposite, the one that the target has more of comes first.
    """
    by_model: dict[object, dict[str, Candidate]] = {}
    gaps: list[Floats] = []
    for state, pool in zip(states, pools, strict=True):
        take_step()
        candidates, looked_at = _rank_for_model(state, pool, never)
        gaps += looked_at
        for candidate in candidates:
            by_model.setdefault(candidate.key, {})[candidate.model] = candidate
    best = [max(of_rule.values(), key=lambda one: abs(one.z)) for of_rule in by_model.values()]
    # Rounded, so that slices that say the same come in the order of their names whatever the last digits are.
    best.sort(key=lambda one: (one.last, -round(one.merit, 6), one.gap < 0, one.name))
    every = np.abs(np.concatenate([*gaps, np.empty(0)]))
    first = sampling_threshold(len(every))
    return CandidateRanking(tuple(best), by_model, first, sampling_threshold(int((every > first).sum())))


class _DrawnRows:
    """The drawn rows of one state, in cells, with their scores."""

    def __init__(self, state: SearchState, pool: Pool) -> None:
        count, rows = state.fit.cells.count, pool.source_rows
        if state.part is None:
            self.used: Index = np.arange(len(rows))
        else:
            self.used = np.flatnonzero(state.part[rows])
            rows = (np.cumsum(state.part) - 1)[rows[self.used]]
        n = len(count.patterns)
        self.patterns = count.source_index[rows], count.target_index[pool.target_rows]
        counted = count.source_rows[rows], count.target_rows[pool.target_rows]
        self.cells = cell_marks(self.patterns[0], n, counted[0]), cell_marks(self.patterns[1], n, counted[1])
        self.scores = state.scores[rows]
        self.weights = weigh(state.report)

    def relevance(self, source: csr_matrix, target: csr_matrix) -> Relevance | None:
        return relevance(self.weights, self.cells, self.scores, (source, target))


def _rank_for_model(state: SearchState, pool: Pool, never: Collection[object]) -> tuple[list[Candidate], list[Floats]]:
    """List one model's candidates, and the z of every gap that was looked at."""
    drawn = _DrawnRows(state, pool)
    source, target = csr_matrix(pool.source[drawn.used]), pool.target
    taken = {rule.key for rule in state.rules} | set(never)
    single = drawn.relevance(source, target)
    rules: dict[int, Slice | Edge] = {column: pool.rules[number] for column, number in enumerate(pool.rule_of)}
    singles = [] if single is None else _candidates(state, rules, single, (source, target), taken, pool.last)
    conjunctions, joint = _conjunctions(state, drawn, singles, taken)
    edges, pairwise = _edges(state, drawn, taken)
    gaps = [relevant.gap_z for relevant in (single, joint, pairwise) if relevant is not None]
    return [*singles, *conjunctions, *edges], gaps


def _by_relevance(z: float) -> float:
    """Sort the most relevant first; twins, such as a text's words and a column that counts them, as they come.

    Their numbers differ in the last digits only, which say nothing and are others on another machine.

    >>> _by_relevance(1.7528940975106009) == _by_relevance(-1.7528940975105918) > _by_relevance(1.8)
    True
    """
    return -round(abs(z), 9)


def _candidates(
    state: SearchState,
    rules: Mapping[int, Slice | Edge],
    relevant: Relevance,
    tables: tuple[csr_matrix, csr_matrix],
    taken: Collection[object],
    last: Bools | None = None,
) -> list[Candidate]:
    """Make candidates of the columns that have something of their own; the best column of each rule."""
    best: dict[object, int] = {}
    for column, rule in sorted(rules.items(), key=lambda item: _by_relevance(float(relevant.z[item[0]]))):
        key = rule_key(rule)
        if relevant.z[column] != 0 and key not in taken and rule_name(rule) not in taken:
            best.setdefault(key, column)
    by_column = tables[0].tocsc(), tables[1].tocsc()
    return [
        Candidate(
            model=state.fit.model,
            rule=rules[i],
            source=float(relevant.source[i]),
            target=float(relevant.target[i]),
            gap=float(relevant.gap[i]),
            gap_z=float(relevant.gap_z[i]),
            difference=float(relevant.difference[i]),
            z=float(relevant.z[i]),
            tables=by_column,
            column=i,
            last=last is not None and bool(last[i]),
        )
        for i in best.values()
    ]


def _conjunctions(
    state: SearchState, drawn: _DrawnRows, singles: Sequence[Candidate], taken: Collection[object]
) -> tuple[list[Candidate], Relevance | None]:
    """Join the most relevant candidates in pairs, where that says clearly more than either."""
    able = [one for one in singles if not one.last and _written(one.rule) is not None]
    parts = distinct(sorted(able, key=lambda one: _by_relevance(one.z)), MOST_JOINED)
    ways = list(itertools.product(itertools.combinations(parts, 2), ((True, True), (True, False), (False, True))))
    if not ways:
        return [], None
    columns = (
        np.prod([part.inside if yes else 1 - part.inside for part, yes in zip(pair, way, strict=True)], axis=0)
        for pair, way in ways
    )
    both = sparse_columns(columns, len(parts[0].inside))
    tables = csr_matrix(both[: len(drawn.used)]), csr_matrix(both[len(drawn.used) :])
    relevant = drawn.relevance(*tables)
    if relevant is None:
        return [], None
    least = [CLEARLY_MORE * max(abs(part.z) for part in pair) for pair, _ in ways]
    rules: dict[int, Slice | Edge] = {}
    for column in np.flatnonzero(has_support(*tables) & (np.abs(relevant.z) > least)).tolist():
        (one, other), way = ways[column]
        rule = join_rules((one.rule, other.rule), way)
        if rule is not None:
            rules[column] = rule
    return [replace(one, joined=True) for one in _candidates(state, rules, relevant, tables, taken)], relevant


def join_rules(parts: tuple[Slice | Edge, Slice | Edge], way: tuple[bool, bool] = (True, True)) -> Expression | None:
    """Join two rules by `and`, or their opposites; None where an expression cannot say it.

    Parameters
    ----------
    way : pair of bool
        Whether each part is taken as it is, or its opposite.

    Examples
    --------
    >>> from mandoline_core.slices import Category, Threshold
    >>> old, urban = Threshold("old", column="age", above=65), Category("b", column="place", values=("b",))
    >>> join_rules((old, urban)).name
    'age above 65 and place is b'
    """
    written = [_written(part) for part in parts]
    if None in written:
        return None
    text = " and ".join(f"{rule}" if yes else f"not ({rule})" for rule, yes in zip(written, way, strict=True))
    joined = Expression("rule", text=text)
    return replace(joined, name=joined.describe())


def _written(rule: Slice | Edge) -> str | None:
    """Write a rule in the expression language; None where it cannot be said."""
    expression = conjoin("rule", [rule]) if isinstance(rule, Slice) else None
    return None if expression is None else expression.text


def _edges(
    state: SearchState, drawn: _DrawnRows, taken: Collection[object]
) -> tuple[list[Candidate], Relevance | None]:
    """Look at pairs of slices of different rules that have no edge yet."""
    problem, origins = state.fit.problem, state.fit.cells.origins
    names, codes = problem.patterns.names, problem.patterns.codes.astype(float)
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
        if origins.get(names[i]) != origins.get(names[j]) and (i, j) not in problem.edges and has_rows(problem, (i, j))
    ]
    if not pairs:
        return [], None
    agree = csr_matrix(np.column_stack([(1 + codes[:, i] * codes[:, j]) / 2 for i, j in pairs]))
    tables = csr_matrix(agree[drawn.patterns[0]]), csr_matrix(agree[drawn.patterns[1]])
    relevant = drawn.relevance(*tables)
    if relevant is None:
        return [], None
    rules: dict[int, Slice | Edge] = {number: (names[i], names[j]) for number, (i, j) in enumerate(pairs)}
    return _candidates(state, rules, relevant, tables, taken), relevant
