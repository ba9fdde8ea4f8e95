"""Corrections as they are used, columns to measure them on, and pairs of slices before and after weighting."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from app.compute import keys
from app.compute.data import samples
from app.compute.estimates import cells, fit, with_every_slice
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core import Flag, MandolineError, Sample, SliceError
from mandoline_core.arrays import Interval
from mandoline_core.estimators import exact_interval, get_estimator
from mandoline_core.pipeline import choose_edges
from mandoline_core.pipeline import fit as fit_cells
from mandoline_core.project import EDGE_CHOICES
from mandoline_core.slices import slice_codes
from mandoline_core.weighting import (
    MAX_UNCERTAIN,
    Problem,
    count_uncertain,
    edge_threshold,
    has_rows,
    pair_gaps,
    score_tests,
)

_LOOKED_AT = 2000  # answers, to tell whether a column holds some


@dataclass(frozen=True)
class CorrectionInUse:
    """Hold the corrections of one slice in one sample as they are used, and what they make of its rate.

    Derived ones may say that a slice carries no information, which cannot be stated.

    Parameters
    ----------
    inside, outside, abstain : float
        p(truly in), where the slice says in, says out, and abstains; None for a slice that never abstains here.
    says, truly : float
        Share of the rows for which the slice says in, and of those that are in once corrected.
    intervals : dict of str to pairs
        How surely those that were measured are known, by the answer of the slice.
    """

    inside: float
    outside: float
    abstain: float | None
    says: float
    truly: float
    intervals: dict[str, Interval] = field(default_factory=dict)


@dataclass(frozen=True)
class CorrectionRow:
    """Hold the corrections of one rule as they are used, for each of its slices: one, or a family.

    Parameters
    ----------
    measured_on : int
        Labelled rows that the slice could be, or was, measured on: those with a true answer where it speaks.
    """

    source: dict[str, CorrectionInUse]
    target: dict[str, CorrectionInUse]
    measured_on: int


@kept(by=keys.corrections)
def correction_rows(workspace: Workspace) -> dict[str, CorrectionRow]:
    """Look up the corrections in use for every rule, also for those switched off."""
    everything = with_every_slice(workspace)
    table = cells(everything, need_slices=False)
    stated = fit_cells(table, everything.project.slices)
    problem, confidence = stated.problem, everything.project.estimator.confidence
    found = {rule.name: CorrectionRow({}, {}, 0) for rule in everything.project.slices}
    corrections = problem.corrections()
    rates = {side: problem.patterns.rates(side) for side in ("source", "target")}
    for place, name in enumerate(problem.patterns.names):
        row = found[table.origins[name]]
        for side, used, audit in (
            ("source", row.source, problem.audit),
            ("target", row.target, problem.audit and problem.audit.target),
        ):
            known = {} if audit is None else _intervals(audit.counts[place], confidence)
            used[name] = _in_use(getattr(corrections, side)[place], rates[side][place], known)
    for name, gold in stated.truths["source"].tables.items():
        found[name] = replace(found[name], measured_on=round(gold.counts[np.ix_([0, 2], [0, 2])].sum()))
    return found


def _intervals(counts: np.ndarray, confidence: float) -> dict[str, Interval]:
    """Say how precise corrections are that were measured on a number of rows, shape (3, 2)."""
    sizes = counts.sum(axis=1)
    return {
        says: exact_interval(counts[row, 1] / sizes[row], sizes[row], confidence)
        for row, says in enumerate(("outside", "abstain", "inside"))
        if sizes[row]
    }


def _in_use(probabilities: np.ndarray, rates: np.ndarray, intervals: dict[str, Interval]) -> CorrectionInUse:
    outside, abstain, inside = map(float, probabilities)
    return CorrectionInUse(
        inside, outside, abstain if rates[1] > 0 else None, float(rates[2]), float(rates @ probabilities), intervals
    )


@kept(by=keys.samples)
def answer_columns(workspace: Workspace) -> tuple[str, ...]:
    """List the columns of the labelled data that hold answers, such as yes/no or 1/0, and have no other role."""
    source, _ = samples(workspace)
    found = []
    for column in source.columns:
        if column in source.roles:
            continue
        first = Sample(source.frame.select(column).drop_nulls().head(_LOOKED_AT))
        with suppress(SliceError):
            if slice_codes(first, Flag(column, column=column)).any():
                found.append(column)
    return tuple(found)


@dataclass(frozen=True)
class PairTest:
    """Hold two slices: how much more often they agree in the new data, before and after weighting, as shares.

    Parameters
    ----------
    z : float or None
        What remains over its standard error; None where it was not tested, as for pairs that are joined.
    """

    first: str
    second: str
    before: float
    after: float
    z: float | None


@dataclass(frozen=True)
class PairTests:
    """Hold the pairs of slices that are joined, and those that could be, by what remains of them.

    Parameters
    ----------
    impossible : int
        Pairs that no row could tell from their two slices alone; these are not listed.
    threshold : float
        The |z| beyond which a pair is significant.
    """

    names: tuple[str, ...]
    joined: tuple[PairTest, ...]
    free: tuple[PairTest, ...]
    impossible: int
    threshold: float

    @property
    def standing_out(self) -> tuple[PairTest, ...]:
        """The pairs worth joining."""
        return tuple(pair for pair in self.free if abs(pair.z or 0.0) > self.threshold)


def pairs_in_use(workspace: Workspace) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """List the slices that are switched on, and the pairs of them that you or tests have joined."""
    problem = fit(workspace).problem
    return problem.patterns.names, _named(problem, problem.edges)


@kept(by=keys.solution)
def pairs(workspace: Workspace) -> PairTests:
    """Compare every pair's joint frequency before and after weighting, and test those that are not joined."""
    problem = fit(workspace).problem
    gaps, z, joinable = pair_gaps(problem), _tests(problem), _joinable(workspace)
    possible = [edge for edge in gaps if edge in problem.edges or edge in joinable]
    found = {
        edge: PairTest(*named, *gaps[edge], z.get(edge))
        for edge, named in zip(possible, _named(problem, possible), strict=True)
    }
    free = [pair for edge, pair in found.items() if edge not in problem.edges]
    return PairTests(
        names=problem.patterns.names,
        joined=tuple(found[edge] for edge in problem.edges),
        free=tuple(sorted(free, key=lambda pair: (-round(abs(pair.after), 12), -abs(pair.z or 0.0)))),
        impossible=len(gaps) - len(found),
        threshold=edge_threshold(len(problem.patterns.names)),
    )


@kept(by=keys.count)
def _joinable(workspace: Workspace) -> frozenset[tuple[int, int]]:
    """List the pairs of slices that rows can distinguish from the two alone; corrections are irrelevant here."""
    problem = fit(workspace).problem
    pairs = itertools.combinations(range(len(problem.patterns.names)), 2)
    return frozenset(edge for edge in pairs if has_rows(problem, edge))


def _named(problem: Problem, edges: Sequence[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
    names = problem.patterns.names
    return tuple((names[i], names[j]) for i, j in edges)


def _tests(problem: Problem) -> dict[tuple[int, int], float]:
    if count_uncertain(problem) > MAX_UNCERTAIN:
        return {}
    try:
        return {test.edge: test.z for test in score_tests(problem)}
    except MandolineError:  # too many to be enumerated together
        return {}


def choosers(workspace: Workspace) -> dict[tuple[str, str], tuple[str, ...]]:
    """List, by pair, the ways of choosing that would take it; whatever pairs are in use now."""
    return _choosers(replace(workspace, project=replace(workspace.project, edges=())))


@kept(by=keys.solution)
def _choosers(workspace: Workspace) -> dict[tuple[str, str], tuple[str, ...]]:
    problem = fit(workspace).problem
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for way in EDGE_CHOICES:
        with suppress(MandolineError):  # too many uncertain slices to be tested together
            for pair in _named(problem, choose_edges(problem, way).edges):
                found[pair] = (*found.get(pair, ()), way)
    return found


@kept(by=keys.solution)
def try_pairs(
    workspace: Workspace, asked: tuple[tuple[str, str], ...]
) -> dict[tuple[str, str], tuple[float, float] | None]:
    """Estimate with each of some pairs joined, or parted where it is joined now; None where that gives no estimate.

    Each estimate has the share of the new data that it would leave out.
    """
    problem = fit(workspace).problem
    place = {name: i for i, name in enumerate(problem.patterns.names)}
    found: dict[tuple[str, str], tuple[float, float] | None] = {}
    for first, second in asked:
        edge = place[first], place[second]
        edges = tuple(other for other in problem.edges if other != edge)
        if len(edges) == len(problem.edges):
            edges = (*edges, edge)
        found[first, second] = _try(replace(problem, edges=edges), workspace.project.estimator.name)
    return found


def _try(problem: Problem, estimator: str) -> tuple[float, float] | None:
    try:
        outcome = get_estimator(estimator).estimate(problem)
    except MandolineError:
        return None
    target = problem.patterns.target
    return (outcome.value, float(target @ (1 - outcome.kept) / target.sum())) if outcome.converged else None
