"""Writing how much every source row counts: from memory, or where the rows lie."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from mandoline_core.arrays import CodeArray, Floats
from mandoline_core.data import Model, Sample, write_batches
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import csv_text
from mandoline_core.metrics import score_rows
from mandoline_core.patterns import find_patterns
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Slice, codes

if TYPE_CHECKING:
    from mandoline_core.checks import ModelReport
    from mandoline_core.report.report import Report

PARQUET = (".parquet", ".pq")


def write_weights(report: Report, path: str | Path) -> None:
    """Write one weight a source row and model, in the order of the rows; each model's sum to 1.

    Rows that stay in a table are weighted where they lie, batch by batch. A cluster keeps no order: it writes a folder
    of Parquet with all columns of the rows beside their weights.

    Parameters
    ----------
    path : str or Path
        Ends in .parquet, or in anything else for CSV; rows of a table go to Parquet only.

    Examples
    --------
    >>> import tempfile
    >>> from mandoline_core import estimate_from_codes
    >>> path = Path(tempfile.mkdtemp()) / "weights.csv"
    >>> write_weights(estimate_from_codes([[1], [-1]], [0.0, 1.0], [[1], [1], [1], [-1]]), path)
    >>> name, *weights = path.read_text().split()
    >>> name, [round(float(weight), 6) for weight in weights]
    ('score', [0.75, 0.25])
    """
    path = Path(path)
    source = report.samples.get("source")
    if source is None or source.table is None:
        _write_rows({name: model.weights for name, model in report.models.items()}, path)
        return
    if path.suffix.lower() not in PARQUET:
        raise MandolineError(f"The rows of {source.name} stay in a table, so their weights go to Parquet. Got {path}.")
    models = {name: _ModelWeights.of(model, source) for name, model in report.models.items()}
    columns = dict.fromkeys(column for model in models.values() for column in model.columns)
    source.table.write(path, list(columns), partial(_weigh, models))


def weights_csv(weights: Mapping[str, Floats]) -> str:
    """Write one weight a source row and model as CSV."""
    return csv_text([weights, *zip(*(column.tolist() for column in weights.values()), strict=True)])


def _write_rows(weights: dict[str, Floats], path: Path) -> None:
    if path.suffix.lower() in PARQUET:
        write_batches(path, [pa.table(weights)])
        return
    try:
        path.write_text(weights_csv(weights), encoding="utf-8", newline="")
    except OSError as error:
        raise MandolineError(f"{path} could not be written: {error.strerror}. Choose another place.") from None


class _ModelWeights:
    """Know how much a row of each pattern counts, and what to read to find its pattern."""

    def __init__(
        self,
        slices: tuple[Slice, ...],
        patterns: CodeArray,
        weights: Floats,
        metric: MetricSettings,
        model: Model | None,
        label: str | None,
        classes: tuple[str, ...],
    ) -> None:
        self.slices, self.patterns, self.weights = slices, patterns, weights
        self.metric, self.model, self.label, self.classes = metric, model, label, classes

    @classmethod
    def of(cls, report: ModelReport, source: Sample) -> _ModelWeights:
        """Take what is needed of a report; nothing of its rows."""
        cells, table = report.cells, report.problem.patterns
        if cells.rows is None or report.outcome.scored_weights is not None:
            raise MandolineError(f"Method {report.estimator!r} gives no weight to rows that stay in a table.")
        classes = cells.rows.read_source().classes if cells.rows.model is not None else ()
        return cls(
            cells.slices,
            table.codes,
            report.ratios / table.n_source,
            cells.rows.metric,
            cells.rows.model,
            source.label,
            classes,
        )

    @property
    def columns(self) -> list[str]:
        """The columns that decide how much a row counts."""
        found = [column for rule in self.slices for leaf in rule.leaves for column in leaf.reads]
        found += [] if self.model is None else self.model.columns
        return [*found, *(column for column in (self.label, self.metric.column) if column is not None)]

    def of_rows(self, rows: pa.Table) -> Floats:
        """Weigh rows; those without a score count for nothing."""
        sample = Sample(rows.select(list(dict.fromkeys(self.columns))))
        place = find_patterns(self.patterns, codes(sample, self.slices))
        known = score_rows(
            self.metric, sample, label=self.label, model=self.model, known=self.classes, whole=False
        ).known
        return np.where(known & (place >= 0), self.weights[place], 0.0)


def _weigh(models: dict[str, _ModelWeights], rows: pa.Table) -> pa.Table:
    return pa.table({name: model.of_rows(rows) for name, model in models.items()})
