"""A cluster on paper: what one partition reads and returns, measured by running the real reduce on simulated ones."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import mandoline_core as md
from mandoline_core.data.engines.spark import _serialised
from mandoline_core.data.engines.table import MOST_CELLS, add_up_within
from mandoline_core.pipeline.table_cells import Question
from mandoline_core.pipeline.table_count import reduce_answers
from mandoline_core.project.settings import MetricSettings
from tests.benchmarks.scaling.rows import CHUNK, SLICES, make_chunk, make_words, write_rows

PARTITION = 128 * 2**20  # bytes of files that Spark gives to one task, unless it is told otherwise
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
ROWS = (10**9, 10**11)
MANY = 40


@dataclass(frozen=True)
class Partition:
    """Hold what one simulated partition returned."""

    n_slices: int
    n_rows: int
    cells: int
    n_bytes: int


@dataclass(frozen=True)
class Cluster:
    """Hold what a run on a cluster would move, in bytes: from what partitions returned and how that grew."""

    n_slices: int
    n_rows: int
    partitions: int
    cells: float
    read: float
    drawn: float
    returned: float


def measure() -> tuple[list[Partition], dict[int, tuple[float, float, float, float]], list[Cluster], dict[str, float]]:
    """Simulate partitions; fit how cells grow with rows, and bytes with cells; say what a cluster would move."""
    words = make_words(np.random.default_rng(0))
    many = tuple(md.Keyword(f"word{i}", column="text", words=(str(words[5 + 45 * i]),)) for i in range(MANY - 3))
    rules = {6: SLICES, MANY: (*many, *SLICES[3:])}
    found = [_partition(slices, n_rows) for slices in rules.values() for n_rows in SIZES]
    for one in found:
        print(f"  {one.n_slices} slices, {one.n_rows:>9,} rows: {one.cells:>8,} cells, {one.n_bytes:>10,} bytes")
    widths = _widths()
    fits, clusters = {}, []
    for n_slices in rules:
        points = [one for one in found if one.n_slices == n_slices]
        fits[n_slices] = (
            *_power([(one.n_rows, one.cells) for one in points]),
            *_line([(one.cells, one.n_bytes) for one in points]),
        )
        clusters += [_cluster(n_slices, n_rows, widths, fits[n_slices]) for n_rows in ROWS]
    return found, fits, clusters, widths


def _partition(slices: tuple[md.Slice, ...], n_rows: int) -> Partition:
    """Reduce the rows of one partition as a worker does."""
    rng = np.random.default_rng([len(slices), n_rows])
    rows = make_chunk(rng, make_words(np.random.default_rng(0)), n_rows, moved=0.0).to_arrow()
    question = Question(
        slices, (md.Model("model", "pred"),), "label", MetricSettings(), scored=True, name="rows", all_columns=()
    )
    columns = {f"column{i}": column for i, column in enumerate(question.answers)}
    keys = [*(f"code{i}" for i in range(len(slices))), *columns]
    reduce = partial(reduce_answers, question, columns)
    parts = [
        reduce(rows.slice(start, CHUNK // 4).select(list(question.columns))) for start in range(0, n_rows, CHUNK // 4)
    ]
    returned = add_up_within(parts, keys)
    return Partition(len(slices), n_rows, len(returned), _serialised(returned).nbytes)


def _widths() -> dict[str, float]:
    """Measure the bytes of a row in Parquet: all columns, and by column."""
    with tempfile.TemporaryDirectory(prefix="mandoline-rows-") as folder:
        write_rows(Path(folder), 2 * CHUNK)
        said = pq.read_metadata(Path(folder) / "source.parquet")
    widths: dict[str, float] = {}
    for number in range(said.num_row_groups):
        group = said.row_group(number)
        for i in range(group.num_columns):
            column = group.column(i)
            widths[column.path_in_schema] = widths.get(column.path_in_schema, 0.0) + column.total_compressed_size
    return {column: size / said.num_rows for column, size in widths.items()}


def _cluster(n_slices: int, n_rows: int, widths: dict[str, float], fit: tuple[float, float, float, float]) -> Cluster:
    """Multiply: partitions by size on disk, cells of each by the fitted growth up to the limit, bytes by cells."""
    size = sum(widths.values())
    partitions = int(np.ceil(n_rows * size / PARTITION))
    factor, power, start, slope = fit
    cells = min(factor * (n_rows / partitions) ** power, float(MOST_CELLS))
    read = n_rows * size  # rules and answers need every column here, once to count and once to draw
    return Cluster(n_slices, n_rows, partitions, cells, read, read, partitions * (start + slope * cells))


def _power(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Fit y = factor * x ** power."""
    slope, start = np.polyfit(*(np.log([point[i] for point in points]) for i in range(2)), 1)
    return float(np.exp(start)), float(slope)


def _line(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Fit y = start + slope * x."""
    slope, start = np.polyfit(*(np.array([point[i] for point in points], dtype=float) for i in range(2)), 1)
    return float(start), float(slope)
