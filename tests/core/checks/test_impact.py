"""How far what weighting leaves off could move the estimate: against rows, against a fit with the slice, in lights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mandoline_core as md
from mandoline_core.checks import CellWeights, compare_means
from mandoline_core.checks.balance import BalanceLine, columns_of
from mandoline_core.checks.impact import Impact, score_sums
from mandoline_core.checks.means import LARGE, ScoreSums, weigh
from mandoline_core.data import open_data
from mandoline_core.pipeline import Tally
from tests.core.made_worlds import MODEL, rows

SLICES = [md.Flag(name, column=name) for name in "ab"]


def report_on(
    n: int,
    *,
    age: float,
    by_age: float,
    seed: int = 0,
    missing: bool = False,
    n_new: int | None = None,
    **settings: Any,
) -> md.ModelReport:
    """Estimate where age shifts beyond the slices and the model does worse with it, or not."""
    rng = np.random.default_rng(seed)
    source = rows(rng, n, rates=(0.3, 0.3), by_age=by_age)
    target = rows(rng, n_new or n, rates=(0.5, 0.3), age=age, by_age=by_age).drop(columns="label")
    if missing:
        source, target = (side.assign(age=side["age"].mask(np.arange(len(side)) % 5 == 0)) for side in (source, target))
    return md.estimate(md.Sample(source, label="label", models=[MODEL]), md.Sample(target), SLICES, **settings).first


def line_of(report: md.ModelReport, column: str = "age") -> BalanceLine:
    (line,) = (line for line in report.evidence.columns or () if line.column == column)
    return line


def effect_of_age(report: md.ModelReport) -> float:
    """Return the effect of the mean of age."""
    table = columns_of(report)
    assert table is not None
    tally, where = table.parts["age"]["values"]
    gaps = compare_means(weigh(report, table.cells), table.tallies[tally], score_sums(report, table)[tally])
    assert gaps is not None
    assert gaps.effects is not None
    return float(gaps.effects[0, where.start])


def by_rows(report: md.ModelReport, *, slices: bool = True) -> float:
    """Compute the effect of age from rows: what is off, times the slope of a weighted regression of the score."""
    problem = report.problem
    assert problem.rows is not None
    ages = [
        np.asarray(side.frame["age"].to_numpy(), dtype=float) for side in (problem.rows.source, problem.rows.target)
    ]
    known, weights = np.isfinite(ages[0]), report.weights
    mean = np.average(ages[0][known], weights=weights[known])
    scores = np.asarray(problem.members.statistics @ problem.metric.slope(report.outcome.means))
    codes = problem.patterns.codes[problem.members.source].astype(float)
    design = np.column_stack([np.ones(len(scores)), ages[0], *(codes.T if slices else ())])[known]
    root = np.sqrt(weights[known])
    slope = np.linalg.lstsq(design * root[:, None], scores[known] * root, rcond=None)[0][1]
    return float((np.nanmean(ages[1]) - mean) * slope)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"split": "crossfit"},
        {"estimator": "cbiw_features"},
        {"metric": "f1"},
        {"metric": "f1", "harmless": ["region"]},
        {"split": "half", "harmless": ["region"]},
        {"missing": True},
    ],
    ids=str,
)
def test_an_effect_is_what_is_off_times_the_slope_on_rows(settings: dict[str, Any]) -> None:
    """Slices are projected out where the weights match them exactly: not of a half, nor among rows with a value."""
    report = report_on(900, age=46, by_age=0.1, **settings)
    projected = settings == {} or settings.get("metric") == "f1"
    assert effect_of_age(report) == pytest.approx(by_rows(report, slices=projected), rel=1e-6)


def test_an_effect_is_about_how_far_the_slice_moves_the_estimate() -> None:
    report = report_on(4000, age=44, by_age=0.1)
    line = line_of(report)
    assert line.impact is not None
    assert isinstance(line.suggestion, md.Slice)
    problem = report.problem
    assert problem.rows is not None
    cuts = [md.Threshold(f"above {cut}", column="age", above=cut) for cut in (30, 35, 40, 45, 50)]
    moved = md.estimate(problem.rows.source, problem.rows.target, [*SLICES, *cuts]).estimate - report.estimate
    assert line.impact.effect == pytest.approx(moved, rel=0.2)
    assert line.impact.effect < -0.02


def test_the_error_of_a_slope_is_its_spread_over_draws() -> None:
    """Of rows that count differently; within four standard errors of a standard deviation."""
    rng, n, draws = np.random.default_rng(0), 400, 400
    none, one = np.empty((n, 0)), np.ones(n)
    weights = CellWeights(rng.exponential(size=n), one, none, none)
    x = rng.normal(size=n)
    sums = np.column_stack([x, x**2])
    tally = Tally(one, one, sums, sums + np.array([1.0, 0.0]), np.array([1, 1]))
    found = []
    for _ in range(draws):
        score = (rng.random(n) < 0.7) - 0.7
        scored = ScoreSums(
            Tally(score, one, sums * score[:, None], sums), float(np.average(score**2, weights=weights.source))
        )
        gaps = compare_means(weights, tally, scored)
        assert gaps is not None
        assert gaps.effects is not None
        found.append(gaps.effects[:, 0])
    effects = np.array(found)
    assert effects[:, 0].std() == pytest.approx(effects[:, 1].mean(), rel=4 / np.sqrt(2 * draws))


def test_a_large_sample_is_held_to_its_own_precision() -> None:
    """A tenth of a standard deviation, which nobody would call notable, is several times what the interval allows."""
    report = report_on(120_000, age=41, by_age=0.05)
    line = line_of(report)
    assert abs(line.after) < 0.15
    assert line.severity == "warning"
    assert report.verdict is not None
    assert report.verdict.level == "amber"
    finding = next(one for one in report.findings if one.code == "unmodelled_shift")
    truth = -0.05 * 1 / 10
    assert finding.numbers["effect"] == pytest.approx(truth, abs=0.002)
    assert finding.detail.endswith(
        f" before weighting), and could move the estimate by {100 * line.impact.most:.1f} points."
    )


def test_a_column_that_the_score_does_not_depend_on_turns_no_light() -> None:
    report = report_on(4000, age=45, by_age=0.0)
    line = line_of(report)
    assert line.stands_out
    assert abs(line.after) > 0.4
    assert line.severity is None
    assert report.verdict is not None
    assert report.verdict.level == "green"


def test_a_column_that_it_depends_on_does() -> None:
    report = report_on(4000, age=45, by_age=0.1)
    assert line_of(report).severity == "serious"
    assert report.verdict is not None
    assert report.verdict.level == "red"


def line(after: float, impact: Impact | None, **changed: Any) -> BalanceLine:
    return BalanceLine(
        "age", "number", "mean", 30, 35, 45, after, after, "distance", 0.5, 0.2, 9.0, 3.5, impact=impact, **changed
    )


def moves(effect: float, most: float, deviation: float = 0.4) -> Impact:
    """Make an impact for an interval that reaches a point either way."""
    return Impact(effect, most, 0.01, deviation, share=True)


@pytest.mark.parametrize(
    ("after", "found", "severity"),
    [
        (0.1, moves(0.004, 0.009), None),
        (0.1, moves(0.006, 0.009), "warning"),  # would move the estimate by half its margin
        (0.1, moves(0.0, 0.011), "warning"),  # could by all of it
        (0.7, moves(0.0, 0.019), "warning"),
        (LARGE + 0.1, moves(0.0, 0.019), "warning"),
        (LARGE + 0.1, moves(0.0, 0.021), "serious"),  # by more than the interval is long, and large
        (0.1, moves(0.019, 0.021), "warning"),
        (0.1, moves(0.021, 0.021), "serious"),  # by more than that, and far
        (LARGE + 0.1, None, "serious"),
        (0.3, None, "warning"),
        (0.2, None, None),
    ],
)
def test_what_matters_is_held_against_the_interval(after: float, found: Impact | None, severity: str | None) -> None:
    assert line(after, found).severity == severity


def test_where_labelled_rows_lack_the_values_it_counts_by_what_remains() -> None:
    """A slope among other values says nothing of these."""
    harmless = moves(0.0, 0.001)
    assert line(0.9, harmless).severity is None
    assert line(0.9, harmless, unseen=True).severity == "serious"
    assert line(0.3, harmless, unseen=True).severity == "warning"
    assert line(0.3, harmless, unseen=True).measured is None


def test_of_a_text_one_word_stands_for_others() -> None:
    harmless = moves(0.0, 0.001)
    for after, severity in ((0.2, None), (0.3, "warning"), (0.9, "serious")):
        assert BalanceLine(**{**vars(line(after, harmless)), "kind": "text"}).severity == severity


def test_a_slope_that_few_rows_show_counts_by_the_upper_end_of_its_interval() -> None:
    """Twenty rows that score like the others do not show that the score does not depend on where they are."""
    rng = np.random.default_rng(3)
    n = 3000
    source = rows(rng, n, rates=(0.3, 0.3)).assign(place=np.where(np.arange(n) < 20, "new", "old"))
    wrong = np.arange(20) % 5 == 0
    source.loc[:19, "pred"] = np.where((source["label"][:20] == "yes") ^ wrong, "yes", "no")
    target = rows(rng, n, rates=(0.5, 0.3)).assign(place=np.where(rng.random(n) < 0.15, "new", "old"))
    report = md.estimate(
        md.Sample(source, label="label", models=[MODEL]), md.Sample(target.drop(columns="label")), SLICES
    ).first
    found = line_of(report, "place")
    assert found.impact is not None
    assert found.impact.most > 2 * abs(found.impact.effect)
    assert found.impact.most > found.impact.margin
    assert found.severity == "warning"


def test_rows_that_stay_in_a_table_have_the_same_effects(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    source, target = (
        rows(rng, 1500, rates=(0.3, 0.3), by_age=0.1),
        rows(rng, 1500, rates=(0.5, 0.3), age=45, by_age=0.1),
    )
    sides = {"source": source, "target": target.drop(columns="label")}
    for name, frame in sides.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    tables = [open_data(tmp_path / f"{name}.parquet", engine="duckdb") for name in sides]
    found = [
        md.estimate(md.Sample(here, label="label", models=[MODEL]), md.Sample(there), SLICES).first
        for here, there in (tuple(sides.values()), tables)
    ]
    assert [report.fit.in_table for report in found] == [False, True]
    in_memory, in_table = (line_of(report).impact for report in found)
    assert in_memory is not None
    assert in_table is not None
    assert in_table == pytest.approx(in_memory, rel=1e-6)
