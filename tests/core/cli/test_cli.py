"""The command line: what it prints, what it writes, how it ends; the same numbers as the library."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import mandoline_core as md
from mandoline_core import guide
from mandoline_core.cli.main import COMMANDS as ALL
from mandoline_core.cli.main import main
from tests.core.projects import DIGITS, LONG, NEGATION, REVIEWS, WEB, run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]
COMMANDS = ("app", "estimate", "slices", "ablation", "report")
EDGE = {"edges": [["negation", "long"]]}
HOSTILE = "<img src=x onerror=alert(1)>"


def printed(value: Any) -> Any:
    """Return a value as JSON would bring it back."""
    return json.loads(json.dumps(value))


def is_interval(value: Any) -> bool:
    """Tell a pair of numbers in order."""
    return isinstance(value, list) and len(value) == 2 and value[0] <= value[1]


@pytest.mark.parametrize("project", [REVIEWS, DIGITS], ids=["reviews", "digits"])
def test_estimate_prints_the_contract(project: Path, capsys: Captured) -> None:
    """Every key, with its type; the top level is the first model."""
    found = run_json(capsys, "estimate", project)
    for key in ("estimate", "source", "set_aside", "effective_sample_size", "largest_ratio"):
        assert isinstance(found[key], float), key
    for key in ("n_source", "n_target", "n_patterns"):
        assert isinstance(found[key], int), key
    assert is_interval(found["interval"])
    assert found["truth"] is None
    assert found["converged"] is True
    assert all(isinstance(value, float) for value in found["delta"].values())
    for finding in found["findings"]:
        told = {"code", "severity", "message", "remedy"}
        assert set(finding) == told | {"check", "headline", "slices", "numbers"}
        assert finding["severity"] in ("info", "warning", "serious")
    for model in found["models"].values():
        assert {"estimate", "interval", "source", "truth"} <= set(model)
        assert model["interval"][0] < model["estimate"] < model["interval"][1]
    first = next(iter(found["models"].values()))
    for key in ("estimate", "interval", "source", "truth", "findings"):
        assert found[key] == first[key], key


def test_estimate_prints_the_librarys_floats_exactly(capsys: Captured) -> None:
    """No digit is lost on the way out."""
    report = md.estimate(md.load_project(REVIEWS))
    found = run_json(capsys, "estimate", REVIEWS)
    assert found == printed(report.as_dict())
    assert found["estimate"] == report.estimate
    assert tuple(found["interval"]) == report.interval
    assert found["delta"] == report.delta


def test_delta_names_edges_by_their_slices(tmp_path: Path, capsys: Captured) -> None:
    """An edge is written "a*b", after the slices."""
    found = run_json(capsys, "estimate", write_project(tmp_path, EDGE))
    assert list(found["delta"]) == ["negation", "long", "negation*long"]
    assert list(found["models"]) == ["lr", "nb"]


def test_samples_read_by_polars_give_the_same_report(capsys: Captured) -> None:
    """The engine that holds the data does not matter, down to the fingerprint."""
    project = md.load_project(REVIEWS)
    frames = (pl.read_csv(REVIEWS.with_name(name)) for name in ("source.csv", "target.csv"))
    source, target = (
        md.Sample(frame, models=project.models, label=label)
        for frame, label in zip(frames, ("label", None), strict=True)
    )
    report = md.estimate(source, target, project.slices)
    assert run_json(capsys, "estimate", REVIEWS) == printed(report.as_dict())


def test_odd_projects_print_no_nan(tmp_path: Path, capsys: Captured) -> None:
    """A slice that never fires, a score that never varies, a column with gaps only: still JSON."""
    source, target, _ = small_frames()
    never = {"slices": [LONG, {**NEGATION, "words": ["zebra"]}]}
    mean = {"metric": {"name": "mean", "column": "loss"}, "models": None, "task": None}
    for changes, frame in ((never, source), (mean, source.assign(loss=2.5)), ({}, source.assign(n_words=None))):
        for command in ("estimate", "slices", "ablation"):
            run_json(capsys, command, write_project(tmp_path, changes, source=frame, target=target))


def test_weights_file_has_one_weight_a_row_and_model(tmp_path: Path, capsys: Captured) -> None:
    """Each model's weights sum to 1, are the library's, and leave out rows without a label."""
    source, _, _ = small_frames()
    source.loc[:9, "label"] = None
    project, out = write_project(tmp_path, source=source), tmp_path / "weights.csv"
    assert run(capsys, "estimate", project, "--weights", out)[0] == 0
    weights = pl.read_csv(out).to_pandas()
    assert list(weights) == ["lr", "nb"]
    assert len(weights) == len(source)
    assert (weights[:10] == 0).all(axis=None)
    report = md.estimate(md.load_project(project))
    for name in weights:
        assert weights[name].sum() == pytest.approx(1, abs=1e-12)
        assert np.array_equal(weights[name], report.models[name].weights)


def test_fail_under_sets_the_exit_code(tmp_path: Path, capsys: Captured) -> None:
    """1 when the first model's estimate is below, with the report still printed; else 0."""
    project = write_project(tmp_path)
    found = run_json(capsys, "estimate", project)["estimate"]
    assert run(capsys, "estimate", project, "--fail-under", found)[0] == 0
    code, out, err = run(capsys, "estimate", project, "--fail-under", found + 1e-9)
    assert code == 1
    assert "small: estimated accuracy on new data" in out
    assert re.fullmatch(r"mandoline: lr: the estimate \d+\.\d+% is below \d+\.\d+%\.\n", err)
    told = re.findall(r"[\d.]+(?=%)", err)
    assert float(told[0]) < float(told[1])  # written with the digits that tell them apart


def test_fail_under_means_worse_where_less_is_better(tmp_path: Path, capsys: Captured) -> None:
    """An error above the bound fails; one below it does not."""
    project = write_project(tmp_path, {"metric": {"name": "error"}})
    found = run_json(capsys, "estimate", project)["estimate"]
    assert run(capsys, "estimate", project, "--fail-under", found + 0.01)[0] == 0
    code, _, err = run(capsys, "estimate", project, "--fail-under", found - 0.01)
    assert code == 1
    assert " is above " in err


def test_reveal_shows_the_truth(tmp_path: Path, capsys: Captured) -> None:
    """The share of right predictions on the target's labels; without --reveal there is none."""
    _, target, labels = small_frames()
    project = write_project(tmp_path)
    found = run_json(capsys, "estimate", project, "--reveal")
    plain = run_json(capsys, "estimate", project)
    for name in ("lr", "nb"):
        right = (target[f"pred_{name}"] == labels["label"]).mean()
        assert found["models"][name]["truth"] == pytest.approx(right, rel=1e-13)
        assert plain["models"][name]["truth"] is None
        assert found["models"][name]["estimate"] == plain["models"][name]["estimate"]
    assert found["truth"] == found["models"]["lr"]["truth"]
    assert f"{found['truth']:.1%}" in run(capsys, "estimate", project, "--reveal")[1]


def test_html_page_escapes_every_name(tmp_path: Path, capsys: Captured) -> None:
    """A name is text, whatever it looks like."""
    hostile = [
        {**NEGATION, "name": HOSTILE},
        {**LONG, "name": f"{HOSTILE} 2"},
        {**WEB, "name": "never", "values": ["x"]},
    ]
    changes = {
        "name": HOSTILE,
        "models": [{"name": HOSTILE, "prediction": "pred_lr"}, {"name": "nb", "prediction": "pred_nb"}],
        "slices": [*hostile, {**LONG, "name": f"{HOSTILE} 3"}],  # a duplicate, so that a finding names it
        "edges": [[HOSTILE, f"{HOSTILE} 2"]],
    }
    page = tmp_path / "page.html"
    code, _, err = run(capsys, "estimate", write_project(tmp_path, changes), "--html", page)
    assert (code, err) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "<img" not in text
    assert text.count("&lt;img src=x onerror=alert(1)&gt;") >= 5  # title, heading, model, edge, finding


def test_slices_prints_every_models_table(capsys: Captured) -> None:
    """As JSON, the library's rows; as text, one table a model."""
    project = md.load_project(DIGITS)
    source, target = project.read()
    found = run_json(capsys, "slices", DIGITS)
    assert list(found) == ["models", "effects"]
    for model in source.models:
        fit = md.prepare(source, target, project.slices, model=model, settings=project.estimator)
        assert found["models"][model.name] == printed([row.as_dict() for row in md.slice_table(fit)])
        assert found["effects"][model.name] == printed(md.attribute(fit, project.estimator).as_dict())
    (row,) = found["models"]["lr"]
    assert row["gold"]["precision"] == pytest.approx(0.714, abs=0.001)
    _, out, _ = run(capsys, "slices", DIGITS)
    assert "Slices for model lr" in out
    assert "Slices for model knn" in out
    assert "low_sharpness compared with its gold labels on 8,000 labelled rows: precision 0.714, recall 0.938" in out


def test_ablation_prints_both_curves(tmp_path: Path, capsys: Captured) -> None:
    """The first cumulative entry is the source score, the last the estimate; each slice is left out once."""
    project = write_project(tmp_path, {"slices": [NEGATION, LONG, WEB], "edges": [["negation", "long"]]})
    found, report = run_json(capsys, "ablation", project), run_json(capsys, "estimate", project)
    assert {"cumulative", "leave_one_out"} <= set(found)
    for entry in found["cumulative"] + found["leave_one_out"]:
        assert {"slice", "estimate", "interval", "effective_sample_size"} <= set(entry)
        assert is_interval(entry["interval"])
    assert [entry["slice"] for entry in found["cumulative"]] == [None, "negation", "long", "web"]
    assert [entry["slice"] for entry in found["leave_one_out"]] == ["negation", "long", "web"]
    assert found["cumulative"][0]["estimate"] == report["source"]
    assert found["cumulative"][0]["interval"] == report["source_interval"]
    assert found["cumulative"][-1]["estimate"] == pytest.approx(report["estimate"], abs=1e-12)
    assert found["models"]["lr"]["cumulative"] == found["cumulative"]
    without = write_project(tmp_path, {"slices": [NEGATION, LONG], "edges": [["negation", "long"]]})
    expected = run_json(capsys, "estimate", without)["estimate"]
    assert found["leave_one_out"][-1]["estimate"] == pytest.approx(expected, abs=1e-12)


def test_what_is_no_share_is_not_shown_as_one(tmp_path: Path, capsys: Captured) -> None:
    """A Brier score lies between 0 and 1 and is no percentage, wherever its interval lies."""
    source, target, _ = small_frames()
    probabilities = {"bad": "p_bad", "good": "p_good"}
    for frame in (source, target):
        frame["p_good"] = (frame["pred_lr"] == "good") * 0.6 + 0.2
        frame["p_bad"] = 1 - frame["p_good"]
    models = [{"name": "lr", "prediction": "pred_lr", "probabilities": probabilities}]
    project = write_project(tmp_path, {"models": models, "metric": {"name": "brier"}}, source=source, target=target)
    slices, ablation = (run(capsys, command, project)[1] for command in ("slices", "ablation"))
    inside = run_json(capsys, "slices", project)["models"]["lr"][0]["inside"]["score"]
    assert f"{inside:.4g} (" in slices
    assert f"{100 * inside:.1f}%" not in slices
    first = run_json(capsys, "ablation", project)["cumulative"][0]["estimate"]
    assert f"{first:.4g} (" in ablation
    assert "%" not in ablation


def test_text_shows_the_numbers_of_the_json(capsys: Captured) -> None:
    """A person and a program read the same report."""
    found = run_json(capsys, "estimate", REVIEWS)
    _, out, err = run(capsys, "estimate", REVIEWS)
    assert err == ""
    for name, model in found["models"].items():
        low, high = (f"{100 * end:.1f}" for end in model["interval"])
        assert re.search(rf"^{name} +{100 * model['estimate']:.1f}% \({low} to {high}\)", out, re.MULTILINE)
        assert f"{model['source']:.1%}" in out
    assert f"{found['n_source']:,} labelled rows, {found['n_target']:,} new rows, {found['n_patterns']} slice" in out
    assert "79.4% (76.5 to 82.0)" in out


def test_the_reference_documents_every_command_and_option(capsys: Captured) -> None:
    """A command or option that --help lists is on the guide's page."""
    page = guide.read("reference-command-line")
    general = help_of(capsys)
    commands = re.findall(r"^    (\w+) ", general.split("COMMAND")[-1].split("examples:")[0], re.MULTILINE)
    assert commands == list(ALL)
    for command in commands:
        assert f"## mandoline {command}\n" in page
        for option in set(re.findall(r"--[a-z-]+", help_of(capsys, command))) - {"--help"}:
            assert f"`{option}" in page, f"{option} of mandoline {command}"


def help_of(capsys: Captured, *command: str) -> str:
    """Return what --help prints."""
    with pytest.raises(SystemExit) as stopped:
        run(capsys, *command, "--help")
    assert stopped.value.code == 0
    return capsys.readouterr().out


def test_help_lists_every_command_and_the_exit_codes(capsys: Captured) -> None:
    """One page says where to start."""
    text = help_of(capsys)
    for command in COMMANDS:
        assert re.search(rf"^    {command} ", text, re.MULTILINE), command
    assert "exit codes:" in text


def test_progress_goes_to_standard_error_only(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow run, by a clock that gains ten seconds a look, rewrites one line of a terminal; a log gets none."""
    noisy = {**NEGATION, "noise": {"source": {"inside": 0.9, "outside": 0.1}}}
    slow = {"slices": [noisy, LONG], "estimator": {"interval": "bootstrap", "replicates": 50}}
    monkeypatch.setattr("mandoline_core.cli.command.time", SimpleNamespace(monotonic=itertools.count(0, 10).__next__))
    project = str(write_project(tmp_path, slow))
    assert main(["estimate", project]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["estimate", project, "--json"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"\rbootstrap of (lr|nb): \d+% *\r", err)
    assert "\n" not in err
    assert re.search(r"\r +\r$", err)
    assert json.loads(out)["converged"] is True
    assert "bootstrap of" not in out


def test_the_app_says_how_to_get_streamlit(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not a dependency of the library and the command line."""
    monkeypatch.setattr("mandoline_core.cli.app.find_spec", lambda name: None)
    assert run(capsys, "app") == (
        2,
        "",
        "mandoline: The app needs Streamlit. Install it with: pip install 'mandoline-estimator[app]'\n",
    )


@pytest.mark.parametrize("port", ["0", "99999", "http", "-1", "8501.5"])
def test_a_port_that_cannot_be_is_refused(port: str, capsys: Captured) -> None:
    """In one line, before anything starts."""
    with pytest.raises(SystemExit) as stopped:
        main(["app", f"--port={port}"])
    assert stopped.value.code == 2
    assert f"must be a whole number from 1 to 65535. Got {port!r}." in capsys.readouterr().err


def test_folders_for_visitors_are_handed_to_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by its place; the server itself is not started here."""
    handed: dict[str, str] = {}

    def start(_command: list[str], environment: dict[str, str]) -> int:
        handed.update(environment)
        return 0

    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setattr("mandoline_core.cli.app._serve", start)
    assert main(["app", *(f"--allow-dir={folder}" for folder in folders)]) == 0
    assert handed["MANDOLINE_ALLOW_DIRS"] == os.pathsep.join(map(str, folders))


def test_a_folder_for_visitors_that_is_not_there_is_refused(tmp_path: Path, capsys: Captured) -> None:
    """In one line, before anything starts."""
    with pytest.raises(SystemExit) as stopped:
        main(["app", f"--allow-dir={tmp_path / 'no-such'}"])
    assert stopped.value.code == 2
    assert "must be an existing folder" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """When the reader has gone, as `head` does, there is nothing to say."""
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [sys.executable, "-m", "mandoline_core.cli", "estimate", str(write_project(tmp_path))]
    # With buffering, as usual, the pipe is found closed only when the output is flushed.
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(arguments, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, env=usual)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_report_writes_one_file_beside_the_project(tmp_path: Path, capsys: Captured) -> None:
    """Named after the project; `estimate --html` writes the same; the truth is in it only when asked for."""
    project = write_project(tmp_path, {"name": "My reviews/5"})
    code, out, err = run(capsys, "report", project)
    place = tmp_path / "My-reviews-5-report.html"
    assert (code, out, err) == (0, f"Wrote {place}.\n", "")
    other = tmp_path / "other.html"
    assert run(capsys, "estimate", project, "--html", other)[0] == 0
    assert other.read_bytes() == place.read_bytes()
    assert run(capsys, "report", project, "--reveal", "--out", other)[0] == 0
    assert "The true value is " in other.read_text(encoding="utf-8")
    assert "The true value is " not in place.read_text(encoding="utf-8")


def test_a_report_never_overwrites_what_it_is_made_of(tmp_path: Path, capsys: Captured) -> None:
    """Not the project, not its data, by whatever path; the files stay as they were."""
    project = write_project(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for command, option in (("report", "--out"), ("estimate", "--html")):
        for name in ("project.toml", "source.csv", "../" + tmp_path.name + "/target.csv", "target_labels.csv"):
            place = tmp_path / name
            code, out, err = run(capsys, command, project, option, place)
            said = f"{place} is part of the project and would be overwritten. Choose another path."
            assert (code, out, err) == (2, "", f"mandoline: {said}\n")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("command", [("estimate", "--weights"), ("plan", "--out")], ids=" ".join)
def test_no_output_overwrites_the_data(command: tuple[str, str], tmp_path: Path, capsys: Captured) -> None:
    """Whatever is written: the labelled rows may be all there are."""
    project, source = write_project(tmp_path), tmp_path / "source.csv"
    before = source.read_bytes()
    code, _, err = run(capsys, command[0], project, command[1], source)
    assert (code, source.read_bytes()) == (2, before)
    assert "is part of the project and would be overwritten" in err
