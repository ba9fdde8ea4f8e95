"""The state of a search: one model's solved problem with the slices so far; with one more, another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Bools, CodeArray, Floats
from mandoline_core.data import Sample
from mandoline_core.metrics import evaluate
from mandoline_core.patterns import refine_count, restrict_source
from mandoline_core.pipeline import (
    Cells,
    EdgeNames,
    Estimate,
    Fit,
    Request,
    estimate,
    fit,
    is_share,
)
from mandoline_core.slices import Slice, codes, resolve

Edge = tuple[str, str]


def rule_name(rule: Slice | Edge) -> str:
    """Name a slice, or the two slices of an edge.

    >>> rule_name(("a", "b"))
    'a + b'
    """
    return rule.name if isinstance(rule, Slice) else " + ".join(rule)


def rule_words(rule: Slice | Edge) -> str:
    """Say a rule in plain words.

    >>> rule_words(("a", "b"))
    'a + b move together'
    """
    return rule.describe() if isinstance(rule, Slice) else f"{rule_name(rule)} move together"


def rule_key(rule: Slice | Edge) -> object:
    """Return what tells a rule from others, whatever it is called."""
    return rule.key if isinstance(rule, Slice) else frozenset(rule)


class SliceCodes:
    """Evaluate each slice once on each sample; trying a slice in several places asks for the same codes."""

    def __init__(self) -> None:
        self._codes: dict[tuple[int, object], CodeArray] = {}

    def __call__(self, sample: Sample, rule: Slice) -> CodeArray:
        """Return the codes of a resolved slice."""
        key = (id(sample), rule.key)
        if key not in self._codes:
            self._codes[key] = codes(sample, [rule])[:, 0]
        return self._codes[key]


@dataclass(frozen=True, eq=False)
class SearchState:
    """Hold one model's problem with the slices so far.

    Parameters
    ----------
    request : Request
        What was asked for at first.
    fit : Fit
    added : tuple of Slice or pairs of slice names
        Slices and edges that were added since, in order.
    part : array of bool, shape (n_scored,), optional
        The scored source rows that are looked at; all when left out.
    """

    request: Request
    fit: Fit
    codes_of: SliceCodes
    added: tuple[Slice | Edge, ...] = ()
    part: Bools | None = None

    @cached_property
    def report(self) -> Estimate:
        """The solved problem; without any slice, the source's score."""
        settings = self.request.settings
        named = bool(self.fit.problem.patterns.names)
        return estimate(self.fit, settings if named else replace(settings, name="source"))

    @property
    def rules(self) -> tuple[Slice, ...]:
        """The rules that are there: the project's, and those that were added."""
        return (*self.request.slices, *(rule for rule in self.added if isinstance(rule, Slice)))

    @property
    def edges(self) -> EdgeNames:
        """The edges that are there; learned ones stay as they were learned."""
        problem = self.fit.problem
        names = problem.patterns.names
        return [(names[i], names[j]) for i, j in problem.edges]

    @cached_property
    def scores(self) -> Floats:
        """What each scored row adds to the metric, to first order, shape (n_scored,)."""
        problem, outcome = self.report.problem, self.report.outcome
        statistics = problem.members.statistics
        return evaluate(problem.metric, statistics, outcome.weights(problem.members)).slopes

    @property
    def share(self) -> bool:
        """Whether the metric is a share."""
        return is_share(self.report)

    def add(self, rule: Slice | Edge) -> SearchState:
        """Add a slice, or an edge between two."""
        cells, edges = self.fit.cells, list(self.edges)
        if isinstance(rule, Slice):
            cells = self._count(rule)
        else:
            edges.append(rule)
        grown = replace(self, added=(*self.added, rule))
        return replace(grown, fit=self._fit(cells, grown.rules, edges))

    def on(self, part: Bools) -> SearchState:
        """Look at a part of the source rows only, with the same slices."""
        cells = _restrict(self.fit.cells, part)
        return replace(self, fit=self._fit(cells, self.rules, self.edges), part=part)

    def _fit(self, cells: Cells, rules: Sequence[Slice], edges: EdgeNames) -> Fit:
        """State the problem as the request would."""
        asked = self.request
        return fit(cells, rules, edges=edges, settings=asked.settings, methods=asked.methods, trust=asked.trust)

    def _count(self, rule: Slice) -> Cells:
        cells = self.fit.cells
        source, target = self.request.source, self.request.target
        model = None if cells.rows is None else cells.rows.model
        members = resolve([rule], source, target, model)
        count = cells.count
        for member in members:
            of_source, of_target = (self.codes_of(sample, member) for sample in (source, target))
            count = refine_count(count, of_source[cells.scored], of_target, cells.statistics, member.name)
        origins = cells.origins | {member.name: rule.name for member in members}
        return replace(cells, slices=(*cells.slices, *members), origins=origins, count=count)


def _restrict(cells: Cells, part: Bools) -> Cells:
    """Leave out source rows; what only checks look at goes, too."""
    statistics = cells.statistics[part]
    patterns = restrict_source(cells.count, cells.statistics, part)
    index, rows = cells.count.source_index[part], cells.count.source_rows[part]
    design = cells.count.design[0].take(part), cells.count.design[1]
    count = cells.count._replace(patterns=patterns, source_index=index, source_rows=rows, design=design)
    scored = cells.scored.copy()
    scored[np.flatnonzero(cells.scored)[~part]] = False
    return replace(
        cells,
        count=count,
        statistics=statistics,
        scored=scored,
        rows=None if cells.rows is None else replace(cells.rows, scored=scored),
        gold_answers={name: truth[part] for name, truth in cells.gold_answers.items()},
        drawn=None,
        predictions=None,
    )


def start_search(request: Request, problems: Sequence[Fit]) -> tuple[SearchState, ...]:
    """Start with every model as the request states it."""
    slice_codes = SliceCodes()  # one for all models: most slices look at columns, and say the same of all
    return tuple(SearchState(request, problem, slice_codes) for problem in problems)
