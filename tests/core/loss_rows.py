"""Rows of a regression whose errors grow with a column, and more so in one place; the new rows are more often there."""

from __future__ import annotations

import numpy as np
import pandas as pd

import mandoline_core as md

LOSS_SLICES: list[md.Slice] = [
    md.Threshold("right", column="x", above=0.0),
    md.Threshold("far", column="x", above=1.0),
    md.Category("c", column="place", values=("c",)),
]


def draw_losses(rng: np.random.Generator, n: int, *, new: bool) -> pd.DataFrame:
    """Draw labelled rows, or new ones with the labels they would have."""
    x, z = rng.normal(0.6 * new, 1, n), rng.normal(0, 1, n)
    place = rng.choice(["a", "b", "c"], n, p=[0.2, 0.3, 0.5] if new else [0.5, 0.3, 0.2])
    guess = 10 + 2 * x + z
    spread = 0.5 + np.maximum(x, 0) * (1 + 0.8 * (place == "c")) + 0.3 * np.abs(z)
    return pd.DataFrame({"x": x, "z": z, "place": place, "guess": guess, "y": guess + spread * rng.normal(size=n)})
