"""Writing the weights of the source rows: from memory, or where the rows are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from mandoline_core.arrays import CodeArray, Floats, Index
from mandoline_core.data import Sample, write_batches
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import csv_text
from mandoline_core.metrics import Scores, score_rows
from mandoline_core.patterns import find_patterns
from mandoline_core.slices import Slice, codes

if TYPE_CHECKING:
    from mandoline_core.checks import ModelReport
    from mandoline_core.report.report import Report

PARQUET = (".parquet", ".pq")


def write_weights(report: Report, path: str | Path) -> None:
    """Write the weights of the labelled rows, a column per model, in the order of the rows; each column sums to 1.

    Rows that stay in a table are weighted in batches, without loading all of them. A cluster has no row order, so it
    writes a folder of Parquet files with all columns and the weights.

    Parameters
    ----------
    path : str or Path
        Ends in .parquet, or anything else for CSV; rows that stay in a table need Parquet.

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
        raise MandolineError(
            f"Weights of {source.name}, whose rows stay in a table, must go to a .parquet file. Got {path}."
        )
    models = {name: _weigher(model, source) for name, model in report.models.items()}
    columns = dict.fromkeys(column for read, _ in models.values() for column in read)
    source.table.write(path, list(columns), partial(_weigh, {name: weigh for name, (_, weigh) in models.items()}))


def weights_csv(weights: Mapping[str, Floats | Index]) -> str:
    """Write the weights of the source rows as CSV, a column per model."""
    return csv_text([weights, *zip(*(column.tolist() for column in weights.values()), strict=True)])


def _write_rows(weights: dict[str, Floats], path: Path) -> None:
    if path.suffix.lower() in PARQUET:
        write_batches(path, [pa.table(weights)])
        return
    try:
        path.write_text(weights_csv(weights), encoding="utf-8", newline="")
    except OSError as error:
        raise MandolineError(f"Cannot write {path}: {error.strerror}. Choose another path.") from None


def _weigher(report: ModelReport, source: Sample) -> tuple[list[str], Callable[[pa.Table], Floats]]:
    """Return the columns that decide the weight of a row, and a function that weights rows by them."""
    cells, table = report.cells, report.problem.patterns
    if cells.rows is None or report.outcome.scored_weights is not None:
        raise MandolineError(f"Method {report.estimator!r} has no weights for rows that stay in a table.")
    metric, model = cells.rows.metric, cells.rows.model
    columns = [column for rule in cells.slices for leaf in rule.leaves for column in leaf.reads]
    columns += [] if model is None else model.columns
    columns = list(dict.fromkeys([*columns, *(c for c in (source.label, metric.column) if c is not None)]))
    known = cells.rows.read_source().classes if model is not None else ()
    score = partial(score_rows, metric, label=source.label, model=model, known=known, whole=False)
    weights = report.ratios / table.n_source
    if source.weight is not None and cells.tables is not None:
        # Cells hold weights that average 1, and a row its own.
        weights = weights * (table.n_source / float(cells.tables[0].rows[cells.scored].sum()))
        columns = list(dict.fromkeys([*columns, source.weight]))
    weigh = partial(_weigh_rows, columns, cells.slices, table.codes, weights, score, weight=source.weight)
    return columns, weigh


def _weigh_rows(
    columns: list[str],
    slices: tuple[Slice, ...],
    patterns: CodeArray,
    weights: Floats,
    score: Callable[[Sample], Scores],
    rows: pa.Table,
    *,
    weight: str | None = None,
) -> Floats:
    """Weight rows by their patterns and design weights; those without a score get 0."""
    sample = Sample(rows.select(columns))
    place = find_patterns(patterns, codes(sample, slices))
    each = weights[place]
    if weight is not None:
        each = each * rows[weight].cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.where(score(sample).known & (place >= 0), each, 0.0)


def _weigh(models: dict[str, Callable[[pa.Table], Floats]], rows: pa.Table) -> pa.Table:
    return pa.table({name: weigh(rows) for name, weigh in models.items()})
