"""Slices by a classifier: whether a row looks new, learned from both samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.slices import codes, read_line, resolve, survey_samples
from mandoline_core.slices.kinds.classifier import ScoreSlice
from tests.core.projects import small_frames, write_project


def side(rng: np.random.Generator, n: int, share: float) -> pd.DataFrame:
    """Draw rows: a hidden kind of rows, on which the model is right half as often, shows in a word and in a number."""
    odd = rng.random(n) < share
    text = [f"{'lol' if one and rng.random() < 0.9 else 'well'} number {i % 83} came" for i, one in enumerate(odd)]
    right = rng.random(n) < np.where(odd, 0.5, 0.95)
    label = rng.integers(0, 2, n)
    return pd.DataFrame(
        {"text": text, "age": rng.normal(40 - 10 * odd, 8), "y": label, "p": np.where(right, label, 1 - label)}
    )


@pytest.fixture(scope="module")
def pair() -> tuple[md.Sample, md.Sample]:
    """Return a source and a target with more odd rows."""
    rng = np.random.default_rng(0)
    source, target = side(rng, 3000, 0.15), side(rng, 1500, 0.6)
    return md.Sample(source, label="y", prediction="p"), md.Sample(target.drop(columns="y"), prediction="p")


@pytest.mark.parametrize("rule", [md.Classifier("new"), md.Classifier("new", buckets=4)])
def test_it_explains_a_shift_that_nobody_described(rule, pair):
    """It goes most of the way: 68% is right, and the source says 88%."""
    report = md.estimate(*pair, [rule])
    right = 0.95 - 0.45 * 0.6
    assert report.source - right > 0.18
    assert abs(report.estimate - right) < 0.06


def test_the_decision_is_one_slice_and_buckets_are_a_family(pair):
    """Buckets meet end to end: each row is inside exactly one."""
    (one,) = resolve([md.Classifier("new")], *pair)
    assert one.name == "new"
    assert one.describe() == "looks new to a classifier on text, age"
    family = resolve([md.Classifier("new", buckets=4)], *pair)
    assert [rule.name for rule in family] == ["new_1", "new_2", "new_3", "new_4"]
    for sample in pair:
        assert ((codes(sample, family) == 1).sum(axis=1) == 1).all()
        assert set(np.unique(codes(sample, [one]))) == {-1, 1}


def test_what_it_says_of_one_sample_depends_on_the_other(pair):
    """So its key names both, and a cache that holds codes by key and sample mistakes none for another."""
    source, target = pair
    other = md.Sample(side(np.random.default_rng(5), 800, 0.9), prediction="p")
    (here,), (there,) = (resolve([md.Classifier("new")], source, one) for one in (target, other))
    assert repr(here.key) != repr(there.key)
    assert target.fingerprint in repr(here.key)
    assert source.fingerprint in repr(here.key)
    assert (codes(source, [here]) != codes(source, [there])).any()
    (again,) = resolve([md.Classifier("anything", note="else")], source, target)
    assert again.key == here.key
    assert repr(again.key) == repr(here.key)


def test_a_copy_of_a_sample_is_known_and_another_is_not(pair):
    """Samples are known by what is in them."""
    source, target = pair
    (rule,) = resolve([md.Classifier("new")], source, target)
    copy = md.Sample(source.frame.to_polars(), label="y", prediction="p")
    assert (codes(copy, [rule]) == codes(source, [rule])).all()
    with pytest.raises(md.SliceError, match="scored the rows of"):
        codes(md.Sample(source.frame.head(10)), [rule])
    with pytest.raises(md.SliceError, match="is not resolved"):
        codes(source, [md.Classifier("new")])


def test_columns_may_be_named_and_only_those_are_read(pair):
    """A column that is not there, and the label, are refused as for every slice."""
    (rule,) = resolve([md.Classifier("new", columns=["age"])], *pair)
    assert rule.reads == ("age",)
    with pytest.raises(md.SliceError, match=r"column 'aeg', which is not in .* Did you mean 'age'"):
        resolve([md.Classifier("new", columns=["aeg"])], *pair)
    with pytest.raises(md.SliceError, match="'y', which is not in"):
        resolve([md.Classifier("new", columns=["y"])], *pair)


def test_perfect_separation_is_said_with_what_does_it():
    """No weights could make up for it, so there is no slice; the next columns to try are named."""
    rng = np.random.default_rng(1)
    source, target = (side(rng, 300, 0.3).assign(year=year) for year in (2015, 2018))
    samples = md.Sample(source, label="y", prediction="p"), md.Sample(target.drop(columns="y"), prediction="p")
    with pytest.raises(md.SliceError) as caught:
        md.estimate(*samples, [md.Classifier("new")])
    message = str(caught.value)
    assert "perfectly (AUC 1.000), by 'year'" in message
    assert "Leave 'year' out: set columns to others, such as text, age." in message
    md.estimate(*samples, [md.Classifier("new", columns=("text", "age"))])


def test_what_it_learned_is_a_remark(pair, monkeypatch):
    """With its AUC and what carries it; where it learned from a draw, of how many rows."""
    found = [one for one in md.estimate(*pair, [md.Classifier("new", buckets=3)]).findings if one.check == "slices"]
    assert [one.code for one in found] == ["classifier_slice"]
    assert "mainly by 'text' (lol" in found[0].message
    assert "a random draw" not in found[0].message
    monkeypatch.setattr("mandoline_core.domain_classifier.classifier.MOST_ROWS", 500)
    report = md.estimate(*pair, [md.Classifier("new", seed=7)])
    remark = next(one for one in report.findings if one.code == "classifier_slice")
    assert "trained on a random draw of 500 of 3,000 labelled rows and 500 of 1,500 new rows" in remark.message


def test_it_may_be_part_of_a_combination(pair):
    """As any other slice; a member of a family by its name."""
    rules = [md.Classifier("new", enabled=False), md.Threshold("old", column="age", above=40)]
    both = resolve([*rules, md.All("old and new", of=("new", "old"))], *pair)
    assert [rule.name for rule in both] == ["old", "old and new"]
    assert isinstance(both[1].parts[0], ScoreSlice)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"buckets": 1}, "buckets must be a whole number from 2 to 50. Got 1."),
        ({"seed": -1}, "seed must be a whole number, 0 or more. Got -1."),
        ({"columns": "age"}, "columns must be a list of columns. Got 'age'. Did you mean ['age']?"),
        ({"columns": []}, "columns is empty. Add at least one of its columns."),
        ({"columns": [1]}, "columns must be a list of columns. Got 1."),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    """What is wrong, and what was expected."""
    with pytest.raises(md.SliceError) as caught:
        md.Classifier("new", **settings)
    assert str(caught.value) == f"Slice 'new': {message}"


def test_too_few_rows_and_too_few_columns_are_said():
    """By the slice's name."""
    few = md.Sample(pd.DataFrame({"a": [1, 2]}), name="few.csv")
    with pytest.raises(md.SliceError, match=r"Slice 'new': few.csv has 2 rows. The domain classifier needs"):
        resolve([md.Classifier("new")], few, few)
    days = md.Sample(pd.DataFrame({"day": pd.date_range("2020-01-01", periods=30)}))
    with pytest.raises(md.SliceError, match="The domain classifier cannot use these columns: day"):
        resolve([md.Classifier("new")], days, days)


def test_a_project_file_holds_it(tmp_path):
    """All its settings come back."""
    rule = {"name": "new", "kind": "classifier", "columns": ["text"], "buckets": 3, "seed": 5}
    project = md.load_project(write_project(tmp_path, {"slices": [rule]}))
    assert project.slices == (md.Classifier("new", columns=("text",), buckets=3, seed=5),)
    assert md.save_project(project, tmp_path / "again.toml").slices == project.slices


def test_it_can_be_typed_and_edited():
    """In one line, with or without columns; none chosen in the form means all."""
    source, target = (md.Sample(frame) for frame in small_frames()[:2])
    survey = survey_samples(source, target)
    assert read_line("classifier", survey).columns is None
    typed = read_line("odd: classifier(text)", survey)
    assert (typed.name, typed.columns) == ("odd", ("text",))
    assert [control.type for control in typed.form()] == ["columns", "switch"]
    assert typed.edited("columns", [], source).columns is None
    assert typed.edited("family", value=True, source=source).buckets == 4
    assert typed.edited("family", value=True, source=source).edited("family", value=False, source=source) == typed
    assert md.Classifier.start(survey) == md.Classifier("looks new")
