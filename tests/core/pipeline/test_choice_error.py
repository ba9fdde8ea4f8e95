"""What choosing slices adds to the standard error stays in the project, and in its intervals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.errors import ProjectError
from mandoline_core.estimators import influence_interval
from mandoline_core.project import dump_project
from tests.core.projects import REVIEWS

ADDED = 0.02


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(2)
    made = []
    for n, shift in ((1500, 0.0), (1200, 1.5)):
        columns = {f"x{i}": rng.normal(shift * (i < 2), 1, n).round(2) for i in range(4)}
        right, truth = rng.random(n) < 1 / (1 + np.exp(columns["x0"] - 1.5)), rng.random(n) < 0.5
        made.append(pd.DataFrame({**columns, "y": truth, "p": np.where(right, truth, ~truth)}))
    return made[0], made[1].drop(columns="y")


def chosen(project: md.Project, *slices: str, **errors: float) -> md.Project:
    return replace(project, trust=md.TrustSettings(chosen=errors, chosen_slices=slices))


def test_intervals_allow_for_it_and_the_estimate_stays():
    project = replace(md.load_project(REVIEWS), estimator=md.EstimatorSettings(spread=False))
    bare, wide = (md.estimate(one).first for one in (project, chosen(project, lr=ADDED)))
    assert wide.estimate == bare.estimate
    assert wide.source_interval == bare.source_interval
    assert wide.interval == influence_interval(
        bare.estimate,
        math.hypot(bare.standard_error, ADDED),
        confidence=0.95,
        bounds=(0, 1),
        effective_rows=bare.effective_sample_size,
    )
    assert wide.prediction_interval[0] < bare.prediction_interval[0]
    assert "slices_chosen" in {finding.code for finding in wide.findings}
    curve = md.ablation(wide.fit, wide.settings, leave_one_out=False).cumulative
    assert curve[-1].interval == pytest.approx(wide.interval)
    assert curve[0].interval == pytest.approx(bare.source_interval)


def test_it_goes_with_the_slices_that_were_chosen():
    """It stays while one of them is in use; once none is, the report says that the interval leaves it out."""
    project = md.load_project(REVIEWS)
    first, *others = (rule.name for rule in project.slices)
    off = replace(project, slices=(replace(project.slices[0], enabled=False), *project.slices[1:]))
    bare = md.estimate(off).first
    for names, says, same in (((first, others[0]), "slices_chosen", False), ((first,), "chosen_slices_unused", True)):
        found = md.estimate(chosen(off, *names, lr=ADDED)).first
        assert (found.interval == bare.interval) is same
        assert {"slices_chosen", "chosen_slices_unused"} & {one.code for one in found.findings} == {says}
    assert "slices_chosen" in {one.code for one in md.estimate(chosen(project, first, lr=ADDED)).first.findings}


def test_a_method_without_slices_has_no_slices_to_choose():
    project = md.load_project(REVIEWS)
    bare, same = (md.estimate(one, estimator="source").first for one in (project, chosen(project, lr=ADDED)))
    assert same.interval == bare.interval


def test_a_bootstrap_allows_for_it_too():
    project = chosen(md.load_project(REVIEWS), lr=ADDED)
    resampled = md.estimate(project, interval="bootstrap", replicates=400).first
    instant = md.estimate(project, interval="influence").first
    assert np.subtract(*resampled.interval) == pytest.approx(np.subtract(*instant.interval), rel=0.15)


def test_a_project_file_keeps_it(tmp_path):
    project = chosen(md.load_project(REVIEWS), "negation", lr=ADDED)
    file = tmp_path / "project.toml"
    file.write_text(dump_project(project), encoding="utf-8")
    assert md.load_project(file).trust == project.trust


@pytest.mark.parametrize("errors", [{"lr": -1}, {"lr": "much"}, {"lr": True}, ["lr"], {"lr": math.inf}])
def test_what_is_no_error_is_refused(errors):
    with pytest.raises(ProjectError, match="chosen must be a table with a standard error, 0 or more, for each model"):
        md.TrustSettings(chosen=errors)


def test_the_interval_that_allows_for_choosing_survives_in_the_project(tmp_path, frames):
    """What `suggest --auto` showed is what `estimate` shows for the project that it writes."""
    for name, frame in zip(("source", "target"), frames, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    project = md.Project(
        name="made",
        source_path="source.csv",
        target_path="target.csv",
        label="y",
        models=(md.Model("m", "p"),),
        base=tmp_path,
        edges=(),
    )
    found = md.suggest(project, auto=True)
    assert found.accepted.rules
    grown = found.apply(project)
    assert md.estimate(grown, spread=False).interval == pytest.approx(found.accepted.intervals["m"], rel=1e-3)
    names = grown.trust.chosen_slices
    assert {*names} == {rule.name for rule in grown.slices}
    # A second choice adds to the first while a slice of the first is in use.
    first = replace(
        project,
        slices=(md.Threshold("first", column="x3", above=0),),
        trust=replace(grown.trust, chosen_slices=("first",)),
    )
    again = found.apply(first).trust
    assert again.chosen["m"] == pytest.approx(math.sqrt(2) * grown.trust.chosen["m"], rel=1e-2)
    assert again.chosen_slices == ("first", *names)
    assert found.apply(replace(first, slices=())).trust == grown.trust
