"""The same rule means the same everywhere: every kind on every engine, over nasty rows, compared row by row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.samples import open_data
from tests.nasty import N_ROWS, codes_in, nasty_model, nasty_rules, nasty_table

ENGINES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda path: open_data(path, engine="pandas"),
    "Polars": pl.read_parquet,
    "Polars, lazy": lambda path: open_data(path, engine="polars"),
    "DuckDB": lambda path: open_data(path, engine="duckdb"),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the rows once."""
    path = tmp_path_factory.mktemp("nasty") / "nasty.parquet"
    pq.write_table(nasty_table(), path)
    return path


@pytest.fixture(scope="module")
def expected(path: Path) -> np.ndarray:
    """Code the rows in PyArrow."""
    return codes_in(md.Sample(pq.read_table(path), models=[nasty_model()]), nasty_rules())


@pytest.mark.parametrize("engine", ENGINES)
def test_codes_are_identical_row_by_row(engine: str, path: Path, expected: np.ndarray) -> None:
    rules = nasty_rules()
    found = codes_in(md.Sample(ENGINES[engine](path), models=[nasty_model()]), rules)
    assert found.shape == (N_ROWS, len(rules))
    odd = {rule.name: np.flatnonzero(found[:, i] != expected[:, i])[:5].tolist() for i, rule in enumerate(rules)}
    assert {name: rows for name, rows in odd.items() if rows} == {}
