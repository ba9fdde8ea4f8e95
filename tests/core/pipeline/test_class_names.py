"""Class names and gaps: what the counts say of classes that may be one, and of probabilities that are not there."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mandoline_core import Sample, Threshold, estimate
from mandoline_core.pipeline.class_names import about_classes


def _codes_of(frame: pd.DataFrame, **roles: object) -> dict[str, object]:
    """Estimate, and return the findings by code."""
    report = estimate(
        Sample(frame, label="y", **roles),
        Sample(frame.drop(columns="y"), **roles),
        [Threshold("a", column="a", above=0.5)],
    )
    return {finding.code: finding for finding in report.first.findings}


def test_classes_that_differ_in_case_alone_are_asked_about() -> None:
    """Yes and yes may be one class that two people wrote."""
    frame = pd.DataFrame(
        {"y": ["Yes", "yes", "no", "no "] * 50, "p": ["yes", "yes", "no", "no"] * 50, "a": [0, 1] * 100}
    )
    found = _codes_of(frame, prediction="p")["classes_alike"]
    assert found.numbers["classes"] == ("Yes", "yes")
    assert found.severity == "warning"
    assert "classes_alike" not in _codes_of(frame.replace({"Yes": "yes", "no ": "no"}), prediction="p")


def test_spellings_that_count_as_one_class_are_reported() -> None:
    """Where predictions are numbers, labels are compared as numbers, too."""
    frame = pd.DataFrame({"y": ["007", "7", "1"] * 60, "p": [7, 7, 1] * 60, "a": [0, 1, 1] * 60})
    sample = Sample(frame, label="y", prediction="p")
    (found,) = about_classes(sample, sample.models[0], ("1", "7"))
    assert (found.code, found.numbers["values"]) == ("classes_merged", ("007", "7"))
    text = Sample(frame.astype({"p": str}), label="y", prediction="p")
    assert not list(about_classes(text, text.models[0], ("007", "1", "7")))


def test_missing_probabilities_are_reported() -> None:
    """Methods that use them leave these rows out: without a word, a half of the labelled rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(400), "p_yes": rng.random(400)})
    frame["y"] = np.where(rng.random(400) < frame["p_yes"], "yes", "no")
    frame["p"] = np.where(frame["p_yes"] > 0.5, "yes", "no")
    frame["p_no"] = 1 - frame["p_yes"]
    roles = {"prediction": "p", "probabilities": {"no": "p_no", "yes": "p_yes"}}
    assert "probabilities_missing" not in _codes_of(frame, **roles)
    frame.loc[:187, ["p_yes", "p_no"]] = np.nan
    found = _codes_of(frame, **roles)["probabilities_missing"]
    assert (found.severity, found.numbers["missing"], found.numbers["n"]) == ("warning", 188, 400)


def test_rounding_takes_no_estimate_out_of_its_bounds() -> None:
    """A weighted mean of ones adds up to 1.0000000000000002."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": rng.random(90), "b": rng.random(90), "y": "x", "p": "x"})
        slices = [Threshold(name, column=name, above=0.3) for name in "ab"]
        target = frame.drop(columns="y").sample(60, weights=frame["a"], random_state=seed, replace=True)
        report = estimate(Sample(frame, label="y", prediction="p"), Sample(target, prediction="p"), slices)
        assert report.estimate <= 1.0
        assert report.source <= 1.0
