"""Columns as they come: each type gives the numbers that the same values give in plain types."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mandoline_core as md
from mandoline_core.data import open_data

Change = Callable[[pd.DataFrame], Any]
SLICES = (
    md.Flag("far", column="far"),
    md.Threshold("large", column="size", above=20),
    md.Category("place", column="place"),
)
MODELS = (md.Model("m", "guess"),)


def draw(seed: int, share: float) -> pd.DataFrame:
    """Draw rows in plain types, some values missing."""
    rng = np.random.default_rng(seed)
    n = 500
    far, size = rng.random(n) < share, rng.integers(0, 50, n)
    guess = size + 5.0 * far
    frame = pd.DataFrame(
        {
            "far": pd.Series(far, dtype=object).mask(rng.random(n) < 0.1, None),
            "size": pd.Series(size, dtype=float).mask(rng.random(n) < 0.1),
            "place": pd.Series(np.where(rng.random(n) < share, "in", "out"), dtype=object).mask(rng.random(n) < 0.1),
            "guess": guess,
            "y": np.round(guess + rng.normal(size=n) * (1 + 2 * far), 2),
        }
    )
    frame.loc[3, "y"] = np.nan
    return frame


SOURCE, TARGET = draw(0, 0.3), draw(1, 0.6).drop(columns="y")


def numbers(source: Any, target: Any, slices: Any = SLICES, metric: str = "mae") -> np.ndarray:
    """Estimate, and take all numbers."""
    report = md.estimate(
        md.Sample(source, label="y", models=MODELS), md.Sample(target, models=MODELS), slices, metric=metric
    )
    return np.array([report.estimate, *report.interval, report.source])


def decimals(values: pd.Series) -> list[Decimal | None]:
    """Write numbers as decimals."""
    return [None if pd.isna(value) else Decimal(f"{value:.2f}") for value in values]


def changed(frame: pd.DataFrame, types: dict[str, Any]) -> pd.DataFrame:
    """Change the types of the columns that a frame has."""
    return frame.astype({name: dtype for name, dtype in types.items() if name in frame})


def with_decimals(frame: pd.DataFrame, dtype: Any = object) -> pd.DataFrame:
    """Make every number a decimal."""
    names = [name for name in ("size", "guess", "y") if name in frame]
    return frame.assign(**{name: pd.Series(decimals(frame[name]), dtype=dtype) for name in names})


def as_arrow(frame: pd.DataFrame) -> pa.Table:
    """Take the frame to Arrow, its numbers as decimals and its text as a dictionary."""
    table = pa.Table.from_pandas(with_decimals(frame), preserve_index=False)
    return table.set_column(table.column_names.index("place"), "place", table["place"].dictionary_encode())


CHANGES: dict[str, Change] = {
    "nullable": lambda frame: changed(
        frame, {"far": "boolean", "size": "Int64", "place": "string", "guess": "Float32", "y": "Float64"}
    ),
    "python strings": lambda frame: changed(frame, {"place": "string[python]"}),
    "converted": lambda frame: frame.convert_dtypes(),
    "arrow types": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda frame: changed(
        changed(frame, {"far": "boolean", "size": "Int64"}), dict.fromkeys(frame.columns, "category")
    ),
    "categories of whole numbers": lambda frame: frame.assign(
        size=pd.Categorical([None if pd.isna(value) else int(value) for value in frame["size"]]),
        far=pd.Categorical(frame["far"]),
    ),
    "sparse": lambda frame: changed(frame, {"size": "Sparse[float]", "guess": "Sparse[float]"}),
    "decimals": with_decimals,
    "arrow decimals": lambda frame: with_decimals(frame, pd.ArrowDtype(pa.decimal128(12, 2))),
    "an arrow table": as_arrow,
    "a polars frame": lambda frame: pl.from_arrow(as_arrow(frame)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_other_types_of_the_same_values_give_the_same_numbers(change: Change) -> None:
    expected = numbers(SOURCE, TARGET)
    assert numbers(change(SOURCE), change(TARGET)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("engine", ["pandas", "polars", "duckdb"])
def test_decimals_and_categories_of_a_file_give_the_same_numbers(tmp_path: Path, engine: str) -> None:
    samples = []
    for name, frame in (("source", SOURCE), ("target", TARGET)):
        changed(with_decimals(frame), {"place": "category", "far": "boolean"}).to_parquet(tmp_path / f"{name}.parquet")
        samples.append(open_data(tmp_path / f"{name}.parquet", engine=engine))
    assert numbers(*samples) == pytest.approx(numbers(SOURCE, TARGET), abs=1e-9)


EDGES = [-0.5, 10.5, 20.5, 60.5]


@pytest.mark.parametrize(
    "slices", [[md.Category("size", column="bin")], [md.Category("mid", column="bin", values=("(10.5, 20.5]",))]]
)
def test_intervals_of_cut_are_categories(slices: list[md.Slice]) -> None:
    """They go by what pandas shows, also where they are not categorical; a missing one abstains."""

    def binned(frame: pd.DataFrame, how: Callable[[pd.Series], Any]) -> pd.DataFrame:
        return frame.assign(bin=how(pd.cut(frame["size"], EDGES)))

    def as_intervals(bins: pd.Series) -> pd.Series:
        found = pd.Series(pd.arrays.IntervalArray(bins))
        assert isinstance(found.dtype, pd.IntervalDtype)
        return found

    def text(bins: pd.Series) -> pd.Series:
        return bins.map(str, na_action="ignore").astype(object)

    expected = numbers(binned(SOURCE, text), binned(TARGET, text), slices)
    for how in (lambda bins: bins, as_intervals):
        assert numbers(binned(SOURCE, how), binned(TARGET, how), slices) == pytest.approx(expected, abs=1e-12)


def test_periods_are_categories() -> None:
    months = pd.PeriodIndex(["2024-01", "2024-02", None] * 167, freq="M")[:500]
    sample = md.Sample(pd.DataFrame({"month": months}))
    assert sample.series("month").to_list()[:2] == ["2024-01", "2024-02"]
    assert sample.series("month").null_count() == 166


def test_classes_may_be_intervals_too() -> None:
    """Label and prediction in the same bins are the same class."""
    bins = [pd.cut(SOURCE[column], [-10, 20, 40, 80]) for column in ("y", "guess")]
    target = TARGET.assign(guess=pd.cut(TARGET["guess"], [-10, 20, 40, 80]))
    found = numbers(SOURCE.assign(y=bins[0], guess=bins[1]), target, metric="accuracy")
    known = bins[0].notna()
    assert found[3] == pytest.approx((bins[0].cat.codes == bins[1].cat.codes)[known].mean())


@pytest.mark.parametrize("engine", ["pandas", "polars", "duckdb"])
@pytest.mark.parametrize(("side", "column"), [("source", "guess"), ("source", "y"), ("target", "guess")])
def test_infinite_numbers_are_refused(tmp_path: Path, engine: str, side: str, column: str) -> None:
    """To leave them out would flatter the model."""
    frames = {"source": SOURCE.copy(), "target": TARGET.copy()}
    frames[side].loc[[7, 9], column] = np.inf
    for name, frame in frames.items():
        changed(frame, {"far": "boolean"}).to_parquet(tmp_path / f"{name}.parquet")
    paths = [tmp_path / f"{name}.parquet" for name in frames]
    where = f"Column '{column}' of sample has "
    count = "2 infinite values, the first in row 8" if engine == "pandas" else "infinite values"
    with pytest.raises(md.DataError) as caught:
        numbers(*(open_data(path, engine=engine) for path in paths))
    assert (
        str(caught.value)
        == f"{where}{count}, so its mean absolute error is not finite. Fix these rows, or remove them."
    )
