"""Worlds made for the verdict: sound ones, and ones with a known violation."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

import mandoline_core as md
from mandoline_core import Correction, Noise

MODEL = md.Model("m", "pred", {"no": "p_no", "yes": "p_yes"})


class MadeWorld(NamedTuple):
    """Hold two samples, the slices a person wrote, and what is wrong, if anything."""

    source: md.Sample
    target: md.Sample
    slices: tuple[md.Slice, ...]
    violation: str | None


def rows(
    rng: np.random.Generator,
    n: int,
    *,
    rates: tuple[float, float],
    age: float = 40.0,
    by_age: float = 0.0,
    yes: float = 0.5,
    worse: float = 0.0,
) -> pd.DataFrame:
    """Draw rows: two true slices, an age, a region, a label, and a model that is right less often inside the slices.

    Parameters
    ----------
    rates : pair of floats
        How often the two slices hold.
    age : float
        Mean age.
    by_age : float
        How much less often the model is right ten years above 40.
    yes : float
        Share of the label "yes".
    worse : float
        How much less often the model is right throughout: a change of what labels mean.
    """
    a, b = (rng.random(n) < rate for rate in rates)
    years = rng.normal(age + 4 * a, 10, n)
    region = rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2])
    truth = rng.random(n) < yes
    chance = np.clip(0.9 - 0.15 * a - 0.1 * b - by_age * (years - 40) / 10 - worse, 0.02, 0.98)
    right = rng.random(n) < chance
    said = np.where(right, truth, ~truth)
    stated = np.clip(0.9 - 0.15 * a - 0.1 * b + rng.normal(0, 0.02, n), 0.55, 0.99)  # what the model believes of itself
    p_yes = np.where(said, stated, 1 - stated)
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "age": years,
            "region": region,
            "label": np.where(truth, "yes", "no"),
            "pred": np.where(said, "yes", "no"),
            "p_yes": p_yes,
            "p_no": 1 - p_yes,
        }
    )


def _world(
    source: pd.DataFrame, target: pd.DataFrame, violation: str | None, slices: tuple[md.Slice, ...] | None = None
) -> MadeWorld:
    rules = slices or (md.Flag("a", column="a"), md.Flag("b", column="b"))
    return MadeWorld(
        md.Sample(source, label="label", models=[MODEL], name="source"),
        md.Sample(target.drop(columns="label"), models=[MODEL], name="target"),
        rules,
        violation,
    )


def sound(seed: int) -> MadeWorld:
    """Change the slices' rates only; all that follows from them follows."""
    rng = np.random.default_rng(seed)
    source = rows(rng, int(rng.integers(2_000, 6_000)), rates=tuple(rng.uniform(0.15, 0.4, 2)))
    target = rows(rng, int(rng.integers(1_000, 3_000)), rates=tuple(rng.uniform(0.3, 0.7, 2)))
    return _world(source, target, None)


def no_overlap(seed: int) -> MadeWorld:
    """Put a quarter of the target inside a slice that the source has no row of."""
    rng = np.random.default_rng(seed)
    source, target = rows(rng, 3_000, rates=(0.0, 0.3)), rows(rng, 1_500, rates=(0.25 + 0.1 * rng.random(), 0.3))
    return _world(source, target, "no overlap")


def hidden_shift(seed: int) -> MadeWorld:
    """Change age, with which the model does worse, and of which no slice speaks."""
    rng = np.random.default_rng(seed)
    source = rows(rng, 4_000, rates=(0.2, 0.3), by_age=0.1)
    target = rows(rng, 2_000, rates=(0.4, 0.3), age=46 + 4 * rng.random(), by_age=0.1)
    return _world(source, target, "hidden shift")


def label_shift(seed: int) -> MadeWorld:
    """Make one class more frequent, the other less."""
    rng = np.random.default_rng(seed)
    source = rows(rng, 4_000, rates=(0.2, 0.3), yes=0.5)
    target = rows(rng, 2_000, rates=(0.4, 0.3), yes=float(rng.choice([0.25, 0.75])))
    return _world(source, target, "label shift")


def tiny_slice(seed: int) -> MadeWorld:
    """Leave a slice that decides a handful of source rows."""
    rng = np.random.default_rng(seed)
    source, target = rows(rng, 2_000, rates=(0.0, 0.3)), rows(rng, 1_500, rates=(0.2, 0.3))
    source.loc[: rng.integers(1, 4), "a"] = True
    return _world(source, target, "tiny slice")


def wrong_corrections(seed: int) -> MadeWorld:
    """State error rates that cannot be: by them, fewer rows than none would be inside."""
    rng = np.random.default_rng(seed)
    source, target = rows(rng, 4_000, rates=(0.4, 0.3)), rows(rng, 2_000, rates=(0.1 + 0.05 * rng.random(), 0.3))
    noise = Noise(source=Correction(inside=0.7, outside=0.25))
    return _world(
        source, target, "wrong corrections", (md.Flag("a", column="a", noise=noise), md.Flag("b", column="b"))
    )


def concept_drift(seed: int) -> MadeWorld:
    """Change what labels mean: the model is right less often on rows that look the same."""
    rng = np.random.default_rng(seed)
    source = rows(rng, 4_000, rates=(0.2, 0.3))
    return _world(source, rows(rng, 2_000, rates=(0.4, 0.3), worse=0.15), "concept drift")


DETECTABLE: tuple[tuple[Callable[[int], MadeWorld], int], ...] = (
    (no_overlap, 4),
    (hidden_shift, 5),
    (label_shift, 4),
    (tiny_slice, 4),
    (wrong_corrections, 3),
)
