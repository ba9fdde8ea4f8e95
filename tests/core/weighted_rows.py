"""Rows with slices, columns, text and two models whose answers shift, and problems stated on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

import mandoline_core as md
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project.settings import EstimatorSettings, MethodSettings, MetricSettings

MODELS = (
    md.Model("first", "pred", {"no": "p_no", "yes": "p_yes"}),
    md.Model("second", "pred2", {"no": "q_no", "yes": "q_yes"}),
)
WORDS: tuple[str, ...] = (
    "fine",
    "bad",
    "order",
    "late",
    "quick",
    "again",
    "never",
    "always",
    "box",
    "price",
    "return",
    "shop",
)
WORDS += tuple(f"thing{i}" for i in range(48))


def draw_rows(seed: int, n: int, shift: float = 0.0, *, abstain: float = 0.0) -> pd.DataFrame:
    """Draw rows; with a larger `shift` slices are more frequent, columns larger, and both models worse."""
    rng = np.random.default_rng(seed)
    a, b = rng.random(n) < 0.35 + shift, rng.random(n) < 0.5 + 0.5 * shift
    x = rng.standard_normal(n) + 1.5 * shift
    truth = rng.integers(0, 2, n)
    columns: dict[str, Any] = {
        "x": x,
        "place": rng.choice(["north", "south", "west"], n, p=[0.5 - shift / 2, 0.3, 0.2 + shift / 2]),
    }
    sure = 1 / (1 + np.exp(-(1.6 - 1.5 * a - 0.6 * (x > 0.5) + rng.normal(0, 0.7, n))))
    for prediction, chance, skill in (("pred", "p", 1.0), ("pred2", "q", 0.85)):
        right = rng.random(n) < 0.15 + 0.8 * skill * sure
        said = np.where(right, truth, 1 - truth)
        yes = (0.5 + (said - 0.5) * skill * sure).round(3)
        columns |= {prediction: np.array(["no", "yes"])[said], f"{chance}_no": 1 - yes, f"{chance}_yes": yes}
    weights = np.ones((n, len(WORDS))) + np.outer(a, np.arange(len(WORDS)) / 20)
    weights /= weights.sum(axis=1, keepdims=True)
    text = [" ".join(rng.choice(WORDS, rng.integers(4, 12), p=chances)) for chances in weights]
    codes = {name: np.where(rng.random(n) < abstain, np.nan, flag.astype(float)) for name, flag in (("a", a), ("b", b))}
    new = 1 / (1 + np.exp(-x))
    return pd.DataFrame({**codes, **columns, "text": text, "new": new, "label": np.array(["no", "yes"])[truth]})


def samples(
    source: pd.DataFrame, target: pd.DataFrame, models: Sequence[md.Model] = MODELS, *, revealed: bool = False
) -> tuple[md.Sample, md.Sample]:
    """Give both frames their roles; the target's labels are taken away unless they are to be revealed."""
    after = target if revealed else target.drop(columns="label", errors="ignore")
    return (
        md.Sample(source, label="label", models=models, name="source.csv"),
        md.Sample(after, models=models, name="target.csv"),
    )


def flags(*names: str) -> list[md.Flag]:
    """Make slices of columns of 0 and 1."""
    return [md.Flag(name, column=name) for name in names]


def prepare_rows(
    source: pd.DataFrame,
    target: pd.DataFrame,
    metric: str = "accuracy",
    *,
    slices: Sequence[str] = ("a", "b"),
    model: md.Model = MODELS[0],
    seed: int = 0,
    **methods: Any,
) -> Fit:
    """State the problem of one model; further settings are those of the methods."""
    before, after = samples(source, target)
    return md.prepare(
        before,
        after,
        flags(*slices),
        model=model,
        metric=MetricSettings(metric),
        settings=EstimatorSettings(seed=seed),
        methods=MethodSettings(**methods),
        need_slices=False,
    )
