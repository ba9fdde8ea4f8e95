"""Small projects on disk, and running the command line on them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tomli_w

from mandoline_core.cli.main import main

ROOT = Path(__file__).parents[2]
SAMPLE_DATA = ROOT / "sample_data"
REVIEWS = SAMPLE_DATA / "reviews" / "project.toml"
DIGITS = SAMPLE_DATA / "digits" / "project.toml"

NEGATION = {"name": "negation", "kind": "keyword", "column": "text", "words": ["not", "never"]}
LONG = {"name": "long", "kind": "threshold", "column": "n_words", "above": 10}
WEB = {"name": "web", "kind": "category", "column": "channel", "values": ["web"]}

PROJECT: dict[str, Any] = {
    "version": 1,
    "name": "small",
    "source": {"path": "source.csv"},
    "target": {"path": "target.csv", "labels": "target_labels.csv"},
    "task": {"label": "label"},
    "models": [{"name": "lr", "prediction": "pred_lr"}, {"name": "nb", "prediction": "pred_nb"}],
    "slices": [NEGATION, LONG],
}


def small_frame(n_rows: int, *, share_negated: float, share_long: float, seed: int) -> pd.DataFrame:
    """Draw rows whose models err more often on negated and on long texts; `label` is the last column."""
    rng = np.random.default_rng(seed)
    negated = rng.random(n_rows) < share_negated
    long = rng.random(n_rows) < share_long
    label = rng.choice(["bad", "good"], n_rows)
    columns = {
        "text": np.where(negated, "it is not good at all", "it is good"),
        "n_words": np.where(long, rng.integers(11, 40, n_rows), rng.integers(1, 11, n_rows)),
        "channel": rng.choice(["web", "mail"], n_rows),
    }
    for model, skill in (("lr", 0.9), ("nb", 0.8)):
        right = rng.random(n_rows) < skill - 0.3 * negated - 0.1 * long
        columns[f"pred_{model}"] = np.where(right, label, np.where(label == "bad", "good", "bad"))
    return pd.DataFrame({**columns, "label": label})


def small_frames() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return a source, a target without labels, and the target's labels."""
    source = small_frame(400, share_negated=0.2, share_long=0.3, seed=1)
    target = small_frame(300, share_negated=0.6, share_long=0.5, seed=2)
    return source, target.drop(columns="label"), target[["label"]]


def write_project(
    folder: Path,
    changes: Mapping[str, Any] | None = None,
    *,
    source: pd.DataFrame | str | None = None,
    target: pd.DataFrame | str | None = None,
) -> Path:
    """Write the small project into a folder, with some of its keys or tables replaced; None removes a key."""
    plain_source, plain_target, labels = small_frames()
    for name, table in (
        ("source", plain_source if source is None else source),
        ("target", plain_target if target is None else target),
        ("target_labels", labels),
    ):
        path = folder / f"{name}.csv"
        path.write_text(table if isinstance(table, str) else table.to_csv(index=False), encoding="utf-8")
    content = deepcopy(PROJECT) | dict(changes or {})
    path = folder / "project.toml"
    path.write_text(
        tomli_w.dumps({key: value for key, value in content.items() if value is not None}), encoding="utf-8"
    )
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command line in this process; return its exit code, output and error output."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """Run a command with --json and return the object it prints."""
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def refused(capsys: pytest.CaptureFixture[str], project: Path, *options: object, command: str = "estimate") -> str:
    """Run a command that must refuse its input; return its one sentence."""
    code, out, err = run(capsys, command, project, *options)
    assert (code, out) == (2, "")
    assert err.startswith("mandoline: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.removeprefix("mandoline: ").removesuffix("\n")
