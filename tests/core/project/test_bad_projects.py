"""Bad project files and options: one clear sentence on standard error, exit code 2, no traceback.

Bad data files are in test_bad_input.py; what is wrong with a file before any data are read, in test_project_file.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mandoline_core.estimators.registry import ESTIMATORS
from tests.core.projects import LONG, NEGATION, refused, run, write_project

KEYS = "version, name, note, source, target, task, models, metric, slices, edges, estimator, methods, trust, decision"
FIRST = "[[slices]] number 1 ('negation')"


def noisy(**correction: float) -> dict[str, Any]:
    """Make the one slice noisy in the source."""
    return {"slices": [{**NEGATION, "noise": {"source": correction}}]}


def with_pattern(pattern: str) -> dict[str, Any]:
    """Make a regular expression the one slice."""
    return {"slices": [{"name": "links", "kind": "regex", "column": "text", "pattern": pattern}]}


def made_of(kind: str, *names: str) -> dict[str, Any]:
    """Add a slice that is made of others."""
    return {"slices": [NEGATION, LONG, {"name": "both", "kind": kind, "of": list(names)}]}


CASES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": (
        {"slice": []},
        f"Unknown key 'slice' in project.toml. Expected: {KEYS}. Did you mean 'slices'?",
    ),
    "unknown key of a slice": (
        {"slices": [{**NEGATION, "word": ["no"]}]},
        (
            f"Unknown key 'word' in {FIRST}. Expected: name, kind, column, words, case, whole_words, noise, gold, "
            "audit, enabled, note. Did you mean 'words'?"
        ),
    ),
    "no slices": (
        {"slices": None},
        "There are no slices. Add or enable at least one.",
    ),
    "slice on the label": (
        {"slices": [{"name": "good", "kind": "category", "column": "label", "values": ["good"]}]},
        "Slice 'good' reads the label 'label', which new data does not have. Choose a column that both have.",
    ),
    "edges by another word": (
        {"edges": "automatic"},
        (
            'edges must be a list of pairs of slice names, "auto", "graphical-lasso" or "inverse-covariance" '
            '(4 pairs; for 6, "inverse-covariance:6"). '
            "Got 'automatic'. Did you mean 'auto'?"
        ),
    ),
    "unknown slice in all": (
        made_of("all", "negation", "lnog"),
        ("Slice 'both' names slice 'lnog', which does not exist. Slices: negation, long, both. Did you mean 'long'?"),
    ),
    "unknown slice in any": (
        made_of("any", "lnog"),
        ("Slice 'both' names slice 'lnog', which does not exist. Slices: negation, long, both. Did you mean 'long'?"),
    ),
    "unknown slice in not": (
        made_of("not", "lnog"),
        ("Slice 'both' names slice 'lnog', which does not exist. Slices: negation, long, both. Did you mean 'long'?"),
    ),
    "slice made of itself": (
        made_of("all", "long", "both"),
        "Slice 'both' is made of itself: both -> both. Remove one of these from another.",
    ),
    "correction below 0": (
        noisy(outside=-0.02),
        f"{FIRST}: Correction 'outside' must be between 0 and 1. Got -0.02.",
    ),
    "correction that says nothing": (
        noisy(inside=0.5, outside=0.5),
        (
            f"{FIRST}: Corrections inside = outside = 0.5 mean that the slice carries no information. "
            "Remove the slice, or set inside above outside."
        ),
    ),
    "look-around": (
        with_pattern("(?<!not )good"),
        (
            "Slice 'links': Pattern '(?<!not )good' uses look-around, which is not supported. Remove it, or "
            "combine two slices with kind 'all' and 'not'."
        ),
    ),
    "entropy without probabilities": (
        {"slices": [{"name": "unsure", "kind": "entropy", "buckets": 3}]},
        (
            "Slice 'unsure' needs the probability of each class, and model 'lr' has none. Give the model "
            'probabilities, such as { no = "p_no", yes = "p_yes" }.'
        ),
    ),
    "unknown estimator": (
        {"estimator": {"name": "mandolin"}},
        f"Unknown method 'mandolin'. Methods: {', '.join(ESTIMATORS)}. Did you mean 'mandoline'?",
    ),
    "unknown split": (
        {"estimator": {"split": "halves"}},
        "split must be 'none', 'half' or 'crossfit'. Got 'halves'. Did you mean 'half'?",
    ),
    "unknown metric": (
        {"metric": {"name": "acuracy"}},
        (
            "Unknown metric 'acuracy'. Metrics: accuracy, error, precision, recall, f1, f_beta, balanced_accuracy, "
            "mcc, quadratic_kappa, top_k_accuracy, log_loss, brier, auroc, mae, mape, rmse, pinball, bias, mean. "
            "Did you mean 'accuracy'?"
        ),
    ),
    "merge of an unknown class": (
        {"metric": {"name": "accuracy", "merge": {"any": ["godo", "bad"]}}},
        "merge in [metric] names an unknown class 'godo'. Classes: bad, good. Did you mean 'good'?",
    ),
}


@pytest.mark.parametrize(("changes", "message"), CASES.values(), ids=CASES.keys())
def test_a_project_that_cannot_be_right_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong, where, and what to do."""
    assert refused(capsys, write_project(tmp_path, changes)) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "project.toml has no version. Add version = 1 at its top."),
        (
            b'version = 1\nname = "small\n',
            "project.toml is not valid TOML at line 2, column 14: Illegal character '\\n'. Correct it there.",
        ),
        (
            b"version = 1\n[source]\npath = source.csv\n",
            "project.toml is not valid TOML at line 3, column 8: Invalid value. Correct it there.",
        ),
        (
            'version = 1\nname = "café"\n'.encode("latin-1"),
            "project.toml is not UTF-8, which TOML requires: see line 2. Save it as UTF-8.",
        ),
        (b"PK\x03\x04\xff\x00", "project.toml is not a text file. Expected a project file in TOML."),
    ],
    ids=["empty", "open quote", "bare text", "latin-1", "zip"],
)
def test_a_file_that_is_no_toml_is_refused(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line is named where there is one."""
    project = write_project(tmp_path)
    project.write_bytes(content)
    assert refused(capsys, project) == message


@pytest.mark.parametrize("command", ["estimate", "slices", "ablation", "app"])
def test_a_project_that_is_not_there_is_refused(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By every command, with the nearest name; a folder is no project."""
    write_project(tmp_path)
    expected = f"Project file 'projct.toml' is not in {tmp_path}. Did you mean 'project.toml'?"
    assert refused(capsys, tmp_path / "projct.toml", command=command) == expected
    nowhere = tmp_path / "nowhere" / "project.toml"
    expected = f"Project file 'project.toml' is not in {nowhere.parent}, which does not exist."
    assert refused(capsys, nowhere, command=command) == expected
    expected = f"{tmp_path} is a folder. Expected a project file. Those in it: project.toml."
    assert refused(capsys, tmp_path, command=command) == expected


@pytest.mark.parametrize("option", ["--weights", "--html"])
def test_a_place_that_cannot_be_written_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the reason that the system gives."""
    project, nowhere = write_project(tmp_path), tmp_path / "nowhere" / "out"
    expected = f"Cannot write {nowhere}: No such file or directory. Choose another path."
    assert refused(capsys, project, option, nowhere) == expected
    expected = f"Cannot write {tmp_path}: Is a directory. Choose another path."
    assert refused(capsys, project, option, tmp_path) == expected


def test_fail_under_must_be_a_possible_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A percentage would fail every pipeline; a mean may be any number."""
    project = write_project(tmp_path)
    assert refused(capsys, project, "--fail-under", "80") == (
        "--fail-under must be between 0 and 1. Got 80. Did you mean 0.8?"
    )
    assert refused(capsys, project, "--fail-under", "-1") == "--fail-under must be between 0 and 1. Got -1."
    mean = write_project(tmp_path, {"metric": {"name": "mean", "column": "n_words"}, "models": None, "task": None})
    assert run(capsys, "estimate", mean, "--fail-under", "8")[0] == 0


def test_options_that_do_not_exist_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is that of bad input."""
    for arguments in (("estimate", "--jsn", "x.toml"), ("estimate",), ("estmate", "x.toml"), ()):
        with pytest.raises(SystemExit) as stopped:
            run(capsys, *arguments)
        assert stopped.value.code == 2
        assert "Traceback" not in capsys.readouterr().err
