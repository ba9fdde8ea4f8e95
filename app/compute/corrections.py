"""Corrections as they are used, and pairs of slices before and after weighting."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from app.compute.estimates import counted, members, prepared, problem_key
from app.project import Workspace
from mandoline_core import Correction
from mandoline_core.estimating import ModelProblem, state_problem
from mandoline_core.weighting import edge_threshold, pair_gaps, score_tests


@dataclass(frozen=True)
class CorrectionRow:
    """Hold the corrections of one slice as they are used, with what they make of its rate."""

    source: Correction
    target: Correction
    source_abstains: bool
    target_abstains: bool
    source_sentence: str
    target_sentence: str
    measured_on: str


def correction_row(workspace: Workspace, rule: str) -> CorrectionRow:
    """Look up the corrections in use for a rule; a family's are those of its first member."""
    everything = counted(workspace, everything=True)
    name = members(workspace)[rule][0]
    rules = tuple(replace(one, enabled=True) for one in workspace.project.slices)
    problem = state_problem(everything, rules).problem
    place = problem.patterns.names.index(name)
    corrections = problem.corrections()
    found = []
    for side, table in (("source", corrections.source), ("target", corrections.target)):
        rates = problem.patterns.rates(side)[place]
        outside, abstain, inside = table[place]
        rate = float(rates @ table[place])
        said = float(rates[2])
        found.append(
            (
                _loose_correction(float(inside), float(outside), float(abstain)),
                bool(rates[1] > 0),
                f"The slice says in for {said:.1%} of the rows; corrected, {rate:.1%} are.",
            )
        )
    gold = everything.gold.get(name)
    n = "" if gold is None else f"Measured on {gold.counts[[0, 2]][:, [0, 2]].sum():,.0f} labelled rows."
    return CorrectionRow(
        source=found[0][0],
        target=found[1][0],
        source_abstains=found[0][1],
        target_abstains=found[1][1],
        source_sentence=found[0][2],
        target_sentence=found[1][2],
        measured_on=n,
    )


def _loose_correction(inside: float, outside: float, abstain: float) -> Correction:
    """Hold derived corrections, which may say that a slice tells nothing; a stated one may not."""
    loose = object.__new__(Correction)
    for field, value in (("inside", inside), ("outside", outside), ("abstain", abstain)):
        object.__setattr__(loose, field, value)
    return loose


@dataclass(frozen=True)
class Pairs:
    """Hold every pair of slices in use: its shift before and after weighting, and whether tests suggest an edge."""

    names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    all: tuple[tuple[str, str], ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    suggested: tuple[tuple[str, str, float], ...]


def pairs(workspace: Workspace) -> Pairs:
    """Compare every pair's joint frequency before and after weighting, and test those without an edge."""
    return _pairs(problem_key(workspace, None), prepared(workspace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _pairs(key: tuple[str, ...], _prepared_problem: ModelProblem) -> Pairs:
    problem = _prepared_problem.problem
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
