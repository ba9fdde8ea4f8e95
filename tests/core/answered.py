"""Frames of a model's answers with class probabilities, problems stated on them, and derivatives by repeating rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mandoline_core import EstimatorSettings, Flag, MetricSettings, Model, Sample, Slice, prepare
from mandoline_core.estimators.base import Estimator, Outcome
from mandoline_core.metrics.class_labels import ClassLabels
from mandoline_core.metrics.metric import Metric
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.weighting.problem import ClassProbabilities, Problem, Rows

CLASSES = ("a", "b", "c", "d")


def answers(
    probabilities: Any,
    truth: Sequence[int] | np.ndarray | None = None,
    *,
    predicted: Sequence[int] | np.ndarray | None = None,
    slices: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Build a frame: columns p_a, p_b ... of probabilities, `pred` (the most probable class), `label`, and slices.

    One column of probabilities is taken for the second class's, of two.
    """
    chances = np.asarray(probabilities, dtype=float)
    if chances.ndim == 1:
        chances = np.column_stack([1 - chances, chances])
    said = chances.argmax(axis=1) if predicted is None else np.asarray(predicted)
    columns: dict[str, Any] = {f"p_{CLASSES[i]}": chances[:, i] for i in range(chances.shape[1])}
    columns["pred"] = [CLASSES[code] for code in said]
    if truth is not None:
        columns["label"] = [CLASSES[code] for code in truth]
    return pd.DataFrame(columns | dict(slices or {}))


def state(
    source: pd.DataFrame,
    target: pd.DataFrame,
    metric: str = "accuracy",
    *,
    slices: Sequence[str] = ("z",),
    probabilities: Mapping[str, str] | None = None,
    settings: EstimatorSettings | None = None,
    **metric_settings: Any,
) -> Problem:
    """State the problem of a metric; slices are columns of 0 and 1, by default one that is the same everywhere."""
    source, target = (frame if "z" in frame.columns else frame.assign(z=1) for frame in (source, target))
    if probabilities is None:
        probabilities = {name: f"p_{name}" for name in CLASSES if f"p_{name}" in source.columns}
    model = Model("m", "pred", probabilities)
    rules: list[Slice] = [Flag(name, column=name) for name in slices]
    return prepare(
        Sample(source, label="label", models=[model], name="source.csv"),
        Sample(target, models=[model], name="target.csv"),
        rules,
        model=model,
        metric=MetricSettings(metric, **metric_settings),
        settings=settings,
    ).problem


def random_answers(
    rng: np.random.Generator, n: int, n_classes: int, *, labelled: bool = True, tilt: float = 0.0
) -> pd.DataFrame:
    """Draw rows with two slices, `z` and `u`; labels follow the probabilities, badly calibrated.

    The target differs by `tilt`: slices are more frequent, and the last class is.
    """
    z, u = rng.random(n) < 0.3 + tilt, rng.random(n) < 0.5 + tilt / 2
    logits = rng.normal(0, 1.3, (n, n_classes))
    logits[:, -1] += 2 * tilt + 0.5 * z
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    true = np.exp(0.6 * logits + 0.3 * np.outer(u, np.arange(n_classes)))
    true /= true.sum(axis=1, keepdims=True)
    truth = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1) if labelled else None
    return answers(chances, truth, slices={"z": z.astype(int), "u": u.astype(int)})


@dataclass(frozen=True, eq=False)
class SamplePair:
    """Hold rows as arrays, so that thousands of problems can be stated without frames."""

    probabilities: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, frame: pd.DataFrame, slices: Sequence[str] = ()) -> SamplePair:
        """Read a frame made by `answers`."""
        columns = [f"p_{name}" for name in CLASSES if f"p_{name}" in frame.columns]
        truth = frame["label"].map(CLASSES.index) if "label" in frame.columns else np.full(len(frame), -1)
        return cls(
            frame[columns].to_numpy(dtype=float),
            np.asarray(truth, dtype=np.int32),
            np.asarray(frame["pred"].map(CLASSES.index), dtype=np.int32),
            (2 * frame[list(slices)].to_numpy(dtype=np.int8) - 1).astype(np.int8),
        )

    def repeat(self, counts: np.ndarray) -> SamplePair:
        """Repeat every row so many times."""
        columns = (self.probabilities, self.truth, self.predicted, self.codes)
        return SamplePair(*(np.repeat(column, counts, axis=0) for column in columns))

    @property
    def answers(self) -> ClassLabels:
        """What is known of the rows, in all classes that have a probability."""
        n_classes = self.probabilities.shape[1] or int(max(self.truth.max(), self.predicted.max())) + 1
        return ClassLabels(CLASSES[:n_classes], self.truth, self.predicted)


def fit_metric(name: str, n_classes: int) -> Metric:
    """Fit a metric to classes with an order, of which one is the most probable."""
    return get_metric(MetricSettings(name, k=1)).fit(("0", "1", "2", "3")[:n_classes])


_ANYWHERE = Sample(pd.DataFrame({"label": ["a"]}), label="label", name="drawn")


def state_drawn(source: SamplePair, target: SamplePair, metric: str = "accuracy") -> Problem:
    """State the problem of a metric on rows that were drawn; the source must show every class."""
    said = source.answers
    fitted = fit_metric(metric, len(said.classes))
    assert fitted.statistics is not None
    statistics = fitted.statistics(source.truth, source.predicted, source.probabilities)
    names = [f"slice {i}" for i in range(source.codes.shape[1])]
    problem = make_problem(
        count_patterns(source.codes, target.codes, statistics, names), statistics, fitted, EstimatorSettings()
    )
    model = Model("m", "pred", {name: f"p_{name}" for name in said.classes})
    rows = Rows(_ANYWHERE, _ANYWHERE, model, MetricSettings(metric), np.ones(len(source.truth), dtype=bool))
    evidence = ClassProbabilities(
        said, replace(target.answers, classes=said.classes), source.probabilities, target.probabilities
    )
    rows.__dict__.update(answers=(evidence.source, evidence.target), evidence=evidence)  # read already
    return replace(problem, rows=rows)


def multiples(n: int, times: int) -> np.ndarray:
    """Say how often each row is repeated: not all the same, so that no two blocks of rows have the same mean."""
    return times + np.arange(n) * 7 % 23


def assert_influence_is_the_derivative(
    estimator: Estimator,
    source: pd.DataFrame,
    target: pd.DataFrame,
    metric: str = "accuracy",
    *,
    slices: Sequence[str] = (),
    times: int = 200,
    tolerance: float = 1e-3,
) -> None:
    """Compare the influence of rows of either sample with what one row more or less changes.

    Every row is there many times, so that one more is a small step; its effect times the number of rows is the
    derivative.
    """
    drawn = (SamplePair.of(source, slices), SamplePair.of(target, slices))

    def estimate(side: int = 0, row: int = 0, more: int = 0) -> Outcome:
        many = []
        for i, rows in enumerate(drawn):
            counts = multiples(len(rows.truth), times)
            if i == side:
                counts[row] += more
            many.append(rows.repeat(counts))
        return estimator.estimate(state_drawn(many[0], many[1], metric))

    pieces = estimate().influence.pieces(None)  # type: ignore[arg-type]
    moved = 0
    for side, found in enumerate(pieces):
        counts = multiples(len(drawn[side].truth), times)
        first = np.cumsum(counts) - counts
        for row in range(0, len(counts), 5):
            expected = (estimate(side, row, 1).value - estimate(side, row, -1).value) / 2 * counts.sum()
            assert found[first[row]] * counts.sum() == pytest.approx(expected, abs=tolerance), (side, row)
            moved += abs(expected) > 10 * tolerance
    assert moved >= 2  # some rows do move it
