"""Optimal transport of probabilities: the same as a linear programme, properties, derivatives, and its edges."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandoline_core.estimators.confidence import AverageConfidence
from mandoline_core.estimators.cot import Cot, CotWeighted, share_out
from mandoline_core.estimators.mandoline import Mandoline
from tests import oracles
from tests.core.answered import answers, assert_influence_is_the_derivative, random_answers, state

EXACT = 1e-9


@st.composite
def problems(draw: st.DrawFn, most_rows: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Draw probabilities of 2 to 6 classes, soft or sure, some tied; and the classes' shares, some of them 0."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_classes, n = draw(st.integers(2, 6)), draw(st.integers(1, most_rows))
    rows = rng.dirichlet(np.full(n_classes, draw(st.sampled_from([0.02, 0.3, 1.0, 5.0]))), n)
    if draw(st.booleans()):  # few kinds of rows
        rows = rng.permutation(rng.multinomial(4, np.ones(n_classes) / n_classes, n)) / 4
    counts = rng.multinomial(draw(st.integers(1, 60)), rng.dirichlet(np.ones(n_classes)))
    return rows, counts / counts.sum()


@given(problems())
@settings(max_examples=120, deadline=None)
def test_transport_is_the_linear_programme(problem: tuple[np.ndarray, np.ndarray]) -> None:
    """To 1e-9, with the cost as the method's paper defines it; and the gap says so itself."""
    found = share_out(*problem)
    assert found.value == pytest.approx(1 - oracles.transport(*problem), abs=EXACT)
    assert found.gap < 1e-12
    assert found.row_values.mean() == found.value
    assert problem[1] @ found.prices == pytest.approx(0, abs=1e-12)


def test_transport_is_the_linear_programme_where_a_coarser_problem_comes_first() -> None:
    """Sure rows, most of them nearly tied, of four classes in shares that the model does not expect."""
    rng = np.random.default_rng(7)
    rows, shares = rng.dirichlet(np.full(4, 0.05), 900), np.array([0.05, 0.15, 0.3, 0.5])
    assert share_out(rows, shares).value == pytest.approx(1 - oracles.transport(rows, shares), abs=EXACT)


@given(problems(), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_neither_the_order_of_rows_nor_that_of_classes_matters(
    problem: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    """The value, and the price of a class, go along with it; every row twice changes nothing."""
    (rows, shares), rng = problem, np.random.default_rng(seed)
    order, classes = rng.permutation(len(rows)), rng.permutation(len(shares))
    one, other = share_out(rows, shares), share_out(rows[order][:, classes], shares[classes])
    assert other.value == pytest.approx(one.value, abs=1e-12)
    assert other.prices == pytest.approx(one.prices[classes], abs=1e-12)
    assert share_out(np.repeat(rows, 2, axis=0), shares).value == pytest.approx(one.value, abs=1e-12)


@given(problems())
@settings(max_examples=60, deadline=None)
def test_no_class_pays_for_another_share_by_less_than_its_price(problem: tuple[np.ndarray, np.ndarray]) -> None:
    """The value is concave in the shares, and prices are its derivatives: a tangent is never below it."""
    rows, shares = problem
    found, rng = share_out(rows, shares), np.random.default_rng(0)
    for other in rng.dirichlet(np.ones(len(shares)), 5):
        assert share_out(rows, other).value <= found.value + other @ found.prices + 1e-12


@pytest.mark.parametrize("least", [1e-9, 1e-11, 1e-14])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_class_with_hardly_any_share_is_no_trouble(n_classes: int, least: float) -> None:
    """As weights may leave one: the value is that without it, and its price is a number."""
    rows = np.random.default_rng(0).dirichlet(np.ones(n_classes), 2000)
    shares = np.append(np.full(n_classes - 1, (1 - least) / (n_classes - 1)), least)
    found, without = share_out(rows, shares), share_out(rows, np.append(np.full(n_classes - 1, 1 / (n_classes - 1)), 0))
    assert found.value == pytest.approx(without.value, abs=2 * least + 1e-12)
    assert np.isfinite(found.prices).all()
    assert found.gap < 1e-11


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_large_problems_are_solved_exactly_and_fast(n_classes: int) -> None:
    """100,000 rows of a sure model: the gap between plan and prices is rounding."""
    rng = np.random.default_rng(n_classes)
    logits = 4 * rng.normal(size=(100_000, n_classes))
    rows = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    start = time.process_time()
    found = share_out(rows, rng.dirichlet(np.full(n_classes, 3.0)))
    assert found.gap < 1e-10
    assert time.process_time() - start < 10


def test_transport_by_hand() -> None:
    """Sixty per cent of the source are of class b; three of five target rows go there, the surest ones."""
    source = answers([0.1, 0.4, 0.6, 0.8, 0.9], [0, 1, 1, 1, 0])
    outcome = Cot().estimate(state(source, answers([0.3, 0.45, 0.8, 0.95, 0.2])))
    assert outcome.value == pytest.approx((0.7 + 0.45 + 0.8 + 0.95 + 0.8) / 5)
    # The price of b is half-way between the gains of the last row in, -0.1, and of the first row out, -0.4.
    by_source, _ = outcome.influence.pieces(None)  # type: ignore[arg-type]
    assert by_source == pytest.approx(np.where(np.array([0, 1, 1, 1, 0]) == 1, 0.4 * -0.25, 0.6 * 0.25) / 5)


@pytest.mark.parametrize("estimator", [Cot(), CotWeighted()], ids=lambda one: one.name)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_influence_is_the_derivative(estimator: Cot | CotWeighted, n_classes: int) -> None:
    """Through the labels of the source, its weights, and the rows of the target."""
    rng = np.random.default_rng(5)
    source, target = random_answers(rng, 30, n_classes), random_answers(rng, 24, n_classes, labelled=False, tilt=0.2)
    assert_influence_is_the_derivative(estimator, source, target, slices=("z",))


def test_weighted_classes_are_those_of_the_reweighted_source() -> None:
    """The same as plain transport to a source whose rows are there as often as they count."""
    source = answers([0.1, 0.4, 0.6, 0.8] * 10, [0, 1, 1, 1] * 10, slices={"z": [1, 0, 0, 0] * 10})
    target = answers([0.3, 0.45, 0.8, 0.95], slices={"z": [1, 1, 1, 0]})
    problem = state(source, target)
    assert Mandoline().estimate(problem).weights(problem.members)[:4] * 40 == pytest.approx([3, 1 / 3, 1 / 3, 1 / 3])
    often = source.loc[np.repeat(np.arange(40), [9, 1, 1, 1] * 10)].reset_index(drop=True)
    assert CotWeighted().estimate(problem).value == pytest.approx(Cot().estimate(state(often, target)).value)


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_transport_is_never_surer_than_the_model(seed: int) -> None:
    """Rows that may not go where the model is surest can only lose."""
    rng = np.random.default_rng(seed)
    source, target = random_answers(rng, 60, 3), random_answers(rng, 50, 3, labelled=False, tilt=0.3)
    problem = state(source, target)
    assert Cot().estimate(problem).value <= AverageConfidence().estimate(problem).value + 1e-12


def test_a_class_that_no_label_has_gets_no_row() -> None:
    """The model likes class c; no source row is of it, so what it gives to c is lost."""
    source = answers([[0.8, 0.2, 0.0], [0.3, 0.6, 0.1]] * 5, [0, 1] * 5)
    target = answers([[0.1, 0.1, 0.8], [0.5, 0.2, 0.3]])
    outcome = Cot().estimate(state(source, target))
    assert outcome.value == pytest.approx((0.1 + 0.5) / 2)
    assert np.isfinite(outcome.influence.standard_error())


def test_labels_of_one_class_leave_the_mean_probability_of_it() -> None:
    """Every row goes to the only class there is; the source moves nothing."""
    source, target = answers([0.8, 0.6, 0.7], [1, 1, 1]), answers([0.9, 0.2, 0.7])
    outcome = Cot().estimate(state(source, target))
    assert outcome.value == pytest.approx(0.6)
    assert not outcome.influence.pieces(None)[0].any()  # type: ignore[arg-type]
