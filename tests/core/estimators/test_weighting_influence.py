"""How luck moves estimators on classifiers, kernels and density ratios: derivatives, and bootstraps drawn apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import issparse, vstack

from mandoline_core.domain_classifier.logistic import fit_logistic
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.features import build_features
from mandoline_core.estimators.intervals import Redraws
from mandoline_core.estimators.kernel_matching import KernelMatcher
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.estimators.ulsif import fit_ratio
from mandoline_core.metrics.metric import evaluate
from mandoline_core.patterns.patterns import add_up
from mandoline_core.weighting.problem import Problem
from tests.core.estimators.test_influence import assert_influence_is_the_derivative, derivative
from tests.core.estimators.test_ulsif import plain_alpha
from tests.core.weighted_rows import MODELS, draw_rows, prepare_rows, samples
from tests.strategies import random_case

Value = Callable[[np.ndarray, np.ndarray], float]


@pytest.mark.parametrize("abstain", [0.0, 0.15], ids=["speaking", "abstaining"])
@pytest.mark.parametrize("name", ["cbiw_slices", "ulsif_slices"])
def test_influence_on_slices_is_the_derivative(name: str, abstain: float) -> None:
    """Source and target rows, through the fit, on patterns with fractional counts."""
    case = random_case(np.random.default_rng(3), n_slices=3, n=300, abstain=abstain, binary=False)
    assert_influence_is_the_derivative(case.problem(), name)


@pytest.mark.parametrize("metric", ["f1", "mcc"])
@pytest.mark.parametrize("name", ["cbiw_slices", "ulsif_slices"])
def test_influence_on_slices_of_a_metric_of_several_means_is_the_derivative(name: str, metric: str) -> None:
    """The metric's slope leads."""
    assert_influence_is_the_derivative(prepare_rows(draw_rows(1, 300), draw_rows(51, 200, 0.2), metric).problem, name)


@pytest.mark.parametrize("name", ["cbiw_slices", "ulsif_slices"])
def test_pieces_of_luck_on_slices_add_up_to_the_variance(name: str) -> None:
    """One piece a row; each sample's add up to nothing."""
    problem = prepare_rows(draw_rows(2, 300, abstain=0.1), draw_rows(52, 200, 0.2)).problem
    influence = get_estimator(name).estimate(problem).influence
    pieces = influence.pieces(problem.members)
    assert [len(piece) for piece in pieces] == [300, 200]
    assert sum(float(piece @ piece) for piece in pieces) == pytest.approx(influence.standard_error() ** 2, rel=1e-9)
    assert [float(piece.sum()) for piece in pieces] == pytest.approx([0, 0], abs=1e-9)


def assert_pieces_are_derivatives(problem: Problem, outcome: Outcome, value: Value) -> None:
    """Compare rows' pieces with what happens when a share of their sample is replaced by them."""
    pieces = outcome.influence.pieces(problem.members)
    sizes = [len(piece) for piece in pieces]
    assert value(*map(np.ones, sizes)) == pytest.approx(outcome.value, abs=1e-10)
    for side, n in enumerate(sizes):

        def mixed(share: float, row: int, side: int = side, n: int = n) -> float:
            counts = [np.ones(size) for size in sizes]
            counts[side] = (1 - share) * counts[side] + share * n * (np.arange(n) == row)
            return value(*counts)

        expected = np.array([derivative(lambda share, row=row: mixed(share, row)) for row in range(0, n, 7)])  # type: ignore[misc]
        assert pieces[side][::7] * n == pytest.approx(expected, abs=1e-5)
        assert np.abs(expected).max() > 0.02  # far beyond the tolerance


@pytest.mark.parametrize(
    ("columns", "metric"),
    [(("x", "place"), "accuracy"), (("x", "place"), "f1"), (("x",), "auroc"), (("text",), "accuracy")],
    ids=["dense", "f1", "auroc", "text"],
)
def test_influence_of_a_classifier_on_columns_is_the_derivative(columns: tuple[str, ...], metric: str) -> None:
    """Through a regression refitted to fractional rows, with weights that count each row as often."""
    source, target = draw_rows(3, 120), draw_rows(53, 90, 0.2)
    problem = prepare_rows(source, target, metric, features=columns).problem
    found = build_features(*samples(source, target), columns)
    both = vstack([found.source, found.target]) if issparse(found.source) else np.vstack([found.source, found.target])
    before, after = np.zeros(120), np.zeros(90)

    def value(source_counts: np.ndarray, target_counts: np.ndarray) -> float:
        zeros, ones = np.concatenate([source_counts, after]), np.concatenate([before, target_counts])
        ratios = source_counts * np.exp(fit_logistic(both, zeros, ones).log_odds()[:120])
        return evaluate(problem.metric, problem.members.statistics, ratios / ratios.sum()).value

    assert_pieces_are_derivatives(problem, get_estimator("cbiw_features").estimate(problem), value)


@pytest.mark.parametrize(
    ("columns", "metric"),
    [(("x", "place"), "accuracy"), (("x", "place"), "f1"), (("x",), "auroc"), (("text",), "accuracy")],
    ids=["dense", "f1", "auroc", "text"],
)
def test_influence_of_a_density_ratio_on_columns_is_the_derivative(columns: tuple[str, ...], metric: str) -> None:
    """Through a ratio refitted to fractional rows, with the same centres, width and ridge."""
    source, target = draw_rows(4, 120), draw_rows(54, 90, 0.45)
    problem = prepare_rows(source, target, metric, features=columns).problem
    found = build_features(*samples(source, target), columns)
    fitted = fit_ratio(found.source, np.ones(120), found.target, np.ones(90), rng=np.random.default_rng(0))

    def value(source_counts: np.ndarray, target_counts: np.ndarray) -> float:
        features = fitted.source_features, source_counts, fitted.target_features, target_counts
        ratios = source_counts * (fitted.source_features @ plain_alpha(*features, fitted.ridge))
        return evaluate(problem.metric, problem.members.statistics, ratios / ratios.sum()).value

    assert_pieces_are_derivatives(problem, get_estimator("ulsif_features").estimate(problem), value)


def test_redraws_are_the_same_for_all_models() -> None:
    """Two models with the same answers, in slices of their own: equal plain scores on every redraw."""
    source, target = draw_rows(5, 200), draw_rows(55, 150, 0.2)
    outcomes = [
        get_estimator("kmm_slices").estimate(prepare_rows(source, target, slices=slices, redraws=12).problem)
        for slices in (("a",), ("a", "b"), ("b",))
    ]
    spreads = [outcome.influence for outcome in outcomes if isinstance(outcome.influence, Redraws)]
    assert len(spreads) == 3
    assert np.ptp(spreads[0].plain) > 0.01
    for spread in spreads[1:]:
        assert np.array_equal(spread.plain, spreads[0].plain)


def test_redraws_line_up_where_models_lack_different_rows() -> None:
    """A few predictions missing here and there hardly move the plain scores on the redraws."""
    source, target = draw_rows(6, 400), draw_rows(56, 150, 0.2)
    some = source.copy()
    some.loc[[3, 50, 200], "pred"] = None
    plain: list[np.ndarray] = []
    for frame in (source, some):
        outcome = get_estimator("kmm_slices").estimate(prepare_rows(frame, target, redraws=20).problem)
        assert isinstance(outcome.influence, Redraws)
        plain.append(outcome.influence.plain)
    assert np.asarray(np.corrcoef(plain))[0, 1] > 0.95


def test_a_redraw_without_the_class_a_metric_needs_is_left_out() -> None:
    """Recall of a class with one labelled row: about a third of the redraws lack it, and two models still line up."""
    source, target = draw_rows(7, 100), draw_rows(57, 80, 0.2)
    source["label"] = ["yes", *["no"] * 99]
    spreads = []
    for model in MODELS:
        fit = prepare_rows(source, target, "auroc", model=model, redraws=40)
        outcome = get_estimator("kmm_slices").estimate(fit.problem)
        spreads.append(outcome.influence)
        assert np.isfinite(outcome.influence.standard_error())
    pieces = [spread.pieces(fit.problem.members)[0] for spread in spreads]
    assert [len(piece) for piece in pieces] == [40, 40]
    assert np.isfinite(pieces).all()
    assert isinstance(spreads[0], Redraws)
    assert 5 <= np.isnan(spreads[0].values).sum() <= 25


def bootstrap_values(problem: Problem, points: Any, width: float, times: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows of both samples again, match them exactly, and evaluate the metric: no code of the estimator's."""
    places = problem.members.source, problem.members.target
    values = []
    for _ in range(times):
        rows = [rng.integers(0, len(place), len(place)) for place in places]
        counts = [
            add_up(place[some], np.ones(len(some)), len(points)) for place, some in zip(places, rows, strict=True)
        ]
        ratios = KernelMatcher(points, points, width=width).solve(*counts).ratios[places[0][rows[0]]]
        found = evaluate(problem.metric, problem.members.statistics[rows[0]], ratios / ratios.sum())
        values.append(found.value)
    return np.array(values)


@pytest.mark.long
@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_kernel_matchings_error_is_that_of_a_plain_bootstrap(metric: str) -> None:
    """400 redraws each way; two standard deviations of 400 values differ by 5% (one standard error)."""
    times = 400
    source, target = draw_rows(8, 300), draw_rows(58, 200, 0.2)
    problem = prepare_rows(source, target, metric, width=1.5, redraws=times, seed=9).problem
    found = get_estimator("kmm_slices").estimate(problem).influence.standard_error()
    values = bootstrap_values(problem, problem.patterns.codes.astype(float), 1.5, times, np.random.default_rng(1))
    assert found == pytest.approx(float(np.std(values, ddof=1)), rel=4 * np.sqrt(2 / (2 * times)))


@pytest.mark.long
def test_redraws_of_fewer_rows_are_scaled_back() -> None:
    """With 2,000 points half of the rows are drawn a time; the spread is still that of a bootstrap of all."""
    times = 400
    source, target = draw_rows(9, 2000), draw_rows(59, 400, 0.2)
    problem = prepare_rows(source, target, features=("x",), width=1.0, redraws=times).problem
    outcome = get_estimator("kmm_features").estimate(problem)
    found = build_features(*samples(source, target), ("x",))
    matcher, rng = KernelMatcher(found.source, found.target, width=1.0), np.random.default_rng(2)
    right, values = problem.members.statistics[:, 0], []
    for _ in range(times):
        counts = [np.bincount(rng.integers(0, n, n), minlength=n).astype(float) for n in (2000, 400)]
        ratios = counts[0] * matcher.resolve(*counts)
        values.append(ratios @ right / ratios.sum())
    # One standard error of luck is 5%; a tenth is for what half a sample changes beyond the scale.
    band = 0.1 + 4 * np.sqrt(2 / (2 * times))
    assert outcome.influence.standard_error() == pytest.approx(np.std(values, ddof=1), rel=band)


@pytest.fixture(scope="module")
def drawn_anew() -> list[Problem]:
    """Draw 60 pairs of samples."""
    return [
        prepare_rows(draw_rows(1000 + seed, 300), draw_rows(5000 + seed, 250, 0.2), features=("x", "place")).problem
        for seed in range(60)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cbiw_slices", "ulsif_slices", "cbiw_features", "ulsif_features"])
@pytest.mark.long
def test_standard_errors_are_those_of_samples_drawn_anew(name: str, drawn_anew: list[Problem]) -> None:
    """60 pairs of samples: the average standard error against the spread of the estimates."""
    values, errors = [], []
    for drawn in drawn_anew:
        # The interval of a density ratio takes the choice of width as given.
        given = {"width": 1.5} if name.startswith("ulsif") else {}
        outcome = get_estimator(name).estimate(replace(drawn, methods=replace(drawn.methods, **given)))
        values.append(outcome.value)
        errors.append(outcome.influence.standard_error())
    assert np.mean(errors) == pytest.approx(np.std(values, ddof=1), rel=4 / np.sqrt(2 * len(drawn_anew)))
