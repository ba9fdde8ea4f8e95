"""What the source can be reweighted to: set aside, leave unused, refuse, but never diverge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.errors import OverlapError
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.kliep import MAX_LOG_RATIO
from mandoline_core.weighting.weights import fit
from tests import oracles
from tests.conftest import EXAMPLES
from tests.strategies import Case, cases, random_case

MANDOLINE = get_estimator("mandoline")
NOISY = Noise(Correction(inside=0.9, outside=0.2), same=True)


def rows(*counted: tuple[tuple[int, ...], int]) -> np.ndarray:
    """Repeat patterns."""
    return np.repeat(np.array([codes for codes, _ in counted], dtype=np.int8), [n for _, n in counted], axis=0)


def set_aside(case: Case, outcome) -> float:
    """Compute the share of the target set aside."""
    table = case.count.patterns
    return table.target @ (1 - outcome.kept) / table.n_target


def scored(source: np.ndarray, target: np.ndarray, **more) -> Case:
    """Give the source rows scores."""
    return Case(source, np.random.default_rng(0).random(len(source)), target, **more)


def test_a_slice_empty_in_the_source_is_set_aside_and_named():
    """The estimate speaks of the other rows, as if the ones set aside were not there."""
    source = rows(((-1, -1), 30), ((1, -1), 20))
    case = scored(source, rows(((-1, -1), 20), ((1, -1), 70), ((1, 1), 10)))
    outcome = MANDOLINE.estimate(case.problem())
    rest = replace(case, target=case.target[case.target[:, 1] == -1])
    assert outcome.converged
    assert outcome.beyond == ("slice 1",)
    assert set_aside(case, outcome) == pytest.approx(0.1)
    assert outcome.value == pytest.approx(MANDOLINE.estimate(rest.problem()).value, abs=1e-12)


def test_a_slice_empty_in_the_target_gives_zero_weight():
    """These source rows are of no use, and the rest is fitted as if they were not there."""
    case = random_case(np.random.default_rng(0), n_slices=3)
    case = replace(case, target=case.target[case.target[:, 0] == -1])
    outcome = MANDOLINE.estimate(case.problem())
    weights = case.row_weights(outcome)
    inside = case.source[:, 0] == 1
    assert outcome.converged
    assert outcome.beyond == ()
    assert (weights[inside] == 0).all()
    assert (outcome.unused == (case.count.patterns.codes[:, 0] == 1)).all()
    rest = replace(case, source=case.source[~inside], scores=case.scores[~inside])
    np.testing.assert_allclose(weights[~inside], rest.row_weights(MANDOLINE.estimate(rest.problem())), atol=1e-10)


@pytest.mark.parametrize("noises", [(), (NOISY, None, None)], ids=["exact", "noisy"])
@pytest.mark.parametrize("edges", [(), ((0, 1), (1, 2))], ids=["no edges", "edges"])
def test_unused_rows_are_the_limit_of_a_vanishing_ridge(noises, edges):
    """The enumerated ridge solutions approach the solution on the face at the rate of the ridge."""
    case = random_case(np.random.default_rng(1), n_slices=3, noises=noises, edges=edges)
    case = replace(case, target=case.target[case.target[:, 2] == -1])
    outcome = MANDOLINE.estimate(case.problem())
    limit = case.row_weights(outcome)
    gaps = [np.abs(replace(case, ridge=ridge).answer().weights - limit).max() for ridge in (1e-3, 1e-5, 1e-7)]
    assert (limit[case.source[:, 2] == 1] == 0).all()
    # Weights off the face vanish like ridge * log(1 / ridge), times 100 smaller each step but for the logarithm.
    assert gaps[1] < gaps[0] / 30
    assert gaps[2] < gaps[1] / 30
    assert gaps[2] * len(case.source) < 1e-3


def test_a_combination_beyond_the_source_is_set_aside_and_named():
    """Each slice alone is fine; both together never occur in the source."""
    source = rows(((-1, -1), 30), ((1, -1), 20), ((-1, 1), 20))
    case = scored(source, rows(((-1, -1), 10), ((1, -1), 30), ((-1, 1), 30), ((1, 1), 30)), edges=((0, 1),))
    outcome = MANDOLINE.estimate(case.problem())
    assert outcome.converged
    assert set(outcome.beyond) <= {"slice 0", "slice 1", "slice 0*slice 1"}
    assert "slice 0*slice 1" in outcome.beyond
    assert not outcome.kept[(case.count.patterns.codes == 1).all(axis=1)].any()
    assert set_aside(case, outcome) == pytest.approx(0.3)


def test_of_a_pattern_that_others_can_make_up_for_only_a_part_is_set_aside():
    """Both slices together never occur in the source, so on average they hold for half of the rows at most."""
    source = rows(((-1, -1), 30), ((1, -1), 20), ((-1, 1), 20))
    case = scored(source, rows(((-1, -1), 40), ((1, 1), 60)))
    outcome = MANDOLINE.estimate(case.problem())
    assert outcome.converged
    assert set(outcome.beyond) == {"slice 0", "slice 1"}
    assert set_aside(case, outcome) == pytest.approx(0.2)
    # What is left is half inside either slice, and no labelled row is inside neither then.
    weights = case.row_weights(outcome)
    assert [weights[(case.source[:, i] == 1)].sum() for i in range(2)] == pytest.approx([0.5, 0.5])
    whole = MANDOLINE.estimate(replace(case.problem(), whole_patterns=True))
    assert set_aside(case, whole) == pytest.approx(0.6)
    message = md.estimate_from_codes(case.source, case.scores, case.target).first.findings[0].message
    assert message.startswith("20.0% of the new data")


@pytest.mark.parametrize("extra", [0, 25], ids=["one face", "and rows within"])
def test_rows_move_what_is_kept_of_a_pattern(extra):
    """The influence of target rows follows the linear programme: as when each pattern counts a little more."""
    source = rows(((-1, -1), 30), ((1, -1), 20), ((-1, 1), 20))
    case = scored(source, rows(((-1, -1), 40), ((1, 1), 60), ((1, -1), extra)))
    problem, step = case.problem(), 1e-5
    outcome = MANDOLINE.estimate(problem)
    table = problem.patterns
    assert ((outcome.kept > 0) & (outcome.kept < 1)).any()
    for pattern in np.flatnonzero(table.target > 0):
        moved = []
        for sign in (1, -1):
            target = table.target * (1 - sign * step)
            target[pattern] += sign * step * table.n_target
            changed = replace(table, target=target)
            moved.append(MANDOLINE.means(replace(problem, patterns=changed, groups=(changed,)))[0])
        assert outcome.influence.target[pattern] == pytest.approx((moved[0] - moved[1]) / (2 * step), abs=1e-4)


def test_a_class_missing_from_the_source_is_set_aside():
    """One-hot slices: the target's third class has no source row, so its rows go and the others balance."""
    classes = {"a": (1, -1, -1), "b": (-1, 1, -1), "c": (-1, -1, 1)}
    source = rows((classes["a"], 30), (classes["b"], 30))
    case = scored(source, rows((classes["a"], 10), (classes["b"], 70), (classes["c"], 20)))
    outcome = MANDOLINE.estimate(case.problem())
    weights = case.row_weights(outcome)
    assert outcome.beyond[0] == "slice 2"
    assert set_aside(case, outcome) == pytest.approx(0.2)
    assert weights[case.source[:, 0] == 1].sum() == pytest.approx(10 / 80, abs=1e-10)


def test_noise_makes_an_empty_slice_reachable():
    """If outside rows may truly be inside, the source reaches targets that are inside more often."""
    source = rows(((-1, -1), 40), ((-1, 1), 40))
    case = scored(source, rows(((-1, -1), 40), ((1, 1), 10)))
    plain = MANDOLINE.estimate(case.problem())
    noisy = replace(case, noises=(NOISY, None))
    outcome = MANDOLINE.estimate(noisy.problem())
    assert set_aside(case, plain) == pytest.approx(0.2)
    assert outcome.converged
    assert set_aside(noisy, outcome) == 0
    np.testing.assert_allclose(noisy.row_weights(outcome), noisy.answer().weights, atol=1e-8)


def test_strict_refuses_with_the_share_and_the_slices():
    """Nothing is estimated without the rows beyond."""
    case = scored(rows(((-1, -1), 30), ((1, -1), 20)), rows(((-1, -1), 90), ((1, 1), 10)))
    with pytest.raises(OverlapError) as caught:
        MANDOLINE.estimate(case.problem(overlap="strict"))
    message = str(caught.value)
    assert message.startswith("10.0% of the new data (10 rows) match no labelled row (slices slice 1)")
    assert 'overlap = "strict"' in message


def test_strict_accepts_what_the_source_reaches():
    """Also when source rows are of no use."""
    case = scored(rows(((-1,), 30), ((1,), 20)), rows(((-1,), 10)))
    outcome = MANDOLINE.estimate(case.problem(overlap="strict"))
    assert outcome.value == pytest.approx(case.scores[:30].mean(), abs=1e-12)


def test_everything_beyond_is_an_error():
    """No labelled row resembles any new row."""
    case = scored(rows(((-1, -1), 30), ((1, -1), 20)), rows(((-1, 1), 90), ((1, 1), 10)))
    with pytest.raises(OverlapError, match="No new row matches a labelled row \\(slices slice 1\\)"):
        MANDOLINE.estimate(case.problem())


def test_a_ridge_keeps_everything():
    """Penalised weights exist whatever the target."""
    case = scored(rows(((-1, -1), 30), ((1, -1), 20)), rows(((-1, 1), 90), ((1, 1), 10)), ridge=0.1)
    outcome = MANDOLINE.estimate(case.problem())
    assert outcome.converged
    assert (outcome.kept == 1).all()
    assert outcome.value == pytest.approx(case.answer().estimate, abs=1e-8)


def test_what_one_half_cannot_reach_is_set_aside_for_both():
    """The only source row inside the slice is in one half."""
    case = scored(rows(((-1,), 4), ((1,), 1), ((-1,), 5)), rows(((-1,), 6), ((1,), 4)))
    outcome = MANDOLINE.estimate(case.problem("crossfit"))
    assert outcome.converged
    assert outcome.beyond == ("slice 0",)
    assert set_aside(case, outcome) == pytest.approx(0.4)
    assert set_aside(case, MANDOLINE.estimate(case.problem())) == 0


@pytest.mark.parametrize("kinds", [("identity",), ("own", "same", "derived", "identity")], ids=["exact", "noisy"])
@settings(max_examples=4 * EXAMPLES)
@given(st.data())
def test_success_means_that_the_kept_target_is_within_reach(kinds, data):
    """On any small problem, brute force confirms what was kept, and nothing is dropped without need."""
    noisy = len(kinds) > 1
    edges = data.draw(st.booleans())
    case = data.draw(cases(inside=False, edges=edges, min_slices=2, max_slices=4, kinds=kinds, abstain=noisy))
    tables = oracles.correction_tables(case.noises, case.source, case.target)
    potentials = oracles.phi(oracles.all_truths(case.source.shape[1]), case.edges)

    def place(kept: np.ndarray) -> str:
        goal = kept / kept.sum() @ oracles.truth_given_codes(case.target, tables[1]) @ potentials
        return oracles.hull_margin(case.source, goal, tables[0], case.edges)

    whole, problem = place(np.ones(len(case.target))), case.problem()
    try:
        fitted = fit(problem.patterns, case.edges, problem.corrections())
    except OverlapError:
        assert whole == "outside"
        return
    kept = fitted.kept[case.count.target_index]
    assert fitted.solution.converged
    assert np.abs(fitted.solution.delta).max() < MAX_LOG_RATIO / 2
    np.testing.assert_allclose(fitted.solution.mean, fitted.target_mean, atol=1e-8)
    assert (whole == "outside") == (kept < 1).any()
    assert bool(fitted.beyond) == (kept < 1).any()
    assert place(kept) != "outside"
    try:
        less = fit(problem.patterns, case.edges, problem.corrections(), whole_patterns=True)
    except OverlapError:
        return
    assert set(less.kept) <= {0.0, 1.0}
    assert kept.sum() >= less.kept[case.count.target_index].sum() - 1e-6
    if whole == "inside":
        assert not fitted.unused.any()
