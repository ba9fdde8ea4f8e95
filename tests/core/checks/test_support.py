"""Which target rows no labelled row resembles, in words, and what that leaves open."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Category, ModelReport, Sample, estimate, estimate_from_codes, load_project
from mandoline_core.checks.support import support
from tests.core.projects import REVIEWS

NAMES = ["long", "slang", "negation"]


def codes(*rows: tuple[int, int, int, int]) -> np.ndarray:
    """Repeat patterns of three codes, each so many times."""
    return np.repeat([row[:3] for row in rows], [row[3] for row in rows], axis=0)


SOURCE = codes((1, -1, -1, 40), (-1, 1, -1, 30), (-1, -1, 1, 26), (1, 1, -1, 4), (-1, -1, -1, 100))
TARGET = codes((1, -1, -1, 30), (-1, 1, -1, 20), (-1, -1, 1, 20), (1, 1, -1, 10), (-1, -1, -1, 10), (-1, 1, 1, 10))


def report_on(scores: np.ndarray, target: np.ndarray = TARGET) -> ModelReport:
    return estimate_from_codes(SOURCE, scores, target, names=NAMES).first


def test_shares_equal_counting_rows() -> None:
    found = support(report_on(np.ones(len(SOURCE))))
    rows = [tuple(row) for row in TARGET.tolist()]
    seen = pd.Series([tuple(row) for row in SOURCE.tolist()]).value_counts()
    n_like = np.array([seen.get(row, 0) for row in rows])
    assert found.unseen == pytest.approx((n_like == 0).mean())
    assert found.rare == pytest.approx(((n_like > 0) & (n_like < 5)).mean())


def test_unseen_agrees_with_the_diagnostics() -> None:
    report = estimate(load_project(REVIEWS)).first
    assert support(report).unseen == pytest.approx(report.diagnostics.unseen)


def test_the_worst_patterns_come_in_words() -> None:
    found = support(report_on(np.ones(len(SOURCE))))
    assert list(found.worst) == [
        "slang, negation: 10.0% of new rows, no labelled row",
        "long, slang: 10.0% of new rows, 4 labelled rows",
    ]


@pytest.mark.parametrize(("rows", "words"), [(0, "no labelled row"), (1, "1 labelled row"), (3, "3 labelled rows")])
def test_a_sentence_counts_labelled_rows(rows: int, words: str) -> None:
    source, target = np.repeat([[-1], [1]], [50, rows], axis=0), np.repeat([[-1], [1]], [969, 31], axis=0)
    found = support(estimate_from_codes(source, np.ones(50 + rows), target, names=["short"]).first)
    assert found.worst == (f"short: 3.1% of new rows, {words}",)


def test_what_most_labelled_rows_are_in_is_named_when_rows_are_not() -> None:
    source = np.repeat([[1, 1], [1, -1]], 50, axis=0)
    target = np.concatenate([source, np.repeat([[-1, 1], [-1, 0]], 5, axis=0)])
    found = support(estimate_from_codes(source, np.ones(100), target, names=["usual", "other"]).first)
    assert [pattern.split(":")[0] for pattern in found.worst] == ["not usual, other unknown", "other, not usual"]


def test_rows_in_no_slice_are_named_so_and_twins_are_told_apart() -> None:
    source = np.repeat([[1, -1], [-1, 1]], 50, axis=0)
    target = np.concatenate([source, [[-1, -1]], [[-1, -1]]])
    found = support(estimate_from_codes(source, np.ones(100), target, names=["a", "b"]).first)
    assert found.worst[0] == "no slice: 2.0% of new rows, no labelled row"
    many = codes((1, 1, -1, 50), (1, 1, 1, 50))
    others = np.concatenate([many, codes((1, -1, -1, 2), (-1, 1, -1, 1))])
    worst = support(estimate_from_codes(many, np.ones(100), others, names=NAMES).first).worst
    words = [pattern.split(":")[0] for pattern in worst]
    assert len(set(words)) == len(words)


def test_bounds_hold_whatever_happens_in_the_unseen_part() -> None:
    """Where the score depends on slices alone, the truth is inside for any score of the unseen rows, and reached."""
    worth = {(1, -1, -1): 0.9, (-1, 1, -1): 0.4, (-1, -1, 1): 0.2, (1, 1, -1): 0.7, (-1, -1, -1): 0.5}
    scores = np.array([worth[tuple(row)] for row in SOURCE.tolist()])
    # With an edge for the one pair that is seen together, weighting is exact on the seen part.
    report = estimate_from_codes(SOURCE, scores, TARGET, names=NAMES, edges=[(0, 1)]).first
    bounds = support(report).bounds
    assert bounds is not None
    for unseen in (0.0, 0.3, 1.0):
        truth = np.mean([worth.get(tuple(row), unseen) for row in TARGET.tolist()])
        assert bounds[0] - 1e-9 <= truth <= bounds[1] + 1e-9
    assert bounds[1] - bounds[0] == pytest.approx(0.1)
    seen = [worth[tuple(row)] for row in TARGET.tolist() if tuple(row) in worth]
    assert bounds[0] == pytest.approx(0.9 * np.mean(seen), abs=1e-6)


def test_bounds_say_what_they_assume() -> None:
    found = support(report_on(np.linspace(0, 1, len(SOURCE))))
    assert "Assumes that 90.0% of the new data scores like labelled rows with the same slices" in found.assumes
    assert "Nothing is assumed about the other 10.0%" in found.assumes


def test_without_unseen_rows_the_bounds_are_the_estimate() -> None:
    report = report_on(np.linspace(0, 1, len(SOURCE)), TARGET[:80])
    found = support(report)
    assert found.unseen == 0
    assert found.bounds == pytest.approx((report.estimate, report.estimate))
    assert "nothing to bound" in found.assumes


def test_rows_set_aside_are_bounded_as_the_diagnostics_do() -> None:
    source, target = np.repeat([[-1]], 50, axis=0), np.repeat([[-1], [1]], [30, 20], axis=0)
    report = estimate_from_codes(source, np.linspace(0, 1, 50), target).first
    found = support(report)
    assert report.set_aside == pytest.approx(0.4)
    assert found.bounds == pytest.approx(report.diagnostics.bounds)


def test_an_unbounded_score_has_no_bounds_and_says_why() -> None:
    found = support(report_on(np.linspace(-5, 5, len(SOURCE))))
    assert found.bounds is None
    assert found.assumes.startswith("No bounds: mean ")


def test_a_metric_that_is_no_mean_has_no_bounds() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"place": rng.choice(list("ab"), 200), "y": rng.integers(0, 2, 200)})
    frame["p"] = rng.integers(0, 2, 200)
    samples = Sample(frame, label="y", prediction="p"), Sample(frame.drop(columns="y"), prediction="p")
    report = estimate(*samples, [Category("b", column="place", values=("b",))], metric="f1").first
    found = support(report)
    assert found.bounds is None
    assert "is not a mean over rows" in found.assumes


def test_a_split_source_is_bounded_too() -> None:
    scores = np.linspace(0, 1, len(SOURCE))
    report = estimate_from_codes(SOURCE, scores, TARGET, names=NAMES, split="crossfit", seed=3).first
    bounds = support(report).bounds
    assert bounds is not None
    assert 0 <= bounds[0] < bounds[1] <= 1
