"""Damaged Parquet: a sentence, or numbers; never anything else."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import read_table
from mandoline_core.data.sample import Sample
from mandoline_core.errors import DataError

FRAME = pd.DataFrame(
    {
        "y": ["a", "b"] * 40,
        "p": ["a", "a", "b", "b"] * 20,
        "n": np.arange(80) * 1.5,
        "t": [f"text {i}" for i in range(80)],
        "d": pd.date_range("2020", periods=80, tz="Europe/Paris"),
        "c": pd.Categorical(["u", "v"] * 40),
    }
)
RULES = [md.Threshold("big", column="n", above=30), md.Keyword("word", column="t", words=("text",))]


def damaged(good: bytes, rng: random.Random) -> bytes:
    """Change, remove or add a few bytes somewhere."""
    content = bytearray(good)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        place, how = rng.randrange(len(content)), rng.random()
        if how < 0.6:
            content[place] = rng.randrange(256)
        elif how < 0.8:
            del content[place : place + rng.randrange(1, 30)]
        else:
            content[place:place] = rng.randbytes(rng.randrange(1, 20))
    return bytes(content)


def test_damaged_files_are_refused_or_read(tmp_path: Path) -> None:
    """Whatever is wrong with the bytes, an estimate is made or one of our own errors says why not."""
    packed = io.BytesIO()
    FRAME.to_parquet(packed)
    rng = random.Random(0)  # noqa: S311 - damage, not secrets
    target, path = Sample(FRAME.drop(columns="y")), tmp_path / "x.parquet"
    refused = 0
    for _ in range(150):
        path.write_bytes(damaged(packed.getvalue(), rng))
        try:
            source = Sample(read_table(path), label="y", prediction="p", name="x.parquet")
            assert np.isfinite(md.estimate(source, target, RULES).estimate)
        except md.MandolineError:
            refused += 1
    assert 75 < refused < 150


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([0], pa.timestamp("us", tz="Nowhere/Here")), "has an unknown time zone 'Nowhere/Here'"),
        (pa.array([2**62], pa.timestamp("us")), "has times outside the years 1 to 9999"),
        (pa.array([b"\xff\xfe"]).view(pa.string()), "cannot be read as Parquet"),
    ],
)
def test_what_no_column_may_hold_is_said(tmp_path: Path, column: pa.Array, said: str) -> None:
    """The column, and what to do."""
    pq.write_table(pa.table({"a": column}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=said):
        read_table(tmp_path / "a.parquet")


def test_an_index_without_a_name_is_no_column(tmp_path: Path) -> None:
    """What pandas stores of its own index is left out; an index with a name is a column like any other."""
    FRAME[["n"]].set_axis(range(5, 85)).to_parquet(tmp_path / "a.parquet")
    FRAME[["n", "t"]].set_index("t").to_parquet(tmp_path / "b.parquet")
    assert read_table(tmp_path / "a.parquet").columns.tolist() == ["n"]
    assert sorted(read_table(tmp_path / "b.parquet").columns) == ["n", "t"]


@pytest.mark.parametrize("value", [[1, 2], b"x", {"a": 1}])
def test_labels_and_predictions_are_single_values(value: object) -> None:
    """Lists and bytes are no classes."""
    frame = pd.DataFrame({"y": [value, value], "p": [1, 2]})
    with pytest.raises(DataError, match=r"Column 'y' of sample \(the label\) has type"):
        Sample(frame, label="y", prediction="p")
    with pytest.raises(DataError, match=r"the prediction of model 'model'\) has type"):
        Sample(frame, label="p", prediction="y")
