"""Estimates of every metric: weights, influence, intervals, slices, ablation; against scikit-learn and differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.estimators.bootstrap import bootstrap
from mandoline_core.estimators.intervals import influence_interval
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.metric import evaluate
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import Patterns, add_up, count_patterns
from mandoline_core.pipeline.fits import Fit, make_problem
from mandoline_core.project.settings import EstimatorSettings, MetricSettings
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.problem import Problem
from tests.core.metric_rows import CASES, SLICES, MetricCase, draw
from tests.strategies import covers, random_case

SPLITS = ("none", "half", "crossfit")
DERIVED = ("none", pytest.param("half", marks=pytest.mark.long), "crossfit")  # half is one of two folds
SHIFTED = (0.5, 0.6)
NOISE = Noise(Correction(inside=0.85, outside=0.2))
INFLUENCED = (
    "f1, 4 classes",
    "f1 of c1, 2 classes",
    "mcc, 4 classes",
    "rmse",
    "auroc, 4 classes",
    "log_loss, 2 classes",
)


def report(case: MetricCase, source: pd.DataFrame, target: pd.DataFrame, **how: Any) -> md.Report:
    """Estimate a metric."""
    return md.estimate(*case.samples(source, target), SLICES, metric=case.settings, **how)


def fit(case: MetricCase, n: int, *, split: str = "none", slices: tuple[md.Slice, ...] = SLICES) -> Fit:
    """Draw two samples and state the problem."""
    samples = case.samples(draw(1, n, case.n_classes), draw(2, n, case.n_classes, SHIFTED))
    settings = EstimatorSettings(split=split, seed=3)
    return md.prepare(*samples, slices, model=samples[0].models[0], metric=case.settings, settings=settings)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("estimator", ["mandoline", "simple", "source"])
def test_estimates_are_the_metric_with_the_rows_weights(name: str, estimator: str) -> None:
    """What scikit-learn says with the report's weights; the source score is what it says with none."""
    case = CASES[name]
    source, target = draw(1, 300, case.n_classes), draw(2, 250, case.n_classes, SHIFTED)
    found = report(case, source, target, estimator=estimator)
    weights = found.weights
    assert weights.sum() == pytest.approx(1)
    assert found.estimate == pytest.approx(case.expected(source, weights), abs=1e-10)
    assert found.source == pytest.approx(case.expected(source, np.full(300, 1 / 300)), abs=1e-10)
    low, high = found.interval
    assert low < found.estimate < high
    if estimator == "source":
        np.testing.assert_allclose(weights, 1 / 300, rtol=1e-12)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_estimates_of_a_split_source_are_the_metric_with_the_rows_weights(name: str, split: str) -> None:
    """Rows that only serve to fit have no weight."""
    case = CASES[name]
    source, target = draw(1, 300, case.n_classes), draw(2, 250, case.n_classes, SHIFTED)
    found = report(case, source, target, split=split)
    assert (found.weights == 0).sum() == (150 if split == "half" else 0)
    assert found.estimate == pytest.approx(case.expected(source, found.weights), abs=1e-10)


@pytest.mark.parametrize("name", [name for name in CASES if "auroc" not in name])
def test_without_noise_the_denoised_estimate_is_the_same(name: str) -> None:
    """The weights balance what the regression predicts from."""
    problem = fit(CASES[name], 200).problem
    expected = get_estimator("mandoline").estimate(problem)
    found = get_estimator("denoised").estimate(problem)
    assert found.value == pytest.approx(expected.value, abs=1e-9)
    assert found.influence.standard_error() == pytest.approx(expected.influence.standard_error(), rel=1e-7)


def test_a_method_of_means_says_that_it_cannot_rank() -> None:
    """AUROC is not made of means."""
    case = CASES["auroc, 2 classes"]
    with pytest.raises(
        md.MandolineError, match=r"^Method 'denoised' does not apply\. .* made of means over rows, unlike auroc"
    ):
        report(case, draw(1, 100, 2), draw(2, 100, 2), estimator="denoised")


def mixed(problem: Problem, source: np.ndarray, target: np.ndarray) -> Problem:
    """Let rows count any number of times."""
    members, n = problem.members, len(problem.patterns)

    def table(rows: np.ndarray) -> Patterns:
        counts = np.where(rows, source, 0.0)
        return replace(
            problem.patterns,
            source=add_up(members.source, counts, n),
            target=add_up(members.target, target, n),
            sums=np.column_stack([add_up(members.source, counts * column, n) for column in members.statistics.T]),
        )

    everyone = np.ones(len(source), dtype=bool)
    groups = [table(members.groups == i if len(problem.groups) > 1 else everyone) for i in range(len(problem.groups))]
    return replace(problem, patterns=table(everyone), groups=tuple(groups))


def value(problem: Problem, name: str, source: np.ndarray, target: np.ndarray) -> float:
    """Estimate with rows that count any number of times: the metric of the rows, by their counts and weights."""
    changed = mixed(problem, source, target)
    if name == "denoised":
        return changed.metric.combine(get_estimator(name).means(changed))
    plain = replace(changed, metric=get_metric("mean"))
    weights = get_estimator(name).solve(plain).weights(problem.members)
    return evaluate(problem.metric, problem.members.statistics, source * weights).value


def numerical_pieces(problem: Problem, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Differentiate the estimate by every row's share of its group, and of the target; like rows once."""
    members, step = problem.members, 1e-4
    known: dict[tuple[object, ...], float] = {}
    split = len(problem.groups) > 1 and name in ("mandoline", "denoised")
    ones = np.ones(len(members.source)), np.ones(len(members.target))

    def slope(side: int, row: int, group: np.ndarray) -> float:
        if side == 0:
            kind = (side, members.groups[row], members.source[row], *members.statistics[row])
        else:
            kind = (side, members.target[row])
        if kind not in known:
            known[kind] = differentiate(side, row, group)
        return known[kind]

    def differentiate(side: int, row: int, group: np.ndarray) -> float:
        direction = group.sum() * (np.arange(len(group)) == row) - group

        def at(share: float) -> float:
            counts = list(ones)
            counts[side] = ones[side] + share * direction
            return value(problem, name, *counts)

        near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
        return (8 * near - far) / (12 * step) / group.sum()

    source = [slope(0, i, (members.groups == g if split else ones[0] > 0) * 1.0) for i, g in enumerate(members.groups)]
    return np.array(source), np.array([slope(1, i, ones[1]) for i in range(len(members.target))])


@pytest.mark.slow
@pytest.mark.parametrize("split", DERIVED)
@pytest.mark.parametrize("name", INFLUENCED)
def test_the_standard_error_is_made_of_numerical_derivatives(name: str, split: str) -> None:
    """By every row of both samples, the weights refitted."""
    problem = fit(CASES[name], 30, split=split).problem
    found = get_estimator("mandoline").estimate(problem).influence.standard_error()
    expected = np.sqrt(sum((side**2).sum() for side in numerical_pieces(problem, "mandoline")))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", INFLUENCED)
@pytest.mark.parametrize("estimator", ["simple", "source"])
def test_the_standard_error_of_baselines_is_made_of_numerical_derivatives(name: str, estimator: str) -> None:
    """The pattern ratio moves with both samples, the source score with one."""
    problem = fit(CASES[name], 40).problem
    found = get_estimator(estimator).estimate(problem).influence.standard_error()
    expected = np.sqrt(sum((side**2).sum() for side in numerical_pieces(problem, estimator)))
    assert found == pytest.approx(expected, rel=1e-6)


def noisy_problem(split: str, n: int, *, binary: bool) -> Problem:
    """State a problem with a noisy slice and abstentions, and with every row's pattern known."""
    case = random_case(np.random.default_rng(4), n_slices=2, n=n, noises=(NOISE, None), abstain=0.15, binary=binary)
    count, statistics = case.count, case.scores[:, None]
    problem = make_problem(count, statistics, get_metric("mean"), EstimatorSettings(split=split, seed=1))
    return replace(problem, rule=case.problem().rule)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("binary", [True, False], ids=["indicators", "numbers"])
@pytest.mark.parametrize("name", ["mandoline", "denoised", "simple", "source"])
def test_squares_of_pieces_add_up_to_the_variance(name: str, split: str, binary: bool) -> None:
    """Of source and target rows, with noise and abstention."""
    problem = noisy_problem(split, 300, binary=binary)
    influence = get_estimator(name).estimate(problem).influence
    source, target = influence.pieces(problem.members)
    assert (len(source), len(target)) == (300, 300)
    assert source @ source + target @ target == pytest.approx(influence.standard_error() ** 2, rel=1e-10)
    assert source.sum() == pytest.approx(0, abs=1e-7)
    assert target.sum() == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", list(CASES))
def test_squares_of_every_metrics_pieces_add_up_to_the_variance(name: str, split: str) -> None:
    """Statistics of any number, and ranks."""
    problem = fit(CASES[name], 150, split=split).problem
    influence = get_estimator("mandoline").estimate(problem).influence
    source, target = influence.pieces(problem.members)
    assert source @ source + target @ target == pytest.approx(influence.standard_error() ** 2, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("split", DERIVED)
@pytest.mark.parametrize("name", ["mandoline", "denoised", "simple", "source"])
def test_pieces_are_numerical_derivatives(name: str, split: str) -> None:
    """Row by row, with noise and abstention."""
    problem = noisy_problem(split, 32, binary=False)
    found = get_estimator(name).estimate(problem).influence.pieces(problem.members)
    for side, expected in zip(found, numerical_pieces(problem, name), strict=True):
        np.testing.assert_allclose(side, expected, rtol=0, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f1, 4 classes", "auroc, 2 classes"])
def test_pieces_of_a_metric_are_numerical_derivatives(name: str) -> None:
    """Row by row, for a ratio of means and for a ranking."""
    problem = fit(CASES[name], 30).problem
    found = get_estimator("mandoline").estimate(problem).influence.pieces(problem.members)
    for side, expected in zip(found, numerical_pieces(problem, "mandoline"), strict=True):
        np.testing.assert_allclose(side, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("name", "low", "high"), [
    ("mae", 0, np.inf), ("rmse", 0, np.inf), ("log_loss, 4 classes", 0, np.inf), ("mcc, 2 classes", -1, 1),
    ("brier, 4 classes", 0, 2), ("brier, 2 classes", 0, 1), ("auroc, 2 classes", 0, 1),
])  # fmt: skip
def test_intervals_stay_within_the_metrics_bounds(name: str, low: float, high: float) -> None:
    """However wide they are: few rows, and a confidence next to certainty."""
    case = CASES[name]
    found = report(case, draw(1, 40, case.n_classes), draw(2, 30, case.n_classes), confidence=1 - 1e-12)
    for interval, inside in ((found.interval, found.estimate), (found.first.source_interval, found.source)):
        assert low < interval[0] < inside < interval[1] < high


def test_intervals_above_a_bound_are_symmetric_in_logarithms() -> None:
    """And at the bound itself they are what they can be."""
    low, high = influence_interval(2.0, 0.5, confidence=0.95, bounds=(0.0, np.inf), effective_rows=50)
    assert low * high == pytest.approx(4.0)
    assert np.log(high / low) == pytest.approx(2 * norm.ppf(0.975) * 0.25)
    assert influence_interval(0.0, 0.0, confidence=0.95, bounds=(0.0, np.inf), effective_rows=50) == (0.0, 0.0)
    low, high = influence_interval(1e-9, 5.0, confidence=0.95, bounds=(0.0, np.inf), effective_rows=50)
    assert 0 < low < 1e-9 < high < np.inf


def test_perfect_numbers_have_an_error_of_0() -> None:
    """The root has no slope there; nothing breaks."""
    source, target = draw(1, 60, 2), draw(2, 60, 2)
    for name in ("rmse", "mae"):
        found = report(CASES[name], source.assign(guess=source["y"]), target)
        assert (found.estimate, found.interval) == (0.0, (0.0, 0.0))


def by_chance(frame: pd.DataFrame, chance: np.ndarray) -> pd.DataFrame:
    """Replace the probabilities of two classes."""
    return frame.assign(p_c0=1 - chance, p_c1=chance)


def test_auroc_ignores_row_order_and_how_scores_are_measured() -> None:
    """Shuffled rows and scores on another scale give the same estimate and interval."""
    case = CASES["auroc, 2 classes"]
    source, target = draw(1, 300, 2), draw(2, 250, 2, SHIFTED)
    expected = report(case, source, target)
    rng = np.random.default_rng(0)
    shuffled = report(case, source.iloc[rng.permutation(300)], target.iloc[rng.permutation(250)])
    chance = source["p_c1"].to_numpy()
    other = chance**3 / (chance**3 + (1 - chance) ** 3)
    bent = report(case, by_chance(source, other), by_chance(target, np.full(250, 0.5)))
    for found in (shuffled, bent):
        assert found.estimate == pytest.approx(expected.estimate, abs=1e-10)
        assert found.interval == pytest.approx(expected.interval, abs=1e-9)


def test_auroc_ignores_duplicated_rows() -> None:
    """Twice the rows, the same estimate, and half the variance."""
    case = CASES["auroc, 4 classes"]
    source, target = draw(1, 300, 4), draw(2, 250, 4, SHIFTED)
    expected = report(case, source, target)
    found = report(case, *(pd.concat([frame, frame], ignore_index=True) for frame in (source, target)))
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-10)
    assert found.first.standard_error == pytest.approx(expected.first.standard_error / np.sqrt(2), rel=1e-9)


@pytest.mark.slow
def test_the_bootstrap_agrees_with_the_influence_for_macro_f1() -> None:
    """Both ends, within what a thousand redraws can tell."""
    case, n = CASES["f1, 4 classes"], 1000
    source, target = draw(1, 1500, 4), draw(2, 1500, 4, SHIFTED)
    plain = report(case, source, target)
    found = report(case, source, target, interval="bootstrap", replicates=n)
    assert found.estimate == plain.estimate
    assert not {"no_bootstrap", "bootstrap_failures"} & {finding.code for finding in found.findings}
    # A percentile of n draws is off by sqrt(p q / n) over the density; beyond the first order, by about 1 / sqrt(rows).
    luck = np.sqrt(0.025 * 0.975 / n) / norm.pdf(norm.ppf(0.025))
    band = (4 * luck + norm.ppf(0.975) ** 2 / np.sqrt(1500)) * plain.first.standard_error
    assert found.interval == pytest.approx(plain.interval, abs=band)


def test_auroc_has_no_bootstrap_and_says_so() -> None:
    """The interval is the influence one."""
    case = CASES["auroc, 2 classes"]
    source, target = draw(1, 200, 2), draw(2, 200, 2, SHIFTED)
    found = report(case, source, target, interval="bootstrap", replicates=40)
    assert found.interval == report(case, source, target).interval
    assert "no_bootstrap" in {finding.code for finding in found.findings}


def test_redraws_that_lose_the_class_are_failures() -> None:
    """Recall of a class with a single label is not defined where that row is not drawn; the others still count."""
    truth, codes = np.arange(20) == 0, np.ones((20, 1), dtype=np.int8)
    metric = get_metric("recall").fit(("no", "yes"), "yes")
    statistics = metric.statistics(truth.astype(np.int32), np.ones(20, dtype=np.int32), np.zeros((20, 0)))
    problem = make_problem(count_patterns(codes, codes, statistics), statistics, metric, EstimatorSettings())
    estimator = get_estimator("mandoline")
    found = bootstrap(problem, estimator, estimator.estimate(problem), replicates=400, rng=np.random.default_rng(0))
    lost = 0.95**20
    assert abs(400 - len(found) - 400 * lost) < 4 * np.sqrt(400 * lost * (1 - lost))
    np.testing.assert_array_equal(found, 1.0)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", ["f1 of c1, 4 classes", "f1, 4 classes", "auroc, 2 classes", "rmse"])
def test_the_slice_table_measures_any_metric_inside_and_outside(name: str, split: str) -> None:
    """What scikit-learn says of the rows on one side; a split of the source plays no part."""
    case, source = CASES[name], draw(1, 200, CASES[name].n_classes)
    for row in md.slice_table(fit(case, 200, split=split)):
        for part, code in ((row.inside, 1), (row.outside, 0)):
            here = (source[row.name] == code).to_numpy()
            assert part.n == here.sum()
            assert part.score == pytest.approx(case.expected(source, here / here.sum()), abs=1e-12)
            assert part.interval[0] < part.score < part.interval[1]


@pytest.mark.parametrize("metric", [MetricSettings("f1", positive="c1"), MetricSettings("auroc")])
def test_a_slice_without_the_class_has_no_score(metric: MetricSettings) -> None:
    """It has rows, and the other side has a score."""
    source, target = draw(1, 200, 2), draw(2, 200, 2)
    inside = source["a"] == 1
    source.loc[inside, ["label", "pred"]] = "c0"
    source.loc[inside, ["p_c0", "p_c1"]] = [0.9, 0.1]
    samples = CASES["auroc, 2 classes"].samples(source, target)
    ready = md.prepare(*samples, SLICES, model=samples[0].models[0], metric=metric)
    row = md.slice_table(ready)[0]
    assert (row.inside.n, row.inside.score, row.inside.interval) == (inside.sum(), None, None)
    assert 0 < row.outside.score < 1


@pytest.mark.parametrize("name", ["f1, 4 classes", "auroc, 4 classes"])
def test_ablation_equals_estimating_with_fewer_slices(name: str) -> None:
    """The curve begins with the source score and ends with the estimate."""
    case = CASES[name]
    settings = EstimatorSettings()
    source, target = draw(1, 200, 4), draw(2, 200, 4, SHIFTED)
    curves = md.ablation(fit(case, 200), settings)
    samples = case.samples(source, target)
    alone = {rule.name: md.estimate(*samples, [rule], metric=case.settings, spread=False).first for rule in SLICES}
    whole = report(case, source, target, spread=False).first
    assert [point.slice for point in curves.cumulative] == [None, "a", "b"]
    for point, expected in (
        (curves.cumulative[1], alone["a"]),
        (curves.cumulative[2], whole),
        (curves.leave_one_out[0], alone["b"]),
        (curves.leave_one_out[1], alone["a"]),
    ):
        assert point.estimate == pytest.approx(expected.estimate, abs=1e-9)
        assert point.interval == pytest.approx(expected.interval, abs=1e-8)
    assert curves.cumulative[0].estimate == pytest.approx(whole.source, abs=1e-12)
    assert curves.cumulative[0].interval == pytest.approx(whole.source_interval, abs=1e-12)


class World:
    """Hold a world of three exact slices in which labels, predictions and scores follow from the slices."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw the slices' rates, and what happens in each of their eight patterns."""
        self.codes = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T.astype(np.int8)
        self.rates = {"source": rng.uniform(0.3, 0.6, 3), "target": rng.uniform(0.4, 0.7, 3)}
        self.yes = rng.uniform(0.3, 0.7, 8)
        skill = rng.uniform(0.3, 1.2, 8)[:, None, None]
        height = skill * np.array([-0.5, 0.5])[None, :, None] * np.linspace(-2, 2, 10)
        self.levels = np.exp(height) / np.exp(height).sum(axis=2, keepdims=True)  # of the score, by pattern and label

    def patterns(self, side: str) -> np.ndarray:
        """Return the patterns' shares."""
        return np.where(self.codes == 1, self.rates[side], 1 - self.rates[side]).prod(axis=1)

    def truth(self) -> dict[str, float]:
        """Add up F1 and AUROC on the target over every pattern, label and score."""
        share = self.patterns("target")[:, None] * np.column_stack([1 - self.yes, self.yes])
        no, yes = np.einsum("pl,pls->ls", share, self.levels)
        above = np.arange(10) >= 5
        wins = np.tril(np.ones((10, 10)), -1) + np.eye(10) / 2
        return {
            "f1": 2 * yes[above].sum() / (2 * yes[above].sum() + no[above].sum() + yes[~above].sum()),
            "auroc": yes @ wins @ no / (yes.sum() * no.sum()),
        }

    def problem(self, name: str, n: int, rng: np.random.Generator) -> Problem:
        """Draw both samples and state the problem."""
        source, target = (rng.choice(8, n, p=self.patterns(side)) for side in ("source", "target"))
        truth = (rng.random(n) < self.yes[source]).astype(np.int32)
        below = self.levels[source, truth].cumsum(axis=1)
        score = (rng.random((n, 1)) > below).sum(axis=1).clip(max=9)
        chance = (score + 0.5) / 10
        metric = get_metric(name).fit(("no", "yes"), "yes")
        statistics = metric.statistics(truth, (score >= 5).astype(np.int32), np.column_stack([1 - chance, chance]))
        count = count_patterns(self.codes[source], self.codes[target], statistics)
        return make_problem(count, statistics, metric, EstimatorSettings())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f1", "auroc"])
@pytest.mark.long
def test_intervals_cover_the_truth_as_often_as_they_say(name: str) -> None:
    """In 400 worlds the 95% interval holds the truth in 92.5 to 97.5%."""
    rng = np.random.default_rng(21)
    n = 400
    hits = []
    for _ in range(n):
        world = World(rng)
        hits.append(covers(world.problem(name, 1500, rng), "mandoline", world.truth()[name]))
    band = norm.ppf(0.99) * np.sqrt(0.95 * 0.05 / n)
    assert abs(np.mean(hits) - 0.95) <= band, f"covered {np.mean(hits):.3f}, expected 0.95 +- {band:.3f}"


def test_recall_of_a_single_row_is_not_sure() -> None:
    """All of one row found says hardly more than one row can, however many rows there are of other classes."""
    label = ["yes"] + ["no"] * 399
    frame = pd.DataFrame({"a": [1, 0] * 200, "label": label, "pred": label})
    sample = md.Sample(frame, label="label", prediction="pred")
    metric = md.MetricSettings("recall", positive="yes")
    found = md.estimate(sample, md.Sample(frame.drop(columns="label")), [md.Flag("a", column="a")], metric=metric)
    assert found.estimate == pytest.approx(1.0)
    assert found.interval[0] == pytest.approx(0.025, abs=0.01)  # one of one, at 95%
    accuracy = md.estimate(sample, md.Sample(frame.drop(columns="label")), [md.Flag("a", column="a")])
    assert accuracy.interval[0] > 0.98
