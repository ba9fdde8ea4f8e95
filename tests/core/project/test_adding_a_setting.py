"""Adding a setting takes one line: its default, its bounds and its sentence; what reads and writes it follows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

import mandoline_core as md
from mandoline_core.errors import ProjectError
from mandoline_core.guide import read
from mandoline_core.pipeline import state
from mandoline_core.project import DecisionSettings, EstimatorSettings, MethodSettings, MetricSettings, TrustSettings
from mandoline_core.project.validation import Whole, settings
from mandoline_core.schemas.shapes import schema_of
from tests.core.projects import ROOT, write_project

REFERENCE = read("reference-project-file")


@settings
class Own(EstimatorSettings):
    """Add two settings to those there are.

    Parameters
    ----------
    rounds : int
        How often to try.
    """

    rounds: Annotated[Whole, Field(ge=1)] = 3
    order: Literal["rows", "patterns"] = "rows"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rounds": 0}, "rounds must be a whole number, 1 or more. Got 0."),
        ({"order": "row"}, "order must be 'rows' or 'patterns'. Got 'row'. Did you mean 'rows'?"),
        (
            {"round": 2},
            (
                "Unknown key 'round' in Own. Expected: name, split, overlap, ridge, confidence, seed, interval, "
                "replicates, spread, rounds, order. Did you mean 'rounds'?"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_as_of_any_other(given: dict[str, object], message: str) -> None:
    with pytest.raises(ProjectError) as caught:
        replace(Own(), **given)
    assert str(caught.value) == message


def test_the_schema_has_its_default_its_bounds_and_its_sentence() -> None:
    schema = schema_of(Own)["properties"]
    assert schema["rounds"] == {"type": "integer", "default": 3, "minimum": 1, "description": "How often to try."}
    assert schema["order"]["enum"] == ["rows", "patterns"]
    assert Own(rounds=5).as_dict()["rounds"] == 5


@pytest.mark.parametrize(
    "settings", [DecisionSettings, EstimatorSettings, MethodSettings, MetricSettings, TrustSettings]
)
def test_the_reference_names_every_setting_and_its_choices(settings: type) -> None:
    written = set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`\n]+`", REFERENCE, re.DOTALL))))
    for name, shape in schema_of(settings)["properties"].items():
        assert {name, *shape.get("enum", ())} <= written


def test_a_line_in_a_copy_of_the_code_is_all_it_takes(tmp_path: Path) -> None:
    """File, command line, Python argument, saved again, in the schema; and a bad value gets a sentence."""
    shutil.copytree(ROOT / "mandoline_core", tmp_path / "mandoline_core", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "mandoline_core" / "project" / "settings.py"
    last = "    replicates: Annotated[Whole, Field(ge=2, le=100_000)] = 1000\n"
    text = file.read_text(encoding="utf-8").replace(last, f"{last}    rounds: Annotated[Whole, Field(ge=1)] = 3\n")
    file.write_text(text, encoding="utf-8")
    write_project(tmp_path, {"estimator": {"rounds": 5}})
    code = """
import json, mandoline_core as md
from mandoline_core.cli.main import main
from mandoline_core.schemas import make_schema
project = md.load_project("project.toml")
assert "rounds = 5" in md.dump_project(project)
assert md.estimate(project, rounds=7).settings.rounds == 7
schema = make_schema("project")["$defs"]["EstimatorSettings"]["properties"]["rounds"]
assert (schema["default"], schema["minimum"]) == (3, 1)
main(["estimate", "project.toml", "--json"])
open("bad.toml", "w").write(open("project.toml").read().replace("rounds = 5", "rounds = 0"))
raise SystemExit(main(["estimate", "bad.toml"]))
"""
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "mandoline: rounds must be a whole number, 1 or more. Got 0.\n")
    assert json.loads(done.stdout)["made"]["settings"]["rounds"] == 5


def changed(shape: dict[str, Any]) -> object:
    """Return a value that is allowed and is not the default."""
    if shape["type"] == "string":
        return shape.get("enum", ["x"])[-1]
    if shape["type"] == "boolean":
        return not shape["default"]
    return 0.5 if shape["type"] == "number" else shape["default"] + 1


@pytest.mark.parametrize(("name", "shape"), schema_of(EstimatorSettings)["properties"].items())
def test_every_setting_is_a_key_and_an_argument(name: str, shape: dict[str, Any], tmp_path: Path) -> None:
    expected = replace(EstimatorSettings(), **{name: changed(shape)})
    assert expected != EstimatorSettings()
    project = md.load_project(write_project(tmp_path, {"estimator": {name: changed(shape)}}))
    assert project.estimator == expected
    assert md.parse_project(tomllib.loads(md.dump_project(project)), tmp_path).estimator == expected
    plain = md.load_project(write_project(tmp_path))
    assert state("estimate", plain, None, None, **{name: changed(shape)}).settings == expected
