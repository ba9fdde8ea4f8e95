"""Two samples that differ in known ways: what is off, and what of it matters, is decided here."""

from __future__ import annotations

import numpy as np
import pandas as pd

import mandoline_core as md

FILLER = "film story people place day work music house night year"


def frame(n: int, rng: np.random.Generator, *, target: bool) -> pd.DataFrame:
    """Draw rows. 'refund desk' is twice as frequent in the target and hard for the model.

    The word 'sunny' shifts as much and does not matter; region 'south' matters and does not shift; age shifts, and
    matters above 50; 'of' shifts most and does not matter.
    """
    refund = rng.random(n) < (0.4 if target else 0.15)
    sunny = rng.random(n) < (0.4 if target else 0.15)
    of = rng.random(n) < (0.9 if target else 0.4)
    south = rng.random(n) < 0.3
    age = rng.normal(48 if target else 40, 10, n).round()
    words = rng.choice(FILLER.split(), (n, 9))
    for rows, places, said in ((refund, [1, 2], ["refund", "desk"]), (sunny, [4], ["sunny"]), (of, [7], ["of"])):
        words[np.ix_(rows, places)] = said
    label = rng.choice(["bad", "good"], n)
    chance = 0.95 - 0.35 * refund - 0.25 * south - 0.25 * (age > 50)
    return pd.DataFrame(
        {
            "text": [" ".join(some) for some in words],
            "region": np.where(south, "south", "north"),
            "age": age,
            "y": label,
            "p": np.where(rng.random(n) < chance, label, np.where(label == "bad", "good", "bad")),
        }
    )


def samples(n: int = 2000, seed: int = 3) -> tuple[md.Sample, md.Sample, float]:
    """Draw a source with labels, a target without, and the target's true accuracy."""
    rng = np.random.default_rng(seed)
    here, there = frame(n, rng, target=False), frame(n, rng, target=True)
    source = md.Sample(here, label="y", prediction="p")
    return source, md.Sample(there.drop(columns="y")), float((there["p"] == there["y"]).mean())
