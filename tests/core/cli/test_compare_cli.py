"""`mandoline compare`: what it prints, how it ends; the same numbers as the library."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mandoline_core as md
from mandoline_core.estimators.registry import ESTIMATORS
from tests.core.projects import DIGITS, LONG, NEGATION, PROJECT, refused, run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]
FEW = {"methods": {"redraws": 10, "features": ["n_words", "channel"]}}


def printed(value: Any) -> Any:
    """Return a value as JSON would bring it back."""
    return json.loads(json.dumps(value, allow_nan=False))


def test_json_is_the_librarys_comparison(tmp_path: Path, capsys: Captured) -> None:
    """Digit for digit, every method of the registry; an estimate of the project says the same."""
    project = write_project(tmp_path, FEW)
    found = run_json(capsys, "compare", project)
    assert found == printed(md.compare(md.load_project(project)).as_dict())
    estimate = run_json(capsys, "estimate", project)
    for name, model in estimate["models"].items():
        assert list(found["models"][name]["estimators"]) == list(ESTIMATORS)
        said = found["models"][name]["estimators"]["mandoline"]
        assert (said["estimate"], said["interval"]) == (model["estimate"], model["interval"])
        assert (found["models"][name]["source"], found["models"][name]["truth"]) == (model["source"], None)


@pytest.mark.long
def test_every_method_but_three_applies_to_the_digits(capsys: Captured) -> None:
    """Scores from elsewhere and a model's folder are missing, and classes have no loss of their own."""
    found, estimate = (run_json(capsys, command, DIGITS) for command in ("compare", "estimate"))
    assert found == printed(md.compare(md.load_project(DIGITS)).as_dict())
    assert list(found["models"]) == ["lr", "knn"]
    for name, model in found["models"].items():
        missing = [method for method, said in model["estimators"].items() if not said["available"]]
        assert missing == ["cbiw_scores", "cbiw_finetuned", "dle"]
        assert model["estimators"]["cbiw_scores"]["reason"].startswith("No column with a domain classifier's")
        said = model["estimators"]["denoised"]
        assert (said["estimate"], said["interval"]) == tuple(
            estimate["models"][name][k] for k in ("estimate", "interval")
        )


def test_text_shows_the_numbers_of_the_json(tmp_path: Path, capsys: Captured) -> None:
    """A table a model, its directions and reasons, then rankings and differences."""
    project = write_project(tmp_path, FEW)
    found = run_json(capsys, "compare", project)
    code, text, err = run(capsys, "compare", project)
    assert (code, err) == (0, "")
    assert text.rstrip("\n") == str(md.compare(md.load_project(project)))
    parts = text.split("\n\nsmall: ")
    assert len(parts) == 3
    for part, (name, model) in zip(parts, found["models"].items(), strict=False):
        assert f"accuracy of {name} on new data, by method" in part
        assert f"On labelled data: {model['source']:.1%} (" in part
        assert "Truth" not in part
        for method, said in model["estimators"].items():
            if said["available"]:
                line = next(line for line in part.splitlines() if line.startswith(f"  {method} "))
                low, high = said["interval"]
                assert f"{said['estimate']:.1%} ({100 * low:.1f} to {100 * high:.1f})" in line
                change = f"{said['direction']} {100 * abs(said['change']):.1f} points"
                assert method == "source" or ("unchanged" if said["direction"] == "unchanged" else change) in line
            else:
                unwrapped = re.sub(r"\n +", " ", part)
                reason = re.escape(said["reason"])
                assert re.search(
                    rf"^- [\w, ]*\b{method}\b[\w, ]* (does|do) not apply: {reason}", unwrapped, re.MULTILINE
                )
                assert unwrapped.count(said["reason"]) == 1
    assert "ranking of the models, by method" in parts[2]
    for method, ranking in found["rankings"].items():
        assert not ranking["order"] or re.search(rf"^{method} +{' > '.join(ranking['order'])}", parts[2], re.MULTILINE)
    (by_mandoline,) = [d for d in found["differences"] if d["estimator"] == "mandoline"]
    value, (low, high) = 100 * by_mandoline["value"], (100 * end for end in by_mandoline["interval"])
    assert f"  lr - nb by mandoline: {value:+.1f} points ({low:+.1f} to {high:+.1f})" in parts[2]


def test_reveal_judges_the_methods(tmp_path: Path, capsys: Captured) -> None:
    """Truth, errors, and Kendall's tau; the estimates stay."""
    project = write_project(tmp_path, FEW)
    hidden, found = run_json(capsys, "compare", project), run_json(capsys, "compare", project, "--reveal")
    _, target, labels = small_frames()
    for name, model in found["models"].items():
        right = (target[f"pred_{name}"] == labels["label"]).mean()
        assert model["truth"] == pytest.approx(right, rel=1e-13)
        assert hidden["models"][name]["truth"] is None
        for method, said in model["estimators"].items():
            before = hidden["models"][name]["estimators"][method]
            assert (said["estimate"], said["interval"]) == (before["estimate"], before["interval"])
            assert not said["available"] or said["error"] == said["estimate"] - model["truth"]
    ranking = found["rankings"]["mandoline"]
    assert ranking["tau"] == 1.0
    assert ranking["max_absolute_error"] >= ranking["mean_absolute_error"] > 0
    text = run(capsys, "compare", project, "--reveal")[1]
    assert f"Truth: {found['models']['lr']['truth']:.1%}." in text
    assert re.search(r"mean error +largest +tau \(p\)", text)


def test_one_model_has_no_ranking(tmp_path: Path, capsys: Captured) -> None:
    """Its table alone."""
    project = write_project(tmp_path, FEW | {"models": PROJECT["models"][:1]})
    code, text, _ = run(capsys, "compare", project)
    assert code == 0
    assert "ranked" not in text
    assert "Differences" not in text


def test_a_project_without_slices_compares(tmp_path: Path, capsys: Captured) -> None:
    """Methods on columns do; those on slices say that there are none."""
    found = run_json(capsys, "compare", write_project(tmp_path, FEW | {"slices": []}))
    said = found["models"]["lr"]["estimators"]
    assert said["cbiw_features"]["available"]
    assert "There are no slices" in said["mandoline"]["reason"]


def test_odd_projects_compare_in_json(tmp_path: Path, capsys: Captured) -> None:
    """A slice that never fires, a metric near 0, a column of one value, all rows right: no NaN, no crash."""
    source, target, _ = small_frames()
    never = {"slices": [LONG, {**NEGATION, "words": ["zebra"]}]}
    mean = {"metric": {"name": "mean", "column": "loss"}, "models": None, "task": None}
    bias = {"metric": {"name": "bias"}, "models": [{"name": "m", "prediction": "n_words"}], "task": {"label": "y"}}
    for changes, frame in (
        (never, source),
        (mean, source.assign(loss=2.5)),
        (bias, source.assign(y=10)),
        ({}, source.assign(label=source["pred_lr"])),
        ({}, source.assign(label=["good", "bad"] + [None] * (len(source) - 2))),
        (
            {"metric": {"name": "recall", "positive": "good"}},
            source.assign(label=["good"] + ["bad"] * (len(source) - 1)),
        ),
    ):
        project = write_project(tmp_path, FEW | changes, source=frame, target=target)
        run_json(capsys, "compare", project)
        assert run(capsys, "compare", project)[0] == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"models": [{"name": "lr", "prediction": "pred_rl"}]}, "Did you mean 'pred_lr'?"),
        ({"metric": {"name": "acuracy"}}, "Did you mean 'accuracy'?"),
        ({"methods": {"max_rows": 3}}, "max_rows must be a whole number from 10 to 1,000,000. Got 3."),
        ({"methods": {"widht": 3.0}}, "widht"),
        ({"models": None}, "Metric 'accuracy' needs a model."),
        ({"slices": [{**LONG, "column": "words"}]}, "Slice 'long' reads column 'words', which is not in source.csv."),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    changes: dict[str, Any], said: str, tmp_path: Path, capsys: Captured
) -> None:
    """Exit code 2, one line on standard error, nothing on standard output."""
    project = write_project(tmp_path, changes)
    assert said in refused(capsys, project, command="compare")
    assert said in refused(capsys, project, "--json", command="compare")
    assert "nowhere.toml" in refused(capsys, tmp_path / "nowhere.toml", command="compare")


def test_a_real_process_compares_without_a_word_on_standard_error(tmp_path: Path) -> None:
    """As a person runs it: warnings would show."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "mandoline_core.cli",
        "compare",
        write_project(tmp_path, FEW),
        "--json",
    ]
    found = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    said = [line for line in found.stderr.splitlines() if not re.fullmatch(r".*: \d+%", line)]
    assert (found.returncode, said) == (0, [])
    assert list(json.loads(found.stdout)["models"]) == ["lr", "nb"]
