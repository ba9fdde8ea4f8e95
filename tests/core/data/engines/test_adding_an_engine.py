"""A new engine is one class and one line: project file and library then know it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import ENGINES, Engine, Files, Table, open_data
from tests.core.projects import write_project


class ToyTable(Table):
    """Keep rows as Arrow's, and hand them out three hundred at a time."""

    def __init__(self, rows: pa.Table, name: str, files: Files | None = None) -> None:
        super().__init__(name, files)
        self.rows, self.n_batches = rows, 0

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The rows."""
        return nw.from_native(pl.from_arrow(self.rows).lazy())

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query."""
        return query.collect(backend="pyarrow").to_arrow()

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Cut the rows."""
        for batch in self.rows.select(list(columns)).to_batches(max_chunksize=300):
            self.n_batches += 1
            yield pa.Table.from_batches([batch])

    def take(self, rows: np.ndarray) -> pa.Table:
        """Choose rows."""
        return self.rows.take(pa.array(rows))

    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what it raises."""
        return (OSError,)


class ToyEngine(Engine):
    """Declare it."""

    name = "toy"
    title = "by a toy"

    def scan(self, files: Files) -> Table:
        """Open Parquet files."""
        return ToyTable(pq.read_table(list(files.paths)), files.name, files)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register it: the one line."""
    monkeypatch.setitem(ENGINES, "toy", ToyEngine())


def test_a_project_file_estimates_with_it(tmp_path: Path) -> None:
    project = md.load_project(write_project(tmp_path))
    expected = md.estimate(project).first
    for side in ("source", "target"):
        pl.read_csv(tmp_path / f"{side}.csv").write_parquet(tmp_path / f"{side}.parquet")
    text = (tmp_path / "project.toml").read_text()
    for side in ("source", "target"):
        text = text.replace(f'path = "{side}.csv"', f'path = "{side}.parquet"\nengine = "toy"')
    (tmp_path / "toy.toml").write_text(text)
    project = md.load_project(tmp_path / "toy.toml")
    assert isinstance(project.open("source"), ToyTable)
    estimate = md.estimate(project).first
    assert estimate.estimate == pytest.approx(expected.estimate, abs=1e-9)
    assert estimate.interval == pytest.approx(expected.interval, abs=1e-9)


def test_it_draws_reduces_and_writes_as_all_engines_do(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": range(1_000)}), tmp_path / "a.parquet")
    table, usual = (open_data(tmp_path / "a.parquet", engine=engine) for engine in ("toy", "polars"))
    assert isinstance(table, ToyTable)
    assert isinstance(usual, Table)
    assert table.draw(50, 1).to_pydict() == usual.draw(50, 1).to_pydict()
    counts = table.reduce(["n"], lambda rows: pa.table({"rows": [len(rows)]}), pa.concat_tables)
    assert counts["rows"].to_pylist() == [300, 300, 300, 100]
    table.write(tmp_path / "b.parquet", ["n"], lambda rows: rows)
    assert pq.read_table(tmp_path / "b.parquet").equals(table.rows)


def test_it_is_named_in_errors(tmp_path: Path) -> None:
    with pytest.raises(md.DataError, match=r"spark, toy\. Got 'tou'\. Did you mean 'toy'\?"):
        open_data(tmp_path / "a.parquet", engine="tou")


def test_an_engine_whose_package_is_missing_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToyEngine, "package", "no_such_package")
    assert not ENGINES["toy"].is_installed
    with pytest.raises(md.DataError, match="Engine 'toy' needs the package no_such_package, which is not installed"):
        ENGINES["toy"].check_installed()
