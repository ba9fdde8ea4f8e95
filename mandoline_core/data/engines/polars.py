"""Polars: files beyond memory by its streaming engine, and lazy frames that a caller hands in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from mandoline_core.data.conversion import as_parquet
from mandoline_core.data.engines.engine import Engine
from mandoline_core.data.engines.table import BATCH, MOST_CELLS, Change, Table, add_up_within
from mandoline_core.data.files import Files, is_offset, time_zones, unreadable
from mandoline_core.data.frames import normalise
from mandoline_core.data.progress import take_step
from mandoline_core.errors import DataError

if TYPE_CHECKING:
    import polars as pl

PART = 4_000_000  # rows that are counted in one go: about as long as a person waits after Stop
# A file, the first row of a group in it, the rows of the group, and the places of those chosen.
RowGroup = tuple[Path, int, int, NDArray[np.int64]]
_ROW = "\0row"
_READERS = 2  # groups of rows that are read side by side: a column of text keeps one core busy


class PolarsTable(Table):
    """Go over a lazy frame of Polars."""

    def __init__(self, frame: pl.LazyFrame, name: str, files: Files | None = None) -> None:
        super().__init__(name, files)
        self._frame = frame

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The frame."""
        return nw.from_native(self._frame)

    def changed(self, change: Change) -> Table:
        """Add columns when rows are read."""
        return PolarsTable(nw.to_native(change(self.normalised)), self.name, self.files)

    def reopened(self, files: Files) -> Table:
        """Open other files."""
        return Polars().scan(files)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query by the streaming engine."""
        take_step()
        with self.reading():
            return _arrow(nw.to_native(query).collect(engine="streaming"))

    def count_by(self, keys: Mapping[str, nw.Expr], weight: str | None = None) -> pa.Table:
        """Count file by file, so that counting can be cancelled."""
        if self.files is None or self.n_rows <= PART:
            return super().count_by(keys, weight)
        counts: list[pa.Table] = []
        for start in range(0, self.n_rows, PART):
            part = normalise(nw.from_native(self._frame.slice(start, PART)))
            counts.append(self._count(part, keys, weight))
            if sum(map(len, counts)) > MOST_CELLS:
                counts = [add_up_within(counts, list(keys))]
            take_step("counting", min(1.0, (start + PART) / self.n_rows))
        self.check_unchanged()
        return add_up_within(counts, list(keys))

    def take(self, rows: NDArray[np.int64]) -> pa.Table:
        """Keep those rows while all go by."""
        import polars as pl

        groups = [] if self.files is None else row_groups(self.files.paths, rows)
        if groups and max(n for _, _, n, _ in groups) <= PART:
            return self._take_from_groups([group for group in groups if len(group[-1])])
        chosen = pl.LazyFrame({_ROW: pl.Series(rows, dtype=pl.get_index_type())})
        query = self._frame.with_row_index(_ROW).join(chosen, on=_ROW, how="semi").drop(_ROW)
        return self.collect(nw.from_native(query))

    def _take_from_groups(self, groups: list[RowGroup]) -> pa.Table:
        """Read group after group and keep the rows chosen: much faster than to hold every row against all of them."""
        import polars as pl

        def read(group: RowGroup) -> pa.Table:
            path, start, n, chosen = group
            rows = pl.scan_parquet(path).slice(start, n).collect(engine="in-memory")
            return _arrow(rows[chosen])  # a copy: texts of Polars would keep all texts of their group in memory

        parts = []
        readers = ThreadPoolExecutor(_READERS)
        try:
            with self.reading():
                for rows in readers.map(read, groups):
                    take_step()
                    parts.append(rows)
        finally:
            readers.shutdown(cancel_futures=True)
        return pa.concat_tables(parts)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Stream some columns of all rows."""
        with self.reading():
            for batch in self._frame.select(columns).collect_batches(chunk_size=BATCH, engine="streaming"):
                yield _arrow(batch)

    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what Polars raises; on damaged files it may panic, which is no `Exception`."""
        import polars as pl

        return pl.exceptions.PolarsError, pl.exceptions.PanicException, nw.exceptions.ComputeError, OSError


class Polars(Engine):
    """Leave files to the streaming engine of Polars."""

    name = "polars"
    title = "by Polars"
    package = "polars"
    implementation = nw.Implementation.POLARS
    table_type = PolarsTable

    def scan(self, files: Files) -> Table:
        """Open Parquet files, or text files that become Parquet first."""
        self.check_installed()
        import polars as pl

        files = as_parquet(files)
        for column, zone in time_zones(files.paths[0]).items():
            if is_offset(zone):
                raise DataError(
                    f"Column {column!r} of {files.name} has times at offset {zone!r}, which Polars cannot read. "
                    "Convert them to UTC, or use engine 'duckdb'."
                )
        return PolarsTable(pl.scan_parquet(list(files.paths)), files.name, files)


def row_groups(paths: Sequence[Path], rows: NDArray[np.int64]) -> list[RowGroup]:
    """List the groups of some Parquet files, from what each file says at its end, with the rows chosen in each.

    Parameters
    ----------
    rows : array of int
        Numbers of rows, counted over all files, in order.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.parquet"
    >>> pq.write_table(pa.table({"a": range(10)}), path, row_group_size=4)
    >>> [(start, n, chosen.tolist()) for _, start, n, chosen in row_groups([path], np.array([1, 8, 9]))]
    [(0, 4, [1]), (4, 4, []), (8, 2, [0, 1])]
    """
    groups: list[RowGroup] = []
    first = 0  # row of the group, over all files
    for path in paths:
        try:
            metadata = pq.read_metadata(path)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path.name, error) from None
        start = 0
        for number in range(metadata.num_row_groups):
            n = metadata.row_group(number).num_rows
            low, high = np.searchsorted(rows, [first, first + n])
            groups.append((path, start, n, rows[low:high] - first))
            start, first = start + n, first + n
    return groups


def _arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow()
