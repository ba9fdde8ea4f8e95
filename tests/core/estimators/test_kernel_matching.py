"""Kernel mean matching: against a general-purpose solver, with a certificate that holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from mandoline_core.errors import MandolineError
from mandoline_core.estimators import kernel_matching
from mandoline_core.estimators.box_programme import DenseForm, LowRankForm, Region
from mandoline_core.estimators.box_programme import minimise as minimise_over_region
from mandoline_core.estimators.kernel_matching import KernelMatcher

WIDTH = 1.5


def draw(seed: int, n: int, n_features: int = 3, shift: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, n_features)), shift + 0.8 * rng.standard_normal((n + 3, n_features))


def row_problem(source: np.ndarray, target: np.ndarray, width: float = WIDTH) -> tuple[np.ndarray, np.ndarray]:
    """Return K and kappa over rows, by the definition."""
    kernel, cross = (np.exp(-cdist(source, other, "sqeuclidean") / (2 * width**2)) for other in (source, target))
    return kernel, len(source) / len(target) * cross.sum(axis=1)


def objective(ratios: np.ndarray, source: np.ndarray, target: np.ndarray, width: float = WIDTH) -> float:
    kernel, kappa = row_problem(source, target, width)
    return float(0.5 * ratios @ kernel @ ratios - kappa @ ratios)


def reference(source: np.ndarray, target: np.ndarray, box: float, tolerance: float) -> tuple[float, np.ndarray]:
    """Solve over rows with a general-purpose solver."""
    kernel, kappa = row_problem(source, target)
    n = len(source)
    band = [
        {"type": "ineq", "fun": lambda b: n * tolerance - (b.sum() - n), "jac": lambda b: -np.ones(n)},
        {"type": "ineq", "fun": lambda b: n * tolerance + (b.sum() - n), "jac": lambda b: np.ones(n)},
    ]
    found = minimize(
        lambda b: 0.5 * b @ kernel @ b - kappa @ b,
        np.full(n, min(1.0, box)),
        jac=lambda b: kernel @ b - kappa,
        method="SLSQP",
        bounds=[(0, box)] * n,
        constraints=band,
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return float(found.fun), found.x


def assert_feasible(ratios: np.ndarray, counts: np.ndarray, box: float, tolerance: float) -> None:
    assert (ratios >= 0).all()
    assert (ratios <= box).all()
    assert abs(counts @ ratios / counts.sum() - 1) <= tolerance + 1e-9


@pytest.mark.parametrize(
    ("box", "tolerance"),
    [(1000.0, 0.5), (1.5, 0.5), (1000.0, 0.0), (2.0, 0.01), (0.8, 0.3), (1.05, 0.0), (0.75, 0.25)],
    ids=["free", "box", "sum fixed", "both", "box below 1", "nearly a corner", "a corner"],
)
@pytest.mark.parametrize("shift", [0.5, 3.0])
@pytest.mark.parametrize("low_rank", [False, True], ids=["dense", "low rank"])
def test_objective_is_that_of_a_general_solver(box, tolerance, shift, low_rank, monkeypatch):
    """No setting of the box and the band lets another solver do better than the gap says."""
    if low_rank:
        monkeypatch.setattr(kernel_matching, "_MOST_DENSE", 0)
        monkeypatch.setattr(kernel_matching, "_FIRST_MEMBERS", 3)
    source, target = draw(1, 25, shift=shift)
    rows = np.ones(len(source))
    matching = KernelMatcher(source, target, width=WIDTH, rank=8).solve(
        rows, np.ones(len(target)), box=box, tolerance=tolerance
    )
    best, ratios = reference(source, target, box, tolerance)
    assert_feasible(ratios, rows, box + 1e-9, tolerance + 1e-7)
    assert_feasible(matching.ratios, rows, box, tolerance)
    assert matching.objective == pytest.approx(objective(matching.ratios, source, target), rel=1e-9)
    assert matching.objective == pytest.approx(best, rel=1e-4)
    assert matching.objective - best <= matching.gap + 1e-9 * abs(best)
    assert matching.relative_gap <= 1e-5


@pytest.mark.parametrize("most_members", [4500, 0], ids=["members", "corrections"])
def test_gap_bounds_what_is_left_on_many_points(most_members, monkeypatch):
    """With a factor far from the kernel, both ways of solving end near the same, certified objective."""
    source, target = draw(3, 700, 4)
    counts, target_counts = np.ones(len(source)), np.ones(len(target))
    exact = KernelMatcher(source, target, width=2.0, rank=400).solve(counts, target_counts)
    monkeypatch.setattr(kernel_matching, "_MOST_MEMBERS", most_members)
    rough = KernelMatcher(source, target, width=2.0, rank=150).solve(counts, target_counts)
    assert exact.relative_gap <= 1e-5
    assert rough.objective == pytest.approx(objective(rough.ratios, source, target, 2.0), rel=1e-9)
    assert rough.objective - rough.gap <= exact.objective
    assert exact.objective - exact.gap <= rough.objective
    assert rough.objective == pytest.approx(exact.objective, rel=1e-4)


@given(seed=st.integers(0, 1000), sparse=st.booleans())
def test_counts_are_repeated_rows(seed, sparse):
    """A point with a count gets the ratio and the objective that its rows get one by one."""
    rng = np.random.default_rng(seed)
    source, target = draw(seed, 8, 2)
    counts, target_counts = rng.integers(1, 4, len(source)), rng.integers(0, 4, len(target))
    target_counts[0] = 1
    kind = csr_matrix if sparse else np.asarray
    short = KernelMatcher(kind(source), kind(target), width=WIDTH).solve(counts, target_counts, box=3.0)
    rows, target_rows = np.repeat(source, counts, 0), np.repeat(target, target_counts, 0)
    long = KernelMatcher(rows, target_rows, width=WIDTH).solve(np.ones(len(rows)), np.ones(len(target_rows)), box=3.0)
    assert short.objective == pytest.approx(long.objective, rel=3e-5)
    assert objective(np.repeat(short.ratios, counts), rows, target_rows) == pytest.approx(short.objective, rel=1e-9)
    assert_feasible(short.ratios, counts, 3.0, 1 - 1 / np.sqrt(counts.sum()))


@pytest.mark.parametrize("n", [30, 800])
def test_equal_samples_are_matched_by_ratios_of_one(n):
    """No ratios do better than 1 everywhere when source and target are the same rows."""
    source, _ = draw(0, n)
    counts = np.random.default_rng(1).integers(1, 5, n).astype(float)
    matching = KernelMatcher(source, source, width=WIDTH).solve(counts, counts)
    rows = np.repeat(source, counts.astype(int), 0)
    best = objective(np.ones(len(rows)), rows, rows)
    assert best <= matching.objective <= best + matching.gap
    assert matching.relative_gap <= 1e-5


def test_points_without_rows_change_nothing():
    """A count of 0 leaves a point out, with ratio 0."""
    source, target = draw(2, 40)
    counts = np.ones(len(source))
    counts[::3] = 0
    whole = KernelMatcher(source, target, width=WIDTH).solve(counts, np.ones(len(target)))
    part = KernelMatcher(source[counts > 0], target, width=WIDTH).solve(counts[counts > 0], np.ones(len(target)))
    np.testing.assert_allclose(whole.ratios[counts > 0], part.ratios, rtol=1e-6, atol=1e-9)
    assert (whole.ratios[counts == 0] == 0).all()


@pytest.mark.parametrize("n", [60, 900])
def test_resolve_repeats_the_solution_it_is_near(n):
    """With the same counts, the fast version moves the weighted mean of the features by next to nothing."""
    source, target = draw(5, n, 4)
    counts, target_counts = np.ones(len(source)), np.ones(len(target))
    matcher = KernelMatcher(source, target, width=2.0, rank=100)
    matching = matcher.solve(counts, target_counts)
    again = matcher.resolve(counts, target_counts, near=matching)
    shift = again @ source / again.sum() - matching.ratios @ source / matching.ratios.sum()
    assert np.abs(shift).max() < 0.01
    assert objective(again, source, target, 2.0) == pytest.approx(matching.objective, rel=1e-4)


def test_resolve_of_a_redraw_is_close_to_solving_it():
    """Bootstrap redraws, with counts of 0 among them, end near the certified solution."""
    source, target = draw(6, 900, 4)
    ones, target_ones = np.ones(len(source)), np.ones(len(target))
    matcher = KernelMatcher(source, target, width=2.0, rank=150)
    matching = matcher.solve(ones, target_ones)
    rng = np.random.default_rng(0)
    counts = rng.multinomial(len(source), ones / len(source)).astype(float)
    target_counts = rng.multinomial(len(target), target_ones / len(target)).astype(float)
    fast = matcher.resolve(counts, target_counts, near=matching)
    slow = matcher.solve(counts, target_counts)
    rows, target_rows = (np.repeat(x, c.astype(int), 0) for x, c in ((source, counts), (target, target_counts)))
    value = objective(np.repeat(fast, counts.astype(int)), rows, target_rows, 2.0)
    assert value == pytest.approx(slow.objective, rel=1e-3)
    assert value >= slow.objective - slow.gap
    assert_feasible(fast, counts, 1000.0, 1 - 1 / np.sqrt(counts.sum()))
    assert (fast[counts == 0] == 0).all()


def test_settings_that_cannot_be_met_are_refused():
    """The message says which settings, and what to do."""
    source, target = draw(0, 10)
    matcher = KernelMatcher(source, target, width=1.0)
    with pytest.raises(MandolineError, match=r"No weights satisfy both box = 0\.5"):
        matcher.solve(np.ones(len(source)), np.ones(len(target)), box=0.5, tolerance=0.1)


@given(seed=st.integers(0, 1000))
def test_lowest_point_of_a_region_is_that_of_a_linear_programme(seed):
    """Filling the steepest coordinates first is optimal over a box and a band."""
    rng = np.random.default_rng(seed)
    upper, slope = rng.uniform(0.1, 1, 6), rng.standard_normal(6)
    low, high = np.sort(rng.uniform(0, upper.sum(), 2))
    region = Region(upper, low, high)
    found = region.lowest(slope)
    rows = np.vstack([np.ones(6), -np.ones(6)])
    best = linprog(slope, A_ub=rows, b_ub=[high, -low], bounds=[(0, u) for u in upper])
    assert slope @ found == pytest.approx(best.fun, abs=1e-9)
    assert low - 1e-12 <= found.sum() <= high + 1e-12


def test_low_rank_form_solves_what_the_dense_form_solves():
    """Woodbury's identity, refined once, agrees with a factorisation of the whole matrix."""
    rng = np.random.default_rng(0)
    factor, diagonal = rng.standard_normal((40, 5)), np.full(40, 1e-8)
    added, right = 10.0 ** rng.uniform(-8, 4, 40), rng.standard_normal((40, 2))
    matrix = factor @ factor.T + np.diag(diagonal)
    expected = DenseForm(matrix).solver(added)(right)
    np.testing.assert_allclose(LowRankForm(factor, diagonal).solver(added)(right), expected, rtol=1e-4)
    np.testing.assert_allclose(LowRankForm(factor, diagonal).product(right[:, 0]), matrix @ right[:, 0])


def test_minimum_inside_the_region_is_the_solution_of_the_linear_system():
    """Without active constraints the interior point method solves M u = -linear."""
    matrix = np.array([[2.0, 0.5], [0.5, 1.0]])
    inside = np.array([0.4, 0.6])
    found = minimise_over_region(DenseForm(matrix), -matrix @ inside, Region(np.ones(2), 0.2, 1.8), tolerance=1e-12)
    np.testing.assert_allclose(found, inside, atol=1e-5)
