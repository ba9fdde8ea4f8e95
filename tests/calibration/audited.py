"""Worlds whose slices were audited: corrections measured on some of the source rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.metrics.metric import Metric
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.slices.noise import Noise
from mandoline_core.weighting.corrections import correction_rule
from mandoline_core.weighting.gold import gold_table, make_audit
from mandoline_core.weighting.problem import Problem
from tests.worlds import World, WorldRows


def audited_problem(
    source: np.ndarray,
    truth: np.ndarray,
    target: np.ndarray,
    statistics: np.ndarray,
    *,
    metric: Metric | None = None,
    edges: tuple[tuple[int, int], ...] = (),
    split: str = "none",
    same: bool = False,
    measured: tuple[int, ...] | None = None,
) -> Problem:
    """State a problem whose corrections are measured on the rows with a known truth (not 0)."""
    n_slices = source.shape[1]
    names = [f"s{i}" for i in range(n_slices)]
    chosen = range(n_slices) if measured is None else measured
    answers = {names[i]: truth[:, i] for i in chosen}
    tables = {names[i]: gold_table(source[:, i], truth[:, i], statistics[:, 0]) for i in chosen}
    noises = [Noise(tables[name].measure(name), same=same) if name in tables else None for name in names]
    count = count_patterns(source, target, statistics, names)
    settings = EstimatorSettings(split=split, seed=1)
    return replace(
        make_problem(count, statistics, metric or get_metric("accuracy"), settings),
        rule=correction_rule(noises),
        edges=edges,
        audit=make_audit(names, tables, answers),
    )


def audited_world(world: World, n: int, n_audited: int, rng: np.random.Generator) -> Problem:
    """Draw both samples of a world; the truth behind the first source rows is known."""
    source, target = world.draw("source", n, rng), world.draw("target", n, rng)
    truth = np.where(np.arange(n)[:, None] < n_audited, source.truth, 0).astype(np.int8)
    return audited_problem(source.codes, truth, target.codes, source.scores[:, None], edges=world.edges)


def abstaining_world(n: int, n_audited: int, rng: np.random.Generator) -> tuple[Problem, float]:
    """Draw both samples of such a world; the truth behind the first source rows is known. Return the score, too."""
    source, target, score = abstaining_draws(n, rng)
    known = np.where(np.arange(n)[:, None] < n_audited, source.truth, 0).astype(np.int8)
    return audited_problem(source.codes, known, target.codes, source.scores[:, None]), score


def abstaining_draws(n: int, rng: np.random.Generator) -> tuple[WorldRows, WorldRows, float]:
    """Make up a world in which the paper's weights are right, and draw from it; return the target's true score, too.

    The true slices shift, what a slice says of a truth does not, and the score follows what the slices say. Slices
    also abstain, more often inside than outside: with two answers only, no correction would change the weights.
    """
    n_slices = 2
    rates = rng.uniform(0.25, 0.45, n_slices), rng.uniform(0.5, 0.75, n_slices)
    says = np.array([[0.7, 0.15, 0.15], [0.12, 0.28, 0.6]])  # p(-1, 0, 1 | truly out), then | truly in
    effect = rng.uniform(-0.15, 0.15, (n_slices, 3))

    def draw(rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inside = rng.random((n, n_slices)) < rate
        codes = (rng.random((n, n_slices))[..., None] > says[inside.astype(int)].cumsum(axis=-1)).sum(axis=-1) - 1
        return np.where(inside, 1, -1).astype(np.int8), np.minimum(codes, 1).astype(np.int8)

    (truth, source), (there, target) = draw(rates[0]), draw(rates[1])
    chance = 0.6 + effect[np.arange(n_slices), source + 1].sum(axis=1)
    scores = (rng.random(n) < chance).astype(float)
    in_target = np.array([rate * says[1] + (1 - rate) * says[0] for rate in rates[1]])
    score = float(0.6 + (effect * in_target).sum())
    return WorldRows(source, truth, scores), WorldRows(target, there, np.zeros(n)), score
