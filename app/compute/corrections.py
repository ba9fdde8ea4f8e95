"""Corrections as they are used, and pairs of slices before and after weighting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.compute import keys
from app.compute.estimates import counted, members, prepared, with_every_slice
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core.estimating import state_problem
from mandoline_core.weighting import edge_threshold, pair_gaps, score_tests


@dataclass(frozen=True)
class CorrectionInUse:
    """Hold the corrections of one slice in one sample as they are used, with what they make of its rate.

    Derived ones may say that a slice tells nothing, which a person may not state.
    """

    inside: float
    outside: float
    abstain: float
    abstains: bool
    sentence: str


@dataclass(frozen=True)
class CorrectionRow:
    """Hold the corrections of one slice as they are used, and how many rows they were measured on."""

    source: CorrectionInUse
    target: CorrectionInUse
    measured_on: str


@kept(by=keys.corrections)
def correction_row(workspace: Workspace, rule: str) -> CorrectionRow:
    """Look up the corrections in use for a rule; a family's are those of its first member."""
    everything = with_every_slice(workspace)
    table, name = counted(everything), members(workspace)[rule][0]
    problem = state_problem(table, everything.project.slices).problem
    place = problem.patterns.names.index(name)
    corrections = problem.corrections()

    def in_use(side: str, probabilities: np.ndarray) -> CorrectionInUse:
        outside, abstain, inside = map(float, probabilities)
        rates = problem.patterns.rates(side)[place]
        rate = float(rates @ probabilities)
        sentence = f"The slice says in for {rates[2]:.1%} of the rows; corrected, {rate:.1%} are."
        return CorrectionInUse(inside, outside, abstain, bool(rates[1] > 0), sentence)

    gold = table.gold.get(name)
    n = "" if gold is None else f"Measured on {gold.counts[[0, 2]][:, [0, 2]].sum():,.0f} labelled rows."
    return CorrectionRow(
        source=in_use("source", corrections.source[place]),
        target=in_use("target", corrections.target[place]),
        measured_on=n,
    )


@dataclass(frozen=True)
class Pairs:
    """Hold every pair of slices in use: its shift before and after weighting, and whether tests suggest an edge."""

    names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    all: tuple[tuple[str, str], ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    suggested: tuple[tuple[str, str, float], ...]


@kept(by=keys.solution)
def pairs(workspace: Workspace) -> Pairs:
    """Compare every pair's joint frequency before and after weighting, and test those without an edge."""
    problem = prepared(workspace).problem
    names = problem.patterns.names
    gaps = pair_gaps(problem)
    tests = score_tests(problem)
    threshold = edge_threshold(len(names))
    return Pairs(
        names=names,
        edges=tuple((names[i], names[j]) for i, j in problem.edges),
        all=tuple((names[i], names[j]) for i, j in gaps),
        before=tuple(before for before, _ in gaps.values()),
        after=tuple(after for _, after in gaps.values()),
        suggested=tuple((names[t.edge[0]], names[t.edge[1]], t.z) for t in tests if abs(t.z) > threshold),
    )
