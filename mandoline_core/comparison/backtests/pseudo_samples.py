"""Samples drawn from simulated targets, and their problems."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.patterns import SampleDesign
from mandoline_core.pipeline import DrawnRows, restate
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import Problem

MOST_ROWS = 20_000  # drawn for either sample: enough to judge a method by, and quick


@dataclass(frozen=True, eq=False)
class PseudoTarget:
    """Hold a shift whose truth is known.

    Parameters
    ----------
    kind : str
        What the shift is made by; see `pseudo_targets`.
    detail : str
        The slice held out, the part of a column, or "".
    problem : Problem
        The real problem, with the slices that estimators are to get.
    source_rows : array of int
        Scored rows that make up the pseudo-source's population.
    weights : array of float, shape (n_scored,)
        Of the pseudo-target's population; sum to 1.
    truth : float
        The metric on the pseudo-target's population.
    start : array of float, optional
        Where a fit of the weights may start.
    drawn : bool
        Whether samples are drawn from the populations, or are the rows themselves.
    """

    kind: str
    detail: str
    problem: Problem
    source_rows: Index
    weights: Floats
    truth: float
    start: Floats | None = None
    drawn: bool = True


def draw(
    pseudo: PseudoTarget,
    settings: EstimatorSettings,
    rng: np.random.Generator,
    predictions: DrawnRows | None = None,
) -> tuple[Problem, Index, Index]:
    """Draw both samples with replacement and state the problem that they pose, as `prepare` would.

    Parameters
    ----------
    settings : EstimatorSettings
        How the source is split, as in the real problem.
    predictions : DrawnRows, optional
        Of the real rows; without them methods that look at predictions cannot run.

    Returns
    -------
    Problem, array of int, array of int
        The problem, and the scored source rows that the drawn source and target are made of.
    """
    real = pseudo.problem
    source, target, design = _draw_rows(pseudo, rng)
    problem = restate(real, source, target, settings, predictions, design=design)
    return replace(problem, start=pseudo.start), source, target


def _draw_rows(
    pseudo: PseudoTarget, rng: np.random.Generator
) -> tuple[Index, Index, tuple[SampleDesign, SampleDesign]]:
    """Draw scored rows for both samples with replacement; where they are not drawn from, take the rows themselves.

    Rows that belong together are drawn together.
    """
    design = pseudo.problem.members.design[0]
    clusters = design.clusters
    if not pseudo.drawn:
        parts = (pseudo.source_rows, np.flatnonzero(pseudo.weights))
        source, target = (
            part if len(part) <= MOST_ROWS else rng.choice(part, MOST_ROWS, replace=False) for part in parts
        )
        return source, target, (design.take(source), design.take(target))
    n_source, n_target = most_rows(pseudo.problem)
    if clusters is not None:
        source, own = _draw_clusters(clusters, pseudo.source_rows, n_source, rng)
        rows, others = _draw_clusters(clusters, np.flatnonzero(pseudo.weights), n_target, rng)
        some = rng.choice(len(rows), n_target, p=pseudo.weights[rows] / pseudo.weights[rows].sum())
        return source, rows[some], (design.take(source)._replace(clusters=own), SampleDesign(others[some]))
    source = pseudo.source_rows[rng.integers(0, len(pseudo.source_rows), n_source)]
    # Inverse of the distribution function: faster than rng.choice with probabilities, which checks them every time.
    below = np.cumsum(pseudo.weights)
    target = np.searchsorted(below, rng.random(n_target) * below[-1], side="right")
    # Weights of the target's population have design weights in them, so that rows drawn by them count alike.
    return source, np.minimum(target, len(below) - 1), (design.take(source), SampleDesign())


def _draw_clusters(clusters: Index, rows: Index, n_rows: int, rng: np.random.Generator) -> tuple[Index, Index]:
    """Draw whole clusters of some rows with replacement, about as many rows as asked for.

    Returns
    -------
    rows, clusters : array of int, shape (n_drawn,)
        The rows drawn, and the number of the draw that each came with: a cluster drawn twice is two.
    """
    present, place = np.unique(clusters[rows], return_inverse=True)
    order, sizes = np.argsort(place, kind="stable"), np.bincount(place)
    chosen = rng.integers(len(present), size=max(round(n_rows * len(present) / len(rows)), 2))
    number = np.repeat(np.arange(len(chosen)), sizes[chosen])
    within = np.arange(len(number)) - np.repeat(np.cumsum(sizes[chosen]) - sizes[chosen], sizes[chosen])
    return rows[order[(np.cumsum(sizes) - sizes)[chosen][number] + within]], number


def most_rows(problem: Problem) -> tuple[int, int]:
    """Say how many rows are drawn for a pseudo-source and for a pseudo-target: as many as the real samples have.

    Rows of the pseudo-target count alike: where the real ones do not, as many as would be as informative.
    """
    return min(round(problem.patterns.n_source), MOST_ROWS), min(round(problem.alike_rows[1]), MOST_ROWS)
