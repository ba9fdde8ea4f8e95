"""Polars: files beyond memory by its streaming engine, and lazy frames that a caller hands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mandoline_core.data.stopping import take_step
from mandoline_core.data.tables.files import Files
from mandoline_core.data.tables.row_groups import RowGroup, chosen_in, row_groups
from mandoline_core.data.tables.table import (
    BATCH,
    Combine,
    Reduce,
    Table,
    missing_engine,
    reduce_batches,
)
from mandoline_core.data.tables.thinning import MOST_CELLS, add_up_within
from mandoline_core.data.tables.writing import write_batches

if TYPE_CHECKING:
    import polars as pl

PART = 4_000_000  # rows that are counted in one go: about as long as a person waits after Stop
_ROW = "\0row"
_READERS = 2  # groups of rows that are read side by side: a column of text keeps one core busy


class PolarsTable(Table):
    """Go over a lazy frame of Polars."""

    engine = "polars"

    def __init__(self, frame: pl.LazyFrame, name: str, files: Files | None = None) -> None:
        super().__init__(name, files)
        self._frame = frame

    @classmethod
    def scan(cls, files: Files) -> PolarsTable:
        """Open Parquet files."""
        try:
            import polars as pl
        except ImportError:
            raise missing_engine("polars", "polars") from None
        return cls(pl.scan_parquet(list(files.paths)), files.name, files)

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The frame."""
        return nw.from_native(self._frame)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query by the streaming engine."""
        take_step()
        with self.reading():
            return _arrow(nw.to_native(query).collect(engine="streaming"))

    def count_by(self, keys: Mapping[str, nw.Expr]) -> pa.Table:
        """Count part by part, where the table lies in files, so that one may stop between them."""
        if self.files is None or self.n_rows <= PART:
            return super().count_by(keys)
        found = []
        for start in range(0, self.n_rows, PART):
            part = self.bring_in(nw.from_native(self._frame.slice(start, PART)))
            found.append(self._count(part, keys))
            if sum(map(len, found)) > MOST_CELLS:
                found = [add_up_within(found, list(keys))]
            take_step("counting", min(1.0, (start + PART) / self.n_rows))
        self.check_unchanged()
        return add_up_within(found, list(keys))

    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce batch by batch, here."""
        found = reduce_batches(self._batches(columns), self.n_rows, function, combine)
        self.check_unchanged()
        return found

    def draw(self, most: int, seed: int) -> pa.Table:
        """Choose row numbers, and keep those rows while all go by."""
        import polars as pl

        if self.n_rows <= most:
            return self.collect(self.lazy)
        rows = np.sort(np.random.default_rng(seed).choice(self.n_rows, most, replace=False))
        groups = [] if self.files is None else row_groups(self.files.paths)
        if groups and max(group.n_rows for group in groups) <= PART:
            return self._draw_from_groups(chosen_in(groups, rows))
        chosen = pl.LazyFrame({_ROW: pl.Series(rows, dtype=pl.get_index_type())})
        query = self._frame.with_row_index(_ROW).join(chosen, on=_ROW, how="semi").drop(_ROW)
        return self.collect(nw.from_native(query))

    def _draw_from_groups(self, chosen: Iterable[tuple[RowGroup, NDArray[np.int64]]]) -> pa.Table:
        """Read group after group and keep the rows chosen: much faster than to hold every row against all of them."""
        import polars as pl

        def read(one: tuple[RowGroup, NDArray[np.int64]]) -> pa.Table:
            group, places = one
            rows = pl.scan_parquet(group.path).slice(group.start, group.n_rows).collect(engine="in-memory")
            return _arrow(rows[places])  # a copy: texts of Polars would keep all texts of their group in memory

        found = []
        readers = ThreadPoolExecutor(_READERS)
        try:
            with self.reading():
                for rows in readers.map(read, chosen):
                    take_step()
                    found.append(rows)
        finally:
            readers.shutdown(cancel_futures=True)
        return pa.concat_tables(found)

    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write what becomes of each batch, in order."""
        write_batches(path, (function(batch) for batch in self._batches(columns)))
        self.check_unchanged()

    def _batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        with self.reading():
            for batch in self._frame.select(columns).collect_batches(chunk_size=BATCH, engine="streaming"):
                yield _arrow(batch)

    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what Polars raises; on damaged files it may panic, which is no `Exception`."""
        import polars as pl

        return pl.exceptions.PolarsError, pl.exceptions.PanicException, nw.exceptions.ComputeError, OSError


def _arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow()
