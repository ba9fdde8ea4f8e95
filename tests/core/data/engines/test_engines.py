"""Opening data: into memory, or by an engine that leaves them where they are."""

from __future__ import annotations

import gc
import gzip
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import ENGINES as REGISTRY
from mandoline_core.data import Files, Sample, Table, conversion, files, open_data, read_table
from mandoline_core.data.conversion import as_parquet
from mandoline_core.data.engines import MANY_ROWS
from mandoline_core.data.engines.polars import PolarsTable, row_groups
from mandoline_core.data.engines.table import DRAWN
from mandoline_core.errors import DataError

ENGINES = ("polars", "duckdb")
N_ROWS = 5_000


def write_parts(folder: Path, n: int = 30_000, parts: int = 3) -> Path:
    """Write rows to several Parquet files, and return the pattern that matches them."""
    for part in range(parts):
        rows = range(part * n, (part + 1) * n)
        pl.DataFrame({"number": rows, "text": [f"row {row}" for row in rows]}).write_parquet(folder / f"{part}.parquet")
    return folder / "*.parquet"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_draw_is_uniform_and_the_same_again(tmp_path: Path, engine: str) -> None:
    """All engines draw the same rows, each time; their numbers are spread evenly over all files."""
    pattern = write_parts(tmp_path)
    first, again = (open_data(pattern, engine=engine).draw(2_000, 1)["number"].to_pylist() for _ in range(2))
    assert first == again
    assert len(set(first)) == 2_000
    assert first == sorted(first)
    assert first == open_data(pattern, engine="polars").draw(2_000, 1)["number"].to_pylist()
    assert first != open_data(pattern, engine=engine).draw(2_000, 2)["number"].to_pylist()
    shares = pd.Series(first).floordiv(9_000).value_counts()
    assert shares.between(200 - 4 * 14, 200 + 4 * 14).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_of_a_table_knows_all_rows_and_holds_a_draw(tmp_path: Path, engine: str) -> None:
    """What counts sees all rows, what looks sees a draw that knows what it was drawn from."""
    sample = Sample(open_data(write_parts(tmp_path), engine=engine), name="rows")
    assert (sample.n_rows, sample.n_all) == (DRAWN, 90_000)
    assert (sample.drawn.n_rows, sample.drawn.n_all, sample.drawn.table) == (DRAWN, 90_000, None)
    assert sorted(sample.table.distinct("number", 10**6).to_list()) == list(range(90_000))


def test_small_files_come_into_memory_and_large_ones_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Auto goes by the size of the files and the memory of the machine."""
    pattern = write_parts(tmp_path, n=1_000)
    assert isinstance(open_data(pattern), pd.DataFrame)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    monkeypatch.setattr(files, "memory_budget", lambda: 4 * size - 1)
    assert isinstance(open_data(pattern), Table)


def test_a_lazy_frame_with_few_rows_is_taken_whole(tmp_path: Path) -> None:
    """Then everything works as on a frame; with many it is a table."""
    few, many = (Sample(pl.LazyFrame({"a": range(n)})) for n in (100, DRAWN + 1))
    assert few.table is None
    assert few.n_rows == few.n_all == 100
    assert many.table is not None
    assert many.n_all == DRAWN + 1


def test_text_files_beyond_memory_get_the_types_of_small_ones(tmp_path: Path) -> None:
    """Types follow from all rows of all files, however late they show what a column holds."""
    n = 250_000
    columns = {
        "whole": ["1"] * n,
        "late_decimal": ["1"] * (n - 1) + ["1.5"],
        "late_text": ["7"] * (n - 1) + ["seven"],
        "late_missing": ["3"] * (n - 1) + ["NA"],
        "country": ["FR"] * (n - 1) + ["NA"],
        "flag": ["true", "False"] * (n // 2),
        "late_value": [""] * (n - 1) + ["x"],
        "empty": [""] * n,
    }
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]) + "\n")
    whole = read_table(path)
    for engine in ENGINES:
        sample = Sample(open_data(path, engine=engine))
        known = Sample(whole)
        assert {name: str(kind) for name, kind in sample.schema.items()} == {
            name: str(kind) for name, kind in known.schema.items()
        }
        for column in columns:
            expected = sorted(map(str, known.values(column).to_list()))
            assert sorted(map(str, sample.values(column).to_list())) == expected, column


def test_several_text_files_are_one_table(tmp_path: Path) -> None:
    """One below the other, typed together; packed ones too."""
    (tmp_path / "a.csv").write_text("n,t\n1,x\n2,y\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"n,t\n2.5,z\n"))
    assert open_data(tmp_path / "*.csv*")["n"].tolist() == [1.0, 2.0, 2.5]
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"n,u\n2.5,z\n"))
    with pytest.raises(DataError, match=r"Column '[tu]' differs between a\.csv and b\.csv\.gz"):
        open_data(tmp_path / "*.csv*")


def test_converted_text_is_kept_while_it_does_not_change(tmp_path: Path) -> None:
    """The second time costs nothing; a changed file is converted anew."""
    path = tmp_path / "a.csv"
    path.write_text("n\n1\n")
    same = [Files.of("a.csv", (path,)) for _ in range(2)]
    assert as_parquet(same[0]) is as_parquet(same[1])
    path.write_text("n\n1\n2\n")
    assert as_parquet(Files.of("a.csv", (path,))) is not as_parquet(same[0])


def test_files_are_converted_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file does not hold up another."""
    both = threading.Barrier(2)
    write_once = conversion._write_once
    monkeypatch.setattr(conversion, "_write_once", lambda *given: (both.wait(30), write_once(*given)))
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"n\n{ord(name)}\n")
    with ThreadPoolExecutor(2) as pool:
        tables = list(pool.map(lambda name: open_data(tmp_path / f"{name}.csv", engine="polars"), "ab"))
    assert [table.draw(1, 0)["n"].to_pylist() for table in tables] == [[97], [98]]


def test_a_converted_file_goes_with_the_last_table_of_it(tmp_path: Path) -> None:
    """Not before: a table reads its file again and again."""
    (tmp_path / "a.csv").write_text("n\n1\n")
    table = open_data(tmp_path / "a.csv", engine="polars")
    folder = table.files.folder.path
    conversion._CONVERTED.clear()
    assert table.n_rows == 1
    assert open_data(tmp_path / "a.csv", engine="polars").identity == table.identity
    del table
    gc.collect()
    assert not folder.exists()


def test_bad_names_are_one_sentence(tmp_path: Path) -> None:
    """What, where, what to do."""
    with pytest.raises(DataError, match=r"No file matches 'x\*\.csv'"):
        open_data(tmp_path / "x*.csv")
    with pytest.raises(DataError, match=r"engine must be one of .* Got 'polar'\. Did you mean 'polars'\?"):
        open_data(tmp_path / "a.csv", engine="polar")
    (tmp_path / "a.csv").write_text("n\n1\n")
    pl.DataFrame({"n": [1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="matches both Parquet and text files"):
        open_data(tmp_path / "a.*")
    with pytest.raises(DataError, match=r"reads only Parquet files and tables, and a\.csv is text"):
        open_data(tmp_path / "a.csv", engine="spark", session=object())  # type: ignore[arg-type]
    (tmp_path / "d.duckdb").write_bytes(b"")
    with pytest.raises(DataError, match=r"is a database, which only engine 'duckdb' reads\. Got engine 'polars'"):
        open_data(tmp_path / "d.duckdb", engine="polars", table="rows")
    with pytest.raises(DataError, match="Only engine 'spark' reads tables without a file"):
        open_data(None, table="rows")
    with pytest.raises(DataError, match="Set table to the name of a table in it"):
        open_data(tmp_path / "d.duckdb")


def test_a_table_of_a_database_is_counted_there(tmp_path: Path) -> None:
    """DuckDB's own files are read, and only read."""
    import duckdb

    path = tmp_path / "d.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE rows AS SELECT range AS n FROM range(50000)")
    table = open_data(path, table="rows")
    assert isinstance(table, Table)
    assert table.n_rows == 50_000
    with pytest.raises(DataError, match=r"Table 'others' of d\.duckdb cannot be read"):
        open_data(path, table="others")


def write_groups(folder: Path, sizes: list[int], group: int) -> Files:
    """Write the same rows to files of some sizes, in groups of one size."""
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
    found = REGISTRY["polars"].scan(write_groups(tmp_path, sizes, group)).draw(100, seed=3)
    assert found.to_pydict() == expected.to_pydict()
    assert len(set(found["row"].to_pylist())) == 100


def test_duckdb_draws_the_same_rows(tmp_path: Path) -> None:
    files = write_groups(tmp_path, [3_000, 2_000], 300)
    first, second = (REGISTRY[engine].scan(files).draw(100, seed=3) for engine in ENGINES)
    assert first.to_pydict() == second.to_pydict()


def test_many_rows_are_left_to_polars_and_give_the_same_numbers(tmp_path: Path) -> None:
    """Parquet files that would fit in memory, from two million rows on; one row fewer is read."""
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.integers(0, 3, MANY_ROWS, dtype=np.int8) for name in ("a", "b", "y", "guess")})
    for name, n in (("many", MANY_ROWS), ("fewer", MANY_ROWS - 1)):
        pq.write_table(table.slice(0, n), tmp_path / f"{name}.parquet")
    assert isinstance(open_data(tmp_path / "fewer.parquet"), pd.DataFrame)
    found = []
    for engine in ("auto", "pandas"):
        rows = open_data(tmp_path / "many.parquet", engine=engine)
        assert isinstance(rows, PolarsTable if engine == "auto" else pd.DataFrame)
        source = Sample(rows, label="y", prediction="guess")
        target = Sample(table.slice(0, 1_000).select(["a", "b"]))
        report = md.estimate(source, target, ["a >= 1", "b == 2"])
        found.append((report.estimate, *report.first.interval, report.source))
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    path.write_text("no")
    with pytest.raises(DataError, match=r"^broken\.parquet cannot be read as Parquet"):
        row_groups([path], np.arange(1))
