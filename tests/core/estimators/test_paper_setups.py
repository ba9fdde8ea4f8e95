"""The paper's two synthetic set-ups in which weighting on all columns goes wrong, and weighting on slices does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import mandoline_core as md

SEEDS = range(4)
N_FEW = 150  # source rows of the second set-up, fewer than the paper's
SLICE = [md.Flag("g", column="g")]


def relative_errors(worlds: list[tuple[pd.DataFrame, pd.DataFrame, list[str]]]) -> dict[str, float]:
    """Compute each method's mean absolute error over the mean gap between source and target, as the paper does."""
    errors: dict[str, list[float]] = {"cbiw_features": [], "mandoline": [], "source": []}
    for source, target, columns in worlds:
        found = md.compare(
            md.Sample(source),
            md.Sample(target.drop(columns="y")),
            SLICE,
            metric=md.MetricSettings("mean", column="y"),
            methods=md.MethodSettings(features=columns),
            estimators=list(errors),
        ).models["y"]
        for name, entry in found.entries.items():
            assert entry.available, entry.reason
            errors[name].append(abs(entry.estimate - target["y"].mean()))
    scale = np.mean(errors["source"])
    return {name: float(np.mean(values) / scale) for name, values in errors.items()}


def groups(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    """Draw the single true slice, 1 with the given chance."""
    return (rng.random(n) < share).astype(int)


def support_shift(seed: int, chance: float, n: int = 10_000) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Append a column that is 1 for all of the target and for hardly any of the source."""
    rng = np.random.default_rng(seed)
    spread, slope = np.sqrt(rng.uniform(0.5, 1.5)), rng.uniform(0.5, 1.5)
    frames = []
    for share, spurious in ((0.75, chance), (0.25, 1.0)):
        g = groups(rng, n, share)
        x = rng.normal(2 * g - 1, spread)
        y = (rng.random(n) < expit(slope * x)).astype(float)
        frames.append(pd.DataFrame({"g": g, "x": x, "a": (rng.random(n) < spurious).astype(float), "y": y}))
    return frames[0], frames[1], ["x", "a"]


def high_dimension(seed: int, n_irrelevant: int) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Append columns of pure noise to two columns on two circles; few source rows, many target rows."""
    rng = np.random.default_rng(seed)
    frames = []
    for n, share in ((N_FEW, 0.75), (10 * N_FEW, 0.25)):
        g = groups(rng, n, share)
        angle = rng.uniform(0, 2 * np.pi, n)
        x = np.where(g == 0, -1.0, 0.0) + np.cos(angle), np.where(g == 0, 0.0, 1.0) + np.sin(angle)
        y = expit((x[0] + x[1]) / np.sqrt(2))  # the chance of the paper's label: its own luck is not at issue
        noise = rng.normal(0, 5, (n, n_irrelevant))
        frame = pd.DataFrame({"g": g, "x0": x[0], "x1": x[1], "y": y})
        names = [f"noise{i}" for i in range(n_irrelevant)]
        frames.append(pd.concat([frame, pd.DataFrame(noise, columns=names)], axis=1))
    return frames[0], frames[1], ["x0", "x1", *names]


def test_with_support_shift_the_classifier_on_columns_is_worse_than_no_method_and_mandoline_is_not():
    """A column that hardly any source row shares with the target puts all weight on those rows."""
    found = relative_errors([support_shift(seed, 0.0005) for seed in SEEDS])
    common = relative_errors([support_shift(seed, 0.5) for seed in SEEDS])
    message = (
        f"relative errors with 5 such rows of 10,000: {found}; with half of the rows: {common} "
        "(the paper: above 1 and 0.01 for few rows)"
    )
    assert found["cbiw_features"] > 0.5, message
    assert common["cbiw_features"] < 0.15, message
    assert found["mandoline"] < 0.1, message


@pytest.mark.long
def test_with_many_irrelevant_columns_the_classifier_fails_and_mandoline_does_not():
    """With more columns of noise than source rows, a classifier learns the rows by heart."""
    few = relative_errors([high_dimension(seed, 2) for seed in SEEDS])
    many = relative_errors([high_dimension(seed, 2 * N_FEW) for seed in SEEDS])
    message = f"relative errors with 2 columns of noise: {few}; with {2 * N_FEW}: {many} (the paper: 0.06, and about 1)"
    assert few["cbiw_features"] < 0.3, message
    assert many["cbiw_features"] > 2 * few["cbiw_features"], message
    assert many["mandoline"] < 0.3, message
    assert many["cbiw_features"] > 2 * many["mandoline"], message
