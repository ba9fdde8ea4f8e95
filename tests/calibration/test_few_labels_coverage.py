"""Few labels at length: 500 worlds each, with predictions that are good, useless and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.labelled_worlds import LabelWorld, Repeated, draw_with_confidence, judged, repeat
from tests.core.labels.test_label_plan import drawn_by_plan

REPETITIONS = 500
NUMBERS = (20, 50, 200)


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", NUMBERS)
@pytest.mark.parametrize("metric", ["accuracy", "mean", "f1"])
@pytest.mark.parametrize("kind", ["good", "useless", "wrong"])
def test_intervals_from_few_labels_cover_at_least_93_percent(kind, metric, n_labels, record_property):
    """Of 95% intervals, alone and combined; combined ones are hardly ever wider than those of labels alone."""
    found = repeat(LabelWorld(kind, metric), n_labels, REPETITIONS, np.random.default_rng(95))
    check(found, f"{kind} predictions, {metric}, {n_labels} labels", record_property)
    if kind == "good":
        assert found.combined_width.mean() < 0.95 * found.alone_width.mean()


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", NUMBERS)
def test_intervals_with_confidence_cover_at_least_93_percent(n_labels, record_property):
    """Where probabilities take part in the predictions."""
    rng, found = np.random.default_rng(96), []
    for _ in range(REPETITIONS):
        problem, statistics, truth = draw_with_confidence(1000, rng)
        labelled = np.zeros(1000, dtype=bool)
        labelled[rng.choice(1000, n_labels, replace=False)] = True
        found.append(judged(problem, statistics, labelled, truth))
    check(Repeated(*np.array(found).T), f"confidence, accuracy, {n_labels} labels", record_property)


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", NUMBERS)
@pytest.mark.parametrize("hidden", [0.0, 0.1])
@pytest.mark.parametrize("kind", ["good", "wrong"])
def test_intervals_from_planned_labels_cover_at_least_93_percent(kind, hidden, n_labels, record_property):
    """Where a plan drew the rows, also if the source misled it."""
    found = drawn_by_plan(LabelWorld(kind, hidden=hidden), n_labels, REPETITIONS, np.random.default_rng(97))
    said = f"planned labels, {kind} predictions, hidden shift {hidden:g}, {n_labels} labels"
    check(Repeated(*found.T), said, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", NUMBERS)
@pytest.mark.parametrize(("kind", "metric"), [("good", "accuracy"), ("useless", "accuracy"), ("good", "f1")])
def test_slice_test_raises_about_5_percent_false_alarms(kind, metric, n_labels, record_property):
    """Where slices explain the shift; a hidden fall by 10 points is mostly noticed with 200 labels."""
    calm, shifted = (
        repeat(LabelWorld(kind, metric, hidden), n_labels, REPETITIONS, np.random.default_rng(98)).rejected.mean()
        for hidden in (0.0, 0.1)
    )
    said = f"slice test, {kind}, {metric}, {n_labels} labels: {calm:.1%} false alarms, {shifted:.1%} noticed"
    record_property("measured", said)
    assert 0.02 <= calm <= 0.08, said
    assert shifted > (0.5 if n_labels == 200 else calm), said


def check(found: Repeated, setting: str, record_property) -> None:
    """Record and judge what was measured."""
    alone, combined = found.alone.mean(), found.combined.mean()
    ratio = found.combined_width.mean() / found.alone_width.mean()
    said = f"{setting}: {alone:.1%} alone, {combined:.1%} combined, {ratio:.2f} times as wide"
    record_property("measured", said)
    assert combined >= 0.93, said
    assert alone >= 0.93, said
    assert ratio <= 1.05, said
