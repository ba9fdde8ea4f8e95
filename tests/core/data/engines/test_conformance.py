"""The same rule means the same everywhere: every kind on every engine, over nasty rows, compared row by row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import open_data
from mandoline_core.data.engines.duckdb import DuckDBTable
from mandoline_core.slices import KINDS
from mandoline_core.slices.rule import Slice
from tests.nasty import N_ROWS, nasty_model, nasty_table
from tests.nasty_rules import codes_in, nasty_rules

ENGINES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda path: open_data(path, engine="pandas"),
    "Polars": pl.read_parquet,
    "Polars, lazy": lambda path: open_data(path, engine="polars"),
    "DuckDB": lambda path: open_data(path, engine="duckdb"),
    "a caller's DuckDB": lambda path: DuckDBTable(_in_paris().read_parquet(str(path)), path.name),
}


def _in_paris() -> duckdb.DuckDBPyConnection:
    """Connect as a caller who is where the rows' times are from: DuckDB keeps no zone with a column."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'Europe/Paris'")
    return connection


# The quick check takes every seventh rule, which still has each kind; the long one takes all.
AMOUNTS = [pytest.param(7, id="some"), pytest.param(1, id="all", marks=pytest.mark.long)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the rows once."""
    path = tmp_path_factory.mktemp("nasty") / "nasty.parquet"
    pq.write_table(nasty_table(), path)
    return path


@pytest.fixture(scope="module", params=AMOUNTS)
def rules(request: pytest.FixtureRequest) -> list[Slice]:
    """Choose the rules."""
    every = nasty_rules()
    firsts = {rule.kind: rule for rule in reversed(every)}
    return list({rule.name: rule for rule in (*firsts.values(), *every[:: request.param])}.values())


@pytest.fixture(scope="module")
def expected(path: Path, rules: list[Slice]) -> np.ndarray:
    """Code the rows in PyArrow."""
    return codes_in(md.Sample(pq.read_table(path), models=[nasty_model()]), rules)


@pytest.mark.parametrize("engine", ENGINES)
def test_codes_are_identical_row_by_row(engine: str, path: Path, rules: list[Slice], expected: np.ndarray) -> None:
    found = codes_in(md.Sample(ENGINES[engine](path), models=[nasty_model()]), rules)
    assert found.shape == (N_ROWS, len(rules))
    odd = {rule.name: np.flatnonzero(found[:, i] != expected[:, i])[:5].tolist() for i, rule in enumerate(rules)}
    assert {name: rows for name, rows in odd.items() if rows} == {}


def test_every_kind_is_among_the_rules() -> None:
    """But the one that learns from rows in memory."""
    assert {rule.kind for rule in nasty_rules()} == set(KINDS) - {"classifier"}


def test_rules_tell_rows_apart(path: Path, rules: list[Slice], expected: np.ndarray) -> None:
    """Codes that are the same everywhere would be, were they all alike; half of the rules tell rows apart, and more."""
    apart = [len(np.unique(column)) > 1 for column in expected.T]
    assert np.mean(apart) > 0.5


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_python_function_is_asked_batch_by_batch(engine: str, path: Path) -> None:
    asked = []

    def even(frame: pd.DataFrame) -> pd.Series:
        asked.append(len(frame))
        return frame["row"] % 2 == 0

    table = open_data(path, engine=engine)
    sample = md.Sample(table, label="yes", prediction="yes")
    report = md.estimate(sample, sample, [md.slicing_function(even)])
    assert sum(asked) >= 2 * N_ROWS
    assert report.models["model"].n_patterns == 2


def test_a_slice_that_learns_from_rows_is_refused_on_a_table(path: Path) -> None:
    sample = md.Sample(open_data(path, engine="polars"), label="yes", prediction="yes")
    known = md.Sample(pq.read_table(path), label="yes", prediction="yes")
    for source, target in ((sample, known), (known, sample)):
        with pytest.raises(md.SliceError) as raised:
            md.estimate(source, target, [md.Classifier("learnt", columns=("text",))])
        assert "\n" not in str(raised.value)
        assert "learnt" in str(raised.value)
