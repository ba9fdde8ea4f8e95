"""Coverage after tests have chosen the pairs, by what they do to the estimate: 500 simulated worlds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mandoline_core.pipeline import choose_edges
from tests.strategies import covers, world_problem
from tests.worlds import random_world

REPETITIONS = 500
ROWS = 4000
EDGES = ((0, 1), (2, 3))


@pytest.mark.slow
def test_intervals_cover_when_tests_choose_the_pairs(record_property):
    """Choosing looks at the scores; 95% intervals that know nothing of it still cover 93% and more."""
    rng = np.random.default_rng(97)
    hits, blind, found = [], [], []
    for _ in range(REPETITIONS):
        world = random_world(rng, n_slices=5, edges=EDGES)
        problem = replace(world_problem(world, ROWS, rng), edges=())
        chosen = choose_edges(problem, "auto").edges
        hits.append(covers(replace(problem, edges=chosen), "mandoline", world.score("target")))
        blind.append(covers(problem, "mandoline", world.score("target")))
        found.append(len(chosen))
    covered = np.mean(hits)
    said = (
        f"pairs chosen by tests, {len(EDGES)} in truth: {covered:.1%} of {REPETITIONS} intervals cover, "
        f"{np.mean(found):.2f} pairs chosen; without pairs {np.mean(blind):.1%} cover"
    )
    record_property("measured", said)
    assert 0.93 <= covered <= 0.97, said
