"""Streams of batches at length: how often a stable one ever alerts, and how soon a fall is seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from mandoline_core.arrays import Floats
from mandoline_core.metrics import get_metric
from mandoline_core.monitoring import AlertRule, find_alerts, point_of
from mandoline_core.patterns import count_patterns
from mandoline_core.pipeline import Cells, Fit, estimate, make_problem
from mandoline_core.project import EstimatorSettings

STREAMS, WEEKS, LEVEL = 1000, 52, 0.05
FALL_STREAMS, STABLE_WEEKS, LATER_WEEKS = 200, 10, 20
RATES, LOSSES, BEST = np.array([0.3, 0.2, 0.4]), np.array([0.25, 0.15, 0.0]), 0.95
SETTINGS, METRIC = EstimatorSettings(), get_metric("accuracy")
Mix = Callable[[int, np.random.Generator], Floats]  # the rates of slices in a week


def stable(_week: int, _rng: np.random.Generator) -> Floats:
    """Draw every week as the labelled rows were drawn."""
    return RATES


def wandering(_week: int, rng: np.random.Generator) -> Floats:
    """Change the mix every week, and leave the score: what one slice costs, another gives back."""
    less = rng.uniform(-0.1, 0.1)
    return RATES + np.array([less, -less * LOSSES[0] / LOSSES[1], rng.uniform(-0.3, 0.3)])


def falling(week: int, _rng: np.random.Generator) -> Floats:
    """Fall by 3 points after some stable weeks."""
    return RATES + np.array([0.12 if week >= STABLE_WEEKS else 0.0, 0.0, 0.0])


def draw(n: int, rates: Floats, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random((n, len(rates))) < rates, 1, -1).astype(np.int8)


def first_alert(mix: Mix, weeks: int, n_source: int, n_week: int, rng: np.random.Generator) -> int | None:
    """Draw a stream, estimate on every week as tracking does, and return the first week with an alert."""
    source = draw(n_source, RATES, rng)
    scores = (rng.random(n_source) < BEST - (source > 0) @ LOSSES).astype(float)[:, None]
    scored, names = np.ones(n_source, dtype=bool), ["a", "b", "c"]
    points = []
    for week in range(weeks):
        count = count_patterns(source, draw(n_week, mix(week, rng), rng), scores, names)
        cells = Cells("score", (), {}, METRIC, count, scores, scored, (), {}, ())
        found = estimate(Fit(cells, make_problem(count, scores, METRIC, SETTINGS)), SETTINGS)
        points.append((f"{week}", point_of(found)))
    alerts = find_alerts({"score": points}, AlertRule(false_alarms=LEVEL), METRIC)
    return min((int(target) for target, _ in alerts), default=None)


@pytest.mark.slow
@pytest.mark.parametrize("mix", [stable, wandering])
def test_a_stable_stream_ever_alerts_in_at_most_5_percent(mix, record_property) -> None:
    """The promise, with the band of this many streams; also while the mix wanders and the score does not."""
    rng = np.random.default_rng(52)
    run = partial(first_alert, mix, WEEKS, 2000, 500)
    alerted = sum(run(rng) is not None for _ in range(STREAMS))
    said = f"streams, {mix.__name__}: {alerted} of {STREAMS:,} ever alert in {WEEKS} weeks (promise {LEVEL:.0%})"
    record_property("measured", said)
    assert alerted <= binom.ppf(0.999, STREAMS, LEVEL), said


@pytest.mark.slow
@pytest.mark.parametrize(("n_source", "n_week", "most"), [(2000, 200, 8), (2000, 500, 3), (5000, 2000, 1)])
def test_a_fall_of_3_points_is_seen_within_weeks(n_source, n_week, most, record_property) -> None:
    """The median number of weeks until the alert, the first week of the fall included."""
    rng = np.random.default_rng(53)
    weeks = STABLE_WEEKS + LATER_WEEKS
    found = [first_alert(falling, weeks, n_source, n_week, rng) for _ in range(FALL_STREAMS)]
    early = sum(week is not None and week < STABLE_WEEKS for week in found)
    delays = [weeks if week is None else week - STABLE_WEEKS + 1 for week in found]
    median, ninth = np.median(delays), np.quantile(delays, 0.9)
    said = f"streams, fall of 3 points, {n_source:,} labelled, {n_week:,} a week: seen after {median:g} (median), "
    said += f"{ninth:g} (9 of 10) weeks"
    record_property("measured", said)
    assert early <= binom.ppf(0.999, FALL_STREAMS, LEVEL), said
    assert median <= most, said
