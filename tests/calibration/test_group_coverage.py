"""Coverage where rows belong together: 500 worlds of groups of 10 rows whose scores are alike (correlation 0.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import mandoline_core as md
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import interval_of, prepare

REPETITIONS, GROUPS, SIZE = 500, 100, 10
CORRELATION = 0.37  # of what is behind the scores; the scores themselves then correlate by 0.2
CUTS = {1: 1.2, -1: 0.5}  # a row is right below its cut: 88% and 69% of the time
SLICES = [md.Flag("inside", column="inside")]


def sample(share: float, rng: np.random.Generator) -> pd.DataFrame:
    """Draw users with rows, of which a share is inside the slice; users differ in how often they are inside, too."""
    user = np.repeat(np.arange(GROUPS), SIZE)
    common = rng.standard_normal(GROUPS)[user] * np.sqrt(CORRELATION)
    inside = np.where(rng.random(len(user)) < rng.beta(8 * share, 8 * (1 - share), GROUPS)[user], 1, -1)
    cut = np.where(inside == 1, CUTS[1], CUTS[-1])
    right = common + rng.standard_normal(len(user)) * np.sqrt(1 - CORRELATION) < cut
    return pd.DataFrame({"user": user, "inside": inside, "y": 1, "p": right.astype(int)})


@pytest.mark.long
def test_intervals_by_group_cover_and_those_by_row_do_not() -> None:
    rng, covered = np.random.default_rng(1), {"by group": 0, "by row": 0}
    truth = 0.7 * ndtr(CUTS[1]) + 0.3 * ndtr(CUTS[-1])
    for _ in range(REPETITIONS):
        source, target = sample(0.4, rng), sample(0.7, rng)
        for way, group in (("by group", "user"), ("by row", None)):
            labelled = md.Sample(source, label="y", prediction="p", group=group)
            problem = prepare(labelled, md.Sample(target, group=group), SLICES, model=labelled.models[0]).problem
            low, high = interval_of(problem, get_estimator("mandoline").estimate(problem), 0.95)
            covered[way] += low <= truth <= high
    shares = {way: n / REPETITIONS for way, n in covered.items()}
    assert 0.93 <= shares["by group"] <= 0.97, shares
    assert shares["by row"] < 0.85, shares
