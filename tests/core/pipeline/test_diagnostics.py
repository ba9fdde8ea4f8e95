"""Diagnostics: numbers about the weights, and findings in plain words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from mandoline_core.checks.checks import find_all
from mandoline_core.checks.support import TINY
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.metrics.registry import get_metric
from mandoline_core.pipeline import Cells, Estimate, Fit, estimate
from mandoline_core.pipeline.diagnostics import diagnose, interval_of
from mandoline_core.project import EstimatorSettings
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.corrections import correction_rule
from mandoline_core.weighting.problem import Problem
from tests.strategies import Case, cases, random_case, settled

MANDOLINE = get_estimator("mandoline")


def found_in(problem: Problem, name: str = "mandoline") -> dict[str, Finding]:
    """Estimate and collect the findings by code."""
    found = solved(problem, name)
    return {finding.code: finding for finding in (*found.findings, *find_all(found))}


def solved(problem: Problem, name: str = "mandoline") -> Estimate:
    """Estimate on a problem that nothing was counted for."""
    settings = EstimatorSettings(name=name, ridge=problem.ridge)
    cells = Cells("m", (), {}, problem.metric, None, None, None, (), {}, ())  # type: ignore[arg-type]
    return estimate(Fit(cells, problem), settings)


def plain(n: int = 400, **more) -> Case:
    """Make a problem that nothing is wrong with."""
    return random_case(np.random.default_rng(0), n=n, **more)


def with_slice(case: Case, source: np.ndarray, target: np.ndarray) -> Case:
    """Add a slice to a problem."""
    return replace(
        case,
        source=np.column_stack([case.source, source]).astype(np.int8),
        target=np.column_stack([case.target, target]).astype(np.int8),
    )


def inside_first(n: int, total: int) -> np.ndarray:
    """Put the first n rows inside."""
    return np.where(np.arange(total) < n, 1, -1)


def test_nothing_is_found_where_nothing_is_wrong():
    """Silence means that all is well."""
    assert found_in(plain().problem()) == {}


@given(cases(max_slices=4))
def test_effective_rows_equal_the_definition_row_by_row(case):
    """1 / sum of squared weights, the heaviest row, and the share of unseen patterns."""
    settled(case)
    problem = case.problem()
    outcome = MANDOLINE.estimate(problem)
    weights, numbers = case.row_weights(outcome), diagnose(problem, outcome)
    n = len(weights)
    assert numbers.effective_sample_size == pytest.approx(1 / (weights**2).sum())
    assert numbers.design_effect == pytest.approx(n * (weights**2).sum())
    assert numbers.largest_ratio == pytest.approx(n * weights.max())
    assert (numbers.set_aside, numbers.bounds) == (0, None)


def test_rows_that_only_serve_to_fit_are_not_averaged_over():
    """With split = half the numbers speak of the half that is weighted."""
    case = replace(plain(), target=plain().source)
    numbers = diagnose(case.problem("half"), MANDOLINE.estimate(case.problem("half")))
    assert numbers.effective_sample_size == pytest.approx(200, rel=0.05)
    assert numbers.design_effect == pytest.approx(1, abs=0.05)


def test_a_constant_slice_is_found():
    """And is not called tiny as well."""
    case = plain()
    ones = np.ones(len(case.source))
    found = found_in(with_slice(case, ones, ones).problem())
    assert list(found) == ["constant_slice"]
    expected = "Slice 'slice 3' is the same for every row, so it carries no information."
    assert found["constant_slice"].message == expected


def test_a_slice_that_only_the_target_varies_is_not_constant():
    """It is beyond the source's reach instead."""
    case = plain()
    found = found_in(with_slice(case, -np.ones(400), inside_first(20, 400)).problem())
    assert set(found) == {"set_aside", "tiny_slice"}


def test_duplicate_slices_are_found():
    """Both names are given."""
    case = plain()
    found = found_in(with_slice(case, case.source[:, 1], case.target[:, 1]).problem())
    assert found["duplicate_slice"].message == "Slices 'slice 1' and 'slice 3' are identical on every row."
    opposite = found_in(with_slice(case, -case.source[:, 1], -case.target[:, 1]).problem())
    assert "duplicate_slice" not in opposite


@pytest.mark.parametrize("side", [1, -1], ids=["inside", "outside"])
def test_a_tiny_slice_has_fewer_than_five_rows(side):
    """Four rows on one side are too few, five are enough."""
    case = plain()
    target = side * inside_first(20, len(case.target))
    for n in (TINY - 1, TINY):
        found = found_in(with_slice(case, side * inside_first(n, 400), target).problem())
        assert ("tiny_slice" in found) == (n < TINY)
    found = found_in(with_slice(case, side * inside_first(4, 400), target).problem())
    contains = "contains" if side == 1 else "contains all but"
    assert found["tiny_slice"].text == f"Slice 'slice 3' {contains} 4 labelled rows."


def test_much_abstention_is_found_where_it_happens():
    """The sample with more of it is named, with its share."""
    case = plain(n=1000)
    target = np.where(np.arange(1000) < 600, 0, case.target[:, 0])
    found = found_in(with_slice(case, case.source[:, 1], target).problem())
    assert found["much_abstention"].text == "Slice 'slice 3' abstains on 60.0% of the new data."


def test_unseen_combinations_are_found_above_five_percent():
    """The share of the target in patterns without a source row."""
    codes = np.array([[-1, -1], [1, -1], [-1, 1]], dtype=np.int8)
    source = np.repeat(codes, 100, axis=0)
    both = np.ones((1, 2), dtype=np.int8)
    for n, expected in ((5, False), (30, True)):
        target = np.vstack([np.repeat(codes, 100, axis=0), np.repeat(both, n, axis=0)])
        problem = Case(source, np.arange(300) % 2.0, target).problem()
        outcome = MANDOLINE.estimate(problem)
        assert diagnose(problem, outcome).unseen == pytest.approx(n / (300 + n))
        assert ("unseen_patterns" in found_in(problem)) == expected


def test_few_effective_rows_are_found():
    """A target that is nearly all inside a rare slice rests on the few rows inside it."""
    source = inside_first(20, 1000)[:, None].astype(np.int8)
    for inside, severity in ((600, "warning"), (980, "serious")):
        target = inside_first(inside, 1000)[:, None].astype(np.int8)
        found = found_in(Case(source, np.arange(1000) % 2.0, target).problem())
        # Weights: 20 rows share the inside, 980 the outside.
        effective = 1 / ((inside / 1000) ** 2 / 20 + (1 - inside / 1000) ** 2 / 980)
        assert found["few_effective_rows"].severity == severity
        assert f"rests on {effective:,.0f} effective rows of 1,000, and" in found["few_effective_rows"].message
    assert "few_effective_rows" not in found_in(Case(source, np.arange(1000) % 2.0, source).problem())


def test_few_rows_are_few_effective_rows_however_even_they_are():
    """No row counts for much, and still there are few: what more rows would be warned of, fewer are, too."""
    for n, severity in ((20, "serious"), (60, "warning"), (99, "warning"), (100, None)):
        codes = inside_first(n // 2, n)[:, None].astype(np.int8)
        found = found_in(Case(codes, np.arange(n) % 2.0, codes).problem()).get("few_effective_rows")
        assert (found and found.severity) == severity
        assert found is None or "weigh up to" not in found.message


def test_small_samples_are_found():
    """Intervals are meant for thirty rows and more."""
    case = plain(n=60, n_slices=1)
    assert "few_source_rows" not in found_in(case.problem())
    assert "few_source_rows" in found_in(replace(case, source=case.source[:29], scores=case.scores[:29]).problem())
    assert "few_target_rows" in found_in(replace(case, target=case.target[:29]).problem())


def test_a_derived_rate_outside_the_unit_interval_is_found():
    """The rate as it came out is shown next to the one used."""
    noise = Noise(Correction(inside=0.9, outside=0.1))
    source = inside_first(500, 1000)[:, None].astype(np.int8)
    target = inside_first(980, 1000)[:, None].astype(np.int8)
    found = found_in(Case(source, np.arange(1000) % 2.0, target, (), (noise,)).problem())
    message = found["derived_rate_outside"].message
    assert "truly contains 110.0% of the new data; 100.0% is used" in message
    assert found["derived_rate_outside"].severity == "serious"
    within = Case(source, np.arange(1000) % 2.0, source, (), (noise,)).problem()
    assert "derived_rate_outside" not in found_in(within)


def test_a_derived_rate_just_outside_is_told_from_wrong_corrections():
    """One row in ten errs both ways, and the target is all inside: 91% of its rows may well say so."""
    noise = Noise(Correction(inside=0.9, outside=0.1))
    source = inside_first(500, 1000)[:, None].astype(np.int8)
    target = inside_first(910, 1000)[:, None].astype(np.int8)
    finding = found_in(Case(source, np.arange(1000) % 2.0, target, (), (noise,)).problem())["derived_rate_outside"]
    assert finding.severity == "info"
    assert "101.2% of the new data" in finding.message
    assert "Sampling error alone explains this" in finding.message


def test_corrections_that_cannot_be_derived_are_found():
    """The source never shows one of the answers."""
    case = with_slice(plain(), np.ones(400), inside_first(350, 400))
    noises = (None, None, None, Noise(Correction(inside=0.9, outside=0.1)))
    assert "corrections_not_derivable" in found_in(replace(case, noises=noises).problem())


def test_the_whole_target_has_bounds_when_part_is_set_aside():
    """The part set aside may score anything the metric allows."""
    source = np.repeat(np.array([[-1, -1], [1, -1]], dtype=np.int8), 50, axis=0)
    target = np.repeat(np.array([[-1, -1], [1, -1], [1, 1]], dtype=np.int8), [50, 40, 10], axis=0)
    case = Case(source, (np.arange(100) % 4 > 0).astype(float), target)
    problem = case.problem(metric=get_metric("accuracy"))
    outcome = MANDOLINE.estimate(problem)
    numbers = diagnose(problem, outcome)
    assert numbers.set_aside == pytest.approx(0.1)
    assert numbers.bounds == pytest.approx((0.9 * outcome.value, 0.9 * outcome.value + 0.1))
    message = found_in(problem)["set_aside"].message
    assert message.startswith("10.0% of the new data (10 rows) matches no labelled row and is left out.")
    assert found_in(problem)["set_aside"].remedy == "Label a few of these rows, or turn off or merge slice 1."
    assert f"is between {numbers.bounds[0]:.1%} and {numbers.bounds[1]:.1%}" in message
    assert diagnose(case.problem(), outcome).bounds is None  # a mean without bounds has none


def test_unused_rows_and_a_ridge_are_mentioned():
    """For information."""
    case = plain()
    unused = found_in(replace(case, target=case.target[case.target[:, 0] == 1]).problem())
    n = int((case.source[:, 0] == -1).sum())
    assert unused["unused_source_rows"].message.startswith(f"{n} of 400 labelled rows have weight 0")
    assert found_in(replace(case, ridge=0.1).problem())["ridge"].severity == "info"


def test_an_outcome_that_did_not_converge_is_serious():
    """Whatever the number, it is no estimate."""
    found = solved(plain().problem())
    findings = find_all(replace(found, outcome=replace(found.outcome, converged=False)))
    assert [(finding.code, finding.severity) for finding in findings] == [("not_converged", "serious")]


def test_estimators_without_corrections_are_not_told_about_them():
    """The source score does not use corrections, however wrong they are."""
    noise = Noise(Correction(inside=0.9, outside=0.1))
    case = Case(inside_first(50, 100)[:, None].astype(np.int8), np.ones(100), np.ones((100, 1), dtype=np.int8))
    problem = case.problem(rule=correction_rule([noise]))
    assert "derived_rate_outside" in found_in(problem)
    assert "derived_rate_outside" not in found_in(problem, "source")


def test_intervals_hold_their_estimate():
    """Inside the metric's bounds."""
    problem = plain().problem(metric=get_metric("accuracy"))
    outcome = MANDOLINE.estimate(problem)
    low, high = interval_of(problem, outcome, 0.95)
    assert 0 < low < outcome.value < high < 1


def test_findings_come_worst_first():
    """In the order given within one severity."""
    severities = zip("abcd", ("info", "serious") * 2, strict=True)
    found = worst_first(Finding("fit", code, severity, "") for code, severity in severities)
    assert [finding.code for finding in found] == ["b", "d", "a", "c"]
