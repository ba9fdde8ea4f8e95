"""More rows of the same world: the verdict goes from not knowing to knowing, and not back."""

from __future__ import annotations

import numpy as np
import pytest

import mandoline_core as md
from mandoline_core.checks.means import sampling_threshold, would_show
from mandoline_core.checks.tail import pareto_k, tail_of
from tests.core.made_worlds import MODEL, rows

SIZES = (20, 60, 100, 120, 400, 1_000)
LEVELS = ("red", "amber", "green")


def levels(seed: int, n_slices: int, *, by_age: float = 0.0, **changed: float) -> list[str]:
    """Judge the first rows of one draw, and then more and more of them."""
    rng = np.random.default_rng(seed)
    source = rows(rng, SIZES[-1], rates=(0.3, 0.3), by_age=by_age)
    target = rows(rng, SIZES[-1], rates=(0.5, 0.3), by_age=by_age, **changed)
    slices = [md.Flag(name, column=name) for name in "ab"[:n_slices]]
    found = []
    for n in SIZES:
        known = md.Sample(source[:n], label="label", models=[MODEL])
        verdict = md.estimate(known, md.Sample(target[:n].drop(columns="label"), models=[MODEL]), slices).verdict
        assert verdict is not None
        found.append(verdict.level)
    return found


@pytest.mark.parametrize("n_slices", [1, 2])
def test_a_sound_world_is_judged_better_the_more_rows_there_are(n_slices):
    """From red over amber to green, and never back."""
    for seed in range(2):
        found = levels(seed, n_slices)
        assert found == sorted(found, key=LEVELS.index), (seed, dict(zip(SIZES, found, strict=True)))
        assert {found[0], found[-1]} == {"red", "green"}


@pytest.mark.parametrize("changed", [{"age": 47.0, "by_age": 0.1}, {"yes": 0.75}], ids=["hidden shift", "label shift"])
def test_a_violation_is_never_green_for_want_of_rows(changed):
    """Few rows cannot show it, and that is no pass; many do."""
    for seed in range(2):
        assert "green" not in levels(seed, 2, **changed)


def test_what_would_show_is_told_from_what_would_not():
    """Half of the tests of a gap as large as the threshold notice it; more rows notice it more often."""
    rng = np.random.default_rng(0)
    for n in (200, 300):
        gaps = rng.normal(0.25, np.sqrt(2 / n), 20_000) / np.sqrt(2 / n)
        assert would_show(n, n, sampling_threshold(1)) == (np.mean(np.abs(gaps) > sampling_threshold(1)) > 0.8)


def test_ratios_in_steps_are_no_tail():
    """Where the cut falls between two steps a fit sees a tail without mean, though no row weighs much."""
    rng = np.random.default_rng(5)
    n, k = 20_000, 10
    source, target = (np.where(rng.random((n, k)) < rate, 1, -1) for rate in (0.3, 0.55))
    report = md.estimate_from_codes(source, (rng.random(n) < 0.7).astype(float), target).first
    fitted = pareto_k(report.ratios, report.problem.patterns.source)
    assert fitted is not None
    assert fitted > 1
    assert report.effective_sample_size > 1_000
    tail = tail_of(report)
    assert tail.k is None
    assert "come in steps" in tail.words
