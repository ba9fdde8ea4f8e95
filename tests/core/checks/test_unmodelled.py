"""What nobody modelled, before and after weighting, on patterns: against the same numbers on rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mandoline_core.pipeline.columns as columns_module
from mandoline_core import (
    Category,
    Expression,
    Keyword,
    ModelReport,
    Sample,
    Threshold,
    estimate,
    estimate_from_codes,
    load_project,
)
from mandoline_core.checks.balance import BalanceLine, columns_of, unmodelled_balance
from mandoline_core.checks.columns import unmodelled_findings
from mandoline_core.checks.means import sampling_threshold
from mandoline_core.checks.pairs import unmodelled_pairs
from mandoline_core.domain_classifier.words import words_of
from mandoline_core.errors import MandolineError
from mandoline_core.pipeline.balance import FARTHEST, standardise
from mandoline_core.pipeline.columns import column_table, draw_columns
from mandoline_core.slices.codes import slice_codes
from mandoline_core.slices.kinds import All
from mandoline_core.slices.rule import Slice
from mandoline_core.weighting import pair_gaps, score_tests
from tests.core.projects import REVIEWS

PLACE = Category("b", column="place", values=("b",))
TALL = Threshold("tall", column="height", above=0.0)
COMMON = ["the", "a", "Film", "food", "wasn't", "it", "good", "bad", "LOL", "was"]


def draw(n_rows: int, share: float, seed: int, *, drift: float = 0.0) -> pd.DataFrame:
    """Draw rows whose place shifts and takes other columns along; `drift` shifts them on their own."""
    rng = np.random.default_rng(seed)
    there = rng.random(n_rows) < share
    odd = rng.random(n_rows) < drift
    words = rng.choice(COMMON, (n_rows, 6))
    words[there & (rng.random(n_rows) < 0.6), 0] = "slang"
    words[odd, 1] = "price"
    return pd.DataFrame(
        {
            "place": np.where(there, "b", "a"),
            "height": rng.normal(0.5 * share, 1, n_rows),
            "age": np.where(there, 60.0, 30.0) + rng.normal(0, 5, n_rows) + 8 * drift,
            "colour": np.where(
                rng.random(n_rows) < 0.3 + 0.4 * there + 0.5 * odd, "red", rng.choice(["blue", "green"], n_rows)
            ),
            "paid": rng.random(n_rows) < 0.3 + 0.6 * odd,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n_rows) + 20 * odd, "D"),
            "text": [", ".join(row) + "." for row in words],
            "label": rng.integers(0, 2, n_rows),
            "pred": rng.integers(0, 2, n_rows),
        }
    )


def make(
    source: Any, target: Any, rules: list[Slice] | None = None, **settings: Any
) -> tuple[ModelReport, tuple[BalanceLine, ...]]:
    """Estimate, and compare what is not modelled."""
    samples = Sample(source, label="label", prediction="pred"), Sample(target, prediction="pred")
    report = estimate(*samples, rules or [PLACE, TALL], **settings).first
    table = columns_of(report)
    assert table is not None
    return report, unmodelled_balance(report, table)


def by_column(lines: tuple[BalanceLine, ...]) -> dict[str, BalanceLine]:
    return {line.column: line for line in lines}


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a source, and a target whose place shifts and that drifts a little beyond."""
    return draw(1500, 0.2, 1), draw(1000, 0.6, 2, drift=0.3).drop(columns="label")


def moments(values: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the weighted mean and standard deviation of rows."""
    mean = float(np.average(values, weights=weights))
    return mean, math.sqrt(float(np.average((values - mean) ** 2, weights=weights)))


def check_line(line: BalanceLine, source: np.ndarray, weights: np.ndarray, target: np.ndarray) -> None:
    """Compare a line's means and standardised shifts with the rows'."""
    plain = moments(source, np.ones(len(source)))
    weighted, there = moments(source, weights), moments(target, np.ones(len(target)))
    pooled = math.sqrt((plain[1] ** 2 + there[1] ** 2) / 2)
    assert (line.source, line.weighted, line.target) == pytest.approx((plain[0], weighted[0], there[0]))
    assert line.before == pytest.approx((there[0] - plain[0]) / pooled)
    assert line.after == pytest.approx((there[0] - weighted[0]) / pooled, abs=1e-9)


@pytest.mark.parametrize(
    "settings", [{}, {"split": "half"}, {"split": "crossfit"}, {"ridge": 0.1}, {"estimator": "cbiw_features"}]
)
def test_every_column_equals_the_same_comparison_on_rows(
    frames: tuple[pd.DataFrame, pd.DataFrame], settings: dict[str, Any]
) -> None:
    """Patterns, split groups and methods that weight every row differently: all give what rows give."""
    source, target = frames
    report, lines = make(source, target, **settings)
    found, weights = by_column(lines), report.weights
    assert set(found) == {"place", "height", "age", "colour", "paid", "text"}
    check_line(found["age"], source["age"].to_numpy(), weights, target["age"].to_numpy())
    check_line(found["paid"], source["paid"].to_numpy(float), weights, target["paid"].to_numpy(float))
    level = found["colour"].detail.removeprefix("= ")
    check_line(found["colour"], (source["colour"] == level).to_numpy(float), weights, target["colour"].eq(level) * 1.0)
    for line, has in ((found["text"], found["text"].detail.removeprefix("contains ")),):
        inside = [frame["text"].str.contains(rf"(?i)\b{has}\b").to_numpy(float) for frame in (source, target)]
        check_line(line, inside[0], weights, inside[1])


def test_distances_and_spreads_equal_those_of_rows(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    source, target = frames
    report, lines = make(source, target)
    found, weights = by_column(lines), report.weights
    levels = sorted(set(source["colour"]) | set(target["colour"]))
    here = np.array([weights[source["colour"] == level].sum() for level in levels])
    there = np.array([(target["colour"] == level).mean() for level in levels])
    assert found["colour"].distance_after == pytest.approx(np.abs(here - there).sum() / 2)
    age, values = found["age"], source["age"].to_numpy()
    plain, weighted = moments(values, np.ones(len(values))), moments(values, weights)
    there_age = moments(target["age"].to_numpy(), np.ones(len(target)))
    assert age.spread_before == pytest.approx(there_age[1] / plain[1])
    assert age.spread_after == pytest.approx(there_age[1] / weighted[1])
    # The distance on some cut points is at most the one on all, and close to it.
    points = np.sort(np.concatenate([values, target["age"].to_numpy()]))
    apart = [abs(weights[values > point].sum() - (target["age"] > point).mean()) for point in points]
    assert 0.8 * max(apart) <= age.distance_after <= max(apart) + 1e-12


def test_a_column_that_is_a_slice_has_nothing_left(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, lines = make(*frames)
    place = by_column(lines)["place"]
    assert abs(place.before) > 0.5
    assert place.after == pytest.approx(0, abs=1e-6)
    assert abs(place.z) < 1e-3
    assert place.suggestion is None or "b" not in getattr(place.suggestion, "values", ())


def test_lines_come_by_how_far_they_could_move_the_estimate(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, lines = make(*frames)
    """What sampling error explains comes last."""
    times = [(line.stands_out, line.times) for line in lines]
    assert times == sorted(times, reverse=True)
    assert len({stands_out for stands_out, _ in times}) == 2


def test_row_order_does_not_matter(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    shuffled = [frame.sample(frac=1, random_state=3).reset_index(drop=True) for frame in frames]
    for one, other in zip(make(*frames)[1], make(*shuffled)[1], strict=True):
        assert (one.column, one.detail, one.suggestion) == (other.column, other.detail, other.suggestion)
        assert [word.name for word in one.words] == [word.name for word in other.words]
        assert (one.after, one.z, one.distance_after) == pytest.approx(
            (other.after, other.z, other.distance_after), abs=1e-6
        )


@pytest.mark.parametrize("engine", [pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)])
def test_engines_agree(frames: tuple[pd.DataFrame, pd.DataFrame], engine: Any) -> None:
    for one, other in zip(make(*frames)[1], make(*map(engine, frames))[1], strict=True):
        assert (one.column, one.kind, one.detail, one.suggestion) == (
            other.column,
            other.kind,
            other.detail,
            other.suggestion,
        )
        assert (one.weighted, one.after, one.z) == pytest.approx((other.weighted, other.after, other.z), abs=1e-7)


TEXTS = [
    "Don't stop; DON\u2019T stop-gap",
    "donut, do_nut 7up re\u0301sume\u0301 R\u00c9SUM\u00c9",
    None,
    "",
    "it's ... its' 'quoted' rock'n'roll",
    "\u00fcber\u00a0UBER\tx y",
    "don\u02bct won''t stop",
    "e\u0301 ete \u00e9t\u00e9",
]


def test_words_are_counted_as_keyword_slices_count_them() -> None:
    """Every word listed is in the rows in which a slice with that word alone finds it."""
    rows, words = words_of(pa.array(TEXTS, pa.large_string()))
    sample = Sample(pa.table({"text": TEXTS}))
    assert {"don't", "stop", "r\u00e9sum\u00e9", "do_nut", "7up", "rock'n'roll", "\u00fcber", "its"} <= set(words)
    assert "t" not in words
    for number, word in enumerate(words):
        codes = slice_codes(sample, Keyword("word", column="text", words=(word,)))
        assert rows[:, [number]].toarray().ravel().tolist() == (codes == 1).astype(float).tolist(), word


def test_words_of_real_texts_are_counted_as_keyword_slices_count_them() -> None:
    report = estimate(load_project(REVIEWS)).first
    table = columns_of(report)
    assert table is not None
    ((name, text),) = [(name, column) for name, column in table.drawn.encoded.items() if column.kind == "text"]
    tally, where = table.parts[name]["counts"]
    counts = np.asarray(table.tallies[tally].source.sum(axis=0)).ravel()[where]
    rows = report.problem.rows
    assert rows is not None
    for number in range(0, len(text.items), 25):
        codes = slice_codes(rows.source, Keyword("word", column="text", words=(text.items[number],)))
        assert counts[number] == (codes == 1).sum()


def test_what_no_labelled_row_shows_is_not_suggested(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """No weights could make up for it: the slice would only set the new rows inside aside."""
    line = by_column(make(*frames)[1])["text"]
    assert (line.detail, line.source) == ("contains price", 0.0)
    assert line.stands_out
    assert line.suggestion is None


@pytest.mark.parametrize("column", ["age", "colour", "paid"])
def test_the_suggested_slice_models_what_remained(frames: tuple[pd.DataFrame, pd.DataFrame], column: str) -> None:
    line = by_column(make(*frames)[1])[column]
    assert line.stands_out
    assert isinstance(line.suggestion, Slice)
    report, after = make(*frames, rules=[PLACE, TALL, line.suggestion])
    assert line.suggestion.name in report.problem.patterns.names
    again = by_column(after)[column]
    assert again.distance_after < 0.7 * line.distance_after
    if line.detail == again.detail != "mean":
        assert again.after == pytest.approx(0, abs=1e-6)


def test_a_threshold_is_put_where_the_two_samples_are_furthest_apart(
    frames: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    source, target = frames
    report, lines = make(source, target)
    age = by_column(lines)["age"]
    assert isinstance(age.suggestion, Threshold)
    cut = age.suggestion.above
    assert cut is not None
    apart = abs(report.weights[source["age"] > cut].sum() - (target["age"] > cut).mean())
    assert apart == pytest.approx(age.distance_after)


@pytest.mark.long
def test_luck_is_told_from_shift() -> None:
    """Where only the slices shift, z has a spread of about 1 and few runs show anything that stands out."""
    values, alarms = [], 0
    runs = 40
    for seed in range(runs):
        _, lines = make(draw(500, 0.2, 2 * seed), draw(400, 0.6, 2 * seed + 1), rules=[PLACE])
        found = by_column(lines)
        values.append(found["age"].z)
        alarms += any(line.stands_out for column, line in found.items() if column != "height")
    # Four standard errors of a standard deviation over so many runs; and of a 5% rate.
    assert abs(np.std(values) - 1) < 4 / math.sqrt(2 * runs)
    assert abs(np.mean(values)) < 4 / math.sqrt(runs)
    assert alarms / runs < 0.05 + 4 * math.sqrt(0.05 * 0.95 / runs)


def test_the_threshold_counts_everything_that_was_compared(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    report, lines = make(*frames)
    table = columns_of(report)
    assert table is not None
    assert table.n_tests > sum(len(column.items) + len(column.cuts) for column in table.drawn.encoded.values()) - 3
    assert {line.threshold for line in lines} == {sampling_threshold(table.n_tests)}


def test_large_samples_are_drawn_from_and_say_so(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    report, lines = make(*frames)
    problem = report.problem
    assert problem.rows is not None
    drawn = draw_columns(problem.rows, most_rows=600, seed=4)
    some = column_table(drawn, problem.members, len(problem.patterns))
    assert (
        drawn.note == "Columns are compared on a random sample of 600 of 1,500 labelled rows and 600 of 1,000 new rows."
    )
    whole, part = by_column(lines)["paid"], by_column(unmodelled_balance(report, some))["paid"]
    # Five standard errors of a standardised difference of means.
    assert 0 < abs(part.before - whole.before) < 5 * math.sqrt(2 / 600)
    assert report.evidence.note == ""


def test_many_cells_are_compared_by_bin_with_the_same_numbers(
    frames: tuple[pd.DataFrame, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows above each cut follow from the rows in each bin: so many cells need not be written out for every cut."""
    report, lines = make(*frames)
    monkeypatch.setattr(columns_module, "_SMALL", 0)
    problem = report.problem
    assert problem.rows is not None
    table = column_table(draw_columns(problem.rows), problem.members, len(problem.patterns))
    assert any(tally.above is not None for tally in table.tallies)
    others = unmodelled_balance(report, table)
    assert [line.name for line in others] == [line.name for line in lines]
    for line, other in zip(lines, others, strict=True):
        for number in ("source", "weighted", "target", "before", "after", "z"):
            assert getattr(other, number) == pytest.approx(getattr(line, number), abs=1e-12)


def test_evaluating_touches_no_rows(frames: tuple[pd.DataFrame, pd.DataFrame], monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of one report serves another with other corrections, edges or ridge, and reads nothing."""
    report, _ = make(*frames)
    other, lines = make(*frames, ridge=0.05)
    table = columns_of(report)
    assert table is not None
    monkeypatch.setattr(Sample, "series", lambda *_: pytest.fail("a row was read"))
    assert [line.after for line in unmodelled_balance(other, table)] == pytest.approx([line.after for line in lines])


def test_missing_values_show_when_they_change() -> None:
    source, target = draw(600, 0.3, 5), draw(600, 0.5, 6).drop(columns="label")
    source["age"] = source["age"].mask(np.arange(600) % 50 == 0)
    target["age"] = target["age"].mask(np.arange(600) % 3 == 0)
    target["colour"] = target["colour"].mask(np.arange(600) % 4 == 0)
    found = by_column(make(source, target)[1])
    assert (found["age"].detail, found["colour"].detail) == ("missing", "missing")
    assert found["age"].target == pytest.approx(1 / 3)
    assert found["age"].name == "age missing"
    assert isinstance(found["age"].suggestion, Slice)
    assert found["age"].suggestion.kind == "missing"


def test_a_change_of_shape_alone_is_seen() -> None:
    """The mean stays, the values move apart: the line then shows a share above a value."""
    source, target = draw(1500, 0.3, 7), draw(1500, 0.3, 8).drop(columns="label")
    rng = np.random.default_rng(9)
    source["size"] = rng.normal(0, 1, 1500)
    target["size"] = rng.choice([-1.5, 1.5], 1500) + rng.normal(0, 0.2, 1500)
    size = by_column(make(source, target)[1])["size"]
    assert size.detail.startswith("above ")
    assert size.stands_out
    assert size.spread_after is not None
    assert size.spread_after > 1.3


def test_target_rows_set_aside_do_not_enter() -> None:
    source, target = draw(400, 0.0, 10), draw(300, 0.5, 11).drop(columns="label")
    report, lines = make(source, target)
    kept = report.outcome.kept[report.problem.members.target] == 1
    assert 0 < kept.sum() < len(kept)
    assert by_column(lines)["age"].target == pytest.approx(target["age"][kept].mean())


def test_source_rows_without_a_score_do_not_enter() -> None:
    source, target = draw(400, 0.3, 12), draw(300, 0.5, 13).drop(columns="label")
    source["pred"] = source["pred"].astype("Int64").mask(np.arange(400) < 100)
    source.loc[:99, "age"] = 1e6
    assert by_column(make(source, target)[1])["age"].source == pytest.approx(source["age"][100:].mean())


def test_gold_answers_labels_and_identifiers_are_left_out(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    source, target = (frame.assign(key=[f"k{i}" for i in range(len(frame))], gold=1) for frame in frames)
    source["gold"] = (source["place"] == "b").astype(int)
    rule = Category("b", column="place", values=("b",), gold="gold")
    report, lines = make(source, target, rules=[rule])
    assert not {"key", "gold", "label", "pred"} & set(by_column(lines))
    table = columns_of(report)
    assert table is not None
    assert table.drawn.left_out["gold"] == "gold labels of a slice"


def written(days: pd.Series, how: str) -> pd.Series:
    """Write dates as text, one in thirty missing and one in fifty no date."""
    text = days.dt.strftime(how)
    return text.mask(np.arange(len(text)) % 30 == 0).mask(np.arange(len(text)) % 50 == 1, "unknown")


@pytest.mark.parametrize("how", [None, "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M", "%Y-%m"])
def test_dates_are_not_compared(how: str | None) -> None:
    """New data are from another time: that alone is no reason to distrust an estimate, however dates are written."""
    source, target = draw(900, 0.3, 20), draw(900, 0.3, 21).drop(columns="label")
    target["day"] += pd.Timedelta(days=365)
    if how is not None:
        source["day"], target["day"] = written(source["day"], how), written(target["day"], how)
    report, lines = make(source, target)
    table = columns_of(report)
    assert table is not None
    assert table.drawn.left_out["day"] == "a date: new data is usually later"
    assert "day" not in by_column(lines)
    assert not [finding for finding in unmodelled_findings(lines) if "'day" in finding.message]


def test_codes_that_only_look_like_dates_are_compared() -> None:
    source, target = draw(300, 0.3, 22), draw(300, 0.3, 23).drop(columns="label")
    source["part"], target["part"] = "2024-13", np.where(np.arange(300) % 2, "2024-13", "2024-99")
    part = by_column(make(source, target)[1])["part"]
    assert part.stands_out
    assert part.target == pytest.approx(0.5)


def test_a_column_of_too_many_values_is_not_compared() -> None:
    source, target = draw(900, 0.3, 24), draw(900, 0.3, 25).drop(columns="label")
    source["batch"] = [f"b{i % 20}" for i in range(900)]
    target["batch"] = [f"c{i % 400}" for i in range(900)]
    report, lines = make(source, target)
    table = columns_of(report)
    assert table is not None
    assert "batch" not in by_column(lines)
    assert table.drawn.left_out["batch"].startswith("too many values: the 30 most frequent")


def test_values_lumped_together_are_never_what_a_line_is_about() -> None:
    """They count in the distance; the line is about a value that a slice can be made of."""
    source, target = draw(900, 0.3, 26), draw(900, 0.3, 27).drop(columns="label")
    rare = [f"rare {i % 80}" for i in range(900)]
    source["city"] = np.where(np.arange(900) % 10 == 0, rare, [f"c{i % 29}" for i in range(900)])
    target["city"] = np.where(np.arange(900) % 10 < 8, rare, [f"c{i % 29}" for i in range(900)])
    report, lines = make(source, target)
    city, weights = by_column(lines)["city"], report.weights
    assert city.detail != "= (other)"
    assert isinstance(city.suggestion, Category)
    table = columns_of(report)
    assert table is not None
    shares = [
        (weights[source["city"] == item].sum(), (target["city"] == item).mean())
        for item in table.drawn.encoded["city"].items
        if item != "(other)"
    ]
    here, there = np.array([*shares, 1 - np.sum(shares, axis=0)]).T
    assert there[-1] - here[-1] > 0.3
    assert city.distance_after == pytest.approx(np.abs(here - there).sum() / 2)


def test_slices_that_read_a_column_are_named(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """By themselves, in an expression or in a combination; others are not."""
    old = Threshold("old", column="age", above=65.0)
    rules = [PLACE, old, Expression("tall", text="age > 70 and height > 0"), All("both", of=("old", "b"))]
    found = by_column(make(*frames, rules=rules)[1])
    assert found["age"].read_by == ("old", "tall", "both")
    assert found["height"].read_by == ("tall",)
    assert found["place"].read_by == ("b", "both")
    assert found["colour"].read_by == ()


@pytest.mark.parametrize(
    ("readers", "said", "named"),
    [
        (("old",), "slice 'old' covers only part of it", "'old'"),
        (("a", "b"), "slices 'a' and 'b' cover only part of it", "'a' and 'b'"),
        (("a", "b", "c"), "slices 'a', 'b' and 1 more cover only part of it", "'a', 'b' and 1 more"),
    ],
)
def test_a_column_that_a_slice_reads_is_not_said_to_have_none(readers: tuple[str, ...], said: str, named: str) -> None:
    line = replace(line_of(0.5, 9.0), read_by=readers)
    (finding,) = unmodelled_findings([line])
    assert finding.message.startswith(
        f"age differs after weighting (35 in weighted labelled data, 45 in new data) and {said}."
    )
    assert finding.remedy == f"Add a threshold slice in addition to {named}: age above 40."
    (finding,) = unmodelled_findings([replace(line, suggestion=None)])
    assert finding.remedy == f"Change {named}, or add another slice on age."


def test_a_table_of_other_slices_is_refused(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    table = columns_of(make(*frames)[0])
    assert table is not None
    with pytest.raises(MandolineError, match="other slices or other rows"):
        unmodelled_balance(make(*frames, rules=[PLACE])[0], table)


def test_codes_alone_have_no_columns() -> None:
    report = estimate_from_codes([[1], [-1], [-1]], [0.0, 1.0, 1.0], [[1], [-1]]).first
    assert columns_of(report) is None


def test_pairs_are_those_without_an_edge_and_suggest_one() -> None:
    rng = np.random.default_rng(14)
    source = rng.choice([-1, 1], (2000, 3))
    target = rng.choice([-1, 1], (2000, 3))
    target[:, 1] = np.where(rng.random(2000) < 0.4, target[:, 0], target[:, 1])
    report = estimate_from_codes(source, rng.random(2000), target, edges=[(1, 2)], names=["a", "b", "c"]).first
    lines = unmodelled_pairs(report)
    assert lines[0].column == "a + b"
    assert {line.column for line in lines} == {"a + b", "a + c"}
    assert lines[0].stands_out
    assert lines[0].suggestion == ("a", "b")
    assert lines[0].target == pytest.approx((target[:, 0] == target[:, 1]).mean())
    assert lines[0].source == pytest.approx((source[:, 0] == source[:, 1]).mean())
    assert lines[0].target - lines[0].weighted == pytest.approx(pair_gaps(report.problem)[0, 1][1])
    assert {line.z for line in lines} == {test.z for test in score_tests(report.problem)}
    assert list(unmodelled_findings(lines)) == []


def line_of(after: float, z: float, column: str = "age") -> BalanceLine:
    rule = Threshold(f"{column} above 40", column=column, above=40.0)
    return BalanceLine(column, "number", "mean", 30, 35, 45, 1.2, after, "distance", 0.5, 0.2, z, 3.5, suggestion=rule)


@pytest.mark.parametrize(
    ("after", "z", "severity"),
    [(0.9, 9.0, "serious"), (-0.9, -9.0, "serious"), (0.3, 4.0, "warning"), (0.2, 9.0, None), (0.9, 3.0, None)],
)
def test_findings_need_a_notable_shift_beyond_luck(after: float, z: float, severity: str | None) -> None:
    assert [finding.severity for finding in unmodelled_findings([line_of(after, z)])] == [severity] * bool(severity)


def test_a_finding_names_the_column_the_numbers_and_the_slice() -> None:
    (finding,) = unmodelled_findings([line_of(0.5, 9.0)])
    assert finding.code == "unmodelled_shift"
    assert (
        finding.text
        == "age differs after weighting (35 in weighted labelled data, 45 in new data) and no slice covers it."
    )
    assert finding.detail == "That is +0.50 standard deviations (+1.20 before weighting)."
    assert finding.remedy == "Add a threshold slice: age above 40."
    assert [finding.numbers[side] for side in ("source", "weighted", "target")] == [30, 35, 45]


def test_where_no_labelled_row_is_like_the_new_ones_no_slice_is_advised() -> None:
    """Months of which the samples share one: each sample varies, and no labelled row is beyond the cut."""
    source, target = draw(700, 0.3, 12), draw(300, 0.3, 13).drop(columns="label")
    source["month"], target["month"] = np.arange(700) % 4 + 1, np.arange(300) % 6 + 4
    report, lines = make(source, target)
    assert by_column(lines)["month"].unseen
    finding = next(found for found in report.findings if found.code == "unmodelled_shift")
    assert finding.text.startswith("month differs after weighting (2.")
    assert finding.text.endswith(" in weighted labelled data, 6.5 in new data) and no slice covers it.")
    assert finding.remedy == (
        "You have no labelled rows like these, so no slice can help. Mark month as irrelevant with a "
        "reason, or label 60 new rows."
    )


def test_where_nothing_is_weighted_nothing_is_said_of_weighting() -> None:
    """The labelled data's own score stands for a method that leaves rows as they are."""
    lines = [replace(line_of(0.5, 9.0), before=0.5), replace(line_of(0.1, 1.0, "size"), before=0.1)]
    (finding,) = unmodelled_findings(lines)
    assert finding.message == (
        "age differs (35 in labelled data, 45 in new data) and no slice covers it. That is +0.50 standard deviations."
    )


def test_the_source_score_says_nothing_of_weighting(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    report, lines = make(*frames, estimator="source")
    found = list(unmodelled_findings(lines))
    assert found
    assert not [finding.message for finding in found if "weighting" in finding.message]
    assert report.estimate == report.source


def test_at_most_three_findings_the_worst_first() -> None:
    lines = [line_of(0.3 + 0.1 * n, 9.0, f"column {n}") for n in range(5)]
    found = list(unmodelled_findings(lines))
    assert ["column 4" in found[0].message, "column 2" in found[2].message, len(found)] == [True, True, 3]


def test_a_line_is_plain_data(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    line = by_column(make(*frames)[1])["age"]
    plain = line.as_dict()
    assert plain["stands_out"] is True
    assert plain["suggestion"].startswith("age above ")


def test_what_is_the_same_everywhere_is_not_off() -> None:
    """A constant that both samples share differs by a rounding error at most."""
    gaps = standardise(np.array([0.1 + 0.2 - 0.3, 0.0, 3.0]), np.zeros(3), np.array([0.3, 0.0, 2018.0]))
    assert gaps.tolist() == [0.0, 0.0, FARTHEST]


def test_columns_compared_together_are_compared_as_each_alone(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """One tally of everything that every row has, one of a column with missing values: the same as one by one."""
    source, target = (frame.assign(age=frame["age"].mask(np.arange(len(frame)) % 7 == 0)) for frame in frames)
    report, lines = make(source, target)
    table = columns_of(report)
    assert table is not None
    assert [tally.complete for tally in table.tallies] == [True, False]
    drawn = table.drawn
    for name in drawn.encoded:
        some = drawn.without([other for other in drawn.encoded if other != name], "")
        (line,) = unmodelled_balance(report, column_table(some, report.problem.members, len(report.problem.patterns)))
        together = by_column(lines)[name]
        assert (line.detail, line.before, line.after) == pytest.approx(
            (together.detail, together.before, together.after)
        )
        if line.detail == together.detail:  # with fewer tests the threshold is another
            assert line.z == pytest.approx(together.z)
