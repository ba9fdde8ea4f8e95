"""Real data that travel beside the checkout: the exact errors of a noiseless problem, through the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tomli_w

from tests.core.projects import ROOT, run_json

DATA = ROOT.parent / "shared" / "data"
pytestmark = [
    pytest.mark.paper,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real cases are not beside the checkout (../shared/data)"),
]
Change = Callable[[dict[str, Any]], None]


def as_it_is(project: dict[str, Any]) -> None:
    """Change nothing."""


def without_corrections(project: dict[str, Any]) -> None:
    """Take every slice at its word."""
    for rule in project["slices"]:
        rule.pop("noise", None)


def overlap_slices_only(project: dict[str, Any]) -> None:
    """Keep the slices on lexical overlap."""
    project["slices"] = [rule for rule in project["slices"] if "overlap" in rule["name"]]


def with_learned_edges(project: dict[str, Any]) -> None:
    """Let score tests choose the edges."""
    project["edges"] = "auto"


# Case, project, change, then estimate minus truth in points for each model, to as many digits as are known.
TABLE: list[tuple[str, str, Change, str, str]] = [
    ("acs_slices_s0", "hand", as_it_is, "-0.71 -0.91 -0.83", "0.20 0.10 0.00"),
    ("acs_slices_s0", "noisy", without_corrections, "-1.34 -1.59 -1.48", "-1.21 -1.49 -1.40"),
    ("adult_rare_slice", "hand", as_it_is, "-0.78 -0.20 -0.06", "-0.78 -0.20 -0.06"),
    ("fashion_mnist_blurry", "hand", as_it_is, "1.23 1.34", "1.23 1.34"),
    ("imdb_to_yelp", "auto", as_it_is, "3.8 2.8 -4.4 4.8 -24.7", "3.6 2.6 -4.4 4.6 -24.2"),
    ("nycflights_spring_to_summer", "auto", as_it_is, "3.8 6.8 3.8", "3.8 6.8 4.0"),
    ("snliplus_to_hansminus", "hand", overlap_slices_only, "24.4 25.5 -15.7", "24.4 25.5 -15.7"),
    ("snliplus_to_hansminus", "hand", as_it_is, "1.2 2.9 -1.5", "1.0 3.0 -2.3"),
]
ESTIMATORS = ("mandoline", "simple")
ROWS = [
    pytest.param(case, project, change, name, said, id=f"{case}-{project}-{change.__name__}-{name}")
    for case, project, change, *errors in TABLE
    for name, said in zip(ESTIMATORS, errors, strict=True)
]


def errors_of(
    case: str,
    name: str,
    change: Change,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    estimator: str = "mandoline",
) -> list[float]:
    """Estimate a changed project on the command line; return estimate minus truth in points, model by model."""
    project = {"edges": []} | tomllib.loads((DATA / case / f"{name}.toml").read_text(encoding="utf-8"))
    change(project)
    project["estimator"] = {"name": estimator, "spread": False}
    for side in ("source", "target"):
        project[side]["path"] = str(DATA / case / project[side]["path"])
    path = tmp_path / "project.toml"
    path.write_text(tomli_w.dumps(project), encoding="utf-8")
    found = run_json(capsys, "estimate", path)
    labels = pd.read_csv(DATA / case / "target_labels.csv")["label"].astype(str)
    columns = {model["name"]: model["prediction"] for model in project["models"]}
    target = pd.read_csv(DATA / case / "target.csv", usecols=list(columns.values()), dtype=str)
    return [100 * (found["models"][model]["estimate"] - (target[columns[model]] == labels).mean()) for model in columns]


@pytest.mark.parametrize(("case", "project", "change", "estimator", "said"), ROWS)
def test_exact_errors_are_reproduced(
    case: str,
    project: str,
    change: Change,
    estimator: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """To the digits given, for every model."""
    found = errors_of(case, project, change, tmp_path, capsys, estimator)
    digits = len(said.split()[0].partition(".")[2])
    assert [f"{error + 0.0:.{digits}f}".replace("-0.00", "0.00") for error in found] == said.split()


def test_learned_edges_help_where_slices_interact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The mean absolute error over models falls below 0.6 points, from about 0.8 without edges."""
    found = errors_of("acs_slices_s0", "hand", with_learned_edges, tmp_path, capsys)
    assert sum(map(abs, found)) / len(found) < 0.6


def test_the_hardest_case_is_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All slices at once, where a solver without safeguards diverges: within 0.75 points for the first model."""
    assert abs(errors_of("snliplus_to_hansminus", "all", as_it_is, tmp_path, capsys)[0]) < 0.75
