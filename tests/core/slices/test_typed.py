"""A type checker accepts slices as people write them in their own scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import mandoline_core as md

SCRIPT = """
import pandas as pd

import mandoline_core as md


@md.slicing_function
def exclaims(frame: pd.DataFrame) -> pd.Series:
    return frame["text"].str.contains("!")


@md.slicing_function(name="asks", enabled=True)
def asks_something(frame: pd.DataFrame) -> pd.Series:
    return frame["text"].str.contains("?", regex=False)


name: str = exclaims.name + asks_something.name


def report(source: md.Sample, target: md.Sample) -> float:
    rules = [exclaims, asks_something]
    return md.estimate(source, target, [*rules, "hour >= 17", lambda frame: frame["hour"] > 3]).estimate or 0.0


def fitted(model: object, X: pd.DataFrame, y: list[str]) -> md.Report:
    sample = md.Sample.from_arrays(X, y, proba=[0.5] * len(y), name="mine")
    md.estimate(sample, sample, ["x0 > 1"], metric="auroc")
    return md.estimate_model(model, X, y, X, ["x0 > 1", exclaims], features=["x0"], confidence=0.9)
"""


def test_a_strict_type_checker_accepts_a_users_script(tmp_path):
    """The decorator with and without arguments, texts and functions as slices."""
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    root = Path(md.__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(root / "pyproject.toml")]
    found = subprocess.run(
        [*command, str(tmp_path / "script.py")], cwd=root, capture_output=True, text=True, check=False
    )
    assert found.stdout.strip() == "Success: no issues found in 1 source file", found.stdout + found.stderr
