"""A method of one's own: one class and one line in the registry, and no part of the product leaves it out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.checks import weights_can_change
from mandoline_core.comparison import compare_model
from mandoline_core.estimators import ESTIMATORS, Mandoline, Outcome
from mandoline_core.labels import use_labels
from mandoline_core.pipeline import Fit, ablation, correction_slopes, estimate
from mandoline_core.project import EstimatorSettings
from mandoline_core.schemas import make_schema
from mandoline_core.slices import Correction, Noise
from mandoline_core.weighting import Problem
from tests.core.projects import refused, run_json, write_project

RIDGE = 0.3


class Shrunken(Mandoline):
    """Weight slices as Mandoline does, but shrink the weights whatever the project says."""

    name = "shrunken"
    title = "Mandoline with shrunken weights"
    tilts_slices = False  # other weights than those of `Problem.fitted`

    def solve(self, problem: Problem) -> Outcome:
        """Estimate with a ridge."""
        return super().solve(replace(problem, ridge=RIDGE))

    def means(self, problem: Problem) -> np.ndarray:
        """Average with a ridge."""
        return super().means(replace(problem, ridge=RIDGE))


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Add the line to the registry."""
    monkeypatch.setitem(ESTIMATORS, Shrunken.name, Shrunken())


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw rows of two places that the model knows unequally well; some of the target's have a label."""
    rng = np.random.default_rng(0)
    source = pd.DataFrame({"there": rng.random(400) < 0.3, "late": rng.random(400) < 0.5, "y": 1})
    source["p"] = (rng.random(400) < np.where(source["there"], 0.5, 0.9)).astype(int)
    target = pd.DataFrame({"there": rng.random(300) < 0.7, "late": rng.random(300) < 0.5})
    target["p"] = (rng.random(300) < np.where(target["there"], 0.5, 0.9)).astype(int)
    return source, target.assign(y=[1.0] * 60 + [np.nan] * 240)


def stated(noise: Noise | None = None) -> tuple[Fit, md.Sample]:
    """State the problem."""
    before, after = frames()
    source, target = md.Sample(before, label="y", prediction="p"), md.Sample(after)
    rules = [md.Flag("there", column="there", noise=noise), md.Flag("late", column="late")]
    return md.prepare(source, target, rules, model=source.models[0]), target


def settings(**changes) -> tuple[EstimatorSettings, EstimatorSettings]:
    """Return the settings of the new method, and those of an old one that computes the same."""
    return EstimatorSettings(name=Shrunken.name, **changes), EstimatorSettings(ridge=RIDGE, **changes)


def twins(noise: Noise | None = None) -> tuple[tuple[Fit, md.Sample], tuple[Fit, md.Sample]]:
    """State the problem for the new method, and for the old one."""
    own, target = stated(noise)
    return (own, target), (replace(own, problem=replace(own.problem, ridge=RIDGE)), target)


def test_it_is_estimated_bootstrapped_and_taken_apart_slice_by_slice():
    """By redraws of its own estimate, not of the one whose class it comes from."""
    (own, _), (other, _) = twins()
    new, old = settings(interval="bootstrap", replicates=60)
    found, expected = estimate(own, new), estimate(other, old)
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-12)
    assert found.interval == pytest.approx(expected.interval, abs=1e-12)
    assert found.estimate != pytest.approx(estimate(own, EstimatorSettings()).estimate, abs=1e-4)
    curves, expected_curves = ablation(own, new), ablation(other, old)
    values, expected_values = ([point.estimate for point in one.leave_one_out] for one in (curves, expected_curves))
    assert values == pytest.approx(expected_values, abs=1e-12)
    assert weights_can_change(found)


def test_its_corrections_are_weighed_and_shown_beside_the_others():
    """Slopes by corrections, and the finding about noisy slices."""
    noise = Noise(Correction(inside=0.9, outside=0.1))
    (own, _), (other, _) = twins(noise)
    new, old = settings()
    slopes, expected = ([one.slope for one in correction_slopes(*of)] for of in ((own, new), (other, old)))
    assert slopes == pytest.approx(expected, abs=1e-6)
    before, after = frames()
    source, target = md.Sample(before, label="y", prediction="p"), md.Sample(after)
    report = md.estimate(source, target, [md.Flag("there", column="there", noise=noise)], estimator=Shrunken.name)
    assert "noisy_slices" in {finding.code for finding in report.findings}


def test_a_few_labels_are_combined_with_it_and_a_comparison_lists_it():
    """Not with the paper's weights in its place."""
    (own, target), (other, _) = twins()
    new, old = settings()
    found, expected = use_labels(own, new, target), use_labels(other, old, target)
    assert found.mandoline.value == pytest.approx(expected.mandoline.value, abs=1e-12)
    assert found.combined.interval == pytest.approx(expected.combined.interval, abs=1e-12)
    compared = compare_model(own, EstimatorSettings(), list(ESTIMATORS), None)
    assert compared.entries[Shrunken.name].estimate == pytest.approx(expected.mandoline.value, abs=1e-12)
    assert ESTIMATORS[Shrunken.name].is_quick(own.problem)


def test_a_project_file_the_command_line_and_the_schema_know_it(tmp_path, capsys):
    """By its name, which is offered where it is misspelt."""
    path = write_project(tmp_path, {"estimator": {"name": "shrunken"}})
    printed = run_json(capsys, "estimate", path)
    assert printed["estimate"] == md.estimate(md.load_project(path)).estimate
    compared = run_json(capsys, "compare", path)["models"]["lr"]["estimators"]
    assert compared["shrunken"]["estimate"] == printed["estimate"] != compared["mandoline"]["estimate"]
    sentence = refused(capsys, write_project(tmp_path, {"estimator": {"name": "shrunk"}}))
    assert sentence.endswith("Did you mean 'shrunken'?")
    assert "shrunken" in make_schema("project")["$defs"]["EstimatorSettings"]["properties"]["name"]["enum"]
