"""Three problems whose truth is known, written as CSV files: labelled data, new data, and the true score.

The columns are the same for every package; what a slice says is a column, too (`hard`, `large`): all may use it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

ROWS = 4_000
FEATURES = ["a", "b", "c"]


def calibrated(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Shift the columns of a model whose probabilities are right: what estimates from confidence assume."""
    parts = [_rows(rng, mean) for mean in (0.0, 0.0, 0.7)]
    for frame in parts:
        frame["label"] = (rng.random(ROWS) < 1 / (1 + np.exp(-2 * frame["a"] - frame["b"] - 1))).astype(int)
        frame["large"] = (frame["a"] > 0.5).astype(int)
    return _classified(*parts)


def overconfident(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Give the new data more rows of a kind on which the model errs and is sure: what slices are for."""
    parts = [_rows(rng, 0.0) for _ in range(3)]
    for frame, share in zip(parts, (0.02, 0.1, 0.4), strict=True):
        frame["hard"] = (rng.random(ROWS) < share).astype(int)
        right = 1 / (1 + np.exp(-3 * frame["a"]))
        frame["label"] = (rng.random(ROWS) < np.where(frame["hard"] == 1, 0.6 - 0.2 * right, right)).astype(int)
    return _classified(*parts)


def regression(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Shift the columns of a regression whose noise grows; the score is the mean absolute error."""
    parts = [_rows(rng, mean) for mean in (0.0, 0.0, 0.7)]
    for frame in parts:
        noise = rng.normal(size=ROWS) * np.exp(0.5 * frame["a"])
        frame["label"] = 3 * frame["a"] + np.sin(2 * frame["b"]) + noise
        frame["large"] = (frame["a"] > 0.5).astype(int)
    training, labelled, new = parts
    model = HistGradientBoostingRegressor(max_iter=60, random_state=0).fit(training[FEATURES], training["label"])
    for frame in (labelled, new):
        frame["prediction"] = model.predict(frame[FEATURES])
    return labelled, new, float((new["label"] - new["prediction"]).abs().mean())


PROBLEMS = {one.__name__: one for one in (calibrated, overconfident, regression)}


def write(name: str, draws: int, folder: Path) -> list[float]:
    """Write the files of a problem, one pair a draw, and return the truths."""
    truths = []
    for draw in range(draws):
        labelled, new, truth = PROBLEMS[name](np.random.default_rng(draw))
        labelled.to_csv(folder / f"labelled-{draw}.csv", index=False)
        new.drop(columns="label").to_csv(folder / f"new-{draw}.csv", index=False)
        truths.append(truth)
    return truths


def _rows(rng: np.random.Generator, mean: float) -> pd.DataFrame:
    frame = pd.DataFrame(rng.normal(size=(ROWS, 3)), columns=FEATURES)
    return frame.assign(a=frame["a"] + mean, id=np.arange(ROWS))


def _classified(
    training: pd.DataFrame, labelled: pd.DataFrame, new: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Add a model's predictions and probabilities, and return the true accuracy on the new rows."""
    model = LogisticRegression().fit(training[FEATURES], training["label"])
    for frame in (labelled, new):
        frame["p"] = model.predict_proba(frame[FEATURES])[:, 1]
        frame["prediction"] = (frame["p"] >= 0.5).astype(int)
    return labelled, new, float((new["label"] == new["prediction"]).mean())
