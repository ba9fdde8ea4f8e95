"""The paper's bound: numbers by hand, what moves it, and where it does not apply."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.checks.theory import theorem_bound

IDENTITY = [[0.0, 0.5, 1.0]] * 2
NOISY = [[0.1, 0.5, 0.9], [0.0, 0.5, 1.0]]


def report_of(noise=None, target=None, **settings) -> md.ModelReport:
    """Estimate with two slices: of 200 source rows 40 are inside the first, of the target half."""
    rows = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    source = np.repeat(rows, [20, 20, 80, 80], axis=0)
    target = np.repeat(rows, [25, 25, 25, 25], axis=0) if target is None else target
    return md.estimate_from_codes(source, np.arange(200) % 2, target, noise=noise, **settings).first


def test_the_terms_are_the_theorem_by_hand():
    """Rows inside count 0.5 / 0.2 = 2.5 times; 200 rows; a chance of failure of 5%; one slice of two is noisy."""
    bound = theorem_bound(report_of(), unknown=0.03, failure=0.05)
    assert bound.largest_ratio == pytest.approx(2.5)
    assert bound.n_source == 200
    assert [term.name for term in bound.terms] == ["hidden shift", "corrections", "sampling error"]
    assert [term.known for term in bound.terms] == [False, True, True]
    luck = 2.5 * (1 + 1) * math.sqrt(math.log(80) / 200)
    assert [term.value for term in bound.terms] == pytest.approx([0.03, 0.0, luck])
    assert bound.total == pytest.approx(0.03 + luck)


def test_the_correction_term_by_hand():
    """One noisy slice, off by a tenth on both sides: M-hat (1/9 + 1/9)."""
    bound = theorem_bound(report_of(noise=(NOISY, NOISY)), correction_error=0.1)
    assert bound.terms[1].value == pytest.approx(bound.largest_ratio * 2 / 9)
    assert not bound.terms[1].known
    assert "1 noisy slice" in bound.terms[1].words
    assert bound.total == pytest.approx(sum(term.value for term in bound.terms))


def test_slices_taken_at_their_word_have_no_correction_to_be_wrong():
    """Whatever error is assumed, the term is 0; a slice that abstains is not taken at its word."""
    for noise in (None, (IDENTITY, IDENTITY)):
        assert theorem_bound(report_of(noise=noise), correction_error=0.5).terms[1].value == 0
    abstaining = np.array([[1, 1], [0, -1], [-1, 1], [-1, -1]])
    assert theorem_bound(report_of(target=abstaining), correction_error=0.5).terms[1].value > 0


def test_more_error_more_doubt_and_less_chance_of_failure_widen_the_bound():
    """Each alone."""
    report = report_of(noise=(NOISY, NOISY))
    for name, values in (
        ("correction_error", (0.0, 0.05, 0.3, 0.9)),
        ("unknown", (0.0, 0.1, 2.0)),
        ("failure", (0.5, 0.05, 0.001)),
    ):
        totals = [theorem_bound(report, **{name: value}).total for value in values]
        assert all(low < high for low, high in itertools.pairwise(totals))


def test_larger_ratios_widen_the_bound_and_more_rows_narrow_it():
    """Four times the rows halve the luck; twice the largest ratio doubles it."""
    luck = theorem_bound(report_of()).terms[2].value
    source = np.repeat([[1], [-1]], [160, 640], axis=0)
    more = md.estimate_from_codes(source, np.arange(800) % 2, [[1], [-1]]).first
    assert theorem_bound(more).terms[2].value == pytest.approx(luck / 2)
    rare = md.estimate_from_codes(np.repeat([[1], [-1]], [20, 180], axis=0), np.arange(200) % 2, [[1], [-1]]).first
    assert theorem_bound(rare).terms[2].value == pytest.approx(2 * luck)


def test_the_bound_is_in_the_units_of_the_metric():
    """A Brier score of three classes lies between 0 and 2; all terms double."""
    rng = np.random.default_rng(0)
    chance = rng.dirichlet([1, 1, 1], 300)
    frame = pd.DataFrame({"a": np.arange(300) % 2, "label": np.arange(300) % 3, "prediction": chance.argmax(axis=1)})
    for i in range(3):
        frame[f"p{i}"] = chance[:, i]
    model = md.Model("m", prediction="prediction", probabilities={i: f"p{i}" for i in range(3)})
    samples = md.Sample(frame, label="label", models=(model,)), md.Sample(frame.drop(columns="label"), models=(model,))
    accuracy, brier = (
        theorem_bound(md.estimate(*samples, [md.Flag("a", column="a")], metric=name).first, unknown=0.1)
        for name in ("accuracy", "brier")
    )
    assert brier.total == pytest.approx(2 * accuracy.total)


def test_words_say_what_was_put_in():
    """What the theorem leaves open is named, and an empty bound is called one."""
    bound = theorem_bound(report_of())
    assert "your assumption" in bound.terms[0].words
    assert "constant c" in bound.terms[2].words
    assert "all rows do both" in bound.terms[2].words
    assert "with probability 0.95" in bound.words
    assert "all rows do both" not in theorem_bound(report_of(split="half")).terms[2].words
    assert "says nothing" in theorem_bound(report_of(), unknown=1.0).words


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("correction_error", 1.0),
        ("correction_error", -0.1),
        ("unknown", 2.1),
        ("unknown", math.nan),
        ("failure", 0.0),
        ("failure", 1.0),
    ],
)
def test_settings_out_of_range_are_refused(setting, value):
    """By name, with the value."""
    with pytest.raises(md.MandolineError, match=f"{setting} must be .* Got {value}"):
        theorem_bound(report_of(), **{setting: value})


def test_the_bound_is_for_bounded_means_of_fitted_weights():
    """Not for unbounded scores, methods without fitted weights, or estimates that add a regression."""
    codes = [[1], [-1]] * 50
    unbounded = md.estimate_from_codes(codes, np.arange(100), codes).first
    with pytest.raises(md.MandolineError, match=r"between two known limits, .* Got 'mean'"):
        theorem_bound(unbounded)
    with pytest.raises(md.MandolineError, match="this method has none"):
        theorem_bound(report_of(estimator="simple"))
    noise = [NOISY[0]], [NOISY[0]]
    denoised = md.estimate_from_codes(codes, [1.0, 0.0] * 50, [[1], [1], [-1]], noise=noise, estimator="denoised").first
    with pytest.raises(md.MandolineError, match="not a weighted mean of labelled rows"):
        theorem_bound(denoised)
