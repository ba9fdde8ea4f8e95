"""Cells: rows that are counted together say what the same rows say one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.checks.sensitivity import sensitivity_curve
from mandoline_core.checks.trimming import trim
from mandoline_core.comparison.results import paired_error
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns, find_patterns
from mandoline_core.pipeline import estimate
from mandoline_core.pipeline.cells import Cells
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.pipeline.fits import Fit, make_problem, split_cells
from mandoline_core.pipeline.table_count import matching_cells
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.corrections import correction_rule
from mandoline_core.weighting.gold import gold_table, make_audit

SETTINGS = EstimatorSettings()


class World:
    """Hold the same rows twice: one by one, and as cells with how many they are."""

    def __init__(self, seed: int, n_slices: int = 3, metric: str = "accuracy") -> None:
        rng = np.random.default_rng(seed)
        self.source = rng.choice([-1, 1], (14, n_slices)).astype(np.int8)
        self.source[: 2 * n_slices] = np.where(np.arange(2 * n_slices)[:, None] // 2 == np.arange(n_slices), 1, -1)
        self.target = np.vstack([self.source[:8], self.source[:3]])
        self.scores = np.resize([0.0, 1.0, 1.0], 14)[:, None]
        if metric == "mean":
            self.scores = rng.normal(size=(14, 1))
        self.rows, self.target_rows = rng.integers(2, 30, 14), rng.integers(1, 20, 11)
        self.metric = get_metric(metric)

    def problems(self, **settings: object) -> tuple:
        """State the problem of the rows, and of the cells."""
        how = EstimatorSettings(**settings)
        repeated = self.scores.repeat(self.rows, axis=0)
        one_by_one = count_patterns(
            self.source.repeat(self.rows, axis=0), self.target.repeat(self.target_rows, axis=0), repeated
        )
        together = count_patterns(
            self.source,
            self.target,
            self.scores,
            source_rows=self.rows.astype(float),
            target_rows=self.target_rows.astype(float),
        )
        return make_problem(one_by_one, repeated, self.metric, how), make_problem(
            together, self.scores, self.metric, how
        )

    def reports(self) -> list:
        """Report on the rows, and on the cells."""
        found = []
        for problem in self.problems():
            members = problem.members
            count = Cells(
                "m",
                (),
                {},
                self.metric,
                None,
                members.statistics,
                np.ones(len(members.source), dtype=bool),
                {},
                None,
                (),
            )
            found.append(estimate(Fit(count, problem), SETTINGS))
        return found


@pytest.mark.parametrize("metric", ["accuracy", "mean"])
@pytest.mark.parametrize("name", ["source", "simple", "mandoline", "denoised", "cbiw_slices", "ulsif_slices"])
@pytest.mark.parametrize("seed", range(3))
def test_methods_on_slices_say_the_same_of_cells(seed: int, name: str, metric: str) -> None:
    """Estimate, standard error and interval do not depend on whether rows alike are counted together."""
    world, method = World(seed, metric=metric), get_estimator(name)
    rows, cells = world.problems()
    one, other = method.estimate(rows), method.estimate(cells)
    assert other.value == pytest.approx(one.value, rel=1e-9)
    assert other.influence.standard_error() == pytest.approx(one.influence.standard_error(), rel=1e-7)
    assert interval_of(cells, other, 0.95) == pytest.approx(interval_of(rows, one, 0.95), rel=1e-7)
    assert other.weights(cells.members).sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(3))
def test_pieces_of_cells_line_up_between_estimates(seed: int) -> None:
    """The luck of a difference between two estimates is the same by rows and by cells, and so is each one's own."""
    errors = []
    for problem in World(seed).problems():
        pieces = [
            get_estimator(name).estimate(problem).influence.pieces(problem.members) for name in ("mandoline", "source")
        ]
        errors.append((paired_error(*pieces), paired_error(pieces[0], [np.zeros_like(piece) for piece in pieces[0]])))
    assert errors[1] == pytest.approx(errors[0], rel=1e-9)
    assert errors[0][0] > 0


@pytest.mark.parametrize("metric", ["accuracy", "mean"])
def test_caps_and_hidden_changes_say_the_same_of_cells(metric: str) -> None:
    """Capping weights counts rows, not cells; bounds under a hidden change have the same interval."""
    rows, cells = World(1, metric=metric).reports()
    for cap in (0.8, 1.2, np.inf):
        one, other = trim(rows, cap), trim(cells, cap)
        assert other.rows_capped == one.rows_capped
        assert [other.estimate, *other.interval, other.effective_sample_size] == pytest.approx(
            [one.estimate, *one.interval, one.effective_sample_size], rel=1e-7
        )
    (one,), (other,) = (sensitivity_curve(report, [1.5]) for report in (rows, cells))
    ends = [[found.low, found.high, *found.interval] for found in (one, other)]
    assert ends[1] == pytest.approx(ends[0], rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_corrections_measured_on_cells_are_as_sure_as_on_rows(seed: int) -> None:
    """The rows of a cell measure a correction together, and each has its own luck."""
    world = World(seed)
    rng = np.random.default_rng(seed)
    truth = np.where(rng.random(len(world.source)) < 0.8, world.source[:, 0], -world.source[:, 0]).astype(np.int8)
    errors = []
    for problem, gold, counts in zip(
        world.problems(), (truth.repeat(world.rows), truth), (None, world.rows.astype(float)), strict=True
    ):
        codes = problem.patterns.codes[problem.members.source, 0]
        table = gold_table(codes, gold, problem.members.statistics[:, 0], counts)
        measured = table.measure("a")
        noise = Noise(source=Correction(measured.inside, measured.outside))
        audited = replace(
            problem,
            rule=correction_rule([noise, None, None]),
            audit=make_audit(["a", "b", "c"], {"a": table}, {"a": gold}),
        )
        outcome = get_estimator("mandoline").estimate(audited)
        errors.append((outcome.value, outcome.influence.standard_error(), outcome.error_if_known, table.mistake_z()))
    assert errors[1] == pytest.approx(errors[0], rel=1e-7)
    assert errors[0][1] != errors[0][2]


def test_half_of_the_rows_of_cells_go_to_each_side() -> None:
    """Splitting cells draws rows without replacement: both halves are as large, and cell by cell near one half."""
    world = World(2)
    _, cells = world.problems(split="crossfit")
    first, second = (group.n_source for group in cells.groups)
    assert abs(first - second) <= 1
    assert first + second == world.rows.sum()
    shares = []
    for seed in range(300):
        count = count_patterns(world.source, world.target, world.scores, source_rows=world.rows.astype(float))
        split, _, halves = split_cells(count, world.scores, np.random.default_rng(seed))
        shares.append(split.source_rows[halves == 0])
        assert (split.source_rows[halves == 0] + split.source_rows[halves == 1] == world.rows).all()
    spread = 4 * np.sqrt(world.rows / 4 / 300)
    assert (np.abs(np.mean(shares, axis=0) - world.rows / 2) < spread).all()


def test_a_split_of_cells_estimates_what_a_split_of_rows_does() -> None:
    """Cross-fitting on cells is close to cross-fitting on rows: both halves are the same in law."""
    world = World(0)
    found = [
        [get_estimator("mandoline").estimate(problem).value for problem in world.problems(split="crossfit", seed=seed)]
        for seed in range(60)
    ]
    gap = np.subtract(*np.transpose(found))
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(len(gap))


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
def test_matching_cells_have_the_moments_of_the_rows(seed: int, n_groups: int, n_statistics: int) -> None:
    """Rows, sums and products by group come out again, whatever the rows are."""
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, 20)])
    values = rng.normal(size=(len(groups), n_statistics)) * 10.0 ** rng.integers(-3, 4)
    rows = np.bincount(groups).astype(float)
    sums = np.array([values[groups == g].sum(axis=0) for g in range(n_groups)])
    products = np.array([values[groups == g].T @ values[groups == g] for g in range(n_groups)])
    place, cells, counts = matching_cells(rows, sums, products)
    scale = np.abs(products).max() + 1e-300
    for g in range(n_groups):
        own, n = cells[place == g], counts[place == g]
        assert n.sum() == pytest.approx(rows[g])
        assert n @ own == pytest.approx(sums[g], abs=1e-9 * np.sqrt(scale * rows[g]))
        assert (own.T * n) @ own == pytest.approx(products[g], abs=1e-9 * scale)


def test_rows_are_found_among_patterns_or_not_at_all() -> None:
    """The place of a pattern in the table comes back, for any order and with repetitions; others are -1."""
    rng = np.random.default_rng(0)
    patterns = np.unique(rng.integers(-1, 2, (50, 45)).astype(np.int8), axis=0)
    chosen = rng.integers(0, len(patterns), 200)
    assert find_patterns(patterns, patterns[chosen]).tolist() == chosen.tolist()
    assert find_patterns(patterns[1:], patterns[:1]).tolist() == [-1]
