"""Corrections: what is stated, what abstention means, and what the target's follow from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.errors import ProjectError
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.corrections import correction_rule, fixed_rule
from tests import oracles
from tests.strategies import Case, cases, share

KINDS = ("identity", "own", "same", "derived")


@given(cases(kinds=KINDS, abstain=True, max_slices=4, inside=False))
def test_corrections_equal_the_definition_row_by_row(case: Case):
    """Stated, filled in, copied and derived corrections all equal what the rows give."""
    expected = oracles.correction_tables(case.noises, case.source, case.target)
    found = case.problem().corrections()
    for side, table, codes in zip((found.source, found.target), expected, (case.source, case.target), strict=True):
        for i, column in enumerate(codes.T):
            seen = np.unique(column) + 1  # the others matter to no row
            np.testing.assert_allclose(side[i, seen], table[i, seen], atol=1e-10)


@given(share(0.05, 0.95), share(0.05, 0.95), share(0.55, 0.99), share(0.01, 0.45), share(0.0, 0.5))
def test_derived_corrections_recover_a_world_with_stable_errors(source_rate, target_rate, hit, false_alarm, silent):
    """With the same p(code | truth) on both sides, the target's rate and corrections come out exactly."""
    says = np.array([[1 - false_alarm, 1 - hit], [0, 0], [false_alarm, hit]]) * (1 - silent)  # p(code | g)
    says[1] = silent
    tables, rates = [], []
    for rate in (source_rate, target_rate):
        joint = says * [1 - rate, rate]
        rates.append(joint.sum(axis=1)[None])
        tables.append(joint[[0, 2], 1] / joint[[0, 2]].sum(axis=1))
    for abstain in (None, source_rate):
        noise = Noise(Correction(outside=tables[0][0], inside=tables[0][1], abstain=abstain))
        found = correction_rule([noise]).at(*rates)
        np.testing.assert_allclose(found.target_rate, [target_rate], atol=1e-9)
        np.testing.assert_allclose(found.target[0], [tables[1][0], target_rate, tables[1][1]], atol=1e-9)


def test_a_derived_rate_outside_the_unit_interval_is_kept_to_be_reported():
    """The solved rate is shown as it comes out; the corrections use the nearest possible one."""
    rule = correction_rule([Noise(Correction(inside=0.9, outside=0.1))])
    found = rule.at(np.array([[0.5, 0, 0.5]]), np.array([[0.02, 0, 0.98]]))
    assert found.target_rate[0] == pytest.approx((0.98 - 0.1) / 0.8)
    assert found.target[0].tolist() == [1.0, 1.0, 1.0]


def test_a_source_that_never_shows_an_answer_cannot_tell_error_rates():
    """Derivation falls back to the same matrix and says so."""
    rule = correction_rule([Noise(Correction(inside=0.9, outside=0.1))])
    found = rule.at(np.array([[0.0, 0, 1.0]]), np.array([[0.4, 0, 0.6]]))
    assert found.underivable.tolist() == [True]
    assert np.isnan(found.target_rate[0])
    assert found.target[0, [0, 2]].tolist() == [0.1, 0.9]


def test_answers_that_mean_the_same_cannot_tell_error_rates():
    """Two answers with one correction and no third answer leave a gap of rounding errors, which is none."""
    rule = correction_rule([Noise(Correction(inside=0.6, outside=0.15, abstain=0.15))])
    found = rule.at(np.array([[3 / 7, 4 / 7, 0]]), np.array([[1 / 3, 1 / 3, 1 / 3]]))
    assert found.underivable.tolist() == [True]
    assert found.target[0].tolist() == [0.15, 0.15, 0.6]


def test_unstated_abstention_says_what_speaking_rows_say():
    """Each sample fills it in from its own rows."""
    found = correction_rule([None]).at(np.array([[0.6, 0.2, 0.2]]), np.array([[0.1, 0.5, 0.4]]))
    np.testing.assert_allclose([found.source[0], found.target[0]], [[0, 0.25, 1], [0, 0.8, 1]])
    assert found.takes_codes_at_their_word


def test_a_slice_that_never_speaks_is_a_coin():
    """There is nothing to fill in from, and nothing breaks."""
    silent = np.array([[0.0, 1.0, 0.0]])
    assert correction_rule([None]).at(silent, silent).source[0, 1] == 0.5


@given(st.lists(st.sampled_from(KINDS), min_size=2, max_size=4), st.data())
def test_selecting_rules_selects_their_corrections(kinds, data):
    """Slices do not look at each other."""
    made = {"own": Noise(Correction(0.9, 0.1), Correction(0.8, 0.3)), "same": Noise(Correction(0.7, 0.2), same=True)}
    made |= {"identity": None, "derived": Noise(Correction(0.8, 0.2, 0.4))}
    rule = correction_rule([made[kind] for kind in kinds])
    rates = np.random.default_rng(0).dirichlet([2, 1, 2], (2, len(kinds)))
    chosen = data.draw(st.lists(st.integers(0, len(kinds) - 1), min_size=1, unique=True))
    part, whole = rule.select(chosen).at(*rates[:, chosen]), rule.at(*rates)
    for name in ("source", "target", "target_rate", "underivable"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[chosen])


def test_fixed_tables_ignore_the_data():
    """What is given is used, and its slopes are zero."""
    tables = np.array([[0.1, 0.5, 0.9]]), np.array([[0.2, 0.4, 0.7]])
    rates = np.array([[0.3, 0.1, 0.6]]), np.array([[0.5, 0.2, 0.3]])
    rule = fixed_rule(*tables)
    assert (rule.at(*rates).source == tables[0]).all()
    assert (rule.at(*rates).target == tables[1]).all()
    assert not rule.at(*rates).takes_codes_at_their_word
    assert not np.any(rule.slopes(*rates))


def test_slopes_of_filled_in_abstention_equal_the_quotient_rule():
    """d(in / speaking) by the share inside is outside / speaking^2, and so on."""
    rates = np.array([[0.3, 0.2, 0.5]]), np.array([[0.1, 0.5, 0.4]])
    by_source, across, by_target = correction_rule([None]).slopes(*rates)
    np.testing.assert_allclose(by_source[0, 1], [-0.5 / 0.64, 0, 0.3 / 0.64], atol=1e-8)
    np.testing.assert_allclose(by_target[0, 1], [-0.4 / 0.25, 0, 0.1 / 0.25], atol=1e-8)
    assert not across.any()


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"inside": 95}, "Correction 'inside' must be between 0 and 1. Got 95. Did you mean 0.95?"),
        ({"outside": -0.1}, "Correction 'outside' must be between 0 and 1. Got -0.1."),
        ({"abstain": True}, "Correction 'abstain' must be between 0 and 1. Got True."),
        (
            {"inside": 0.3, "outside": 0.3},
            "Corrections inside = outside = 0.3 mean that the slice carries no information",
        ),
    ],
)
def test_impossible_corrections_are_refused(stated, message):
    """The message gives the value and what was expected."""
    with pytest.raises(ProjectError) as caught:
        Correction(**stated)
    assert str(caught.value).startswith(message)


def test_contradictory_noise_is_refused():
    """Target corrections are copied or their own; source corrections are measured or given."""
    with pytest.raises(ProjectError, match="takes either same or its own corrections"):
        Noise(Correction(0.9, 0.1), Correction(0.8, 0.1), same=True)
    with pytest.raises(ProjectError, match="takes either measured or"):
        Noise(Correction(0.9, 0.1), measured=True)


def test_the_error_of_a_derived_rate_is_that_of_samples_drawn_anew():
    """Both samples' luck counts, each at its own size."""
    rule = correction_rule([Noise(Correction(inside=0.9, outside=0.1)), Noise(Correction(inside=0.8, outside=0.05))])
    shares = (np.array([[0.5, 0.0, 0.5], [0.7, 0.0, 0.3]]), np.array([[0.3, 0.0, 0.7], [0.5, 0.0, 0.5]]))
    sizes = (900, 400)
    rng = np.random.default_rng(0)
    drawn = [
        rule.at(*(np.array([rng.multinomial(n, p) for p in side]) / n for n, side in zip(sizes, shares, strict=True)))
        for _ in range(4000)
    ]
    spread = np.std([found.target_rate for found in drawn], axis=0)
    # The relative error of a standard deviation of 4,000 draws is 1.1%.
    np.testing.assert_allclose(rule.rate_errors(*shares, *sizes), spread, rtol=0.045)
