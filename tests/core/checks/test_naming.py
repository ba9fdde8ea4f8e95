"""Columns that name the sample: found by a stated rule, left out of comparisons, and amber at best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Category, ModelReport, Sample, estimate
from mandoline_core.domain_classifier import encode_column, find_naming

PLACE = Category("b", column="place", values=("b",))


def draw(n_rows: int, seed: int, **columns: Any) -> pd.DataFrame:
    """Draw rows of one population, with columns that say where they come from."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"place": rng.choice(["a", "b"], n_rows), "age": rng.normal(40, 10, n_rows)})
    frame["label"] = 1
    frame["pred"] = (rng.random(n_rows) < np.where(frame["place"] == "a", 0.9, 0.6)).astype(int)
    return frame.assign(**columns)


def report(source: dict[str, Any], target: dict[str, Any], **settings: Any) -> ModelReport:
    """Estimate on samples that are alike but for the columns given."""
    samples = draw(2000, 1, **source), draw(1500, 2, **target).drop(columns="label")
    return estimate(Sample(samples[0], label="label", prediction="pred"), Sample(samples[1]), [PLACE], **settings).first


def codes(found: ModelReport) -> set[str]:
    return {one.code for one in found.findings}


DAYS = pd.date_range("2024-01-01", periods=2000, freq="h")


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (2015, 2018, "(2015 in labelled data, 2018 in new data)"),
        (np.arange(2000) % 25 + 1975, np.arange(1500) % 13 + 2010, "(1975 to 1999 in labelled data, 2010 to 2022 in"),
        (
            "Oslo",
            np.array(["Rome", "Bonn", "Nice"])[np.arange(1500) % 3],
            "(Oslo in labelled data, Bonn, Nice and 1 more",
        ),
        (
            np.array([1, 3])[np.arange(2000) % 2],
            np.array([2, 4])[np.arange(1500) % 2],
            "(1, 3 in labelled data, 2, 4",
        ),
        (DAYS, DAYS[:1500] + pd.Timedelta("90D"), "(2024-01-01 to 2024-03-24 in labelled data, 2024-03-31 to"),
        (DAYS.strftime("%Y-%m-%d"), (DAYS[:1500] + pd.Timedelta("90D")).strftime("%Y-%m-%d"), "(2024-01-01 to"),
    ],
    ids=["year", "years", "city", "codes", "dates", "dates as text"],
)
def test_a_column_that_names_the_sample_is_left_out_and_the_light_is_amber(source: Any, target: Any, words: str):
    found = report({"batch": source}, {"batch": target})
    assert found.verdict is not None
    assert found.verdict.level == "amber"
    assert codes(found).isdisjoint({"unmodelled_shift", "told_apart"})
    (said,) = (one for one in found.findings if one.code == "names_sample")
    assert said.text.startswith(f"'batch' names the sample {words}")
    assert said.text.endswith("so it is not compared.")
    assert said.numbers["columns"] == ("batch",)
    assert "batch" in found.evidence.left_out
    assert "batch" not in {line.column for line in found.evidence.columns or ()}


def test_a_reason_makes_it_irrelevant_and_its_name_alone_does_not():
    columns = {"year": 2015}, {"year": 2018}
    levels = []
    for harmless in ({}, {"year": ""}, {"year": "the same staff, form and scanner"}):
        verdict = report(*columns, harmless=harmless).verdict
        assert verdict is not None
        levels.append(verdict.level)
    assert levels == ["amber", "amber", "green"]


def test_what_differs_otherwise_is_still_said():
    """The column that names the sample hid it: only the loudest of three findings were about others."""
    found = report({"year": 2015}, {"year": 2018, "age": np.random.default_rng(3).normal(52, 10, 1500)})
    assert {"names_sample", "unmodelled_shift"} <= codes(found)
    (line,) = (one for one in found.evidence.columns or () if one.column == "age")
    assert line.stands_out


def test_several_are_one_finding():
    found = report({"year": 2015, "site": "north"}, {"year": 2018, "site": "south"})
    (said,) = (one for one in found.findings if one.code == "names_sample")
    assert said.numbers["columns"] == ("year", "site")
    assert said.text.startswith("'year' and 'site' name the sample (year: 2015 in labelled data")
    assert said.text.endswith("so they are not compared.")


@pytest.mark.parametrize(
    ("shared", "rows", "named"), [(0.0, 600, True), (0.04, 600, True), (0.08, 600, False), (0.04, 6000, False)]
)
def test_the_rule_is_an_overlap_of_five_percent_and_too_few_labelled_rows_for_a_slice(
    shared: float, rows: int, named: bool
):
    """With 240 labelled rows of the new data's kind a slice can cover them: an ordinary shift."""
    kinds = np.where(np.arange(rows) < shared * rows, "new", "old")
    samples = Sample(pd.DataFrame({"kind": kinds})), Sample(pd.DataFrame({"kind": ["new"] * 500}))
    column = encode_column("kind", samples, (np.arange(rows), np.arange(500)))
    assert not isinstance(column, str)
    found = find_naming("kind", column)
    assert (found is not None) == named
    if found is not None:
        assert found.overlap == pytest.approx(shared)


def test_samples_drawn_alike_are_not_named():
    """However few the rows and however many the values: by value and by range."""
    rng = np.random.default_rng(5)
    for n, levels in ((20, 30), (25, 12), (200, 30)):
        for _ in range(200):
            frames = [pd.DataFrame({"x": rng.integers(0, levels, n), "y": rng.normal(size=n)}) for _ in range(2)]
            frames = [frame.assign(z=[f"level {value}" for value in frame["x"]]) for frame in frames]
            samples = Sample(frames[0]), Sample(frames[1])
            for name in "xyz":
                column = encode_column(name, samples, (np.arange(n), np.arange(n)))
                assert isinstance(column, str) or find_naming(name, column) is None
