"""The classifier that tells two samples apart: its scores, its AUC and what carries it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import mandoline_core as md
from mandoline_core.domain_classifier import auc, fit_domain_classifier, score_samples

seeds = st.integers(0, 2**16)


def slow_auc(source, target, source_weights, target_weights) -> float:
    """Compare every pair of rows."""
    newer = (target[None, :] > source[:, None]) + 0.5 * (target[None, :] == source[:, None])
    return float(source_weights @ newer @ target_weights / (source_weights.sum() * target_weights.sum()))


@settings(max_examples=50, deadline=None)
@given(seeds, st.integers(1, 30), st.integers(1, 30))
def test_the_weighted_auc_is_that_of_every_pair_of_rows(seed, n_source, n_target):
    """Ties count half; a row counts by its weight, also by none."""
    rng = np.random.default_rng(seed)
    source, target = (rng.integers(0, 6, n).astype(float) for n in (n_source, n_target))
    weights = [rng.integers(0, 3, n) * rng.random(n) + 1e-3 for n in (n_source, n_target)]
    assert auc(source, target, *weights) == pytest.approx(slow_auc(source, target, *weights))
    assert auc(source, target) == pytest.approx(slow_auc(source, target, np.ones(n_source), np.ones(n_target)))


def noisy(rng: np.random.Generator, n: int) -> csr_matrix:
    """Draw rows with many items that mean nothing."""
    return csr_matrix((rng.random((n, 200)) < 0.3).astype(float))


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_no_row_is_scored_by_a_fit_that_saw_it(seed):
    """Samples of one kind, with more items than a fit can resist: it would know by heart the rows that it saw."""
    rng = np.random.default_rng(seed)
    points = noisy(rng, 150), noisy(rng, 150)
    fitted = fit_domain_classifier(points, (("c", None),) * 200, folds=3, most_rows=1000, seed=seed)
    assert abs(auc(fitted.source, fitted.target) - 0.5) < 0.17  # five standard errors
    assert auc(*(side @ fitted.coefficients for side in points)) > 0.75  # the mean of the fits has seen every row


def test_rows_beyond_the_draw_are_scored_by_all_fits():
    """They are as well told apart as the others, and as little known by heart."""
    rng = np.random.default_rng(0)
    source, target = (csr_matrix((rng.random((400, 3)) < share).astype(float)) for share in (0.2, 0.8))
    fitted = fit_domain_classifier((source, target), (("c", None),) * 3, folds=2, most_rows=100, seed=0)
    assert fitted.trained == (100, 100)
    assert auc(fitted.source, fitted.target) > 0.9
    assert len(set(np.round(fitted.source, 9))) <= 3 * 2**3  # two fits and their mean, on eight kinds of rows


def frames(seed: int, shift: float, n: int = 400) -> tuple[md.Sample, md.Sample]:
    """Draw a source, and a target that uses one word more often and another value; a third column is noise."""
    rng = np.random.default_rng(seed)

    def side(more: float) -> md.Sample:
        words = np.where(rng.random(n) < 0.2 + more, "lol it was", "it was")
        return md.Sample(
            pd.DataFrame(
                {
                    "text": [f"{word} {rng.choice(['good', 'bad'])} {i % 97} times" for i, word in enumerate(words)],
                    "place": rng.choice(["a", "b"], n, p=[0.5 - more / 2, 0.5 + more / 2]),
                    "noise": rng.normal(size=n),
                }
            )
        )

    return side(0.0), side(shift)


def test_what_carries_it_is_named_with_its_words():
    """The column that says most comes first, with the word that does it; noise is not named."""
    found = score_samples(*frames(0, 0.7))
    assert found.auc > 0.8
    assert found.top_features[0].column == "text"
    assert found.top_features[0].items[0] == "lol"
    assert "noise" not in {one.column for one in found.top_features}


def test_the_same_rows_get_the_same_scores():
    """Whatever was computed in between, in any engine; another seed gives others."""
    source, target = frames(1, 0.4)
    first = score_samples(source, target, seed=3)
    again = score_samples(*(md.Sample(sample.frame.to_polars()) for sample in (source, target)), seed=3)
    np.testing.assert_allclose(first.source, again.source, atol=1e-9)
    np.testing.assert_allclose(first.target, again.target, atol=1e-9)
    assert np.abs(score_samples(source, target, seed=4).source - first.source).max() > 1e-6
    assert score_samples(source, target, seed=3) is first


def test_the_larger_sample_does_not_decide():
    """Were both as large, half of all rows would look new, however many source rows there are."""
    rng = np.random.default_rng(0)
    source, target = (md.Sample(pd.DataFrame({"x": rng.normal(m, 1, n)})) for m, n in ((0, 4000), (1, 200)))
    found = score_samples(source, target)
    assert 0.2 < (found.source >= 0.5).mean() < 0.45
    assert 0.55 < (found.target >= 0.5).mean() < 0.8


@pytest.mark.parametrize("n", [2, 3, 5])
def test_cuts_make_parts_of_one_size(n):
    """Both samples count the same."""
    found = score_samples(*frames(2, 0.3))
    cuts = found.cuts(n)
    assert len(cuts) == n - 1
    shares = [np.histogram(side, (-1, *cuts, 2))[0] / len(side) for side in (found.source, found.target)]
    np.testing.assert_allclose((shares[0] + shares[1]) / 2, 1 / n, atol=0.06)


def test_scores_that_tie_make_fewer_parts():
    """Two kinds of rows cannot make five parts."""
    place = ["a", "b"] * 50
    samples = md.Sample(pd.DataFrame({"place": place})), md.Sample(pd.DataFrame({"place": ["a", *["b"] * 99]}))
    assert 1 <= len(score_samples(*samples).cuts(3)) <= 2
