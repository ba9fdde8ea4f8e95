"""`mandoline init`: a project file that runs, says why it is as it is, and never takes the place of another."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.monitoring import draft_project
from tests.core.projects import run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]


def write_frames(folder: Path, source: pd.DataFrame, target: pd.DataFrame) -> tuple[Path, Path]:
    """Write two tables as CSV."""
    places = folder / "old.csv", folder / "new.csv"
    for place, frame in zip(places, (source, target), strict=True):
        frame.to_csv(place, index=False)
    return places


def test_the_project_has_the_roles_and_runs(tmp_path: Path, capsys: Captured) -> None:
    """Roles as a person would say them, a slice for what shifts and matters, comments on every part."""
    source, target, _ = small_frames()
    out = tmp_path / "deep" / "small.toml"
    out.parent.mkdir()
    code, said, _ = run(capsys, "init", *write_frames(tmp_path, source, target), "--out", out)
    assert code == 0
    assert str(out) in said
    assert said.count("no probabilities found") == 2
    project = md.load_project(out)
    assert project.name == "small"
    assert project.label == "label"
    assert {model.name: model.prediction for model in project.models} == {"lr": "pred_lr", "nb": "pred_nb"}
    assert project.source_path == Path("../old.csv")
    on = [rule for rule in project.slices if rule.enabled]
    assert on
    assert "not" in " ".join(rule.describe() for rule in on)
    assert all(f"\n  {rule.name}\n" in said for rule in on)
    assert any("than elsewhere (z = " in rule.note and "after weighting" not in rule.note for rule in project.slices)
    text = out.read_text(encoding="utf-8")
    for heading in ("[source]", "[target]", "[task]", "[[models]]", "[metric]", "[[slices]]", "[estimator]"):
        assert text.splitlines()[text.splitlines().index(heading) - 1].startswith("# "), heading
    assert run_json(capsys, "estimate", out)["converged"] is True


def test_a_file_that_is_there_stays(tmp_path: Path, capsys: Captured) -> None:
    project = write_project(tmp_path)
    before = project.read_bytes()
    code, _, err = run(capsys, "init", tmp_path / "source.csv", tmp_path / "target.csv", "--out", project)
    assert code == 2
    assert "already exists. Choose another file with --out FILE." in err
    assert project.read_bytes() == before


def test_what_cannot_be_guessed_is_asked_for(tmp_path: Path, capsys: Captured) -> None:
    """No column looks like predictions: said, and taken from the options."""
    source, target, _ = small_frames()
    new = {"pred_lr": "what_it_said", "pred_nb": "other"}
    rng = np.random.default_rng(0)
    source, target = (frame.rename(columns=new).assign(other=rng.random(len(frame))) for frame in (source, target))
    source["what_it_said"], target["what_it_said"] = rng.choice(["x", "y"], len(source)), "x"
    places, out = write_frames(tmp_path, source, target), tmp_path / "a.toml"
    code, _, err = run(capsys, "init", *places, "--out", out)
    assert code == 2
    assert "No column looks like predictions" in err
    assert "--prediction COLUMN" in err
    code, _, err = run(capsys, "init", *places, "--out", out, "--prediction", "wat_it_said")
    assert "Did you mean 'what_it_said'?" in err
    assert not out.exists()
    assert run(capsys, "init", *places, "--out", out, "--prediction", "what_it_said")[0] == 0
    assert [model.prediction for model in md.load_project(out).models] == ["what_it_said"]


def test_without_a_shift_no_slice_is_switched_on(tmp_path: Path) -> None:
    """The file says so, and shows how to write one."""
    source, _, _ = small_frames()
    start = draft_project(*write_frames(tmp_path, source, source.drop(columns="label")), tmp_path / "a.toml")
    assert not any(rule.enabled for rule in start.project.slices)
    assert start.doubt
    assert "# kind =" in start.to_toml() or "enabled = false" in start.to_toml()


def test_numbers_get_a_metric_of_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"size": rng.choice(["s", "l"], 300), "price": rng.random(300)})
    frame["guess"] = frame["price"] + rng.normal(0, 0.1, 300)
    places = write_frames(tmp_path, frame, frame.drop(columns="price"))
    start = draft_project(*places, tmp_path / "a.toml", label="price", predictions=["guess"])
    assert start.project.metric.name == "mae"


@pytest.mark.parametrize("named", [[], ["--label", "price"]], ids=["guessed", "named"])
def test_a_numeric_label_needs_no_other_option(tmp_path: Path, capsys: Captured, named: list[str]) -> None:
    rng = np.random.default_rng(3)
    size = np.repeat(["s", "l"], [1500, 500])
    frame = pd.DataFrame({"size": size, "price": rng.gamma(3.0, 1000.0, 2000) + 5000 * (size == "l")})
    frame["prediction"] = frame["price"] + rng.normal(0, 100, 2000) * (1 + 3 * (size == "l"))
    places = write_frames(tmp_path, frame, frame[::-1][:1000].drop(columns="price"))
    out = tmp_path / "a.toml"
    code, said, err = run(capsys, "init", *places, "--out", out, *named)
    assert (code, err) == (0, "")
    assert f"label: price ({'given by you' if named else 'only in the labelled data'})" in said
    assert "probabilities" not in said
    project = md.load_project(out)
    assert (project.label, project.metric.name) == ("price", "mae")
    truth = float((frame["price"] - frame["prediction"])[1000:].abs().mean())
    assert run_json(capsys, "estimate", out)["estimate"] == pytest.approx(truth, rel=0.05)


def test_a_columns_name_cannot_leave_its_comment(tmp_path: Path) -> None:
    """A line break in a name ends no comment: the file reads back as the project."""
    source, target, _ = small_frames()
    bad = 'pred_x\n[estimator]\nname = "source"\x0c'
    source, target = (frame.rename(columns={"pred_lr": bad}) for frame in (source, target))
    start = draft_project(*write_frames(tmp_path, source, target), tmp_path / "a.toml", predictions=[bad])
    content = tomllib.loads(start.to_toml())
    assert content["estimator"] == {"name": "mandoline"}
    assert content["models"][0]["prediction"] == bad
    assert md.parse_project(content, tmp_path) == start.project
