"""Groups of rows: how Parquet lays rows down, and which of them hold the rows that were chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from mandoline_core.data.tables.files import unreadable


class RowGroup(NamedTuple):
    """Say where a group of rows lies: its file, the place of its first row in there, and how many rows it has."""

    path: Path
    start: int
    n_rows: int


def row_groups(paths: Sequence[Path]) -> list[RowGroup]:
    """List the groups of some Parquet files in order, from what each file says at its end.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.parquet"
    >>> pq.write_table(pa.table({"a": [1, 2, 3]}), path, row_group_size=2)
    >>> [(group.start, group.n_rows) for group in row_groups([path])]
    [(0, 2), (2, 1)]
    """
    found = []
    for path in paths:
        try:
            said = pq.read_metadata(path)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path.name, error) from None
        start = 0
        for number in range(said.num_row_groups):
            found.append(RowGroup(path, start, said.row_group(number).num_rows))
            start += found[-1].n_rows
    return found


def chosen_in(groups: Sequence[RowGroup], rows: NDArray[np.int64]) -> Iterator[tuple[RowGroup, NDArray[np.int64]]]:
    """Go through the groups that hold any of some rows, with the places of these in each.

    Parameters
    ----------
    rows : array of int
        Numbers of rows, counted over all groups, in order.

    Examples
    --------
    >>> groups = [RowGroup(Path("a"), 0, 2), RowGroup(Path("a"), 2, 5), RowGroup(Path("b"), 0, 3)]
    >>> [(group.path.name, places.tolist()) for group, places in chosen_in(groups, np.array([1, 7, 9]))]
    [('a', [1]), ('b', [0, 2])]
    """
    ends = np.cumsum([group.n_rows for group in groups])
    cuts = np.searchsorted(rows, ends)
    for group, end, low, high in zip(groups, ends, [0, *cuts[:-1]], cuts, strict=True):
        if low < high:
            yield group, rows[low:high] - (end - group.n_rows)
