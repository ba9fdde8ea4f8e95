"""Drawing rows from groups: the same rows, however files lay them down."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mandoline_core.data.tables.duckdb_table import DuckDBTable
from mandoline_core.data.tables.files import Files
from mandoline_core.data.tables.polars_table import PolarsTable
from mandoline_core.data.tables.row_groups import row_groups
from mandoline_core.errors import DataError

N_ROWS = 5_000


def _write(folder: Path, sizes: list[int], group: int) -> Files:
    rows = pa.table({"row": np.arange(N_ROWS), "text": [f"text {row}" for row in range(N_ROWS)]})
    paths, start = [], 0
    for number, size in enumerate(sizes):
        paths.append(folder / f"{number}.parquet")
        pq.write_table(rows.slice(start, size), paths[-1], row_group_size=group)
        start += size
    return Files.of("rows", tuple(paths))


@pytest.mark.parametrize(("sizes", "group"), [([N_ROWS], 7), ([N_ROWS], N_ROWS), ([1, 4_000, 999], 300)])
def test_the_rows_drawn_do_not_depend_on_files_and_their_groups(tmp_path: Path, sizes: list[int], group: int) -> None:
    lazy = pl.LazyFrame({"row": np.arange(N_ROWS), "text": [f"text {row}" for row in range(N_ROWS)]})
    expected = PolarsTable(lazy, "rows").draw(100, seed=3)
    found = PolarsTable.scan(_write(tmp_path, sizes, group)).draw(100, seed=3)
    assert found.to_pydict() == expected.to_pydict()
    assert len(set(found["row"].to_pylist())) == 100


def test_duckdb_draws_the_same_rows(tmp_path: Path) -> None:
    files = _write(tmp_path, [3_000, 2_000], 300)
    assert (
        DuckDBTable.scan(files).draw(100, seed=3).to_pydict() == PolarsTable.scan(files).draw(100, seed=3).to_pydict()
    )


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    path.write_text("no")
    with pytest.raises(DataError, match=r"^broken\.parquet cannot be read as Parquet"):
        row_groups([path])
