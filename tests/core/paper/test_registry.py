"""Every experiment keeps the contract: rows, figures, text, JSON; and is registered."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.paper import EXPERIMENTS, draw, get_experiment
from tests.core.paper.quick import quick_run

pytestmark = pytest.mark.paper

FOLDER = Path(md.__file__).parent / "paper" / "experiments"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_quick_run_finds_numbers_that_can_be_drawn_and_printed(name: str) -> None:
    found, experiment = quick_run(name), get_experiment(name)
    assert len(found.rows) >= 4
    for row in found.rows:
        assert math.isfinite(row["value"])
        assert row["error"] is None or (math.isfinite(row["error"]) and row["error"] >= 0)
        assert isinstance(row["method"], str)
        assert all(value is None or isinstance(value, str | int | float) for value in row.values())
    assert found.made["quick"] is True
    assert found.made["seeds"] == experiment.quick_seeds
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.as_dict()))
    assert set(found.as_dict()) == {"name", "title", "rows", "paper", "made"}
    for figure in experiment.figures:
        drawn = draw(found, figure)
        assert sum(len(trace.x) for trace in drawn.data) >= 4
        assert drawn.layout.title.text
    text = str(found)
    assert text.startswith(f"{experiment.title} ({experiment.place})")
    assert "Differences from the paper:" in text
    assert "in a quick run" in text


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_number_of_the_paper_says_where_it_stands(name: str) -> None:
    for row in get_experiment(name).paper:
        assert row["method"]
        assert row["place"]
        assert isinstance(row["value"], int | float | str)


def test_every_file_of_an_experiment_is_registered() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if path.stem != "__init__"}
    assert files == set(EXPERIMENTS)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(md.MandolineError, match=r"Unknown experiment 'noisy_slice'.*Did you mean 'noisy-slices'"):
        get_experiment("noisy_slice")
