"""Coverage of accuracy and F1 with exact slices, for two models at once: 500 worlds each, printed and held to bands."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import norm

from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project.settings import EstimatorSettings

REPETITIONS = 500
N_SLICES = 3
CLASSES = ("no", "yes")
CELLS = np.array(list(itertools.product((-1, 1), repeat=N_SLICES)), dtype=np.int8)


@dataclass(frozen=True, eq=False)
class Rows:
    """Hold a made-up population: independent slices that shift; labels and two models' errors depend on them."""

    rates: tuple[np.ndarray, np.ndarray]
    label: np.ndarray  # (n_slices,): how slices change the share of "yes"
    errors: np.ndarray  # (2 models, 2 classes, n_slices): how slices change the share of errors

    def chance_of_yes(self, codes: np.ndarray) -> np.ndarray:
        """Return p(label is "yes" | codes)."""
        return 0.4 + codes @ self.label

    def chance_of_error(self, codes: np.ndarray, model: int, truth: int) -> np.ndarray:
        """Return p(the model errs | codes, label)."""
        return 0.2 + codes @ self.errors[model, truth]

    def truth(self, metric, model: int) -> float:
        """Compute the metric on the target by adding up over cells."""
        share = np.where(CELLS == 1, self.rates[1], 1 - self.rates[1]).prod(axis=1)
        table = np.zeros((2, 2))
        for truth in range(2):
            of_class = share * (self.chance_of_yes(CELLS) if truth else 1 - self.chance_of_yes(CELLS))
            wrong = of_class @ self.chance_of_error(CELLS, model, truth)
            table[truth] = [of_class.sum() - wrong, wrong] if truth == 0 else [wrong, of_class.sum() - wrong]
        cells = list(itertools.product(range(2), repeat=2))
        rows = metric.statistics(*np.array(cells).T, np.zeros((4, 0)))
        return float(metric.combine(np.array([table[cell] for cell in cells]) @ rows))


def make_rows(rng: np.random.Generator) -> Rows:
    """Make up a population."""
    return Rows(
        rates=(rng.uniform(0.25, 0.5, N_SLICES), rng.uniform(0.4, 0.75, N_SLICES)),
        label=rng.uniform(-0.1, 0.1, N_SLICES),
        errors=rng.uniform(-0.05, 0.05, (2, 2, N_SLICES)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5000])
@pytest.mark.parametrize("name", ["accuracy", "f1"])
def test_intervals_of_two_models_and_of_their_difference_cover(name, n, record_property):
    """Each model's interval, and that of the difference on the same rows."""
    metric = get_metric(name).fit(CLASSES, "yes" if name == "f1" else None)
    rng = np.random.default_rng(99)
    hits = []
    for _ in range(REPETITIONS):
        made = make_rows(rng)
        source, target = (np.where(rng.random((n, N_SLICES)) < rate, 1, -1).astype(np.int8) for rate in made.rates)
        label = (rng.random(n) < made.chance_of_yes(source)).astype(int)
        outcomes, pieces, truths, found = [], [], [], []
        for model in range(2):
            chance = np.where(label, *(made.chance_of_error(source, model, truth) for truth in (1, 0)))
            predicted = np.where(rng.random(n) < chance, 1 - label, label)
            statistics = metric.statistics(label, predicted, np.zeros((n, 0)))
            problem = make_problem(count_patterns(source, target, statistics), statistics, metric, EstimatorSettings())
            outcomes.append(get_estimator("mandoline").estimate(problem))
            pieces.append(outcomes[-1].influence.pieces(problem.members))
            truths.append(made.truth(metric, model))
            low, high = interval_of(problem, outcomes[-1], 0.95)
            found.append(low <= truths[-1] <= high)
        error = np.sqrt(sum((one - other) @ (one - other) for one, other in zip(*pieces, strict=True)))
        gap = outcomes[0].value - outcomes[1].value - (truths[0] - truths[1])
        hits.append([*found, abs(gap) <= norm.ppf(0.975) * error])
    covered = np.mean(hits, axis=0)
    said = f"{name}, exact slices, {n:,} rows: first model {covered[0]:.1%}, second {covered[1]:.1%}, "
    said += f"difference {covered[2]:.1%} of {REPETITIONS} (+- {np.sqrt(0.95 * 0.05 / REPETITIONS):.1%})"
    record_property("measured", said)
    assert ((covered[:2] >= 0.93) & (covered[:2] <= 0.97)).all(), said
    # A normal interval without bounds: at 500 rows it covers 94.0% of 4,000 worlds, so the band is luck's alone.
    assert abs(covered[2] - 0.95) <= norm.ppf(0.9995) * np.sqrt(0.95 * 0.05 / REPETITIONS), said
