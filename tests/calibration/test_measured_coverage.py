"""Coverage where corrections were measured on 200 rows: 500 simulated worlds each, held to 93-97%."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mandoline_core.errors import MandolineError
from mandoline_core.estimators.bootstrap import draw_problem
from mandoline_core.estimators.intervals import bootstrap_interval, influence_interval
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.weighting.problem import Problem
from tests.calibration.audited import abstaining_world, audited_world
from tests.worlds import random_world

REPETITIONS = 500
AUDITED = 200
REPLICATES = 200
FEWEST = 0.98  # of the worlds must have an estimate; where few audited rows say next to nothing there is none


def draw(name: str, n: int, rng: np.random.Generator) -> tuple[Problem, float]:
    """Draw from a world in which the estimator is right, with its true score."""
    if name == "mandoline":
        return abstaining_world(n, AUDITED, rng)
    world = random_world(rng, n_slices=2, accuracy=0.8)
    return audited_world(world, n, AUDITED, rng), world.score("target")


def said_of(what: str, hits: list[bool], failures: int) -> str:
    """Put a coverage into words, with its Monte Carlo error."""
    covered = np.mean(hits)
    error = np.sqrt(covered * (1 - covered) / len(hits))
    return f"{what}: {covered:.1%} of {len(hits)} intervals cover (+- {error:.1%}), {failures} worlds without estimate"


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5000])
@pytest.mark.parametrize("name", ["denoised", "mandoline"])
def test_influence_intervals_with_measured_corrections_cover(name, n, record_property):
    """Also what they would cover if the corrections were taken for exact: fewer."""
    rng = np.random.default_rng(97)
    hits, short, failures = [], [], 0
    for _ in range(REPETITIONS):
        problem, truth = draw(name, n, rng)
        try:
            outcome = get_estimator(name).estimate(problem)
        except MandolineError:
            failures += 1
            continue
        low, high = interval_of(problem, outcome, 0.95)
        hits.append(low <= truth <= high)
        low, high = influence_interval(
            outcome.value, outcome.error_if_known or 0.0, confidence=0.95, bounds=(0, 1), effective_rows=100
        )
        short.append(low <= truth <= high)
    said = said_of(f"{name}, measured on {AUDITED} of {n:,} rows, influence", hits, failures)
    record_property("measured", f"{said}; taken for exact, {np.mean(short):.1%} would")
    assert len(hits) >= FEWEST * REPETITIONS, said
    assert 0.93 <= np.mean(hits) <= 0.97, said


@pytest.mark.slow
@pytest.mark.parametrize("audited", [20, 50])
def test_intervals_cover_where_a_handful_of_rows_agree(audited, record_property):
    """One slice that errs in 3 of 100 rows: most audits show no mistake on one side, and that is no proof."""
    rng = np.random.default_rng(97)
    hits, failures = [], 0
    for _ in range(REPETITIONS):
        world = random_world(rng, n_slices=1, accuracy=0.97)
        problem, truth = audited_world(world, 2000, audited, rng), world.score("target")
        try:
            low, high = interval_of(problem, get_estimator("denoised").estimate(problem), 0.95)
        except MandolineError:
            failures += 1
            continue
        hits.append(low <= truth <= high)
    said = said_of(f"denoised, measured on {audited} of 2,000 rows that nearly all agree", hits, failures)
    record_property("measured", said)
    assert len(hits) >= FEWEST * REPETITIONS, said
    assert np.mean(hits) >= 0.93, said


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5000])
def test_bootstrap_intervals_with_measured_corrections_cover(n, record_property):
    """Rows redrawn, corrections measured again on redrawn answers."""
    rng, redraws = np.random.default_rng(97), np.random.default_rng(98)
    estimator = get_estimator("denoised")
    hits, failures = [], 0
    for _ in range(REPETITIONS):
        problem, truth = draw("denoised", n, rng)
        try:
            outcome = estimator.estimate(problem)
            problem = replace(problem, start=outcome.delta)
        except MandolineError:
            failures += 1
            continue
        values = []
        for _ in range(REPLICATES):
            try:
                values.append(float(estimator.means(draw_problem(problem, redraws))[0]))
            except MandolineError:  # the redrawn audit says next to nothing
                continue
        low, high = bootstrap_interval(values, confidence=0.95, estimate=outcome.value)
        hits.append(low <= truth <= high)
    said = said_of(f"denoised, measured on {AUDITED} of {n:,} rows, bootstrap", hits, failures)
    record_property("measured", said)
    assert len(hits) >= FEWEST * REPETITIONS, said
    assert 0.93 <= np.mean(hits) <= 0.97, said
