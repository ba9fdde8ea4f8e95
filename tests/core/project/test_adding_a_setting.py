"""Adding a setting takes one line: its default, its bounds and its sentence; what reads and writes it follows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from mandoline_core.errors import ProjectError
from mandoline_core.project import EstimatorSettings, MethodSettings, MetricSettings, TrustSettings
from mandoline_core.project.validation import Whole, settings
from mandoline_core.schemas.shapes import schema_of

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


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
        ({"rounds": 0}, "rounds must be a whole number, 1 or above. Got 0."),
        ({"order": "row"}, "order must be 'rows' or 'patterns'. Got 'row'. Did you mean 'rows'?"),
        (
            {"round": 2},
            (
                "Unknown key 'round' in Own. Expected: name, split, overlap, ridge, confidence, seed, interval, "
                "replicates, rounds, order. Did you mean 'rounds'?"
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


@pytest.mark.parametrize("settings", [EstimatorSettings, MethodSettings, MetricSettings, TrustSettings])
def test_the_reference_names_every_setting_and_its_choices(settings: type) -> None:
    written = set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`\n]+`", README, re.DOTALL))))
    for name, shape in schema_of(settings)["properties"].items():
        assert {name, *shape.get("enum", ())} <= written
