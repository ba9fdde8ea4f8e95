"""Rows are read once: while counting, and for all models together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.checks import report_model
from mandoline_core.data import Sample
from mandoline_core.pipeline import code, count, fit
from mandoline_core.project import MetricSettings

MODELS = [md.Model(name, f"pred_{name}", {"0": f"no_{name}", "1": f"yes_{name}"}) for name in ("a", "b")]
NOISY = md.Noise(md.Correction(inside=0.9, outside=0.1))


def draw(n_rows: int, share: float, seed: int) -> pd.DataFrame:
    """Draw rows with two models' answers, a place and a text."""
    rng = np.random.default_rng(seed)
    there = rng.random(n_rows) < share
    frame = pd.DataFrame(
        {
            "place": np.where(there, "b", "a"),
            "age": rng.normal(40, 5, n_rows),
            "text": [" ".join(rng.choice(["not", "good", "bad", "fine"], 5)) for _ in range(n_rows)],
            "label": rng.integers(0, 2, n_rows),
        }
    )
    for model in MODELS:
        chance = rng.random(n_rows)
        frame[f"yes_{model.name}"], frame[f"no_{model.name}"] = chance, 1 - chance
        frame[f"pred_{model.name}"] = (chance > 0.5).astype(int)
    return frame


def draw_samples() -> tuple[Sample, Sample]:
    """Return a source, and a target that has labels for some of its rows."""
    target = draw(400, 0.6, 2)
    target["label"] = target["label"].astype("Int64").mask(np.arange(400) >= 60)
    return Sample(draw(500, 0.3, 1), label="label", models=MODELS), Sample(target, models=MODELS)


@pytest.mark.parametrize("split", ["none", "half"])
def test_no_row_is_read_after_counting(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another correction is solved, checked and judged on what was read: the frames could be gone."""
    rule = md.Category("b", column="place", values=("b",), noise=NOISY)
    settings = md.EstimatorSettings(split=split)
    source, target = draw_samples()
    cells = count(code(source, target, [rule], MODELS[0]), MetricSettings())

    def fail(*_: object) -> None:
        pytest.fail("a row was read")

    monkeypatch.setattr(Sample, "series", fail)
    monkeypatch.setattr(Sample, "frame", property(fail), raising=False)
    first = report_model(fit(cells, [rule], settings=settings), settings)
    surer = replace(rule, noise=md.Noise(md.Correction(inside=0.95, outside=0.05)))
    second = report_model(fit(cells, [surer], settings=settings), settings)
    assert first.estimate != second.estimate
    for report in (first, second):
        assert report.verdict is not None
        assert {"groups", "columns", "answers"} <= {check.name for check in report.verdict.checks}
        assert report.evidence.columns
        assert report.evidence.drift.predicted
        assert report.evidence.drift.confidence is not None


def test_slices_that_do_not_look_at_the_model_are_evaluated_once() -> None:
    """Two models, two samples: a function is asked twice, not four times; one of each model's answers still differs."""
    asked = []

    @md.slicing_function()
    def older(frame: Any) -> Any:
        asked.append(len(frame))
        return frame["age"] > 40

    rules = [older, md.Confidence("sure", above=0.8)]
    report = md.estimate(*draw_samples(), rules)
    assert asked == [500, 400]
    alone = {model.name: md.estimate(*one_model(model), rules).first for model in MODELS}
    assert {name: model.estimate for name, model in report.models.items()} == {
        name: model.estimate for name, model in alone.items()
    }
    assert alone["a"].estimate != alone["b"].estimate


def one_model(model: md.Model) -> tuple[Sample, Sample]:
    """Return the same samples with one of the models."""
    source, target = draw_samples()
    return Sample(source.frame, label="label", models=[model]), Sample(target.frame, models=[model])
