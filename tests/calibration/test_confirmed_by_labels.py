"""How often labels confirm and contradict: 500 worlds each, with labels that a plan drew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from mandoline_core.estimators.registry import get_estimator
from mandoline_core.labels.few_labels import judge
from mandoline_core.labels.plan import allocate, draw_rows, round_at_random, spreads
from mandoline_core.labels.rows import share_out
from tests.core.labelled_worlds import LabelWorld

WORLDS, ROWS = 500, 1500
ACCURATE = LabelWorld("useless", base=0.95)
WORLDS_OF = {"95% right": ACCURATE, "80% right": LabelWorld("useless", base=0.8), "slices tell": LabelWorld("good")}


class Shares(NamedTuple):
    """Hold in how many of the worlds labels confirmed and contradicted, and the change they promised to show."""

    confirmed: float
    contradicted: float
    detectable: float
    covered: float


def trial(world: LabelWorld, n: int, seed: int) -> Shares:
    """Label rows that a plan draws, in many draws of a world."""
    rng, truth, found = np.random.default_rng(seed), world.truth(), []
    for _ in range(WORLDS):
        problem, statistics = world.draw(ROWS, ROWS, rng)
        outcome = get_estimator("mandoline").estimate(problem)
        spread, index = spreads(problem, outcome), problem.members.target
        counts = np.bincount(index, minlength=len(spread)).astype(float)
        expected = allocate(counts, spread, n)
        labelled = np.zeros(ROWS, dtype=bool)
        labelled[draw_rows(np.arange(ROWS), index, round_at_random(expected, rng), rng)] = True
        shares = share_out(labelled, (counts / expected)[index])
        _, both, test = judge(problem, outcome, statistics[labelled], labelled, shares, confidence=0.95)
        assert test is not None
        states = [test.state == state for state in ("confirmed", "contradicted")]
        found.append([*states, test.detectable, both.interval[0] <= truth <= both.interval[1]])
    return Shares(*np.mean(found, axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 150])
@pytest.mark.parametrize("name", WORLDS_OF)
def test_labels_of_a_right_estimate_contradict_it_in_5_percent(name: str, n: int, record_property) -> None:
    """Where slices explain the shift, and up to what 500 draws leave open."""
    found = trial(WORLDS_OF[name], n, seed=41)
    said = f"{name}, {n} planned labels: {found.contradicted:.1%} contradicted, {found.confirmed:.1%} confirmed"
    record_property("measured", said)
    assert found.contradicted * WORLDS <= binom.ppf(0.999, WORLDS, 0.05), said
    assert found.covered >= 0.93, said


@pytest.mark.slow
def test_60_planned_labels_contradict_a_fall_of_12_points_nine_times_in_ten(record_property) -> None:
    """A model that was right 95% of the time, and a relation that changed: no check without labels sees it."""
    found = trial(LabelWorld("useless", base=0.95, hidden=0.12), 60, seed=42)
    said = f"12 points, 60 planned labels: {found.contradicted:.1%} contradicted, {found.confirmed:.1%} confirmed"
    record_property("measured", said)
    assert found.contradicted >= 0.9, said
    assert found.confirmed <= 0.1, said


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS_OF)
def test_the_change_that_is_promised_shows_in_8_of_10_cases(name: str, record_property) -> None:
    """The words of plan and test: a hidden change of the size they name is contradicted about as often as they say."""
    world = WORLDS_OF[name]
    promised = trial(world, 150, seed=43).detectable
    hidden = LabelWorld(world.kind, base=world.base, hidden=promised)
    found = trial(hidden, 150, seed=44)
    said = f"{name}, 150 planned labels: {promised:.1%} promised, shown in {found.contradicted:.1%}"
    record_property("measured", said)
    # 80%, less what 500 draws leave open; not so much more that the promise says nothing.
    assert binom.ppf(0.001, WORLDS, 0.8) <= found.contradicted * WORLDS <= 0.95 * WORLDS, said
