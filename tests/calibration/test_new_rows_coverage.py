"""Coverage of both intervals: of the population the new rows come from, and of these new rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

from mandoline_core.estimators import get_estimator
from mandoline_core.metrics import get_metric
from mandoline_core.patterns import count_patterns
from mandoline_core.pipeline import interval_of, prediction_interval_of
from mandoline_core.weighting import Problem, correction_rule, fixed_rule
from tests.worlds import random_world

WORLDS = 500
LABELLED = 4000
# The new rows, how often slices are right, and the edge between them.
SETTINGS = {
    "exact slices": (1.0, ((0, 1),)),
    "noisy slices, true corrections": (0.85, ()),
}


@pytest.mark.slow
@pytest.mark.parametrize("n_new", [300, 1000, 4000])
@pytest.mark.parametrize("setting", SETTINGS)
def test_both_intervals_cover_between_93_and_97_percent(setting, n_new, record_property):
    """Of 95% intervals: one of the population's accuracy, one of the accuracy on exactly these rows."""
    accuracy, edges = SETTINGS[setting]
    rng = np.random.default_rng(97)
    population, rows, crossed = [], [], []
    for _ in range(WORLDS):
        world = random_world(rng, n_slices=4, edges=edges, accuracy=accuracy)
        source, target = world.draw("source", LABELLED, rng), world.draw("target", n_new, rng)
        count = count_patterns(source.codes, target.codes, source.scores[:, None])
        rule = correction_rule([None] * 4)
        if accuracy < 1:
            rule = fixed_rule(world.corrections("source"), world.corrections("target"))
        members = count.members(source.scores[:, None])
        problem = Problem(count.patterns, get_metric("accuracy"), rule, world.edges, membership=members)
        outcome = get_estimator("mandoline" if accuracy == 1 else "denoised").estimate(problem)
        wide, own = interval_of(problem, outcome, 0.95), prediction_interval_of(problem, outcome, 0.95)
        realised = target.scores.mean()
        population.append(wide[0] <= world.score("target") <= wide[1])
        rows.append(own[0] <= realised <= own[1])
        crossed.append(wide[0] <= realised <= wide[1])
    said = (
        f"{setting}, {n_new:,} new rows: {np.mean(population):.1%} of {WORLDS} intervals cover the population's score, "
        f"{np.mean(rows):.1%} of prediction intervals these rows' own (by the population's interval: "
        f"{np.mean(crossed):.1%})"
    )
    record_property("measured", said)
    print(said)
    assert 0.93 <= np.mean(population) <= 0.97, said
    assert 0.93 <= np.mean(rows) <= 0.97, said
