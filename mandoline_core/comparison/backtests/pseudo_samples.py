"""Samples drawn from pseudo-targets, and the problems they pose: the same as real samples of these rows would pose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.metrics import ClassLabels, read_probabilities
from mandoline_core.patterns import Count, one_each, total_statistics
from mandoline_core.pipeline import make_problem
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import ClassProbabilities, Problem, Rows

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


@dataclass(frozen=True, eq=False)
class DrawnRows(Rows):
    """Stand for the rows of two drawn samples: the model's predictions are copied, no column is read again.

    Parameters
    ----------
    labels : ClassLabels
        Labels and predictions of all scored source rows, read once for all draws.
    probabilities : array of float, shape (n_scored, n_classes), or None
        Of the same rows; None where no method asks for them.
    source_index, target_index : array of int
        The scored source row that each drawn row is.
    """

    labels: ClassLabels
    probabilities: Floats | None
    source_index: Index
    target_index: Index

    @cached_property
    def answers(self) -> tuple[ClassLabels, ClassLabels]:
        """Labels and predictions of the drawn source rows, predictions of the drawn target rows."""
        source, target = (self.labels.take(index) for index in (self.source_index, self.target_index))
        return source, replace(target, truth=np.full_like(target.truth, -1))

    @cached_property
    def evidence(self) -> ClassProbabilities:
        """The same with class probabilities."""
        if self.probabilities is None:
            raise ValueError("The probabilities were not read; they must be if a method asks for them.")
        source, target = self.probabilities[self.source_index], self.probabilities[self.target_index]
        return ClassProbabilities(*self.answers, source, target)


def read_predictions(rows: Rows, *, probabilities: bool) -> DrawnRows:
    """Read a model's predictions on the scored source rows, in the source's own classes, for draws to copy from.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import MetricSettings, Sample
    >>> source = Sample(pd.DataFrame({"y": [1, 0], "p": [1, 1]}), label="y", prediction="p")
    >>> rows = Rows(source, source, source.models[0], MetricSettings(), np.array([True, True]))
    >>> read_predictions(rows, probabilities=False).labels.truth.tolist()
    [1, 0]
    """
    if rows.model is None or rows.model.prediction is None or rows.source.label is None:
        raise MandolineError("There is no model with predictions, or no label.")
    labels, read = rows.read_source(), None
    if probabilities:
        read = read_probabilities(rows.source, rows.model, labels, rows.metric.merge)[0][rows.scored]
    everyone = np.arange(int(rows.scored.sum()))
    parts = (rows.source, rows.source, rows.model, rows.metric, np.ones(len(everyone), dtype=bool))
    return DrawnRows(*parts, labels.take(rows.scored), read, everyone, everyone)


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
    members = real.members
    source, target = _draw_rows(pseudo, rng)
    statistics = members.statistics[source]
    count = _count(real, members.source[source], members.source[target], statistics)
    problem = replace(
        make_problem(count, statistics, real.metric, settings),
        rule=real.rule,
        edges=real.edges,
        methods=real.methods,
        start=pseudo.start,
    )
    if predictions is not None:
        scored = np.ones(len(source), dtype=bool)
        drawn = replace(predictions, scored=scored, source_index=source, target_index=target)
        problem = replace(problem, rows=drawn)
    return problem, source, target


def _draw_rows(pseudo: PseudoTarget, rng: np.random.Generator) -> tuple[Index, Index]:
    """Draw scored rows for both samples with replacement; where they are not drawn from, take the rows themselves."""
    if not pseudo.drawn:
        parts = (pseudo.source_rows, np.flatnonzero(pseudo.weights))
        source, target = (
            part if len(part) <= MOST_ROWS else rng.choice(part, MOST_ROWS, replace=False) for part in parts
        )
        return source, target
    n_source, n_target = most_rows(pseudo.problem)
    source = pseudo.source_rows[rng.integers(0, len(pseudo.source_rows), n_source)]
    # Inverse of the distribution function: faster than rng.choice with probabilities, which checks them every time.
    below = np.cumsum(pseudo.weights)
    target = np.searchsorted(below, rng.random(n_target) * below[-1], side="right")
    return source, np.minimum(target, len(below) - 1)


def most_rows(problem: Problem) -> tuple[int, int]:
    """Say how many rows are drawn for a pseudo-source and for a pseudo-target: as many as the real samples have."""
    table = problem.patterns
    return min(round(table.n_source), MOST_ROWS), min(round(table.n_target), MOST_ROWS)


def _count(real: Problem, source: Index, target: Index, statistics: Floats) -> Count:
    """Count patterns of rows whose patterns are known; those that no row shows are left out, as from real samples."""
    table = real.patterns
    counts = [np.bincount(index, minlength=len(table)).astype(float) for index in (source, target)]
    shown = (counts[0] + counts[1]) > 0
    numbers = np.cumsum(shown) - 1  # of the patterns that are left
    source, target = numbers[source], numbers[target]
    sums, products = total_statistics(source, statistics, int(shown.sum()))
    patterns = replace(
        table,
        codes=table.codes[shown],
        source=counts[0][shown],
        target=counts[1][shown],
        sums=sums,
        products=products,
    )
    return Count(patterns, source, target, one_each(len(source)), one_each(len(target)))
