"""What is kept of full runs: complete, small, and as good as it must be."""

from __future__ import annotations

import math
from importlib.resources import files

import pytest

from mandoline_core.paper import EXPERIMENTS, stored
from mandoline_core.paper.experiments.theorem import BEYOND, CASES, HOLDS, SIZES
from mandoline_core.paper.reproduction import Reproduction
from tests.core.paper.quick import value_of

MOST_BYTES = 100_000


def kept(name: str) -> Reproduction:
    """Read what is kept."""
    found = stored(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_full_run_of_every_experiment_is_kept(name: str) -> None:
    found = kept(name)
    assert found.made["quick"] is False
    assert found.made["seeds"] == EXPERIMENTS[name].seeds
    assert {"python", "mandoline-estimator", "numpy"} <= set(found.made["versions"])
    assert all(math.isfinite(row["value"]) for row in found.rows)
    place = files("mandoline_core.paper").joinpath("results", f"{name}.json")
    assert len(place.read_bytes()) < MOST_BYTES


def test_mandoline_ignores_the_spurious_column() -> None:
    found = kept("support-shift")
    rows = [row["value"] for row in found.rows if row["method"] == "mandoline"]
    assert max(rows) < 0.02
    assert value_of(found, method="cbiw_features", probability=0.0003) > 1


def test_the_denoised_estimate_is_near_wherever_slices_say_something() -> None:
    rows = [row for row in kept("noisy-slices").rows if row["method"] == "denoised" and row["theta"] >= 0.5]
    assert len(rows) == 11
    assert all(row["value"] < 0.15 for row in rows)


def test_a_classifier_on_columns_fails_as_irrelevant_columns_are_added() -> None:
    found = kept("high-dimension")
    errors = {row["columns"]: row["value"] for row in found.rows if row["method"] == "cbiw_features"}
    assert errors[0] < 0.2
    assert errors[2_000] > 1
    assert all(row["value"] < 0.2 for row in found.rows if row["method"] == "mandoline")


def test_variances_are_those_of_the_formula() -> None:
    found = kept("independent-slices")
    formula = {(row["slices"], row["method"]): row["value"] for row in found.paper}
    for row in found.rows:
        assert abs(row["value"] - formula[row["slices"], row["method"]]) < 4 * row["error"]


def test_mandoline_beats_the_source_score_on_every_blurry_model() -> None:
    found = kept("blurry")
    plain, own = (
        {row["model"]: row["value"] for row in found.rows if row["method"] == method and "points" in row["measure"]}
        for method in ("source", "mandoline")
    )
    assert len(own) == 7
    assert all(own[model] < plain[model] / 3 for model in own)
    assert value_of(found, method="mandoline", measure="models adjusted the right way, %") == 100


def test_the_bound_holds_in_every_world_that_its_proof_covers() -> None:
    found = kept("theorem")
    for world in CASES:
        for rows in SIZES:
            holds = value_of(found, world=world, rows=rows, measure=HOLDS)
            assert holds == 1 or world == BEYOND


def test_a_solver_on_rows_costs_many_times_as_much() -> None:
    found = kept("runtime")
    assert value_of(found, method="solver on rows", rows=100_000) > 20
    assert value_of(found, method="kmm_features", rows=3_000) > 100
