"""Spellings: class codes in text files stay as they are written, where numbers would make one class of two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mandoline_core as md
from mandoline_core.data.spellings import find_codes, keep_codes
from mandoline_core.metrics.registry import METRICS
from mandoline_core.project.settings import MetricSettings

PROJECT = """version = 1
name = "codes"
[source]
path = "source.csv"
engine = "{engine}"
[target]
path = "target.csv"
engine = "{engine}"
labels = "labels.csv"
[task]
label = "y"
[[models]]
name = "m"
prediction = "p"
[[slices]]
name = "a"
kind = "flag"
column = "a"
"""


def write_project(folder: Path, one: str, other: str, engine: str = "auto") -> tuple[Path, float, float]:
    """Write a project whose model takes one class for the other in a share of the rows; return the two accuracies."""
    rng = np.random.default_rng(0)
    truth = rng.choice([one, other], 400)
    right = rng.random(400) < 0.75
    predicted = np.where(right, truth, np.where(truth == one, other, one))
    gaps = np.arange(400) % 50 == 0  # a gap makes floats of whole numbers
    flags = np.arange(400) % 2
    shown = np.where(gaps, "", truth)
    for name, header, columns in (
        ("source", "y,p,a", (shown, predicted, flags)),
        ("target", "id,p,a", (np.arange(400), predicted, flags)),
        ("labels", "id,y", (np.arange(400), truth)),
    ):
        lines = [",".join(map(str, line)) for line in zip(*columns, strict=True)]
        if name == "labels":
            lines.reverse()
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    (folder / "project.toml").write_text(PROJECT.format(engine=engine))
    return folder / "project.toml", right[~gaps].mean(), right.mean()


@pytest.mark.parametrize("engine", ["auto", "polars", "duckdb"])
@pytest.mark.parametrize(
    ("one", "other"),
    [("007", "7"), ("1.1", "1.10"), ("1e3", "1000"), ("9007199254740992", "9007199254740993"), ("no", "yes")],
)
def test_class_codes_are_the_classes_that_are_written(tmp_path: Path, one: str, other: str, engine: str) -> None:
    """As numbers, each pair is one class, and every prediction right."""
    path, expected, truth = write_project(tmp_path, one, other, engine)
    if engine != "auto":
        path.write_text(path.read_text().replace('labels = "labels.csv"\n', ""))
    report = md.estimate(md.load_project(path), reveal=engine == "auto")
    assert report.source == pytest.approx(expected)
    if engine == "auto":  # whose file of labels comes in another order, with the rows' ids
        assert report.truth == pytest.approx(truth)


def test_plain_numbers_are_read_as_numbers(tmp_path: Path) -> None:
    """1 and 1.0 are one class, in one column or two; what is no class may have as many spellings as it likes."""
    path = tmp_path / "a.csv"
    path.write_text("y,p,price\n1,1.0,2.5\n0,0.0,2.50\n1.0,,02\n,1.0,2\n")
    assert find_codes(path, ["y", "p"]) == ()
    assert find_codes(path, ["y", "price"]) == ("price",)
    assert keep_codes([tmp_path / "missing.csv", path], ["y", "price", "elsewhere"]) == ("elsewhere", "price", "y")


def test_missing_words_stay_missing_among_codes(tmp_path: Path) -> None:
    """NA is no class where the others are numbers."""
    (tmp_path / "a.csv").write_text("y,p\n007,007\n7,7\nNA,7\n")
    table = md.read_table(tmp_path / "a.csv", ["y", "p"])
    assert table["y"].isna().tolist() == [False, False, True]
    assert table["p"].tolist() == ["007", "7", "7"]


def test_settings_know_which_metrics_are_of_classes() -> None:
    """The list of names is beside the settings, which cannot import the metrics."""
    for name, metric in METRICS.items():
        settings = MetricSettings(name, column="a") if name == "mean" else MetricSettings(name)
        assert settings.of_classes == (metric.needs not in ("numbers", "column"))
