"""A metric is data: one definition and one line in the list, and every face offers it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.arrays import Floats
from mandoline_core.metrics import METRICS, Metric
from mandoline_core.metrics.metric import UNIT


def _close(gap: Floats) -> Floats:
    return (np.abs(gap) <= 1).astype(float)


CLOSE = Metric("close", "share of predictions at most 1 off", "numbers", UNIT, called="closeness", of_numbers=_close)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Metric:
    """Put the metric in the list, as its line in the registry would."""
    monkeypatch.setitem(METRICS, CLOSE.name, CLOSE)
    return CLOSE


def test_a_new_metric_is_estimated_and_said(listed: Metric) -> None:
    """Half of the source rows at b are close, and half of the target is there."""
    source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 5.0, "p": [5.5] * 80 + [5.0, 9.0] * 10})
    target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 5.0})
    report = md.estimate(
        md.Sample(source, label="y", prediction="p"),
        md.Sample(target, prediction="p"),
        [md.Category("b", column="place", values=("b",))],
        metric="close",
    )
    assert report.source == pytest.approx(0.9)
    assert report.estimate == pytest.approx(0.75)
    assert report.interval[0] < 0.75 < report.interval[1] <= 1
    assert "close on the target" in str(report)
    assert "75.0%" in str(report)


def test_without_its_line_in_the_list_it_is_not_known() -> None:
    with pytest.raises(md.ProjectError, match="Metric 'close' is not known"):
        md.estimate(
            md.Sample(pd.DataFrame({"y": [1.0], "p": [1.0]}), label="y", prediction="p"),
            md.Sample(pd.DataFrame({"p": [1.0]})),
            [md.Threshold("high", column="p", above=0)],
            metric="close",
        )
