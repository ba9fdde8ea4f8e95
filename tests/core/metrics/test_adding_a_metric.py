"""A metric is data: one definition and one line in the list, and every face offers it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.arrays import Floats
from mandoline_core.metrics import METRICS, Metric
from mandoline_core.metrics.metric import UNIT
from mandoline_core.report.words import headline
from mandoline_core.schemas import make_schema
from tests.core.projects import refused, run_json, write_project


def _close(gap: Floats) -> Floats:
    return (np.abs(gap) <= 1).astype(float)


CLOSE = Metric(
    "close",
    "share of predictions at most 1 off",
    "numbers",
    UNIT,
    called="closeness",
    sentence=("this model is probably close", "it was", " of the time"),
    of_numbers=_close,
)
SOURCE = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 5.0, "p": [5.5] * 80 + [5.0, 9.0] * 10})
TARGET = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 5.0})


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Metric:
    """Put the metric in the list, as its line in the registry would."""
    monkeypatch.setitem(METRICS, CLOSE.name, CLOSE)
    return CLOSE


def project(folder: Path, metric: str) -> Path:
    """Write a project of numbers."""
    changes = {
        "target": {"path": "target.csv"},
        "task": {"label": "y"},
        "models": [{"name": "m", "prediction": "p"}],
        "metric": {"name": metric},
        "slices": [{"name": "b", "kind": "category", "column": "place", "values": ["b"]}],
    }
    return write_project(folder, changes, source=SOURCE, target=TARGET)


def test_a_new_metric_is_estimated_and_said(listed: Metric) -> None:
    """Half of the source rows at b are close, and half of the target is there."""
    report = md.estimate(
        md.Sample(SOURCE, label="y", prediction="p"),
        md.Sample(TARGET, prediction="p"),
        [md.Category("b", column="place", values=("b",))],
        metric="close",
    )
    assert report.source == pytest.approx(0.9)
    assert report.estimate == pytest.approx(0.75)
    assert report.interval[0] < 0.75 < report.interval[1] <= 1
    assert "closeness on new data" in str(report)
    assert "75.0%" in str(report)
    assert headline(report.first).measured == "On your labelled data it was 90.0%."


def test_a_project_file_the_command_line_and_the_schema_know_it(
    listed: Metric, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project(tmp_path, "close")
    report, printed = md.estimate(md.load_project(path)), run_json(capsys, "estimate", path)
    assert printed["estimate"] == report.estimate == pytest.approx(0.75)
    assert printed["interval"] == list(report.interval)
    assert report.verdict is not None
    assert printed["verdict"]["level"] == report.verdict.level
    assert refused(capsys, project(tmp_path, "closr")).endswith("mean, close. Did you mean 'close'?")
    assert "close" in make_schema("project")["$defs"]["MetricSettings"]["properties"]["name"]["enum"]


def test_without_its_line_in_the_list_it_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(md.ProjectError, match="Unknown metric 'close'"):
        md.estimate(md.load_project(project(tmp_path, "close")))
