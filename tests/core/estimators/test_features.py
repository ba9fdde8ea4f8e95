"""Columns of two samples become one matrix each, the same from every engine."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix, issparse

from mandoline_core import Model, Sample
from mandoline_core.errors import DataError
from mandoline_core.estimators.features import (
    MOST_LEVELS,
    MOST_WORDS,
    Features,
    build_features,
    default_columns,
)

WORDS = ["the", "Room", "was", "not", "clean", "but", "staff", "were", "kind", "and", "breakfast", "don't"]


def rows(n_rows: int, seed: int, prefix: str = "s") -> dict[str, list[Any]]:
    """Draw columns of every kind, most of them with holes."""
    rng = np.random.default_rng(seed)

    def holes(values: list[Any], share: float = 0.1) -> list[Any]:
        return [None if hole else value for value, hole in zip(values, rng.random(n_rows) < share, strict=True)]

    start = dt.datetime(2024, 1, 1)
    times = [start + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 10**7, n_rows)]
    return {
        "id": [f"{prefix}{i:05}" for i in range(n_rows)],
        "row": list(range(n_rows)),
        "age": holes([float(v) for v in rng.normal(40, 10, n_rows)]),
        "n_words": [int(v) for v in rng.integers(1, 400, n_rows)],
        "member": holes([bool(v) for v in rng.random(n_rows) < 0.3]),
        "when": holes(times),
        "day": [value.date() for value in times],
        "place": holes([str(v) for v in rng.choice(["inn", "hotel", f"only {prefix}"], n_rows)]),
        "text": holes([" ".join(rng.choice(WORDS, rng.integers(4, 12))) + f" {i}" for i in range(n_rows)]),
        "same": ["x"] * n_rows,
        "label": [int(v) for v in rng.integers(0, 2, n_rows)],
        "pred": [int(v) for v in rng.integers(0, 2, n_rows)],
        "prob": [float(v) for v in rng.random(n_rows)],
    }


def as_pandas(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Make a frame as pandas itself would."""
    return pd.DataFrame(columns)


ENGINES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": as_pandas,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def samples(engine: str = "pandas", n_source: int = 300, n_target: int = 200) -> tuple[Sample, Sample]:
    """Return a labelled source and a target without labels."""
    make, models = ENGINES[engine], [Model("m", "pred", {"1": "prob"})]
    target = {name: values for name, values in rows(n_target, 2, "t").items() if name != "label"}
    return (
        Sample(make({**rows(n_source, 1), "extra": [1] * n_source}), label="label", models=models, name="source.csv"),
        Sample(make(target), models=models, name="target.csv"),
    )


def pair(source: dict[str, list[Any]], target: dict[str, list[Any]]) -> tuple[Sample, Sample]:
    """Make two samples of plain columns."""
    return Sample(pd.DataFrame(source), name="source.csv"), Sample(pd.DataFrame(target), name="target.csv")


def dense(matrix: Any) -> np.ndarray:
    """Write a matrix out."""
    return matrix.toarray() if issparse(matrix) else matrix


def both(found: Features) -> np.ndarray:
    """Put the source's rows above the target's."""
    return np.vstack([dense(found.source), dense(found.target)])


def column(found: Features, name: str) -> np.ndarray:
    """Return one column of the matrix, the source's rows first."""
    return both(found)[:, found.names.index(name)]


def test_default_columns_are_those_that_may_tell_the_samples_apart() -> None:
    columns, left_out = default_columns(*samples())
    assert columns == ("age", "n_words", "member", "when", "day", "place", "text")
    assert left_out == {
        "id": "an identifier: nearly every value is unique",
        "row": "an identifier: nearly every value is unique",
        "same": "the same value in every row",
        "label": "the label",
        "pred": "a prediction of model 'm'",
        "prob": "a prediction of model 'm'",
        "extra": "not in target.csv",
    }


def test_a_label_that_the_target_has_too_is_left_out() -> None:
    source = Sample(pd.DataFrame({"y": [0, 1], "x": [1, 2]}), label="y")
    target = Sample(pd.DataFrame({"y": [0, 1], "x": [3, 4]}))
    assert default_columns(source, target) == (("x",), {"y": "the label"})


def test_keys_that_repeat_are_known_by_their_name() -> None:
    keys = [3 * (i // 2) for i in range(200)]
    columns, left_out = default_columns(*pair({"userId": keys, "age": keys}, {"userId": keys, "age": keys}))
    assert columns == ("age",)
    assert left_out == {"userId": "an identifier, judging by its name"}


def test_measurements_that_never_repeat_are_no_identifiers() -> None:
    rng = np.random.default_rng(0)
    values = {"income": rng.choice(10**6, 500, replace=False).tolist(), "height": rng.normal(size=500).tolist()}
    assert default_columns(*pair(values, values))[0] == ("income", "height")


def test_empty_columns_are_left_out() -> None:
    source, target = pair({"a": [None, None], "b": [1, 2], "c": [1, 2]}, {"a": [None], "b": [None], "c": [5]})
    columns, left_out = default_columns(source, target)
    assert columns == ("c",)
    assert left_out == {"a": "no values", "b": "no values in target.csv"}


def test_a_value_that_is_the_same_where_known_still_tells_by_its_holes() -> None:
    found = build_features(*pair({"a": [1.0, None], "p": ["x", None]}, {"a": [1.0, 1.0], "p": ["x", "x"]}))
    assert found.names == ("a missing", "p=x", "p=(missing)")
    assert both(found).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 0]]


def test_numbers_are_standardised_over_the_rows_of_both_samples() -> None:
    source, target = samples()
    found = build_features(source, target, ["age", "n_words"])
    assert found.names == ("age", "age missing", "n_words")
    for name in ("age", "n_words"):
        raw = pd.concat([sample.series(name).to_pandas() for sample in (source, target)])
        expected = ((raw - raw.mean()) / raw.std(ddof=0)).fillna(0)
        assert column(found, name) == pytest.approx(expected.to_numpy(), abs=1e-12)
    raw = pd.concat([sample.series("age").to_pandas() for sample in (source, target)])
    assert column(found, "age missing").tolist() == raw.isna().astype(float).tolist()


def test_true_and_false_and_dates_are_standardised_numbers() -> None:
    source, target = samples()
    found = build_features(source, target, ["member", "when", "day"])
    assert found.names == ("member", "member missing", "when", "when missing", "day")
    for name in ("member", "when", "day"):
        raw = pd.concat([sample.series(name).to_pandas() for sample in (source, target)], ignore_index=True)
        if name == "member":
            number = raw.astype("boolean").astype("Float64").to_numpy(dtype=float, na_value=np.nan)
        else:
            seconds = (pd.to_datetime(raw) - pd.Timestamp("2024-01-01")).dt.total_seconds()
            number = seconds.to_numpy(dtype=float, na_value=np.nan)
        expected = np.nan_to_num((number - np.nanmean(number)) / np.nanstd(number))
        assert column(found, name) == pytest.approx(expected, abs=1e-8)


def test_times_of_day_and_durations_are_numbers() -> None:
    clock = pa.array([dt.time(8), dt.time(10)])
    spent = pa.array([dt.timedelta(hours=1), dt.timedelta(hours=2)])
    frame = pa.table({"clock": clock, "spent": spent})
    found = build_features(Sample(frame), Sample(frame))
    assert both(found).tolist() == [[-1, -1], [1, 1]] * 2


def test_infinity_counts_as_missing_and_extremes_do_not_overflow() -> None:
    values = [float("inf"), 1e308, -1e308, 0.0]
    found = build_features(*pair({"x": values}, {"x": values}), ["x"])
    assert column(found, "x missing").tolist() == [1, 0, 0, 0] * 2
    assert column(found, "x") == pytest.approx([0, 1.5**0.5, -(1.5**0.5), 0] * 2)


def test_each_level_has_a_column_also_when_one_sample_lacks_it() -> None:
    source, target = samples()
    found = build_features(source, target, ["place"])
    assert set(found.names) == {"place=inn", "place=hotel", "place=only s", "place=only t", "place=(missing)"}
    raw = pd.concat([sample.series("place").to_pandas() for sample in (source, target)])
    for name in found.names:
        value = name.removeprefix("place=")
        expected = raw.isna() if value == "(missing)" else raw == value
        assert column(found, name).tolist() == expected.fillna(value=False).astype(float).tolist()
    assert both(found).sum(axis=1).tolist() == [1.0] * 500


def test_rare_levels_share_a_column() -> None:
    names = [f"v{i:03}" for i in range(80) for _ in range(80 - i)]
    found = build_features(*pair({"c": names}, {"c": ["v000", "new"]}), ["c"])
    assert found.names == (*(f"c=v{i:03}" for i in range(MOST_LEVELS)), "c=(other)")
    counts = both(found).sum(axis=0)
    assert counts.tolist() == [81, *range(79, 30, -1), sum(range(1, 31)) + 1]


def test_text_is_the_tf_idf_of_its_words() -> None:
    source, target = samples()
    found = build_features(source, target, ["text"])
    texts = [text for name, n in (("s", 300), ("t", 200)) for text in rows(n, 1 if name == "s" else 2, name)["text"]]
    counts = [Counter((text or "").lower().split()) for text in texts]
    rows_with = Counter(word for count in counts for word in count)
    words = sorted(word for word, n_rows in rows_with.items() if n_rows >= 2)
    often = np.array([[1 + np.log(count[word]) if count[word] else 0.0 for word in words] for count in counts])
    expected = often * [np.log(501 / (1 + rows_with[word])) + 1 for word in words]
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-9)
    assert isinstance(found.source, csr_matrix)
    assert isinstance(found.target, csr_matrix)
    assert found.names == (*(f"text:{word}" for word in words), "text missing")
    assert {"text:not", "text:don't"} <= set(found.names)
    assert both(found)[:, :-1] == pytest.approx(expected, abs=1e-12)
    assert column(found, "text missing").tolist() == [float(text is None) for text in texts]


def test_the_most_frequent_words_are_kept() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 4000, 30)) for _ in range(1000)]
    found = build_features(*pair({"text": texts[:500]}, {"text": texts[500:]}))
    assert len(found.names) == MOST_WORDS
    totals = pd.Series(" ".join(texts).split()).value_counts()
    kept = totals[[name.removeprefix("text:") for name in found.names]]
    assert kept.min() >= totals.drop(kept.index).max()


def test_few_sentences_over_and_over_are_levels() -> None:
    said = ["it was very good indeed", "it was not so good"]
    found = build_features(*pair({"answer": said * 20}, {"answer": said}))
    assert found.names == ("answer=it was not so good", "answer=it was very good indeed")


def test_text_without_a_shared_word_is_left_out() -> None:
    texts = [f"a{i} b{i} c{i} d{i}" for i in range(6)]
    source, target = pair({"t": texts[:3], "x": [1, 2, 3]}, {"t": texts[3:], "x": [4, 5, 6]})
    found = build_features(source, target)
    assert found.columns == ("x",)
    assert found.left_out == {"t": "no word in two rows"}
    with pytest.raises(DataError, match="'t' \\(no word in two rows\\)"):
        build_features(source, target, ["t"])


@pytest.mark.parametrize("engine", ["polars", "pyarrow"])
def test_every_engine_gives_the_same(engine: str) -> None:
    expected, found = build_features(*samples()), build_features(*samples(engine))
    assert (found.names, found.columns, found.left_out) == (expected.names, expected.columns, expected.left_out)
    assert np.array_equal(dense(found.source), dense(expected.source))
    assert np.array_equal(dense(found.target), dense(expected.target))


def test_many_levels_make_the_matrix_sparse_and_few_leave_it_dense() -> None:
    rng = np.random.default_rng(0)
    levels = {f"c{i}": [f"v{v}" for v in rng.integers(0, 45, 600)] for i in range(5)}
    many, few = build_features(*pair(levels, levels)), build_features(*pair(levels, levels), ["c0", "c1"])
    assert isinstance(many.source, csr_matrix)
    assert isinstance(few.source, np.ndarray)
    assert dense(many.source)[:, :90].tolist() == few.source.tolist()


def test_rows_are_drawn_once_whatever_the_columns() -> None:
    source, target = samples()
    found, other = (build_features(source, target, [name], max_rows=250, seed=3) for name in ("n_words", "place"))
    assert found.source_rows.tolist() == other.source_rows.tolist() == sorted(set(found.source_rows.tolist()))
    assert len(found.source_rows) == found.source.shape[0] == 250
    assert found.target_rows.tolist() == list(range(200))
    raw = source.series("n_words").to_numpy()[found.source_rows]
    assert np.corrcoef(raw, found.source[:, 0])[0, 1] == pytest.approx(1)
    again, moved = (build_features(source, target, ["place"], max_rows=250, seed=seed) for seed in (3, 4))
    assert again.source_rows.tolist() == found.source_rows.tolist() != moved.source_rows.tolist()


def test_a_person_may_choose_predictions_and_probabilities() -> None:
    found = build_features(*samples(), ["prob", "pred", "prob"])
    assert found.columns == found.names == ("prob", "pred")
    assert found.left_out == {}


def test_a_chosen_column_without_information_is_dropped_beside_others() -> None:
    found = build_features(*samples(), ["same", "n_words"])
    assert found.columns == ("n_words",)
    assert found.left_out == {"same": "the same value in every row"}


def message(source: Sample, target: Sample, columns: list[str] | None = None, **settings: Any) -> str:
    """Return what building says is wrong."""
    with pytest.raises(DataError) as caught:
        build_features(source, target, columns, **settings)
    return str(caught.value)


def test_columns_that_are_the_same_everywhere_are_refused() -> None:
    samples = pair({"a": [1, 1], "b": ["x", "x"]}, {"a": [1], "b": ["x"]})
    assert message(*samples, ["a", "b"]) == (
        "Columns 'a' and 'b' have the same value in every row. Choose other columns in [methods]."
    )
    assert message(*samples, ["a"]) == (
        "Column 'a' has the same value in every row. Choose other columns in [methods]."
    )
    assert message(*samples) == (
        "No usable columns to compare: a (the same value in every row), "
        "b (the same value in every row). Set features in [methods]."
    )


def test_no_column_at_all_is_refused() -> None:
    assert message(*samples(), []) == ("No columns to compare. Set features in [methods].")


def test_a_column_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    source, target = pair({"age": [1, 2], "y": [1, 2]}, {"age": [3, 4]})
    assert message(source, target, ["aeg"]) == "Column 'aeg' is not in source.csv. Columns: age, y. Did you mean 'age'?"
    assert message(source, target, ["y"]) == "Column 'y' is not in target.csv. Columns: age."


def test_text_in_one_file_and_numbers_in_the_other_is_said() -> None:
    source, target = pair({"size": [1, 2], "x": [1, 2]}, {"size": ["S", "M"], "x": [3, 4]})
    assert default_columns(source, target) == (
        ("x",),
        {"size": "holds numbers in source.csv and text in target.csv"},
    )
    assert message(source, target, ["size"]) == (
        "Column 'size' holds numbers in source.csv and text in target.csv. "
        "Choose other columns in [methods], or change its values."
    )


def test_values_that_cannot_be_compared_are_said() -> None:
    frame = pa.table({"parts": pa.array([[1], [2, 3]]), "x": [1, 2]})
    source, target = Sample(frame), Sample(frame)
    columns, left_out = default_columns(source, target)
    assert columns == ("x",)
    assert "which cannot be compared" in left_out["parts"]
    assert message(source, target, ["parts"]).startswith("Column 'parts' holds values of type List")


def test_a_chosen_column_that_one_sample_lacks_values_of_tells_by_its_holes() -> None:
    found = build_features(*pair({"a": [1.0, 2.0]}, {"a": [None, None]}), ["a"])
    assert found.names == ("a", "a missing")
    assert both(found).tolist() == [[-1, 0], [1, 0], [0, 1], [0, 1]]


def test_a_hundred_thousand_rows_take_about_a_second() -> None:
    """The bound is many times what was measured, so that a busy machine passes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100_000, 10))).rename(columns="x{}".format)
    for i in range(5):
        frame[f"c{i}"] = rng.choice([f"v{j}" for j in range(60)], 100_000)
    source, target = Sample(frame), Sample(frame)
    start = time.perf_counter()
    assert build_features(source, target).source.shape[0] == 10_000
    assert time.perf_counter() - start < 10
