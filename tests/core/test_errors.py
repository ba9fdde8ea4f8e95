"""Errors are one line each, whatever they repeat; settings and files that gave a traceback give a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.cli.main import main
from mandoline_core.errors import MandolineError
from tests.core.projects import write_project


def test_a_message_is_one_short_line() -> None:
    """A pattern may hold line breaks, and a name thousands of characters."""
    for text in ("a\nb\r\nc\x1b[2J\u2028d", "'" + "x y " * 2000 + "' is no name.", "Column " + "c" * 9000):
        said = str(MandolineError(text))
        assert said.isprintable()
        assert len(said) < 400
    listing = f"There is no 'a'. Names: {', '.join(['longer'] * 80)}. Did you mean 'b'?"
    assert str(MandolineError(listing)) == listing
    exact = "Column 'lable' is not in reviews.csv. Columns: label, text. Did you mean 'label'?"
    assert str(MandolineError(exact)) == exact


@pytest.mark.parametrize("engine", ["pandas", "polars", "duckdb"])
def test_a_typo_in_gold_is_said_on_every_engine(tmp_path: Path, engine: str) -> None:
    """Where rows stay in a table, too."""
    rule = {"name": "s", "kind": "threshold", "column": "n_words", "above": 5, "gold": "golden"}
    sides = {side: {"path": f"{side}.csv", "engine": engine} for side in ("source", "target")}
    path = write_project(tmp_path, {"slices": [rule], "edges": [], **sides})
    with pytest.raises(MandolineError, match="'golden'"):
        md.estimate(md.load_project(path))


@pytest.mark.parametrize("missing", [None, pd.NA])
def test_true_and_false_with_gaps_are_numbers(missing: object) -> None:
    """As metrics of numbers take them, a gap is a row without a label."""
    labels = pd.array([True, False, missing] * 40, dtype="boolean")
    frame = pd.DataFrame({"a": np.arange(120) % 2, "y": labels, "p": 0.25})
    target = md.Sample(frame.drop(columns="y"), prediction="p")
    slices = [md.Threshold("a", column="a", above=0.5)]
    report = md.estimate(md.Sample(frame, label="y", prediction="p"), target, slices, metric="mae")
    assert report.source == pytest.approx(0.5)


def test_a_path_with_a_null_character_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The system refuses it in words of its own."""
    path = write_project(tmp_path, {})
    assert main(["report", str(path), "--out", "a\0b.html"]) == 2
    assert "null character" in capsys.readouterr().err
