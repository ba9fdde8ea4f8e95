"""Quick runs of the synthetic experiments have the shape that the paper's have."""

from __future__ import annotations

import numpy as np
import pytest

from mandoline_core.paper.experiments import high_dimension, independent_slices, noisy_slices, runtime, theorem
from mandoline_core.paper.experiments.runtime import row_level_estimate
from mandoline_core.paper.worlds import random_world
from mandoline_core.report import estimate_from_codes
from tests.core.paper.quick import quick_run, value_of

pytestmark = pytest.mark.paper


def test_a_spurious_column_misleads_a_classifier_and_not_mandoline() -> None:
    found = quick_run("support-shift")
    few, many = (value_of(found, method="cbiw_features", probability=p) for p in (0.001, 0.1))
    assert few > 1 > many
    assert value_of(found, method="mandoline", probability=0.001) < 0.1


def test_denoising_keeps_what_corrections_alone_lose() -> None:
    found = quick_run("noisy-slices")
    assert value_of(found, method="noise-aware", theta=0.0) == pytest.approx(1.0, abs=0.1)
    assert value_of(found, method="noise-aware", theta=3.0) < 0.2
    for theta in (0.5, 1.0):
        denoised = value_of(found, method="denoised", theta=theta)
        assert denoised < value_of(found, method="noise-aware", theta=theta) / 3
    assert not [row for row in found.rows if row["method"] == "denoised" and row["theta"] == 0.0]


def test_the_loss_takes_the_papers_four_values() -> None:
    world = noisy_slices.world(np.random.default_rng(0), 1.0)
    corners = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)], dtype=np.int8)
    assert world.probability_of_right(corners, corners) == pytest.approx([0.02, 0.2, 0.9, 0.2])


def test_points_are_spread_as_the_paper_says() -> None:
    """Its means are 0.59 and 0.42, approximately, and irrelevant columns have a deviation of 5."""
    source, target = high_dimension.samples(np.random.default_rng(0), 2, 40_000, 40_000)
    assert source["score"].mean() == pytest.approx(0.58, abs=0.01)
    assert target["score"].mean() == pytest.approx(0.42, abs=0.01)
    assert source[["irrelevant_0", "irrelevant_1"]].std().to_numpy() == pytest.approx(5.0, abs=0.1)
    assert np.hypot(source["x1"] + (source["g"] < 0), source["x2"] - (source["g"] > 0)).max() <= 1


def test_the_variance_of_independent_slices_follows_the_formula() -> None:
    found = quick_run("independent-slices")
    simple, own = (value_of(found, slices=4, method=method) for method in ("simple", "mandoline"))
    assert own < simple
    for method, value in (("simple", simple), ("mandoline", own)):
        assert value == pytest.approx(independent_slices.formula(method, 4), rel=0.6)


def test_the_bound_of_the_theorem_holds_in_small_samples() -> None:
    found = quick_run("theorem")
    ratios = [row["value"] for row in found.rows if row["measure"] == theorem.WORST]
    assert len(ratios) == 2 * len(theorem.CASES)
    assert max(ratios) < 1


def test_the_truth_behind_noisy_slices_counts_as_hidden() -> None:
    """By hand: sum over codes of p_t(t) |p_t(g | t) - p_s(g | t)|."""
    case = theorem.CASES[theorem.AT_WORD]
    world = theorem.make_world(np.random.default_rng(1), case)
    tables = {side: world.table(side) for side in ("source", "target")}
    total = 0.0
    for code in np.unique(tables["source"][1], axis=0):
        given = {}
        for side, (_, codes, chance) in tables.items():
            here = (codes == code).all(axis=1)
            given[side] = (chance[here].sum(), chance[here] / chance[here].sum())
        total += given["target"][0] * np.abs(given["target"][1] - given["source"][1]).sum()
    assert theorem.hidden_shift(world, case) == pytest.approx(total)


def test_a_world_may_follow_what_slices_say() -> None:
    rng = np.random.default_rng(2)
    case = theorem.CASES[theorem.NOISY]
    world = theorem.make_world(rng, case)
    drawn = world.draw("target", 100_000, rng)
    assert drawn.scores.mean() == pytest.approx(world.score("target"), abs=0.006)
    assert (
        world.probability_of_right(drawn.truth, drawn.codes) == world.probability_of_right(drawn.codes, drawn.codes)
    ).all()


def test_a_solver_on_rows_finds_the_same_estimate() -> None:
    rng = np.random.default_rng(3)
    world = random_world(rng, n_slices=3, edges=((0, 1),))
    source, target = world.draw("source", 3_000, rng), world.draw("target", 2_000, rng)
    ours = estimate_from_codes(source.codes, source.scores, target.codes, edges=((0, 1),)).estimate
    assert row_level_estimate(source.codes, source.scores, target.codes, ((0, 1),)) == pytest.approx(ours, abs=1e-5)


@pytest.mark.long
def test_every_method_is_timed_against_mandoline() -> None:
    found = quick_run("runtime")
    assert {row["method"] for row in found.rows} == set(runtime.MOST)
    assert value_of(found, method="mandoline", rows=100) == 1
    assert value_of(found, method="solver on rows", rows=300) > 2
