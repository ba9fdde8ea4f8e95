"""Estimators that weight rows by classifiers, kernels and density ratios: equal to a direct computation on the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from scipy.sparse import issparse, vstack
from sklearn.linear_model import LogisticRegression

from mandoline_core import MandolineError, MetricSettings, prepare
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.features import build_features
from mandoline_core.estimators.kernel_matching import KernelMatcher, Matching
from mandoline_core.estimators.kernels import median_width
from mandoline_core.estimators.kmm import RIDGE
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.estimators.ulsif import WIDTHS, fit_ratio
from mandoline_core.metrics.metric import evaluate
from mandoline_core.pipeline.fits import Fit
from tests.core.metric_rows import CASES, SLICES, draw
from tests.core.weighted_rows import MODELS, draw_rows, prepare_rows, samples
from tests.strategies import cases

ON_FEATURES = ("cbiw_features", "kmm_features", "ulsif_features")


def run(fit: Fit, name: str) -> Outcome:
    """Estimate by a method that applies."""
    estimator = get_estimator(name)
    assert estimator.reason(fit.problem) is None
    return estimator.estimate(fit.problem)


def codes_of(frame: pd.DataFrame, names: tuple[str, ...] = ("a", "b")) -> np.ndarray:
    """Turn columns of 0, 1 and missing values into codes."""
    return (2 * frame[list(names)] - 1).fillna(0).to_numpy(dtype=float)


def accuracy(frame: pd.DataFrame, ratios: np.ndarray, prediction: str = "pred") -> float:
    """Average right answers, weighted."""
    return float(np.average(frame[prediction] == frame["label"], weights=ratios))


def classifier_ratios(source: Any, target: Any) -> np.ndarray:
    """Ask scikit-learn for the odds that each source row is from the target."""
    both = vstack([source, target]) if issparse(source) else np.vstack([source, target])
    is_target = np.repeat([0, 1], [source.shape[0], target.shape[0]])
    fitted = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-12, max_iter=10_000).fit(both, is_target)
    chance = fitted.predict_proba(source)[:, 1]
    return chance / (1 - chance)


def finding(outcome: Outcome, code: str) -> Any:
    """Return the one finding of a kind, or None."""
    found = [one for one in outcome.findings if one.code == code]
    assert len(found) <= 1
    return found[0] if found else None


# One slice: matching its rate is all there is to do.


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "case",
    [
        "accuracy, 2 classes",
        "f1, 2 classes",
        "mcc, 4 classes",
        "log_loss, 2 classes",
        "auroc, 2 classes",
        "rmse",
        "bias",
    ],
)
def test_on_one_slice_methods_that_match_moments_agree(case: str, seed: int) -> None:
    """The pattern ratio, Mandoline, its denoised form and kernel matching weight two patterns the same way."""
    stated = CASES[case]
    source, target = draw(seed, 300, stated.n_classes), draw(seed + 10, 200, stated.n_classes, (0.6, 0.5))
    before, after = stated.samples(source, target)
    fit = prepare(before, after, SLICES[:1], model=before.models[0], metric=stated.settings)
    expected = run(fit, "simple").value
    share, rate = target["a"].mean(), source["a"].mean()
    weights = np.where(source["a"] == 1, share / rate, (1 - share) / (1 - rate)) / len(source)
    assert expected == pytest.approx(stated.expected(source, weights), rel=1e-9)
    methods = {"mandoline": 1e-9, "denoised": 1e-9, "kmm_slices": 1e-4}
    if fit.problem.metric.ranked:  # of which the denoised estimator has no version
        del methods["denoised"]
    for name, tolerance in methods.items():
        assert run(fit, name).value == pytest.approx(expected, abs=tolerance), name


@given(cases(max_slices=1, inside=True))
def test_on_one_slice_agreement_holds_for_any_counts(case: Any) -> None:
    """A handful of rows inside and outside, in both samples."""
    assume(len(np.unique(case.source)) == 2)
    frame = pd.DataFrame({"a": case.source[:, 0] == 1, "guess": case.scores})
    target = pd.DataFrame({"a": case.target[:, 0] == 1, "guess": 0.0})
    before, after = samples(frame.assign(label="no"), target, ())
    fit = prepare(before, after, SLICES[:1], model=None, metric=MetricSettings("mean", column="guess"))
    expected = run(fit, "simple").value
    for name, tolerance in (("mandoline", 1e-7), ("denoised", 1e-7), ("kmm_slices", 1e-4)):
        assert run(fit, name).value == pytest.approx(expected, abs=tolerance), name


# Classifiers.


@pytest.mark.parametrize("abstain", [0.0, 0.15])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_classifier_on_slices_is_scikit_learns_on_the_rows(seed: int, abstain: float) -> None:
    """Counting patterns changes nothing; an abstaining slice has code 0."""
    source = draw_rows(seed, 400, abstain=abstain)
    target = draw_rows(seed + 50, 300, 0.2, abstain=abstain)
    ratios = classifier_ratios(codes_of(source), codes_of(target))
    outcome = run(fit := prepare_rows(source, target), "cbiw_slices")
    assert outcome.value == pytest.approx(accuracy(source, ratios), abs=1e-6)
    weights = outcome.weights(fit.problem.members)
    assert weights * len(source) == pytest.approx(ratios / ratios.mean(), abs=1e-6)
    ranked = run(prepare_rows(source, target, "auroc"), "cbiw_slices").value
    stated = prepare_rows(source, target, "auroc").problem
    assert ranked == pytest.approx(
        evaluate(stated.metric, stated.members.statistics, ratios / ratios.sum()).value, 1e-6
    )


@pytest.mark.parametrize(
    ("columns", "sparse"),
    [(("x", "place"), False), (("text",), True), (("x", "text"), True)],
    ids=["dense", "text", "both"],
)
def test_classifier_on_columns_is_scikit_learns_on_the_features(columns: tuple[str, ...], sparse: bool) -> None:
    """Numbers and categories in a dense matrix, text in a sparse one."""
    source, target = draw_rows(3, 400), draw_rows(53, 300, 0.2)
    features = build_features(*samples(source, target), columns)
    assert issparse(features.source) == sparse
    ratios = classifier_ratios(features.source, features.target)
    fit = prepare_rows(source, target, features=columns)
    outcome = run(fit, "cbiw_features")
    assert outcome.value == pytest.approx(accuracy(source, ratios), abs=1e-6)
    assert outcome.weights(fit.problem.members) * len(source) == pytest.approx(ratios / ratios.mean(), abs=1e-5)


def test_columns_are_those_of_default_columns_unless_chosen() -> None:
    """Without a choice, the features are built as they are for anyone else: not from labels and answers."""
    source, target = draw_rows(4, 300), draw_rows(54, 250, 0.2)
    features = build_features(*samples(source, target))
    assert not {"label", "pred", "p_yes"} & set(features.columns)
    ratios = classifier_ratios(features.source, features.target)
    assert run(prepare_rows(source, target), "cbiw_features").value == pytest.approx(accuracy(source, ratios), abs=1e-6)


def test_scores_from_elsewhere_weight_by_their_odds() -> None:
    """The estimate is sum(odds * right) / sum(odds); its error that of a ratio, odds taken as given."""
    source, target = draw_rows(5, 300), draw_rows(55, 200, 0.2)
    outcome = run(prepare_rows(source, target, scores="new"), "cbiw_scores")
    odds = source["new"] / (1 - source["new"])
    right = source["pred"] == source["label"]
    expected = float((odds * right).sum() / odds.sum())
    assert outcome.value == pytest.approx(expected, rel=1e-12)
    error = np.sqrt((odds**2 * (right - expected) ** 2).sum()) / odds.sum()
    assert outcome.influence.standard_error() == pytest.approx(error, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("likely", "contains text"),
        (1.0, "has 1 in row 1. Expected probabilities of being new, from 0 to below 1"),
        (-0.1, "has -0.1 in row 1"),
        (np.nan, "has nan in row 1"),
        (0.0, "is 0 in every row, so every weight is 0"),
    ],
)
def test_scores_that_are_no_probabilities_are_refused(values: Any, said: str) -> None:
    """The reason names the column, the value and its row."""
    source, target = draw_rows(6, 50).assign(new=values), draw_rows(56, 50)
    reason = get_estimator("cbiw_scores").reason(prepare_rows(source, target, scores="new").problem)
    assert reason is not None
    assert reason.startswith("Column 'new' of source.csv ")
    assert said in reason


def test_scores_are_judged_on_scored_rows_alone() -> None:
    """A row without a label may have any score; a bad one is named by its row in the file."""
    source, target = draw_rows(7, 60), draw_rows(57, 50)
    source.loc[0, ["label", "new"]] = [None, 1.0]
    fit = prepare_rows(source, target, scores="new")
    known = source[1:]
    assert run(fit, "cbiw_scores").value == pytest.approx(accuracy(known, known["new"] / (1 - known["new"])))
    source.loc[9, "new"] = 2.0
    reason = get_estimator("cbiw_scores").reason(prepare_rows(source, target, scores="new").problem)
    assert "has 2 in row 10." in str(reason)


# Kernel mean matching.


def match_rows(source: np.ndarray, target: np.ndarray, ridge: float = 0.0, **tuning: Any) -> Matching:
    """Match row by row, each row a point of its own."""
    ones = np.ones(len(source)), np.ones(len(target))
    width = tuning.pop("width", None) or median_width(source, ones[0], target, ones[1], np.random.default_rng(0))
    return KernelMatcher(source, target, width=width, ridge=ridge).solve(*ones, **tuning)


TUNINGS: tuple[dict[str, Any], ...] = (
    {},
    {"box": 1.3},
    {"box": 1.3, "width": 0.7},
    {"box": 1.3, "tolerance": 0.0},
    {"box": 1.5, "tolerance": 0.01, "width": 3.0},
)


def test_kernel_matching_on_slices_is_matching_of_the_rows() -> None:
    """Points with counts have the rows' solution, and width, box and tolerance reach it: all make a difference."""
    source, target = draw_rows(8, 160, abstain=0.1), draw_rows(58, 120, 0.25, abstain=0.1)
    values = []
    for tuning in TUNINGS:
        matching = match_rows(codes_of(source), codes_of(target), **tuning)
        outcome = run(prepare_rows(source, target, redraws=10, **tuning), "kmm_slices")
        assert outcome.value == pytest.approx(accuracy(source, matching.ratios), abs=2e-4), tuning
        assert f"(width {matching.width:.3g})" in finding(outcome, "optimality_gap").message
        values.append(outcome.value)
    assert np.diff(np.sort(values)).min() > 1e-3


def test_the_gap_of_the_matching_is_reported() -> None:
    """The finding's number is the solver's own, for the same points and counts."""
    source, target = draw_rows(9, 200), draw_rows(59, 150, 0.2)
    table = prepare_rows(source, target).problem.patterns
    width = 1.1
    found = KernelMatcher(table.codes, table.codes, width=width).solve(table.source, table.target)
    said = finding(run(prepare_rows(source, target, width=width, redraws=10), "kmm_slices"), "optimality_gap")
    assert f"gap of {found.relative_gap:.1e}." in said.message
    assert said.severity == "info"
    assert found.relative_gap <= 1e-3


@pytest.mark.parametrize("name", ["kmm_slices", "kmm_features"])
def test_a_box_that_binds_is_a_warning_with_the_share_of_rows(name: str) -> None:
    """Rows, and not patterns, are what is counted; a wide box binds nobody."""
    source, target = draw_rows(10, 200), draw_rows(60, 150, 0.3)
    tuning: dict[str, Any] = {"width": 1.0, "box": 1.2, "redraws": 10, "features": ("x",)}
    fit = prepare_rows(source, target, **tuning)
    outcome = run(fit, name)
    points = (
        (codes_of(source), codes_of(target))
        if name == "kmm_slices"
        else [np.asarray(side) for side in _features(source, target, ("x",))]
    )
    matching = match_rows(*points, RIDGE if name == "kmm_features" else 0.0, width=1.0, box=1.2)
    at_box = (matching.ratios >= 1.2 * (1 - 1e-3)).mean()
    said = finding(outcome, "box_reached")
    assert said.severity == "warning"
    assert f"{at_box:.1%} of the labelled rows have the largest weight allowed (box = 1.2)." in said.message
    weights = outcome.weights(fit.problem.members)
    assert at_box == (weights >= weights.max() * (1 - 1e-3)).mean()
    assert 0.3 < at_box < 0.95
    wide = run(prepare_rows(source, target, **(tuning | {"box": 1000.0})), name)
    assert finding(wide, "box_reached") is None


def _features(source: pd.DataFrame, target: pd.DataFrame, columns: tuple[str, ...]) -> tuple[Any, Any]:
    found = build_features(*samples(source, target), columns)
    return found.source, found.target


def test_kernel_matching_on_columns_is_matching_of_the_features() -> None:
    """All columns of numbers and categories; the width is the median distance."""
    source, target = draw_rows(11, 200), draw_rows(61, 150, 0.2)
    matching = match_rows(*_features(source, target, ("x", "place")), RIDGE, box=3.0)
    outcome = run(prepare_rows(source, target, features=("x", "place"), box=3.0, redraws=10), "kmm_features")
    assert outcome.value == pytest.approx(accuracy(source, matching.ratios), abs=1e-6)


def test_settings_without_a_solution_are_refused_in_a_sentence() -> None:
    """No ratio above a half, and an average of 1."""
    fit = prepare_rows(draw_rows(12, 60), draw_rows(62, 50), box=0.5, tolerance=0.0, redraws=10)
    with pytest.raises(MandolineError, match="No weights satisfy both"):
        get_estimator("kmm_slices").estimate(fit.problem)


# Density ratios.


@pytest.mark.parametrize("width", [None, 0.8])
@pytest.mark.parametrize("seed", [13, 14])
def test_density_ratio_on_slices_is_that_of_the_rows(seed: int, width: float | None) -> None:
    """With the same centres, counting patterns changes nothing; a width that is given is taken."""
    source, target = draw_rows(seed, 300, abstain=0.1), draw_rows(seed + 50, 200, 0.2, abstain=0.1)
    before, after = codes_of(source), codes_of(target)
    ones = np.ones(len(before)), np.ones(len(after))
    rng = np.random.default_rng(0)
    median = median_width(before, ones[0], after, ones[1], rng)
    fitted = fit_ratio(
        before,
        ones[0],
        after,
        ones[1],
        rng=rng,
        widths=WIDTHS if width is None else (width / median,),
        centres=np.unique(after, axis=0),
    )
    fit = prepare_rows(source, target, width=width)
    outcome = run(fit, "ulsif_slices")
    assert outcome.value == pytest.approx(accuracy(source, fitted.ratios), abs=1e-9)
    expected = fitted.ratios / fitted.ratios.sum()
    assert outcome.weights(fit.problem.members) == pytest.approx(expected, rel=1e-7)
    said = finding(outcome, "ratio_fit").message
    assert f"kernel width {width or fitted.width:.3g} and ridge {fitted.ridge:.3g} for the density ratio." in said


def test_density_ratio_on_columns_is_that_of_the_features() -> None:
    """The same rows, centres and choice of width as a direct fit with the seed."""
    source, target = draw_rows(15, 300), draw_rows(65, 250, 0.2)
    points = _features(source, target, ("x", "place"))
    fitted = fit_ratio(points[0], np.ones(300), points[1], np.ones(250), rng=np.random.default_rng(4))
    outcome = run(prepare_rows(source, target, features=("x", "place"), seed=4), "ulsif_features")
    assert outcome.value == pytest.approx(accuracy(source, fitted.ratios), abs=1e-9)


# Some of the rows.


@pytest.mark.parametrize("name", ON_FEATURES)
def test_drawn_rows_carry_all_the_weight(name: str) -> None:
    """With fewer rows than there are, the others weigh 0, the weights sum to 1, and a finding says how many."""
    source, target = draw_rows(16, 300), draw_rows(66, 250, 0.2)
    tuning: dict[str, Any] = {"features": ("x", "place"), "max_rows": 120, "redraws": 10}
    fit = prepare_rows(source, target, **tuning)
    outcome, again = run(fit, name), run(prepare_rows(source, target, **tuning), name)
    other = run(prepare_rows(source, target, seed=1, **tuning), name)
    weights = outcome.weights(fit.problem.members)
    drawn = build_features(*samples(source, target), ("x", "place"), max_rows=120).source_rows
    assert set(np.flatnonzero(weights)) <= set(drawn)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert (weights >= 0).all()
    assert "120 of 300 labelled rows, 120 of 250 new rows" in finding(outcome, "rows_drawn").message
    assert (outcome.value, outcome.influence.standard_error()) == (again.value, again.influence.standard_error())
    assert outcome.value != other.value
    whole = run(prepare_rows(source, target, features=("x", "place"), redraws=10), name)
    assert finding(whole, "rows_drawn") is None


@pytest.mark.parametrize("name", ON_FEATURES)
def test_all_models_see_the_same_rows(name: str) -> None:
    """The draw depends on the seed alone, so the second model's weights are the first's."""
    source, target = draw_rows(17, 300), draw_rows(67, 250, 0.2)
    found = []
    for model in MODELS:
        fit = prepare_rows(source, target, model=model, features=("x",), max_rows=100, redraws=10)
        found.append(run(fit, name).weights(fit.problem.members))
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("name", ["cbiw_slices", "kmm_slices", "ulsif_slices", *ON_FEATURES])
def test_rows_without_scores_are_as_if_not_there(name: str) -> None:
    """Without labels, rows neither fit the weights nor get any; only a column's scale knows of them."""
    source, target = draw_rows(18, 300), draw_rows(68, 200, 0.2)
    missing = source.copy()
    missing.loc[::4, "label"] = None
    known = source[missing["label"].notna()].reset_index(drop=True)
    tuning: dict[str, Any] = {"features": ("place",), "redraws": 10}
    fit = prepare_rows(missing, target, **tuning)
    outcome, expected = run(fit, name), run(prepare_rows(known, target, **tuning), name)
    assert outcome.value == pytest.approx(expected.value, rel=1e-9)
    assert len(outcome.weights(fit.problem.members)) == len(known)
    if not name.startswith("kmm"):  # whose redraws are of other rows
        assert outcome.influence.standard_error() == pytest.approx(expected.influence.standard_error(), rel=1e-6)


def test_drawn_rows_are_counted_among_labelled_rows() -> None:
    """A row that was drawn and has no label is not looked at, and not said to be."""
    source, target = draw_rows(19, 300), draw_rows(69, 100, 0.2)
    source.loc[::2, "label"] = None
    fit = prepare_rows(source, target, features=("x",), max_rows=150)
    outcome = run(fit, "cbiw_features")
    used = int((outcome.weights(fit.problem.members) > 0).sum())
    assert 50 < used < 100
    assert f"{used} of 150 labelled rows, 100 of 100 new rows" in finding(outcome, "rows_drawn").message


@pytest.mark.parametrize("name", ON_FEATURES)
def test_methods_on_columns_say_what_is_wrong_with_them(name: str) -> None:
    """A column that is not there, one that never varies, and no rows at all behind the codes."""
    source, target = (frame.assign(same=1) for frame in (draw_rows(20, 40), draw_rows(70, 40)))
    problem = prepare_rows(source, target).problem
    for columns, said in ((("nowhere",), "nowhere"), (("same",), "the same value in every row")):
        reason = get_estimator(name).reason(prepare_rows(source, target, features=columns).problem)
        assert said in str(reason)
    assert "Only slice codes are given" in str(get_estimator(name).reason(replace(problem, rows=None)))
