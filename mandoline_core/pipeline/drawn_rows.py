"""Problems posed by rows drawn from the source, whose predictions are copied and not read again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.metrics import ClassLabels, read_probabilities
from mandoline_core.patterns import Count, SampleDesign, add_up, average_one, one_each, total_statistics
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import ClassProbabilities, Problem, Rows


@dataclass(frozen=True, eq=False)
class DrawnRows(Rows):
    """Represent the rows of two drawn samples: the model's predictions are copied, no column is read again.

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


def restate(
    real: Problem,
    source: Index,
    target: Index,
    settings: EstimatorSettings,
    predictions: DrawnRows | None = None,
    *,
    design: tuple[SampleDesign, SampleDesign] | None = None,
) -> Problem:
    """State the problem that drawn rows pose, with the corrections and edges of the real one.

    Parameters
    ----------
    source, target : array of int
        The scored source rows that the drawn samples are made of.
    settings : EstimatorSettings
        How the source is split.
    predictions : DrawnRows, optional
        Of the real rows; without them methods that look at predictions cannot run.
    design : pair of SampleDesign, optional
        How the rows were drawn. By default, rows that belong together in the real source do so here.
    """
    members = real.members
    if design is None:
        design = members.design[0].take(source), members.design[0].take(target)
    statistics = members.statistics[source]
    count = _count(real, members.source[source], members.source[target], statistics, design)
    problem = replace(
        make_problem(count, statistics, real.metric, settings), rule=real.rule, edges=real.edges, methods=real.methods
    )
    if predictions is None:
        return problem
    scored = np.ones(len(source), dtype=bool)
    return replace(problem, rows=replace(predictions, scored=scored, source_index=source, target_index=target))


def _count(
    real: Problem, source: Index, target: Index, statistics: Floats, design: tuple[SampleDesign, SampleDesign]
) -> Count:
    """Count patterns of rows whose patterns are known; those that no row shows are left out, as from real samples."""
    table = real.patterns
    (rows, of_source), (target_rows, of_target) = (
        _weigh(side, len(index)) for side, index in zip(design, (source, target), strict=True)
    )
    counts = [add_up(index, each, len(table)) for index, each in ((source, rows), (target, target_rows))]
    shown = (counts[0] + counts[1]) > 0
    numbers = np.cumsum(shown) - 1  # of the patterns that are left
    source, target = numbers[source], numbers[target]
    sums, products = total_statistics(source, statistics, int(shown.sum()), rows)
    patterns = replace(
        table,
        codes=table.codes[shown],
        source=counts[0][shown],
        target=counts[1][shown],
        sums=sums,
        products=products,
    )
    return Count(patterns, source, target, rows, target_rows, (of_source, of_target))


def _weigh(design: SampleDesign, n: int) -> tuple[Floats, SampleDesign]:
    """Return how much each of n drawn rows counts; design weights average 1 among them."""
    if design.squares is None:
        return one_each(n), design
    rows, squares = average_one(np.sqrt(design.squares))
    return rows, design._replace(squares=squares)
