"""What cells hold: codes, rows, and what models answered or scored."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mandoline_core.arrays import Codes, Floats
from mandoline_core.data import Model, Sample
from mandoline_core.metrics import Scores, get_metric, score_rows
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Flag, Slice


@dataclass(frozen=True, eq=False)
class TableCells:
    """Hold a sample as cells.

    Parameters
    ----------
    codes : dict of tuple to array of int8, shape (n_cells,)
        What each rule says of a cell's rows, by the rule's key.
    rows : array of float, shape (n_cells,)
        How many rows each cell has.
    answers : Sample or None
        A row for each cell with its label and predictions, where the metric follows from these.
    statistics : dict of str to array of float, shape (n_cells, n_statistics)
        Else the metric's statistics by model; NaN where a row lacks what it needs.
    classes : dict of str to tuple of str
        Behind the statistics.
    share : float
        Of the rows that are counted: below 1 where they would make more cells than memory should hold.
    """

    codes: dict[Hashable, Codes]
    rows: Floats
    answers: Sample | None = None
    statistics: dict[str, Floats] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 1.0

    def code(self, slices: Sequence[Slice]) -> Codes:
        """Return the codes of some rules, shape (n_cells, n_slices)."""
        found = [self.codes[rule.key] for rule in slices]
        return np.column_stack(found) if found else np.zeros((len(self.rows), 0), dtype=np.int8)

    def gold(self, rule: Slice) -> Codes:
        """Return the true answers of a slice's gold column."""
        return self.codes[gold_rule(rule).key]

    def score(self, metric: MetricSettings, model: Model | None, known: Sequence[str] = ()) -> Scores:
        """Return the statistics of every cell for one model."""
        if self.answers is not None:
            return score_rows(metric, self.answers, label=self.answers.label, model=model, known=known)
        found, classes = self.statistics[name_of(model)], self.classes[name_of(model)]
        there = np.asarray(np.isfinite(found).all(axis=1))
        fitted = get_metric(metric.name)
        fitted = fitted.fit(classes, metric.positive) if classes else fitted
        return Scores(np.where(there[:, None], found, 0.0), there, fitted, classes)


def gold_rule(rule: Slice) -> Slice:
    """Read a slice's gold column as a slice."""
    return Flag(rule.name, column=str(rule.gold))


def name_of(model: Model | None) -> str:
    """Name a model; a metric may need none."""
    return "" if model is None else model.name
