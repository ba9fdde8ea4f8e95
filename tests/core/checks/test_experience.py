"""The experience band: its table, its words, where it is silent, and how it is made anew."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import mandoline_core as md
from mandoline_core.checks import Band, SecondOpinionOn, blind_spot, experience_of, measure_bands
from mandoline_core.checks.experience import load_bands
from mandoline_core.findings import Finding
from mandoline_core.project import write_memory
from tests.benchmarks import bands, lights
from tests.core.made_worlds import concept_drift, sound
from tests.core.projects import ROOT, write_project

RECORDS = ROOT.parent / "shared" / "track_record.json"
SOUND = sound(0)
REPORT = md.estimate(SOUND.source, SOUND.target, SOUND.slices)


def test_a_green_report_quotes_its_band_with_the_number_of_runs():
    """In text, JSON and HTML; the other verdicts' numbers are not there."""
    known = experience_of(REPORT.first)
    assert known is not None
    assert known.message == (
        "In natural shifts with this verdict, 9 of 10 estimates were within 6.9 points, half within 1.6 (55 runs on "
        "10 cases). Where only the mix of rows changed, 9 of 10 estimates were within 1.8 points, half within 0.6 "
        "(33 runs on 8 cases)."
    )
    assert known.message in " ".join(str(REPORT).split())
    assert known.message in REPORT.to_html()
    plain = REPORT.as_dict()["experience"]
    assert plain["bands"][0]["nine_of_ten"] == 6.9
    assert plain["measured"] == "2026-11-18"


def test_bands_are_ordered_as_their_verdicts():
    every, _, base = load_bands()
    natural = {band.level: band for band in every if band.shift == "natural"}
    assert list(natural) == ["green", "amber", "red"]
    for share in ("half", "eight_of_ten", "nine_of_ten"):
        values = [getattr(band, share) for band in natural.values()]
        assert values == sorted(values)
    assert "51 real cases" in base


def test_a_changed_relation_is_green_and_green_says_that_it_cannot_see_it():
    world = concept_drift(2_000)
    report = md.estimate(world.source, world.target, world.slices)
    assert report.verdict is not None
    assert report.verdict.level == "green"
    said = "No check can see whether the relation between columns and labels changed. 60 labels of new rows"
    for text in (blind_spot(report.first), " ".join(str(report).split()), report.as_dict()["blind_spot"]):
        assert said in text
    assert said in report.to_html()


def test_the_change_that_labels_would_show_is_shown_eight_times_in_ten():
    """By simulation: the share of draws of 60 labels whose mean is beyond 1.96 standard errors, the estimate's too."""
    rng, estimate, own = np.random.default_rng(0), REPORT.estimate, REPORT.first.outcome.influence.standard_error()
    points = float(blind_spot(REPORT.first).split("a change of ")[1].split()[0])
    labels = rng.random((4000, 60)) < estimate - points / 100
    error = np.sqrt(estimate * (1 - estimate) / 60 + own**2)
    off = labels.mean(axis=1) - (estimate + own * rng.standard_normal(4000))
    assert 0.7 < (np.abs(off) > 1.96 * error).mean() < 0.9


def test_nothing_is_said_of_other_metrics_and_other_methods():
    for settings in ({"metric": "f1"}, {"estimator": "simple"}):
        other = md.estimate(SOUND.source, SOUND.target, SOUND.slices, **settings)
        assert experience_of(other.first) is None
        assert other.as_dict()["experience"] is None


@pytest.mark.parametrize(("n", "quoted"), [(4, False), (5, True)])
def test_the_projects_own_record_is_quoted_first_where_it_is_long_enough(tmp_path: Path, n: int, quoted: bool):
    """Only of the same verdict and metric."""
    one = {
        "target": "t", "model": "m", "metric": "accuracy", "estimate": 0.8, "interval": [0.7, 0.9], "realised": 0.79,
        "realised_interval": [0.7, 0.9], "n_labels": 50, "n_target": 90, "verdict": "green",
    }  # fmt: skip
    memory = tmp_path / "project.track.json"
    write_memory(memory, {"record": [one] * n + [one | {"verdict": "red"}] * 9})
    known = experience_of(REPORT.first, memory)
    assert known is not None
    start = "In this project, with this verdict: 5 of 5 true values were inside the interval"
    assert known.message.startswith(start) == quoted


def opinion(other: float) -> SecondOpinionOn:
    """Have one other method say something."""
    said = Finding("fit", "second_opinion", "info", "So it is.")
    return SecondOpinionOn(other, (0.0, 1.0), "dle", {"dle": other}, {}, said, share=True)


def test_within_red_words_grade_how_far_methods_disagree():
    world = sound(1)
    red = md.estimate(world.source, world.target, world.slices).first
    red = md.ModelReport(**{**vars(red), "verdict": md.Verdict("red", "", ())})
    for points, words in ((1, "up to 2 points."), (4, "up to 5 points."), (9, "up to 10"), (20, "more than 10")):
        known = experience_of(red, None, opinion(red.estimate - points / 100))
        assert known is not None
        assert f"Methods disagree by {words}" in known.message
    assert "disagree" not in (experience_of(REPORT.first, None, opinion(0.0)) or known).message


def test_cases_count_the_same_however_many_runs_they_have():
    """Against rows that are written out until every case has as many."""
    rng = np.random.default_rng(3)
    sizes = {"a": 2, "b": 3, "c": 6}
    runs = [
        {"case": case, "light": "amber", "mandoline": 0.5 + rng.normal(0, 0.1), "truth": 0.5}
        for case, n in sizes.items()
        for _ in range(n)
    ]
    (band,) = measure_bands(runs)
    errors = [100 * abs(one["mandoline"] - 0.5) for one in runs for _ in range(6 // sizes[one["case"]])]
    expected = np.quantile(errors, [0.5, 0.8, 0.9], method="inverted_cdf").round(1).tolist()
    assert [band.half, band.eight_of_ten, band.nine_of_ten] == expected
    assert (band.runs, band.cases, band.shift) == (11, 3, "natural")


def test_changes_of_mix_are_kept_apart():
    runs = [{"case": case, "light": "green", "mandoline": 0.8, "truth": 0.7} for case in "ab"]
    assert measure_bands(runs, mix={"b"}) == (
        Band("green", "natural", 1, 1, 10.0, 10.0, 10.0),
        Band("green", "mix", 1, 1, 10.0, 10.0, 10.0),
    )


def test_the_table_is_made_anew_from_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Natural shifts first, from green to red; a case that nobody recorded is refused."""
    errors = {("a", "green"): 1, ("b", "green"): 2, ("a", "red"): 9, ("b", "amber"): 4, ("c", "green"): 0.5}
    runs = [
        {"case": case, "light": light, "mandoline": 0.8, "truth": 0.8 - points / 100}
        for (case, light), points in errors.items()
    ]
    path = tmp_path / "records.json"
    path.write_text(json.dumps(runs))
    assert bands.main(str(path), "made up", "c") == 0
    content = tomllib.loads(capsys.readouterr().out)
    assert (content["base"], content["measured"]) == ("made up", date.today())
    assert [Band(**band) for band in content["bands"]] == [
        Band("green", "natural", 2, 2, 1.0, 2.0, 2.0),
        Band("amber", "natural", 1, 1, 4.0, 4.0, 4.0),
        Band("red", "natural", 1, 1, 9.0, 9.0, 9.0),
        Band("green", "mix", 1, 1, 0.5, 0.5, 0.5),
    ]
    assert bands.main(str(path), "made up", "d") == 2


@pytest.mark.skipif(not RECORDS.exists(), reason="the records of real cases are not here")
def test_a_table_of_real_runs_has_every_run():
    runs = json.loads(RECORDS.read_text(encoding="utf-8"))
    content = tomllib.loads(bands.as_toml(runs, "real cases", date(2026, 11, 19)))
    assert sum(band["runs"] for band in content["bands"]) == len(runs)
    assert [band["level"] for band in content["bands"]] == ["green", "amber", "red"]
    worst = [band["nine_of_ten"] for band in content["bands"]]
    assert worst == sorted(worst)
    (mix,) = (
        band for band in load_bands()[0] if band.shift == "mix"
    )  # all green runs of these records are of this kind
    assert Band(**content["bands"][0] | {"shift": "mix"}) == mix


def test_without_cases_there_is_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert lights.main(tmp_path / "none") == 0
    assert "nothing to measure" in capsys.readouterr().out


def test_a_case_is_run_with_its_labels_and_recorded_as_the_table_needs_it(tmp_path: Path):
    """A project names no labels: they are in the file beside it."""
    (tmp_path / "small").mkdir()
    path = write_project(tmp_path / "small", {"target": {"path": "target.csv"}})
    assert lights.main(tmp_path, tmp_path / "records.json") == 0
    found = json.loads((tmp_path / "records.json").read_text())
    expected = md.estimate(md.load_project(path)).models
    assert [(one["case"], one["slices"], one["model"]) for one in found] == [
        ("small", "project", "lr"),
        ("small", "project", "nb"),
    ]
    assert [one["mandoline"] for one in found] == [model.estimate for model in expected.values()]
    assert all(0 < one["truth"] < 1 for one in found)
    assert sum(band.runs for band in measure_bands(found)) == 2
    assert lights.by_light(found).splitlines()[-1].split()[:3] == ["all", "2", "1"]
