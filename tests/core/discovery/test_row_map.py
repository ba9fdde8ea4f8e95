"""The map: rows that are alike lie near each other, and it is the same every time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial import cKDTree

import mandoline_core as md
from mandoline_core.discovery import MOST_ROWS


def samples(n: int = 120, m: int = 60) -> tuple[md.Sample, md.Sample]:
    """Make three groups that differ in words, a number and a category; the third is in the target only."""
    rng = np.random.default_rng(0)
    topics = (["soup", "salad", "bread"], ["plot", "actor", "scene"], ["screen", "battery", "cable"])

    def frame(groups: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "text": [" ".join(rng.choice(topics[group], 6)) for group in groups],
                "price": 10.0 * groups + rng.normal(size=len(groups)),
                "kind": np.array(["food", "film", "thing"])[groups],
                "label": 1,
            }
        )

    return md.Sample(frame(rng.integers(0, 2, n)), label="label"), md.Sample(frame(rng.integers(0, 3, m)))


def test_neighbours_on_the_map_are_of_one_group() -> None:
    source, target = samples()
    found = md.map_rows(source, target)
    kinds = np.concatenate([sample.series("kind").to_numpy() for sample in (source, target)])
    _, near = cKDTree(points := np.vstack([found.source, found.target])).query(points, k=6)
    assert (kinds[near[:, 1:]] == kinds[:, None]).mean() > 0.95
    assert found.columns == ("text", "price", "kind")
    assert found.left_out["label"] == "the label"
    new_only = (target.series("kind").to_numpy() == "thing").mean()
    assert found.apart == pytest.approx(new_only, abs=0.05)


def test_the_map_is_the_same_every_time_and_another_with_another_seed() -> None:
    source, target = samples(40, 20)
    first, again, other = (md.map_rows(source, target, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.target, again.target)
    assert not np.array_equal(first.target, other.target)


@pytest.mark.parametrize(
    ("n", "m", "drawn"), [(100, 30, (25, 25)), (20, 80, (20, 30)), (100, 100, (25, 25)), (9, 8, (9, 8))]
)
def test_a_draw_has_as_many_of_each_where_both_have_enough(n: int, m: int, drawn: tuple[int, int]) -> None:
    """Of a hundred and thirty rows fifty are drawn: of each sample half, or all and the rest."""
    rng = np.random.default_rng(1)
    source, target = (md.Sample(pd.DataFrame({"x": rng.normal(size=size)})) for size in (n, m))
    found = md.map_rows(source, target, most_rows=50)
    assert (len(found.source_rows), len(found.target_rows)) == drawn
    assert (found.n_source, found.n_target) == (n, m)
    assert MOST_ROWS <= 5000


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_few_rows_have_a_map(n: int) -> None:
    sample = md.Sample(pd.DataFrame({"x": np.arange(n) + 0.5, "same": 1}))
    found = md.map_rows(sample, md.Sample(pd.DataFrame({"x": [100.0], "same": [1]})))
    assert np.isfinite(found.source).all()
    assert found.source.shape == (n, 2)


def test_without_a_column_there_is_no_map() -> None:
    sample = md.Sample(pd.DataFrame({"same": [1, 1, 1]}))
    with pytest.raises(md.DataError, match="There is no column to place the rows by: same"):
        md.map_rows(sample, sample)


def test_a_map_can_be_stopped() -> None:
    class StoppedError(Exception):
        pass

    def step() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        md.map_rows(*samples(), step=step)
