"""Worlds whose target has a few labels: where slices tell the score, tell nothing, or mislead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mandoline_core import EstimatorSettings
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.labels.few_labels import judge
from mandoline_core.labels.rows import share_out
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.weighting.problem import Problem
from tests.core.answered import SamplePair, state_drawn

RATES = {"source": np.array([0.25, 0.4, 0.3]), "target": np.array([0.55, 0.5, 0.4])}
EFFECTS = {"good": np.array([-0.6, -0.15, -0.15]), "useless": np.zeros(3), "wrong": np.array([-0.4, -0.2, 0.0])}
BASE = {"good": 0.95, "useless": 0.8, "wrong": 0.9}


@dataclass(frozen=True)
class LabelWorld:
    """Say how scores follow three independent slices, and how the target differs.

    Parameters
    ----------
    kind : {"good", "useless", "wrong"}
        Slices tell much of the score; nothing; or on the target the reverse of what they tell on the source.
    metric : {"accuracy", "mean", "f1"}
        "mean" averages a skewed score above 0; "f1" is that of one class.
    hidden : float
        What the target's chance of being right falls by, in no way seen by slices.
    base : float, optional
        The chance of being right outside all slices.
    """

    kind: str = "good"
    metric: str = "accuracy"
    hidden: float = 0.0
    base: float | None = None

    def chances(self, codes: np.ndarray, side: str) -> np.ndarray:
        """Compute each row's chance of being right."""
        effect = EFFECTS[self.kind]
        base = BASE[self.kind] if self.base is None else self.base
        if self.kind == "wrong" and side == "target":
            base, effect = base + effect.sum(), -effect
        return np.clip(base + (codes == 1) @ effect - self.hidden * (side == "target"), 0.02, 0.98)

    def truth(self) -> float:
        """Compute the metric on the target's population."""
        corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
        rates = RATES["target"]
        chance = np.where(corners == 1, rates, 1 - rates).prod(axis=1)
        right = self.chances(corners, "target")
        if self.metric == "mean":
            return float(chance @ (1 + 3 * (1 - right)))
        mean = float(chance @ right)
        # Rows are of the class with chance one half, whether the model is right or not.
        return mean if self.metric == "accuracy" else mean / (mean + (1 - mean))

    def statistics(self, codes: np.ndarray, side: str, rng: np.random.Generator) -> np.ndarray:
        """Draw the metric's statistics for rows."""
        right = self.chances(codes, side)
        if self.metric == "mean":
            return (rng.gamma(1.5, 1 / 1.5, len(codes)) * (1 + 3 * (1 - right)))[:, None]
        hit = (rng.random(len(codes)) < right).astype(float)
        if self.metric == "accuracy":
            return hit[:, None]
        positive = rng.random(len(codes)) < 0.5
        return np.column_stack([hit * positive, (1 - hit) * ~positive, (1 - hit) * positive]).astype(float)

    def draw(self, n_source: int, n_target: int, rng: np.random.Generator) -> tuple[Problem, np.ndarray]:
        """Draw both samples: a problem, and the target rows' statistics, which the problem does not know."""
        codes = {
            side: np.where(rng.random((n, 3)) < RATES[side], 1, -1).astype(np.int8)
            for side, n in (("source", n_source), ("target", n_target))
        }
        statistics = self.statistics(codes["source"], "source", rng)
        metric = get_metric(self.metric)
        if self.metric == "f1":
            metric = metric.fit(("no", "yes"), "yes")
        if self.metric == "mean":
            metric = replace(metric, bounds=(0.0, np.inf))
        count = count_patterns(codes["source"], codes["target"], statistics, ["a", "b", "c"])
        problem = make_problem(count, statistics, metric, EstimatorSettings())
        return problem, self.statistics(codes["target"], "target", rng)


class Repeated(NamedTuple):
    """Hold what many worlds said: does the interval hold the truth, how wide is it, does the test object."""

    alone: np.ndarray
    combined: np.ndarray
    alone_width: np.ndarray
    combined_width: np.ndarray
    weight: np.ndarray
    rejected: np.ndarray


def repeat(
    world: LabelWorld, n_labels: int, repetitions: int, rng: np.random.Generator, rows: tuple[int, int] = (1500, 1500)
) -> Repeated:
    """Label rows at random in many draws of a world."""
    truth, found = world.truth(), []
    for _ in range(repetitions):
        problem, statistics = world.draw(*rows, rng)
        labelled = np.zeros(rows[1], dtype=bool)
        labelled[rng.choice(rows[1], n_labels, replace=False)] = True
        found.append(judged(problem, statistics, labelled, truth))
    return Repeated(*np.array(found).T)


def judged(
    problem: Problem, statistics: np.ndarray, labelled: np.ndarray, truth: float, plan: np.ndarray | None = None
) -> list[float]:
    """Use the labels of one draw: the fields of `Repeated`."""
    outcome = get_estimator("mandoline").estimate(problem)
    shares = share_out(labelled, plan)
    alone, both, test = judge(problem, outcome, statistics[labelled], labelled, shares, confidence=0.95)
    assert test is not None
    return [
        alone.interval[0] <= truth <= alone.interval[1],
        both.interval[0] <= truth <= both.interval[1],
        alone.interval[1] - alone.interval[0],
        both.interval[1] - both.interval[0],
        both.weight,
        test.p_value < 0.05,
    ]


def draw_with_confidence(n: int, rng: np.random.Generator) -> tuple[Problem, np.ndarray, float]:
    """Draw a problem whose probabilities tell the score well; with the target's statistics and the true accuracy."""
    drawn = []
    for rate in (0.3, 0.6):
        codes = np.where(rng.random((n, 1)) < rate, 1, -1).astype(np.int8)
        first = rng.beta(0.5, 0.5, n)
        truth = (rng.random(n) >= first).astype(np.int32)
        drawn.append(SamplePair(np.column_stack([first, 1 - first]), truth, (first < 0.5).astype(np.int32), codes))
    right = (drawn[1].truth == drawn[1].predicted).astype(float)[:, None]
    # Calibrated: accuracy is the mean of max(p, 1 - p), under the arcsine law 1/2 + 1/pi.
    return state_drawn(drawn[0], drawn[1]), right, 0.5 + 1 / np.pi
