"""The published schemas: as the code says, as commands print, and as project files are."""

from __future__ import annotations

import argparse
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.cli.main import COMMANDS
from mandoline_core.schemas import PROJECT, make_schema, read_schema, schema_names
from mandoline_core.slices import KINDS
from tests.core.paper.quick import quick_run
from tests.core.projects import DIGITS, NEGATION, REVIEWS, run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]
BASE = {"version": 1, "source": {"path": "a.csv"}, "target": {"path": "b.csv"}}


def check(name: str, value: Any) -> None:
    """Hold a value against a published schema."""
    jsonschema.Draft202012Validator(json.loads(read_schema(name))).validate(value)


@pytest.mark.parametrize("name", schema_names())
def test_published_files_are_what_the_code_says(name: str) -> None:
    """Where this fails, `make schemas` writes them anew."""
    schema = json.loads(read_schema(name))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema == make_schema(name)


def test_every_command_that_prints_json_has_one() -> None:
    takers = []
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        if "[--json]" in parser.format_usage():
            takers.append(name)
    assert sorted([PROJECT, *takers]) == sorted(schema_names())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the small project with everything that a slice may have, and some labels of the target."""
    rich = NEGATION | {"noise": {"source": {"inside": 0.95, "outside": 0.02}, "target": {"same": True}}, "note": "a"}
    folder = tmp_path_factory.mktemp("small")
    channel = {"name": "channel", "kind": "category", "column": "channel"}
    slices = [rich, {"name": "long", "kind": "threshold", "column": "n_words", "above": 10, "gold": "is_long"}, channel]
    source, target, labels = small_frames()
    source["is_long"] = source["n_words"] > 12
    path = write_project(folder, {"slices": slices, "edges": [["negation", "long"]]}, source=source, target=target)
    some = labels.where(pd.Series(range(len(labels))) % 3 == 0)
    some.to_csv(folder / "target_labels.csv", index=False)
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("estimate",),
        ("estimate", "--plain"),
        ("compare", "--reveal"),
        ("slices",),
        ("ablation",),
        ("suggest", "--auto"),
        ("suggest", "--most", "3"),
        ("backtest", "--draws", "2"),
        ("labels",),
        ("plan", "--rows", "10"),
        ("check", "--min", "0.1"),
    ],
    ids=" ".join,
)
def test_what_is_printed_is_as_published(command: tuple[str, ...], small: Path, capsys: Captured) -> None:
    check(command[0], run_json(capsys, command[0], small, *command[1:]))


def test_an_estimate_with_everything_is_as_published(capsys: Captured) -> None:
    """Second opinions, the truth."""
    check("estimate", run_json(capsys, "estimate", DIGITS, "--reveal"))


def test_where_weights_did_not_converge_a_program_is_told_no_number(small: Path) -> None:
    report = md.estimate(md.load_project(small))
    name, model = next(iter(report.models.items()))
    told = replace(report, models={name: replace(model, converged=False)}).as_dict()
    check("estimate", told)
    for place in (told, told["models"][name]):
        assert (place["estimate"], place["interval"], place["converged"]) == (None, None, False)


def test_experiments_are_as_published(capsys: Captured) -> None:
    """The list of all, and what one found."""
    check("reproduce", run_json(capsys, "reproduce"))
    check("reproduce", json.loads(quick_run("independent-slices").to_json()))


@pytest.mark.parametrize("path", [REVIEWS, DIGITS], ids=["reviews", "digits"])
def test_sample_projects_are_as_published(path: Path) -> None:
    check(PROJECT, tomllib.loads(path.read_text(encoding="utf-8")))


def test_what_is_written_is_as_published(small: Path) -> None:
    """A project file by the program itself, and one with every setting off its default."""
    check(PROJECT, tomllib.loads(md.dump_project(md.load_project(small))))
    settings = {
        "edges": "inverse-covariance:6",
        "estimator": {"name": "denoised", "confidence": 0.9, "interval": "bootstrap", "split": "half"},
        "metric": {"name": "f1", "positive": 1, "merge": {"no": ["a", 2, True]}},
        "trust": {"harmless": {"year": "it is only the date"}},
        "methods": {"features": ["a"], "width": 1.5},
        "target": {"table": "new", "engine": "spark"},
    }
    check(PROJECT, BASE | settings)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"nmae": "x"}, "nmae"),
        ({"version": 2}, "version"),
        ({"estimator": {"split": "thirds"}}, "split"),
        ({"metric": {"name": "acuracy"}}, "name"),
        ({"slices": [{"name": "a", "kind": "keyword", "column": "t"}]}, "words"),
        ({"slices": [{"name": "a", "kind": "keywrd", "column": "t"}]}, "kind"),
        ({"source": {}}, "path"),
        ({"models": [{"prediction": "p"}]}, "name"),
    ],
)
def test_what_the_program_refuses_the_schema_refuses(change: dict[str, Any], key: str) -> None:
    """A wrong key, a wrong choice, a key that is missing."""
    with pytest.raises(md.MandolineError, match=key):
        md.parse_project({**BASE, "task": {"label": "y"}, **change}, ".")
    with pytest.raises(jsonschema.ValidationError):
        check(PROJECT, BASE | change)


def test_every_kind_of_slice_is_in_it_with_all_its_keys() -> None:
    schema = json.loads(read_schema(PROJECT))
    kinds = {one["properties"]["kind"]["const"]: one for one in schema["properties"]["slices"]["items"]["oneOf"]}
    assert list(kinds) == list(KINDS)
    assert {"column", "words", "case", "whole_words"} <= set(kinds["keyword"]["properties"])


def test_the_command_prints_names_and_schemas(capsys: Captured) -> None:
    code, names, _ = run(capsys, "schema")
    assert (code, names.split()) == (0, schema_names())
    assert json.loads(run(capsys, "schema", "project")[1])["title"] == "Mandoline project file"
    code, _, err = run(capsys, "schema", "estmate")
    assert code == 2
    assert "Did you mean 'estimate'?" in err
