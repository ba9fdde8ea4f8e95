"""A standing: one model's solved problem with some slices; with one more, another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Bools, Codes, Floats
from mandoline_core.data import Sample
from mandoline_core.metrics import evaluate
from mandoline_core.patterns import refine_count, restrict_source
from mandoline_core.pipeline import (
    Cells,
    EdgeNames,
    Estimate,
    Fit,
    Request,
    is_share,
    solve_model,
    state_problem,
)
from mandoline_core.slices import Slice, codes, resolve

Edge = tuple[str, str]


def rule_name(rule: Slice | Edge) -> str:
    """Name a slice, or the two slices of an edge.

    >>> rule_name(("a", "b"))
    'a + b'
    """
    return rule.name if isinstance(rule, Slice) else " + ".join(rule)


def rule_key(rule: Slice | Edge) -> object:
    """Return what tells a rule from others, whatever it is called."""
    return rule.key if isinstance(rule, Slice) else frozenset(rule)


class CodesKept:
    """Evaluate each slice once on each sample; trying a slice in several places asks for the same codes."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, object], Codes] = {}

    def __call__(self, sample: Sample, rule: Slice) -> Codes:
        """Return the codes of a resolved slice."""
        key = (id(sample), rule.key)
        if key not in self._known:
            self._known[key] = codes(sample, [rule])[:, 0]
        return self._known[key]


@dataclass(frozen=True, eq=False)
class Standing:
    """Hold one model's problem with the slices so far.

    Parameters
    ----------
    request : Request
        What was asked for at first.
    prepared : ModelProblem
    added : tuple of Slice or pairs of slice names
        Slices and edges that were added since, in order.
    part : array of bool, shape (n_scored,), optional
        The scored source rows that are looked at; all when left out.
    """

    request: Request
    fit: Fit
    codes_of: CodesKept
    added: tuple[Slice | Edge, ...] = ()
    part: Bools | None = None

    @cached_property
    def report(self) -> Estimate:
        """The solved problem; without any slice, the source's score."""
        settings = self.request.settings
        named = bool(self.fit.problem.patterns.names)
        return solve_model(self.fit, settings if named else replace(settings, name="source"))

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

    def add(self, rule: Slice | Edge) -> Standing:
        """Add a slice, or an edge between two."""
        counted, edges = self.fit.cells, list(self.edges)
        if isinstance(rule, Slice):
            counted = self._count(rule)
        else:
            edges.append(rule)
        grown = replace(self, added=(*self.added, rule))
        return replace(grown, fit=self._state(counted, grown.rules, edges))

    def on(self, part: Bools) -> Standing:
        """Look at a part of the source rows only, with the same slices."""
        counted = _restrict(self.fit.cells, part)
        return replace(self, fit=self._state(counted, self.rules, self.edges), part=part)

    def _state(self, counted: Cells, rules: Sequence[Slice], edges: EdgeNames) -> Fit:
        """State the problem as the request would."""
        asked = self.request
        return state_problem(
            counted, rules, edges=edges, settings=asked.settings, methods=asked.methods, trust=asked.trust
        )

    def _count(self, rule: Slice) -> Cells:
        counted = self.fit.cells
        source, target = self.request.source, self.request.target
        model = None if counted.rows is None else counted.rows.model
        members = resolve([rule], source, target, model)
        count = counted.count
        for member in members:
            here, there = (self.codes_of(sample, member) for sample in (source, target))
            count = refine_count(count, here[counted.scored], there, counted.statistics, member.name)
        origins = counted.origins | {member.name: rule.name for member in members}
        return replace(counted, slices=(*counted.slices, *members), origins=origins, count=count)


def _restrict(counted: Cells, part: Bools) -> Cells:
    """Leave out source rows; what only checks look at goes, too."""
    statistics = counted.statistics[part]
    patterns = restrict_source(counted.count, counted.statistics, part)
    index, rows = counted.count.source_index[part], counted.count.source_rows[part]
    count = counted.count._replace(patterns=patterns, source_index=index, source_rows=rows)
    scored = counted.scored.copy()
    scored[np.flatnonzero(counted.scored)[~part]] = False
    return replace(
        counted,
        count=count,
        statistics=statistics,
        scored=scored,
        rows=None if counted.rows is None else replace(counted.rows, scored=scored),
        gold_answers={name: answers[part] for name, answers in counted.gold_answers.items()},
        drawn=None,
        said=None,
        labels=None,
    )


def stand(request: Request, prepared: Sequence[Fit]) -> tuple[Standing, ...]:
    """Start with every model as the request states it."""
    kept = CodesKept()
    return tuple(Standing(request, one, kept) for one in prepared)
