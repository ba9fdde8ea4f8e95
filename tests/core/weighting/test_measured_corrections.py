"""Corrections measured on few rows: their luck is in the standard error, row by row, and in redraws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.comparison.compare import run_estimator
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.bootstrap import draw_problem
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.metric import Metric
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import add_up
from mandoline_core.pipeline import prepare
from mandoline_core.pipeline.elasticity import correction_slopes
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.corrections import correction_rule
from mandoline_core.weighting.gold import gold_table, make_audit
from mandoline_core.weighting.problem import Problem
from tests.calibration.audited import audited_problem, audited_world
from tests.strategies import covers
from tests.worlds import random_world

STEP = 1e-4
RATIO = Metric(
    "ratio",
    "a ratio of two means",
    "column",
    None,
    combine=lambda means: float(means[0] / means[1]),
    slope=lambda means: np.array([1 / means[1], -means[0] / means[1] ** 2]),
)


def rows(seed: int, n: int, *, abstain: float = 0.0, audited: float = 0.5):
    """Draw codes of both samples, the truth of some source rows, and two statistics of each."""
    rng = np.random.default_rng(seed)
    g = np.where(rng.random((n, 2)) < 0.4, 1, -1).astype(np.int8)
    source = np.where(rng.random((n, 2)) < 0.85, g, -g).astype(np.int8)
    target = np.where(rng.random((n, 2)) < 0.55, 1, -1).astype(np.int8)
    for codes in (source, target):
        codes[rng.random((n, 2)) < abstain] = 0
    statistics = np.column_stack([0.5 + 0.2 * g[:, 0] + rng.standard_normal(n), 1 + rng.random(n)])
    return source, np.where(rng.random((n, 2)) < audited, g, 0).astype(np.int8), target, statistics


def recounted(problem: Problem, counts: np.ndarray, *, same: bool, measured: tuple[int, ...]) -> Problem:
    """Let source rows count any number of times, in the patterns and in the audit."""
    members, n = problem.members, len(problem.patterns)
    codes = problem.patterns.codes[members.source]

    def table(chosen: np.ndarray):
        weight = np.where(chosen, counts, 0.0)
        sums = np.column_stack([add_up(members.source, weight * column, n) for column in members.statistics.T])
        return replace(problem.patterns, source=add_up(members.source, weight, n), sums=sums)

    noises: list[Noise | None] = []
    for i in range(codes.shape[1]):
        truth = problem.audit.answers[:, i]
        known = {code: counts[(codes[:, i] == code) & (truth != 0)].sum() for code in (1, -1, 0)}
        inside = {code: counts[(codes[:, i] == code) & (truth == 1)].sum() for code in (1, -1, 0)}
        shares = {code: inside[code] / known[code] if known[code] else None for code in known}
        stated = Correction(shares[1], shares[-1], shares[0]) if i in measured else None
        noises.append(None if stated is None else Noise(stated, same=same))
    everyone = np.ones(len(counts), dtype=bool)
    split = len(problem.groups) > 1
    groups = [table(members.groups == i if split else everyone) for i in range(len(problem.groups))]
    return replace(problem, patterns=table(everyone), groups=tuple(groups), rule=correction_rule(noises))


@pytest.mark.parametrize("abstain", [0.0, 0.2], ids=["speaking", "abstaining"])
@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
@pytest.mark.parametrize("same", [False, True], ids=["derived", "same"])
@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_pieces_are_numerical_derivatives_through_the_audit(name, same, split, abstain):
    """Every row moves the estimate as when it counts a little more, in the score and in the corrections."""
    source, truth, target, statistics = rows(3, 80, abstain=abstain)
    measured = (0, 1)
    problem = audited_problem(
        source, truth, target, statistics, metric=RATIO, edges=((0, 1),), split=split, same=same, measured=measured
    )
    estimator = get_estimator(name)
    found = estimator.estimate(problem).influence.pieces(problem.members)[0]
    groups = problem.members.groups
    for row in range(0, 80, 7):
        group = (groups == groups[row]) if split != "none" else np.ones(80, dtype=bool)

        def at(share: float, row=row, group=group) -> float:
            # In its group the row gains at the expense of all; the audit is one, whatever the groups.
            counts = 1 + share * (group.sum() * (np.arange(80) == row) - group)
            return problem.metric.combine(estimator.means(recounted(problem, counts, same=same, measured=measured)))

        near, far = at(STEP) - at(-STEP), at(2 * STEP) - at(-2 * STEP)
        expected = (8 * near - far) / (12 * STEP) / group.sum()
        # The audit's rows add up to nothing over the whole source, not over each group: scaling a group moves it.
        assert found[row] - found[group].mean() == pytest.approx(expected, abs=1e-7), row


@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_squares_of_pieces_add_up_to_the_variance(name, split):
    """Audited rows included; without the audit they add up to the error that known corrections would have."""
    source, truth, target, statistics = rows(4, 300, abstain=0.1)
    problem = audited_problem(source, truth, target, statistics[:, :1], metric=get_metric("mean"), split=split)
    outcome = get_estimator(name).estimate(problem)
    pieces = outcome.influence.pieces(problem.members)
    assert [len(piece) for piece in pieces] == [300, 300, 6]  # and six corrections, for what their rows do not show
    assert sum(piece @ piece for piece in pieces) == pytest.approx(outcome.influence.standard_error() ** 2, rel=1e-10)
    known = get_estimator(name).estimate(replace(problem, audit=None))
    assert known.value == outcome.value
    assert outcome.error_if_known == known.influence.standard_error()
    assert outcome.influence.standard_error() != known.influence.standard_error()
    assert known.error_if_known is None


def test_slopes_behind_the_audit_are_those_of_the_sliders():
    """The audit's part is slope times distance from the share over rows; slopes from re-solved estimates."""
    source, truth, target, statistics = rows(5, 300)
    problem = audited_problem(source, truth, target, statistics[:, :1], metric=get_metric("mean"))
    fit = md.estimate_from_codes(source, statistics[:, 0], target).first.fit
    slopes = np.zeros((2, 3))
    for found in correction_slopes(replace(fit, problem=problem), EstimatorSettings()):
        slopes[problem.patterns.names.index(found.slice), {"outside": 0, "inside": 2}[found.key]] = found.slope
    audit = get_estimator("mandoline").estimate(problem).influence.audit
    for row, value in zip(audit.rows, audit.moves, strict=True):
        expected = 0.0
        for i in range(2):
            if truth[row, i]:
                alike = truth[(source[:, i] == source[row, i]) & (truth[:, i] != 0), i] == 1
                expected += slopes[i, source[row, i] + 1] * ((truth[row, i] == 1) - alike.mean()) / len(alike)
        assert value == pytest.approx(expected, abs=1e-8)


def test_rows_of_unknown_truth_add_nothing():
    """Only those with a gold answer have a say."""
    statistics = rows(6, 200)[3]
    some = audited_problem(*rows(6, 200)[:3], statistics[:, :1], metric=get_metric("mean"), measured=(1,))
    part = get_estimator("mandoline").estimate(some).influence.audit
    assert set(part.rows) == set(np.flatnonzero(rows(6, 200)[1][:, 1]))


def test_selecting_slices_keeps_their_audit():
    """With one slice only its own audited rows count."""
    source, truth, target, statistics = rows(7, 200)
    both = audited_problem(source, truth, target, statistics[:, :1], metric=get_metric("mean"))
    alone = audited_problem(source[:, 1:], truth[:, 1:], target[:, 1:], statistics[:, :1], metric=get_metric("mean"))
    found, expected = (get_estimator("mandoline").estimate(problem) for problem in (both.select([1]), alone))
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert found.influence.standard_error() == pytest.approx(expected.influence.standard_error(), rel=1e-9)


@pytest.mark.parametrize(("name", "same"), [("mandoline", True), ("denoised", False)])
def test_a_handful_of_rows_that_agree_is_not_proof(name, same):
    """The slice is taken at its word, and the interval allows for mistakes that so few rows would not show."""
    source, _, target, statistics = rows(6, 400)
    errors = []
    for n in (10, 40, 400):
        truth = np.where(np.arange(400)[:, None] < n, source, 0).astype(np.int8)
        problem = audited_problem(source, truth, target, statistics[:, :1], metric=get_metric("mean"), same=same)
        outcome = get_estimator(name).estimate(problem)
        assert not outcome.influence.audit.moves.any()
        assert outcome.value == pytest.approx(get_estimator(name).estimate(replace(problem, audit=None)).value)
        errors.append(outcome.influence.standard_error() / outcome.error_if_known)
    assert errors[0] > 1.01
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1.001


@pytest.mark.parametrize("same", [False, True], ids=["derived", "same"])
@pytest.mark.parametrize("mistakes", [0, 4], ids=["certain", "half certain"])
def test_slopes_at_a_correction_of_0_or_1_are_those_to_the_inside(mistakes, same):
    """As when every audited answer of a code is moved a little."""
    source, _, target, statistics = rows(6, 300)
    truth = source.copy()
    truth[np.flatnonzero(source[:, 0] == -1)[:mistakes], 0] = 1
    estimator = get_estimator("denoised")
    problem = audited_problem(source, truth, target, statistics[:, :1], metric=get_metric("mean"), same=same)
    errors = problem.audit.unseen_errors
    found = estimator.estimate(problem).influence.audit.unseen.reshape(2, 3) / np.where(errors > 0, errors, 1)
    for i, code in ((0, 2), (1, 0), (1, 2)):
        stated = problem.rule.source.copy()
        stated[i, code] += STEP if code == 0 else -STEP
        moved = estimator.means(replace(problem, rule=problem.rule.with_source(stated)))[0]
        expected = (moved - estimator.means(problem)[0]) / (STEP if code == 0 else -STEP)
        assert found[i, code] == pytest.approx(expected, rel=1e-2, abs=1e-4)


def test_redrawn_corrections_are_those_that_the_audited_rows_leave_possible():
    """As half a row more on either side has them; what was not measured stays."""
    source, truth, target, statistics = rows(8, 400, abstain=0.1)
    problem = audited_problem(source, truth, target, statistics[:, :1], measured=(1,))
    rng = np.random.default_rng(0)
    drawn = np.array([draw_problem(problem, rng).rule.source for _ in range(2000)])
    np.testing.assert_array_equal(drawn[:, 0], np.tile([0, np.nan, 1], (2000, 1)))
    share, n = problem.audit.shares[1], problem.audit.sizes[1]
    share = (share * n + 0.5) / (n + 1)
    spread = np.sqrt(share * (1 - share) / (n + 2))
    assert (np.abs(drawn[:, 1].mean(axis=0) - share) < 4 * spread / np.sqrt(2000)).all()
    assert (np.abs(np.log(drawn[:, 1].std(axis=0) / spread)) < 4 / np.sqrt(2 * 2000)).all()
    assert (draw_problem(problem, rng).rule.own_target[0] == problem.rule.own_target[0])[[0, 2]].all()
    assert draw_problem(replace(problem, audit=None), rng).rule is problem.rule


def test_the_target_follows_redrawn_corrections_only_where_nothing_else_is_said():
    """Own corrections of the target stay; the same matrix moves along."""
    codes = np.array([1, 1, -1, -1] * 20, dtype=np.int8)
    truth = np.array([1, -1, -1, -1] * 10 + [0] * 40, dtype=np.int8)
    names = ["a", "b"]
    table = gold_table(codes, truth, np.zeros(80))
    audit = make_audit(names, dict.fromkeys(names, table), dict.fromkeys(names, truth))
    measured = table.measure("a")
    rule = correction_rule([Noise(measured, same=True), Noise(measured, target=Correction(0.8, 0.3))])
    moved = rule.with_source(audit.redraw(np.random.default_rng(1)))
    np.testing.assert_array_equal(moved.own_target[0], moved.source[0])
    np.testing.assert_array_equal(moved.own_target[1], rule.own_target[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_redraws_spread_as_far_as_the_standard_error_says(name):
    """Both samples redrawn, corrections measured again: the first-order spread is the same."""
    rng = np.random.default_rng(2)
    problem = audited_world(random_world(rng, n_slices=2, accuracy=0.8), 4000, 400, rng)
    outcome = get_estimator(name).estimate(problem)
    start = replace(problem, start=outcome.delta)
    values = [get_estimator(name).means(draw_problem(start, rng))[0] for _ in range(600)]
    error = outcome.influence.standard_error()
    # Redraws leave out how the audited rows' scores go with their truth; that is less than a tenth here.
    assert abs(np.log(np.std(values) / error)) < 4 * np.sqrt(1 / 1200) + 0.1
    assert np.std(values) > 1.2 * outcome.error_if_known or name == "mandoline"


def samples(n: int = 600, audited: int = 150) -> tuple[md.Sample, md.Sample]:
    """Draw frames with a noisy slice, its gold column on some rows, and two models."""
    rng = np.random.default_rng(9)
    g = rng.random(n) < 0.4
    said = np.where(rng.random(n) < 0.85, g, ~g)
    label = rng.integers(0, 2, n)
    right = {model: rng.random(n) < skill - 0.3 * g for model, skill in (("a", 0.95), ("b", 0.85))}
    frame = pd.DataFrame({"said": said, "label": label} | {m: np.where(r, label, 1 - label) for m, r in right.items()})
    frame["gold"] = pd.array(np.where(np.arange(n) < audited, g, None), dtype="boolean")
    other = rng.random(n) < 0.7
    target = pd.DataFrame({"said": np.where(rng.random(n) < 0.85, other, ~other), "a": 0, "b": 0})
    models = (md.Model("a", prediction="a"), md.Model("b", prediction="b"))
    return md.Sample(frame, label="label", models=models), md.Sample(target, models=models)


def test_reports_and_comparisons_allow_for_the_audit():
    """The interval from files and frames is wider than with the same corrections stated; estimates are the same."""
    source, target = samples()
    measured = md.Flag("x", column="said", gold="gold", noise=Noise(measured=True))
    settings = EstimatorSettings(name="denoised")
    found = prepare(source, target, [measured], model=source.models[0], settings=settings)
    stated = md.Flag("x", column="said", noise=Noise(found.cells.gold["x"].measure("x")))
    known = prepare(source, target, [stated], model=source.models[0], settings=settings)
    assert found.problem.audit.sizes.sum() == 150
    assert known.problem.audit is None
    one, other = (run_estimator(fit, "denoised", settings) for fit in (found, known))
    assert one.estimate == other.estimate
    assert one.interval[0] < other.interval[0] < other.interval[1] < one.interval[1]
    assert sum(piece @ piece for piece in one.pieces) == pytest.approx(one.standard_error**2, rel=1e-10)


def test_the_papers_weights_on_one_slice_do_not_depend_on_its_audit():
    """With derived corrections they match what the slice says in the target, however often it is right."""
    source, target = samples()
    rule = md.Flag("x", column="said", gold="gold", noise=Noise(measured=True))
    outcome = get_estimator("mandoline").estimate(prepare(source, target, [rule], model=source.models[0]).problem)
    assert outcome.influence.standard_error() == pytest.approx(outcome.error_if_known, rel=1e-8)


def test_two_models_share_the_luck_of_the_audit():
    """The difference of two models has the error of the rows' differences, not of two audits."""
    source, target = samples()
    rule = md.Flag("x", column="said", gold="gold", noise=Noise(measured=True))
    found = md.compare(source, target, [rule], estimators=["denoised"])
    (difference,) = found.differences
    one, other = (found.models[m].entries["denoised"] for m in ("a", "b"))
    error = (difference.interval[1] - difference.interval[0]) / 2 / norm.ppf(0.975)
    gaps = [a - b for a, b in zip(one.pieces, other.pieces, strict=True)]
    assert error == pytest.approx(np.sqrt(sum(gap @ gap for gap in gaps)), rel=1e-9)
    assert error < np.hypot(one.standard_error, other.standard_error)


def test_stating_corrections_switches_the_audit_off():
    """A gold column alone, with stated corrections, adds nothing to the interval."""
    source, target = samples()
    rule = md.Flag("x", column="said", gold="gold", noise=Noise(Correction(0.9, 0.1)))
    assert prepare(source, target, [rule], model=source.models[0]).problem.audit is None


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5000])
@pytest.mark.long
def test_intervals_with_measured_corrections_cover_as_often_as_they_say(n):
    """200 worlds, 200 audited rows each; the band is the Monte Carlo error's."""
    rng = np.random.default_rng(78)
    hits, failures = [], 0
    for _ in range(200):
        world = random_world(rng, n_slices=2, accuracy=0.8)
        try:
            hits.append(covers(audited_world(world, n, 200, rng), "denoised", world.score("target")))
        except MandolineError:
            failures += 1
    band = norm.ppf(0.9995) * np.sqrt(0.95 * 0.05 / len(hits))
    assert failures <= 2
    assert abs(np.mean(hits) - 0.95) <= band, f"covered {np.mean(hits):.3f}, expected 0.95 +- {band:.3f}"
