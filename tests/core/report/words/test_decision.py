"""The decision: the whole interval decides, whichever way the metric is better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core import MandolineError, ModelReport, ProjectError, Verdict
from mandoline_core.report.words import decide
from tests.core.projects import REVIEWS, write_project


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS)).first


@pytest.mark.parametrize(
    ("threshold", "state", "words"),
    [
        (0.7, "met", "The whole interval (76.5 to 82.0) is on the right side of the threshold, 70.0%."),
        (0.9, "missed", "The whole interval (76.5 to 82.0) is below the threshold, 90.0%."),
        (0.79, "open", "The estimate, 79.4%, meets the threshold, 79.0%, but the interval (76.5 to 82.0) contains it."),
        (0.8, "open", "The estimate, 79.4%, misses the threshold, 80.0%, but"),
    ],
)
def test_the_whole_interval_decides(report: ModelReport, threshold: float, state: str, words: str) -> None:
    found = decide(report, threshold)
    assert found is not None
    assert (found.state, found.words[: len(words)]) == (state, words)


@pytest.mark.parametrize(
    ("interval", "threshold", "state"),
    [
        ((0.1, 0.2), 0.3, "met"),
        ((0.1, 0.2), 0.05, "missed"),
        ((-0.1, 0.2), 0.3, "met"),
        ((-0.4, 0.5), 0.3, "open"),
        ((-0.4, 0.1), 0.3, "open"),
        ((-0.6, -0.4), 0.3, "missed"),
    ],
)
def test_a_bias_is_better_near_nothing(
    tmp_path: Path, interval: tuple[float, float], threshold: float, state: str
) -> None:
    report = md.estimate(md.load_project(REVIEWS)).first
    metric = replace(report.problem.metric, better="near 0")
    near = replace(report, interval=interval)
    object.__setattr__(near.fit, "problem", replace(report.problem, metric=metric))
    found = decide(near, threshold)
    assert found is not None
    assert found.state == state


def test_what_must_not_be_quoted_decides_nothing(report: ModelReport) -> None:
    red = decide(replace(report, verdict=Verdict("red", "no.", ())), 0.5)
    none = decide(replace(report, converged=False), 0.5)
    assert red is not None
    assert none is not None
    assert red.state == none.state == "barred"
    assert decide(report, None) is None


def test_a_threshold_must_be_a_score_that_there_can_be(tmp_path: Path) -> None:
    project = md.load_project(write_project(tmp_path, {"decision": {"threshold": 80}}))
    with pytest.raises(MandolineError, match=r"threshold must be between 0 and 1\. Got 80\. Did you mean 0\.8\?"):
        md.estimate(project)
    with pytest.raises(ProjectError, match=r"threshold in \[decision\] must be a number|threshold must be a number"):
        md.load_project(write_project(tmp_path, {"decision": {"threshold": "high"}}))
    with pytest.raises(ProjectError, match=r"sign_off must be a list of names"):
        md.load_project(write_project(tmp_path, {"decision": {"sign_off": "Ada"}}))
