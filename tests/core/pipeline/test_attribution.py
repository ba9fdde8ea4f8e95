"""Attribution: parts sum to the difference, do not depend on order or sign, and are right where the truth is known."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.effects import EffectPath
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.metric import Metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline import estimate_with, prepare, state_project, steps
from mandoline_core.pipeline.attribution import NOISE_CORRECTION, ROWS_LEFT_OUT, attribute
from mandoline_core.pipeline.fits import Cells, Fit
from mandoline_core.project.settings import EstimatorSettings, MetricSettings
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting import fixed_rule
from mandoline_core.weighting.problem import Problem
from tests import oracles
from tests.calibration.audited import audited_problem
from tests.core.metric_rows import CASES, SLICES, draw
from tests.strategies import Case, cases, random_case, settled

REVIEWS = Path(__file__).parents[3] / "sample_data" / "reviews" / "project.toml"
NOISY = Noise(Correction(inside=0.9, outside=0.15))
RATIO = Metric(
    "ratio",
    "a ratio of two means",
    "column",
    None,
    combine=lambda means: float(means[0] / means[1]),
    slope=lambda means: np.array([1 / means[1], -means[0] / means[1] ** 2]),
)


def as_fit(problem: Problem, origins: dict[str, str] | None = None) -> Fit:
    """Wrap a problem stated on patterns, as slice codes alone give it."""
    none = np.zeros(0)
    cells = Cells("m", (), origins or {}, problem.metric, None, none, none, (), {}, ())  # type: ignore[arg-type]
    return Fit(cells, problem)


def parts(problem: Problem, name: str = "mandoline", origins: dict[str, str] | None = None) -> dict[str, float]:
    """Attribute, and check the sum."""
    found = attribute(as_fit(problem, origins), EstimatorSettings(name=name))
    total = get_estimator(name).estimate(problem).value - get_estimator("source").estimate(problem).value
    assert found.total == pytest.approx(total, abs=1e-12)
    assert sum(part.value for part in found.parts) == pytest.approx(total, abs=1e-12)
    assert all(part.interval[0] <= part.value <= part.interval[1] for part in found.parts)
    return {part.rule: part.value for part in found.parts}


@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
@pytest.mark.parametrize("noises", [(), (NOISY, None, NOISY)], ids=["exact", "noisy"])
@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_parts_sum_to_estimate_minus_source_score(name, noises, split):
    """To 1e-12, with edges, abstention, several statistics and every split."""
    rng = np.random.default_rng(1)
    case = random_case(rng, n=500, edges=((0, 1), (1, 2)), noises=noises, abstain=0.1, binary=False)
    found = parts(case.problem(split), name)
    extra = ([ROWS_LEFT_OUT] if split == "half" else []) + ([NOISE_CORRECTION] if name == "denoised" else [])
    assert set(extra) <= set(found)
    assert list(found)[:5] == ["slice 0", "slice 1", "slice 2", "slice 0 and slice 1", "slice 1 and slice 2"]
    statistics = np.column_stack([case.scores, 1 + rng.random(500)])
    patterns = count_patterns(case.source, case.target, statistics).patterns
    parts(case.problem(patterns=patterns, groups=(patterns,), metric=RATIO), name)


@given(cases(edges=True, kinds=("identity", "derived", "own"), abstain=True, max_slices=3, redundant=True))
@hypothesis_settings(max_examples=30)
def test_parts_sum_on_any_small_problem(case: Case):
    """Redundant slices, cycles of edges, any noise."""
    settled(case)
    parts(case.problem())


def test_parts_are_the_integrals_by_definition(monkeypatch):
    """Enumerating every truth of every row, with SciPy's optimiser and adaptive integration, gives the same parts."""
    monkeypatch.setattr("mandoline_core.estimators.effects._CLOSE_ENOUGH", 1e-10)
    noises = (NOISY, None)
    case = random_case(np.random.default_rng(2), n_slices=2, n=120, edges=((0, 1),), noises=noises, abstain=0.2)
    tables = oracles.correction_tables(noises, case.source, case.target)
    chances = [oracles.truth_given_codes(codes, t) for codes, t in zip((case.source, case.target), tables, strict=True)]
    phi = oracles.phi(oracles.all_truths(2), case.edges)
    plain, goal = (chance.mean(axis=0) @ phi for chance in chances)
    variance = 1 - (plain**2 + goal**2) / 2

    def slope(t: float, j: int) -> float:
        tau, rate = (1 - t) ** 3 / t, (1 - t) ** 2 * (1 + 2 * t) / t**2

        def loss(delta: np.ndarray) -> tuple[float, np.ndarray]:
            tilted = chances[0] * np.exp(phi @ delta)
            penalty = tau * variance * delta
            value = np.log(tilted.sum()) - delta @ goal + penalty @ delta / 2
            return value, tilted.sum(axis=0) @ phi / tilted.sum() - goal + penalty

        delta = minimize(loss, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-11}).x
        tilted = chances[0] * np.exp(phi @ delta)
        tilted /= tilted.sum()
        centred = phi - tilted.sum(axis=0) @ phi
        hessian = centred.T @ (tilted.sum(axis=0)[:, None] * centred) + tau * np.diag(variance)
        covariance = case.scores @ tilted @ centred
        return rate * variance[j] * delta[j] * np.linalg.solve(hessian, covariance)[j]

    found = list(parts(case.problem()).values())
    expected = [quad(slope, 1e-9, 1 - 1e-9, args=(j,), epsabs=1e-8, epsrel=1e-7)[0] for j in range(3)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_one_slice_gets_everything():
    """And a slice that does not shift gets nothing."""
    case = random_case(np.random.default_rng(3), n_slices=1, n=300)
    found = parts(case.problem())
    assert len(found) == 1
    rng = np.random.default_rng(4)
    still = np.repeat(np.array([[1], [-1]], dtype=np.int8), 150, axis=0)
    both = replace(
        case, source=np.column_stack([np.tile(case.source[:150], (2, 1)), still]), scores=np.tile(rng.random(150), 2)
    )
    both = replace(both, target=np.column_stack([np.tile(case.target[:150], (2, 1)), still]))
    first, second = parts(both.problem()).values()
    assert abs(first) > 1e-3
    assert second == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_parts_do_not_depend_on_the_order_of_slices_nor_on_their_sign(name):
    """Edges and noise go along."""
    noises = (NOISY, None, Noise(Correction(0.8, 0.1), same=True))
    case = random_case(np.random.default_rng(5), n=400, edges=((0, 1),), noises=noises, abstain=0.1)
    plain = parts(case.problem(), name)
    order = [2, 0, 1]
    moved = replace(
        case,
        source=case.source[:, order],
        target=case.target[:, order],
        edges=((1, 2),),
        noises=tuple(noises[i] for i in order),
    )
    again = parts(moved.problem(), name)
    for new, old in enumerate(order):
        assert again[f"slice {new}"] == pytest.approx(plain[f"slice {old}"], abs=1e-10)
    assert again["slice 1 and slice 2"] == pytest.approx(plain["slice 0 and slice 1"], abs=1e-10)
    sign = np.array([-1, 1, 1], dtype=np.int8)
    turned = replace(
        case,
        source=case.source * sign,
        target=case.target * sign,
        noises=(Noise(Correction(inside=0.85, outside=0.1)), *noises[1:]),
    )
    for rule, value in parts(turned.problem(), name).items():
        assert value == pytest.approx(plain[rule], abs=1e-10), rule


def test_twins_share_their_part_and_a_family_is_one():
    """Two copies of a slice get the same; as one rule they get both."""
    case = random_case(np.random.default_rng(6), n_slices=2, n=400)
    twins = replace(case, source=case.source[:, [0, 0, 1]], target=case.target[:, [0, 0, 1]])
    found = parts(twins.problem())
    assert found["slice 0"] == pytest.approx(found["slice 1"], abs=1e-10)
    family = parts(twins.problem(), origins={"slice 0": "both", "slice 1": "both"})
    assert list(family) == ["both", "slice 2"]
    assert family["both"] == pytest.approx(2 * found["slice 0"], abs=1e-10)


def test_a_path_into_a_corner_needs_more_nodes_and_still_sums():
    """Weights of one to a thousand."""
    rng = np.random.default_rng(7)
    source = np.where(rng.random((4000, 3)) < 0.02, 1, -1).astype(np.int8)
    target = np.where(rng.random((4000, 3)) < 0.9, 1, -1).astype(np.int8)
    source[:8] = list(itertools.product((-1, 1), repeat=3))
    parts(Case(source, rng.random(4000), target).problem())


def test_rows_of_no_use_are_the_effect_of_the_slice_they_are_in():
    """The target never shows a slice: giving its rows no weight is what that slice does."""
    case = random_case(np.random.default_rng(8), n=500, binary=False)
    only = replace(case, source=case.source[:, 2:], target=case.target[case.target[:, 2] == -1][:, 2:])
    problem = only.problem()
    assert get_estimator("mandoline").estimate(problem).unused.any()
    kept = case.scores[case.source[:, 2] == -1].mean()
    assert parts(problem) == {"slice 0": pytest.approx(kept - case.scores.mean(), abs=1e-12)}


def test_target_rows_set_aside_do_not_enter():
    """The parts are those of the estimate for the rest of the target."""
    case = random_case(np.random.default_rng(9), n=500, binary=False)
    source = case.source.copy()
    source[:, 2] = -1  # the source never shows the slice, the target does
    problem = replace(case, source=source).problem()
    assert (get_estimator("mandoline").estimate(problem).kept < 1).any()
    rest = replace(case, source=source, target=case.target[case.target[:, 2] == -1]).problem()
    found, expected = parts(problem), parts(rest)
    assert list(found) == list(expected)
    for rule, value in expected.items():
        assert found[rule] == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("name", [name for name in CASES if "auroc" not in name])
def test_parts_sum_for_every_metric(name):
    """Ratios, roots and tables of classes, on rows."""
    case = CASES[name]
    samples = case.samples(draw(1, 300, case.n_classes), draw(2, 300, case.n_classes, (0.5, 0.6)))
    fit = prepare(*samples, SLICES, model=samples[0].models[0], metric=case.settings)
    found = attribute(fit, EstimatorSettings())
    value, source = (get_estimator(e).estimate(fit.problem).value for e in ("mandoline", "source"))
    assert sum(part.value for part in found.parts) == pytest.approx(value - source, abs=1e-12)
    assert [part.rule for part in found.parts] == [rule.name for rule in SLICES]


def test_a_rule_for_a_family_is_one_part():
    """A category without values stands for one slice a value."""
    rng = np.random.default_rng(10)
    frames = [
        pd.DataFrame({"shop": rng.choice(["a", "b", "c"], 300, p=p), "big": rng.random(300) < 0.5, "label": 1})
        for p in ((0.6, 0.2, 0.2), (0.2, 0.3, 0.5))
    ]
    for frame in frames:
        frame["pred"] = (rng.random(300) < np.where(frame["shop"] == "a", 0.9, 0.6)).astype(int)
    source = md.Sample(frames[0], label="label", prediction="pred")
    rules = [md.Category("shop", column="shop"), md.Flag("big", column="big")]
    fit = prepare(source, md.Sample(frames[1].drop(columns="label")), rules, model=source.models[0])
    found = attribute(fit, EstimatorSettings())
    assert [part.rule for part in found.parts] == ["shop", "big"]
    assert abs(found.parts[0].value) > 10 * abs(found.parts[1].value)


def test_what_has_no_parts_is_refused():
    """Methods without weights that build up, and metrics that rank."""
    problem = random_case(np.random.default_rng(11)).problem()
    with pytest.raises(MandolineError, match=r"not available for method 'simple'\. Choose 'mandoline' or 'denoised'"):
        attribute(as_fit(problem), EstimatorSettings(name="simple"))
    case = CASES["auroc, 2 classes"]
    samples = case.samples(draw(1, 100, 2), draw(2, 100, 2))
    fit = prepare(*samples, SLICES, model=samples[0].models[0], metric=MetricSettings("auroc"))
    with pytest.raises(MandolineError, match="made of means over rows, unlike 'auroc'"):
        attribute(fit, EstimatorSettings())


@pytest.mark.parametrize("metric", [None, RATIO], ids=["mean", "ratio"])
@pytest.mark.parametrize(
    ("noises", "edges"),
    [((), ()), ((), ((0, 1),)), ((NOISY, None, NOISY), ()), ((NOISY, NOISY, None), ((0, 1),))],
    ids=["exact", "edge", "noisy", "noisy edge"],
)
def test_influence_is_the_derivative_of_the_effects(noises, edges, metric, monkeypatch):
    """Of a source or target row more in a pattern, the corrections held; and it adds up to that of the estimate."""
    monkeypatch.setattr("mandoline_core.estimators.effects._NODES", (16,))
    case = random_case(np.random.default_rng(3), n=600, binary=False, noises=noises, edges=edges)
    statistics = np.column_stack([case.scores, 1 + np.random.default_rng(1).random(600)])[
        :, : 1 if metric is None else 2
    ]
    table = count_patterns(case.source, case.target, statistics).patterns
    stated = case.problem() if metric is None else case.problem(metric=metric)
    source, target = (getattr(stated.corrections(), side) for side in ("source", "target"))
    stated = replace(stated, rule=fixed_rule(source, target), patterns=table, groups=(table,))
    owners = np.arange(3 + len(edges))
    influences = EffectPath(stated).influences(owners)
    n, total = len(table.codes), get_estimator("mandoline").estimate(stated).influence

    def effects(side: str, p: int, more: float) -> np.ndarray:
        counts = getattr(table, side) + more * (np.arange(n) == p)
        sums = table.sums * (counts / np.maximum(table.source, 1))[:, None] if side == "source" else table.sums
        moved = replace(table, sums=sums, **{side: counts})
        return EffectPath(replace(stated, patterns=moved, groups=(moved,))).effects

    for side, p in itertools.product(("source", "target"), (0, 3, 6)):
        expected = (effects(side, p, 0.1) - effects(side, p, -0.1)) / 0.2
        mean = table.sums[p] / table.source[p]
        found = [
            (one.source[0].slope[p] @ mean + one.source[0].constant[p]) / table.n_source
            if side == "source"
            else one.target[p] / table.n_target
            for one in (*influences, total)
        ]
        np.testing.assert_allclose(found[:-1], expected, rtol=0, atol=1e-5 * np.abs(expected).max())
        if side == "target":  # which the source score does not depend on
            assert sum(found[:-1]) == pytest.approx(found[-1], abs=1e-5 * np.abs(expected).max())


def test_effects_are_close_to_exact_shapley_values():
    """On the sample of reviews within 0.3 points; leaving each slice out and adding in order are 1.5 points off."""
    project = md.load_project(REVIEWS)
    fit = state_project(project).fit(project.models[0])
    settings, rules = EstimatorSettings(), list(steps(fit))
    value = {
        frozenset(some): estimate_with(fit, settings, some).value
        for size in range(len(rules) + 1)
        for some in itertools.combinations(rules, size)
    }
    orders = [
        {rule: value[frozenset(order[: i + 1])] - value[frozenset(order[:i])] for i, rule in enumerate(order)}
        for order in itertools.permutations(rules)
    ]
    exact = {rule: float(np.mean([order[rule] for order in orders])) for rule in rules}
    curves = md.ablation(fit, settings)
    everything = value[frozenset(rules)]
    off = {
        "effect": [part.value - exact[part.rule] for part in attribute(fit, settings).parts],
        "without": [everything - point.estimate - exact[point.slice] for point in curves.leave_one_out],
        "in order": [orders[0][rule] - exact[rule] for rule in rules],
    }
    worst = {name: float(np.abs(values).max()) for name, values in off.items()}
    assert worst["effect"] < 0.004
    assert min(worst["without"], worst["in order"]) > 4 * worst["effect"]


def test_measured_corrections_widen_the_total():
    """Where corrections were measured on few rows the denoised total is less certain than with them known."""
    rng = np.random.default_rng(14)
    g, later = (np.where(rng.random((3000, 1)) < rate, 1, -1).astype(np.int8) for rate in (0.3, 0.7))
    codes, target = (np.where(rng.random((3000, 1)) < 0.8, true, -true).astype(np.int8) for true in (g, later))
    truth = np.where(np.arange(3000)[:, None] < 100, g, 0).astype(np.int8)
    scores = (rng.random((3000, 1)) < 0.6 + 0.3 * g).astype(float)
    problem = audited_problem(codes, truth, target, scores)
    width = []
    for stated in (problem, replace(problem, audit=None)):
        found = attribute(as_fit(stated), EstimatorSettings(name="denoised"))
        width.append(found.total_interval[1] - found.total_interval[0])
    assert width[0] > 1.5 * width[1]


def additive(rng: np.random.Generator, n: int) -> tuple[Case, np.ndarray]:
    """Draw independent slices and a score that adds up over them; return each slice's part in the population."""
    rates = rng.uniform(0.2, 0.5, 3), rng.uniform(0.4, 0.8, 3)
    effect = rng.uniform(-0.12, 0.12, 3)
    source, target = (np.where(rng.random((n, 3)) < rate, 1, -1).astype(np.int8) for rate in rates)
    scores = (rng.random(n) < 0.6 + source @ effect).astype(float)
    return Case(source, scores, target), effect * 2 * (rates[1] - rates[0])


def test_parts_of_independent_slices_with_an_additive_score_are_the_populations():
    """effect_i times the shift of slice i, at 40,000 rows within four standard errors."""
    rng = np.random.default_rng(15)
    for _ in range(5):
        case, expected = additive(rng, 40_000)
        found = list(parts(case.problem()).values())
        # An effect is estimated to sqrt(0.24 / n / rate / (1 - rate)) or so, a shift to sqrt(0.5 / n).
        np.testing.assert_allclose(found, expected, rtol=0, atol=4 * np.sqrt((0.24 / 0.16 + 0.02) / 40_000))


def test_intervals_of_parts_cover_the_populations():
    """200 worlds of three independent slices: 95% intervals of parts and totals miss about one in twenty."""
    rng = np.random.default_rng(16)
    hits, n_worlds = [], 200
    for _ in range(n_worlds):
        case, expected = additive(rng, 1000)
        found = attribute(as_fit(case.problem()), EstimatorSettings())
        ends = [*(part.interval for part in found.parts), found.total_interval]
        hits.append([low <= value <= high for (low, high), value in zip(ends, [*expected, sum(expected)], strict=True)])
    band = norm.ppf(0.9995) * np.sqrt(0.95 * 0.05 / n_worlds)
    assert (abs(np.mean(hits, axis=0) - 0.95) <= band).all(), f"covered {np.mean(hits, axis=0)}"
