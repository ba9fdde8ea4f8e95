"""The estimators: agreement with enumeration, and what must not change an estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from mandoline_core.errors import MandolineError, OverlapError, ProjectError
from mandoline_core.estimators.registry import ESTIMATORS, get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.weights import fit
from tests import oracles
from tests.strategies import Case, cases, random_case, settled, world_problem
from tests.worlds import random_world

NOISY = ("own", "same", "derived")
ANY = {"kinds": ("identity", *NOISY), "abstain": True, "max_slices": 4}
ON_PATTERNS = ("denoised", "mandoline", "simple", "source")  # of slice patterns alone
MANDOLINE, DENOISED, SIMPLE, SOURCE = (get_estimator(name) for name in ("mandoline", "denoised", "simple", "source"))


def assert_agrees(case: Case) -> None:
    """Compare weights, moments, parameters and both estimates with enumeration."""
    expected, problem = settled(case), case.problem()
    outcome = MANDOLINE.estimate(problem)
    fitted = fit(problem.patterns, case.edges, problem.corrections(), ridge=case.ridge)
    assert outcome.converged
    np.testing.assert_allclose(case.row_weights(outcome), expected.weights, rtol=0, atol=1e-8)
    np.testing.assert_allclose(outcome.value, expected.estimate, rtol=0, atol=1e-8)
    np.testing.assert_allclose(fitted.target_mean, expected.target_moments, rtol=0, atol=1e-8)
    np.testing.assert_allclose(fitted.solution.mean, expected.moments, rtol=0, atol=1e-8)
    if case.ridge or not expected.redundant:
        np.testing.assert_allclose(outcome.delta, expected.delta, rtol=0, atol=1e-8)
    if expected.denoisable:
        np.testing.assert_allclose(DENOISED.means(problem), [expected.denoised], rtol=0, atol=1e-8)
    else:
        with pytest.raises(MandolineError, match="are too unreliable"):
            DENOISED.means(problem)


@given(cases())
def test_plain_slices_agree_with_enumeration(case):
    """No noise, no edges."""
    assert_agrees(case)


@given(cases(edges=True, min_slices=2))
def test_edges_and_cycles_agree_with_enumeration(case):
    """Any graph, with up to five edges."""
    assert_agrees(case)


@pytest.mark.parametrize("kind", NOISY)
@given(st.data())
def test_noisy_slices_agree_with_enumeration(kind, data):
    """Target corrections of their own, copied, and derived; some slices exact."""
    assert_agrees(data.draw(cases(kinds=(kind, "identity"))))


@given(cases(abstain=True))
def test_abstaining_slices_agree_with_enumeration(case):
    """Abstention alone makes a slice uncertain."""
    assert_agrees(case)


@given(cases(kinds=("identity", *NOISY), abstain=True, edges=True, min_slices=2, max_slices=6))
def test_noise_abstention_and_edges_together_agree_with_enumeration(case):
    """All kinds of slices side by side, joined by edges."""
    assert_agrees(case)


@given(cases(redundant=True, edges=True, max_slices=5))
def test_redundant_slices_agree_with_enumeration(case):
    """Duplicate, opposite, constant and one-hot slices, with edges between them: weights are unique."""
    assert_agrees(case)


@given(cases(ridge=True, redundant=True, edges=True, max_slices=5))
def test_a_ridge_agrees_with_enumeration(case):
    """The ridge settles redundant directions, so that parameters agree too."""
    assert_agrees(case)


@given(cases(ridge=True, edges=True, kinds=("identity", *NOISY), min_slices=2, max_slices=5, inside=False))
def test_a_ridge_agrees_with_enumeration_beyond_the_reach(case):
    """With a ridge the maximum exists whatever the target."""
    assert_agrees(case)


@given(cases(edges=True, min_slices=2, max_slices=6))
def test_denoised_equals_mandoline_when_slices_are_taken_at_their_word(case):
    """The weights balance the potentials, so that the regression drops out."""
    settled(case)
    problem = case.problem()
    assert DENOISED.means(problem)[0] == pytest.approx(MANDOLINE.means(problem)[0], rel=0, abs=1e-10)


@given(cases(edges=True, min_slices=2, max_slices=5))
def test_identity_corrections_equal_plain_kliep(case):
    """Corrections of 1 and 0, however stated, change nothing to the bit."""
    settled(case)
    stated = Noise(Correction(1.0, 0.0), Correction(1.0, 0.0))
    plain = MANDOLINE.estimate(replace(case, noises=()).problem())
    spelled = MANDOLINE.estimate(replace(case, noises=(stated,) * case.source.shape[1]).problem())
    assert spelled.value == plain.value
    assert (spelled.delta == plain.delta).all()


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
@given(st.data())
def test_weights_are_shares_that_match_the_target(name, data):
    """Weights are at least 0 and sum to 1; the reweighted potentials are the target's."""
    case = data.draw(cases(edges=True, min_slices=2, kinds=ANY["kinds"], abstain=True, max_slices=4))
    expected, problem = settled(case), case.problem()
    assume(expected.denoisable)
    try:
        outcome = get_estimator(name).estimate(problem)
    except MandolineError:  # less certain than one labelled row would be: refused, and tested on its own
        reject()
    weights = case.row_weights(outcome)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(expected.target_moments, expected.moments, atol=1e-9)
    fitted = fit(problem.patterns, case.edges, problem.corrections())
    np.testing.assert_allclose(fitted.solution.mean, fitted.target_mean, atol=1e-9)


@given(cases(edges=True, min_slices=2, max_slices=5, kinds=("identity", "same", "derived"), abstain=True))
def test_a_target_like_the_source_gives_uniform_weights(case):
    """Nothing shifts: every row counts alike and the estimate is the source score."""
    case = replace(case, target=case.source)
    outcome = MANDOLINE.estimate(case.problem())
    np.testing.assert_allclose(case.row_weights(outcome), 1 / len(case.scores), atol=1e-10)
    assert outcome.value == pytest.approx(case.scores.mean(), abs=1e-10)


@pytest.mark.parametrize("name", ON_PATTERNS)
@given(st.data())
def test_order_of_rows_and_slices_does_not_matter(name, data):
    """Shuffling rows shuffles the weights; shuffling slices changes nothing."""
    case = data.draw(cases(edges=True, min_slices=2, kinds=ANY["kinds"], abstain=True, max_slices=4))
    assume(settled(case).denoisable or name != "denoised")
    rng = np.random.default_rng(data.draw(st.integers(0, 100)))
    source_order, target_order = (rng.permutation(len(rows)) for rows in (case.source, case.target))
    slices = rng.permutation(case.source.shape[1])
    place = np.argsort(slices)
    moved = Case(
        source=case.source[source_order][:, slices],
        scores=case.scores[source_order],
        target=case.target[target_order][:, slices],
        edges=tuple(tuple(sorted((int(place[i]), int(place[j])))) for i, j in reversed(case.edges)),
        noises=tuple(case.noises[i] for i in slices),
    )
    estimator = get_estimator(name)
    means = estimator.means(case.problem())
    np.testing.assert_allclose(estimator.means(moved.problem()), means, atol=1e-8)
    if name == "mandoline":
        before, after = (c.row_weights(estimator.estimate(c.problem())) for c in (case, moved))
        np.testing.assert_allclose(after, before[source_order], atol=1e-9)


@pytest.mark.parametrize("name", ON_PATTERNS)
@given(st.data())
def test_duplicating_every_row_changes_no_estimate(name, data):
    """Only shares matter."""
    case = data.draw(cases(**ANY))
    assume(settled(case).denoisable or name != "denoised")
    rows = {key: np.repeat(getattr(case, key), times, axis=0) for key, times in (("source", 2), ("scores", 2))}
    double = replace(case, **rows, target=np.repeat(case.target, 3, axis=0))
    estimator = get_estimator(name)
    np.testing.assert_allclose(estimator.means(double.problem()), estimator.means(case.problem()), atol=1e-8)


@given(cases(edges=True, min_slices=2, max_slices=4, kinds=ANY["kinds"], abstain=True), st.data())
def test_turning_a_slice_around_changes_nothing(case, data):
    """Naming the outside inside, corrections included, leaves weights and estimates as they are."""
    expected = settled(case)
    turned = data.draw(st.integers(0, case.source.shape[1] - 1))
    sign = np.ones(case.source.shape[1], dtype=np.int8)
    sign[turned] = -1
    noises = list(case.noises)
    if noises[turned] is not None:
        noises[turned] = replace(
            noises[turned], source=_turn(noises[turned].source), target=_turn(noises[turned].target)
        )
    other = replace(case, source=case.source * sign, target=case.target * sign, noises=tuple(noises))
    before, after = MANDOLINE.estimate(case.problem()), MANDOLINE.estimate(other.problem())
    np.testing.assert_allclose(other.row_weights(after), case.row_weights(before), atol=1e-9)
    assert after.delta[turned] == pytest.approx(-before.delta[turned], abs=1e-6)
    if expected.denoisable:
        np.testing.assert_allclose(DENOISED.means(other.problem()), DENOISED.means(case.problem()), atol=1e-8)


def _turn(correction: Correction | None) -> Correction | None:
    if correction is None:
        return None
    abstain = None if correction.abstain is None else 1 - correction.abstain
    return Correction(inside=1 - correction.outside, outside=1 - correction.inside, abstain=abstain)


@given(cases(max_slices=3, inside=False))
def test_the_simple_ratio_equals_row_by_row_reweighting(case):
    """Each source row counts as its pattern's share of the target over its share of the source."""
    keys, target = [list(map(tuple, rows)) for rows in (case.source, case.target)]
    ratios = np.array([target.count(key) / keys.count(key) for key in keys])
    if not ratios.any():
        with pytest.raises(OverlapError, match="No slice pattern occurs in both labelled and new data"):
            SIMPLE.estimate(case.problem())
        return
    outcome = SIMPLE.estimate(case.problem())
    assert outcome.value == pytest.approx(ratios @ case.scores / ratios.sum(), abs=1e-12)
    np.testing.assert_allclose(case.row_weights(outcome), ratios / ratios.sum(), atol=1e-12)
    set_aside = np.mean([key not in keys for key in target])
    table = case.count.patterns
    assert table.target @ (1 - outcome.kept) / table.n_target == pytest.approx(set_aside)


@given(cases(max_slices=3))
def test_the_source_estimator_is_the_plain_mean(case):
    """With the textbook standard error."""
    outcome = SOURCE.estimate(case.problem())
    assert outcome.value == pytest.approx(case.scores.mean(), abs=1e-12)
    textbook = case.scores.std() / np.sqrt(len(case.scores))
    assert outcome.influence.standard_error() == pytest.approx(textbook, abs=1e-9)


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_splits_equal_enumeration_on_each_half(split):
    """Half fits on the even rows and weights the odd ones; crossfit averages both directions."""
    case = random_case(np.random.default_rng(0), noises=(Noise(Correction(0.9, 0.2)), None, None), edges=((0, 1),))
    tables = oracles.correction_tables(case.noises, case.source, case.target)
    potentials = oracles.phi(oracles.all_truths(3), case.edges)
    values = []
    for fold in (0, 1)[: 1 + (split == "crossfit")]:
        rows, others = (np.arange(len(case.scores)) % 2 == i for i in (fold, 1 - fold))
        found = oracles.answer(case.source[rows], case.scores[rows], case.target, tables, case.edges)
        weights = oracles.truth_given_codes(case.source[others], tables[0]) @ np.exp(potentials @ found.delta)
        values.append(weights @ case.scores[others] / weights.sum())
    outcome = MANDOLINE.estimate(case.problem(split))
    assert outcome.value == pytest.approx(np.mean(values), abs=1e-9)
    counts = np.array([group.source for group in case.problem(split).groups])
    assert (counts * outcome.row_weights).sum() == pytest.approx(1, abs=1e-12)


def test_denoised_refuses_slices_that_say_next_to_nothing():
    """An estimate less certain than one labelled row is an error that names the slice."""
    noise = Noise(Correction(0.501, 0.5), Correction(0.9, 0.1))
    case = random_case(np.random.default_rng(3), n_slices=1, n=60, noises=(noise,))
    with pytest.raises(MandolineError, match="slices slice 0 are too unreliable"):
        DENOISED.estimate(case.problem())


def test_denoised_stays_within_the_metric_bounds_and_says_so():
    """A share above 1 is shown as 1 with a finding."""
    rng = np.random.default_rng(0)
    source = np.where(rng.random((400, 1)) < 0.5, 1, -1).astype(np.int8)
    scores = (rng.random(400) < 0.75 + 0.2 * source[:, 0]).astype(float)
    target = np.ones((400, 1), dtype=np.int8)
    noise = Noise(Correction(inside=0.7, outside=0.3), Correction(inside=1.0, outside=0.0))
    outcome = DENOISED.estimate(Case(source, scores, target, (), (noise,)).problem(metric=get_metric("accuracy")))
    assert outcome.value == 1.0
    assert outcome.means[0] > 1.0
    assert [finding.code for finding in outcome.findings] == ["denoised_outside_bounds"]


def test_an_unknown_estimator_is_refused_with_the_nearest_name():
    """The message lists what there is."""
    with pytest.raises(ProjectError) as caught:
        get_estimator("mandolin")
    known = ", ".join(ESTIMATORS)
    assert str(caught.value) == f"Unknown method 'mandolin'. Methods: {known}. Did you mean 'mandoline'?"
    assert {"mandoline", "denoised", "simple", "source"} <= set(ESTIMATORS)


@pytest.mark.parametrize(("n_slices", "edges"), [(1, ()), (2, ((0, 1),)), (4, ((0, 1),))])
def test_denoised_is_far_closer_than_the_papers_weights_when_its_assumption_holds(n_slices, edges):
    """At slice accuracy 0.8 with true corrections its mean absolute error is at most 0.4 of theirs."""
    rng = np.random.default_rng(2024)
    errors = []
    for _ in range(100):
        world = random_world(rng, n_slices=n_slices, edges=edges, accuracy=0.8)
        problem = world_problem(world, 10_000, rng, "true")
        errors.append([abs(e.means(problem)[0] - world.score("target")) for e in (DENOISED, MANDOLINE)])
    denoised, paper = 100 * np.mean(errors, axis=0)
    print(f"k = {n_slices}: denoised {denoised:.2f} points, paper {paper:.2f}, ratio {denoised / paper:.3f}")
    assert denoised <= 0.4 * paper, f"denoised {denoised:.2f} points, paper {paper:.2f}"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_method_says_what_it_does_and_how_long_it_takes(name):
    """In one sentence; those that weight rows by all columns take long enough for a person to be told."""
    estimator = ESTIMATORS[name]
    assert estimator.does.endswith(".")
    assert (estimator.seconds > 1) == ("features" in estimator.needs and estimator.weights_rows)
