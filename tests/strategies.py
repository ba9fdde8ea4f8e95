"""Hypothesis strategies and builders: small problems with what a feature needs, and worlds with a known answer."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import Count, count_patterns, restrict_source
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.corrections import correction_rule, fixed_rule
from mandoline_core.weighting.problem import Problem
from tests import oracles
from tests.worlds import World

Edges = tuple[tuple[int, int], ...]
FOLDS = {"none": ((0, 0),), "half": ((0, 1),), "crossfit": ((0, 1), (1, 0))}


@dataclass(frozen=True, eq=False)
class Case:
    """Hold two samples as rows, so that the package and an oracle can be given the same."""

    source: np.ndarray
    scores: np.ndarray
    target: np.ndarray
    edges: Edges = ()
    noises: tuple[Noise | None, ...] = ()
    ridge: float = 0.0

    @property
    def count(self) -> Count:
        """Count the patterns of both samples."""
        return count_patterns(self.source, self.target, self.scores[:, None])

    def problem(self, split: str = "none", **changes: Any) -> Problem:
        """State the problem as the package takes it; odd rows are the second half."""
        count, n_slices = self.count, self.source.shape[1]
        halves = np.arange(len(self.scores)) % 2
        groups = tuple(restrict_source(count, self.scores[:, None], halves == i) for i in range(2))
        stated = Problem(
            patterns=count.patterns,
            metric=get_metric("mean"),
            rule=correction_rule(self.noises or [None] * n_slices),
            edges=self.edges,
            ridge=self.ridge,
            groups=() if split == "none" else groups,
            folds=FOLDS[split],
        )
        return replace(stated, **changes)

    def answer(self) -> oracles.Answer:
        """Ask the oracle."""
        noises = self.noises or (None,) * self.source.shape[1]
        tables = oracles.correction_tables(noises, self.source, self.target)
        return oracles.answer(self.source, self.scores, self.target, tables, self.edges, self.ridge)

    def row_weights(self, outcome: Outcome) -> np.ndarray:
        """Spread the outcome's weights over the source rows."""
        return outcome.row_weights[0][self.count.source_index]


def share(low: float, high: float) -> st.SearchStrategy[float]:
    """Draw a probability in steps of a hundredth."""
    return st.integers(round(100 * low), round(100 * high)).map(lambda percent: percent / 100)


@st.composite
def corrections(draw: st.DrawFn, *, abstain: bool = False) -> Correction:
    """Draw corrections of a slice that is right more often than not, at times always."""
    stated = draw(st.none() | share(0.1, 0.9)) if abstain else None
    return Correction(inside=draw(share(0.6, 1.0)), outside=draw(share(0.0, 0.4)), abstain=stated)


@st.composite
def noises(draw: st.DrawFn, kind: str, *, abstain: bool = False) -> Noise | None:
    """Draw one slice's noise: "own", "same" or "derived" corrections of the target, or "identity"."""
    if kind == "identity":
        return None
    source = draw(corrections(abstain=abstain))
    return Noise(source, target=draw(corrections(abstain=abstain)) if kind == "own" else None, same=kind == "same")


def _edges(n_slices: int) -> st.SearchStrategy[Edges]:
    pairs = list(itertools.combinations(range(n_slices), 2))
    return st.lists(st.sampled_from(pairs), min_size=1, max_size=5, unique=True).map(tuple) if pairs else st.just(())


def _redundant(draw: st.DrawFn, codes: np.ndarray) -> np.ndarray:
    kind = draw(st.sampled_from(["duplicate", "negated", "constant", "one-hot"]))
    if kind == "one-hot":
        classes = np.array(draw(st.lists(st.integers(0, 2), min_size=len(codes), max_size=len(codes))))
        extra = np.where(classes[:, None] == np.arange(3), 1, -1)
    else:
        extra = {"duplicate": codes[:, :1], "negated": -codes[:, :1], "constant": np.ones((len(codes), 1))}[kind]
    return np.column_stack([codes, extra]).astype(np.int8)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    min_slices: int = 1,
    max_slices: int = 8,
    edges: bool = False,
    kinds: tuple[str, ...] = ("identity",),
    abstain: bool = False,
    redundant: bool = False,
    ridge: bool = False,
    inside: bool = True,
) -> Case:
    """Draw a small problem: patterns with a few rows each.

    With `inside`, source and target show the same patterns, which puts the target inside the source's reach;
    without, patterns may be missing from either.
    """
    n_slices = draw(st.integers(min_slices, max_slices))
    letters = [-1, 0, 1] if abstain else [-1, 1]
    pattern = st.tuples(*[st.sampled_from(letters)] * n_slices)
    patterns = draw(st.lists(pattern, min_size=2, max_size=min(12, len(letters) ** n_slices), unique=True))
    codes = np.array(patterns, dtype=np.int8).reshape(-1, n_slices)
    if redundant:
        codes = _redundant(draw, codes)
    rows = st.lists(st.integers(1 if inside else 0, 5), min_size=len(codes), max_size=len(codes))
    n_source, n_target = draw(rows), draw(rows)
    assume(sum(n_source) > 1 and sum(n_target) > 1)
    source, target = np.repeat(codes, n_source, axis=0), np.repeat(codes, n_target, axis=0)
    # A slice that says nothing in a sample has no rate there: that is tested on its own.
    assume((source != 0).any(axis=0).all() and (target != 0).any(axis=0).all())
    scores = np.random.default_rng(draw(st.integers(0, 2**16))).random(sum(n_source))
    return Case(
        source=source,
        scores=scores,
        target=target,
        edges=draw(_edges(codes.shape[1])) if edges else (),
        noises=tuple(draw(noises(draw(st.sampled_from(kinds)), abstain=abstain)) for _ in codes.T),
        ridge=draw(st.sampled_from([0.01, 0.1, 1.0])) if ridge else 0.0,
    )


def settled(case: Case) -> oracles.Answer:
    """Ask the oracle, and keep only problems that have an answer it can tell to ten digits."""
    found = case.answer()
    assume(found.well_posed)
    return found


def random_case(
    rng: np.random.Generator,
    *,
    n_slices: int = 3,
    n: int = 400,
    edges: Edges = (),
    noises: tuple[Noise | None, ...] = (),
    abstain: float = 0.0,
    ridge: float = 0.0,
    binary: bool = True,
) -> Case:
    """Draw two samples whose slices shift, with scores that depend on the slices."""
    source, target = (
        np.where(rng.random((n, n_slices)) < rng.uniform(*rates, n_slices), 1, -1).astype(np.int8)
        for rates in ((0.35, 0.5), (0.5, 0.65))
    )
    chance = 0.6 + 0.3 * source.mean(axis=1)
    scores = (rng.random(n) < chance).astype(float) if binary else chance + rng.standard_normal(n)
    for codes in (source, target):
        codes[rng.random(codes.shape) < abstain] = 0
    return Case(source, scores, target, edges, noises, ridge)


def world_problem(world: World, n: int, rng: np.random.Generator, corrections: str = "none") -> Problem:
    """Draw both samples of a world.

    Parameters
    ----------
    corrections : {"none", "true", "derived"}
        Take slices at their word; know both samples' corrections; know the source's only.
    """
    source, target = world.draw("source", n, rng), world.draw("target", n, rng)
    tables = world.corrections("source"), world.corrections("target")
    rule = {
        "none": correction_rule([None] * world.n_slices),
        "true": fixed_rule(*tables),
        "derived": correction_rule([Noise(Correction(inside=row[2], outside=row[0])) for row in tables[0]]),
    }[corrections]
    patterns = count_patterns(source.codes, target.codes, source.scores[:, None]).patterns
    return Problem(patterns, get_metric("accuracy"), rule, world.edges)


def covers(problem: Problem, estimator: str, truth: float) -> bool:
    """Tell whether the 95% influence-function interval holds the truth."""
    low, high = interval_of(problem, get_estimator(estimator).estimate(problem), 0.95)
    return low <= truth <= high
