"""The verdict of a regression: what is about classes does not count against it."""

from __future__ import annotations

import numpy as np
import pandas as pd

import mandoline_core as md


def test_numbers_can_be_green():
    """The check of predicted classes does not apply to them, so it is not one that did not run."""

    def draw(seed: int, share: float) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        big, size = rng.random(3_000) < share, rng.normal(size=3_000)
        guess = 100 + 20 * big + 3 * size
        return pd.DataFrame(
            {"big": big, "size": size, "guess": guess, "price": guess + rng.normal(size=3_000) * (1 + 2 * big)}
        )

    levels = []
    for seed in range(10):
        source = md.Sample(draw(seed, 0.2), label="price", prediction="guess")
        target = md.Sample(draw(100 + seed, 0.6).drop(columns="price"), prediction="guess")
        for metric in ("mae", "rmse", "bias"):
            found = md.estimate(source, target, [md.Flag("big", column="big")], metric=metric).verdict
            assert found is not None
            assert "answers" not in {check.name for check in found.checks}
            levels.append(found.level)
    assert levels.count("green") >= 27, levels
