"""Samples: frames of any engine, their roles, their fingerprints and their classes."""

from __future__ import annotations

import datetime as dt
import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.data import FrozenMapping, Model, Sample
from mandoline_core.data.classes import class_codes, class_name, find_classes, matching_values
from mandoline_core.errors import DataError

CELLS = {
    "number": st.none() | st.floats(allow_nan=True, width=32),
    "whole": st.none() | st.integers(-(2**62), 2**62),
    "text": st.none() | st.text(max_size=4),
    "truth": st.none() | st.booleans(),
}
TYPES = {"number": pa.float64(), "whole": pa.int64(), "text": pa.string(), "truth": pa.bool_()}


def frames(columns: dict[str, list[object]]) -> list[object]:
    """Make the same frame in each engine."""
    return [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]


def test_any_engine_makes_the_same_sample():
    """pandas, Polars (also lazy), PyArrow and Narwhals frames are all taken."""
    columns = {"text": ["a", None], "n": [1, 2]}
    pandas, polars, arrow = frames(columns)
    for frame in (pandas, polars, arrow, polars.lazy(), nw.from_native(polars), nw.from_native(polars.lazy())):
        sample = Sample(frame, name="it")
        assert (sample.n_rows, sample.columns, sample.name) == (2, ("text", "n"), "it")
        assert sample.series("text").to_list()[0] == "a"
        assert sample.schema["text"] == nw.String


def test_prediction_and_probabilities_are_short_for_one_model():
    """The short form makes a model called "model"."""
    frame = pd.DataFrame({"p": ["a"], "pa": [0.5], "pb": [0.5]})
    sample = Sample(frame, prediction="p", probabilities={"a": "pa", "b": "pb"})
    assert sample.models == (Model("model", "p", {"a": "pa", "b": "pb"}),)
    assert sample.models[0].columns == ("p", "pa", "pb")


def test_models_are_frozen_hashable_and_picklable():
    """A model is part of cache keys."""
    model = Model("m", "p", {"a": "pa"})
    assert hash(model) == hash(Model("m", "p", FrozenMapping({"a": "pa"})))
    assert pickle.loads(pickle.dumps(model)) == model  # noqa: S301 - our own bytes
    assert Model("m", probabilities={1: "p1"}).probabilities == {"1": "p1"}
    with pytest.raises(TypeError):
        model.probabilities["a"] = "other"


def test_a_sample_cannot_be_changed():
    """Cached answers stay right because nothing moves under them."""
    sample = Sample(pd.DataFrame({"a": [1]}))
    with pytest.raises(AttributeError):
        sample.label = "a"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label": "lable"}, "Column 'lable' is not in it.csv. Columns: label, p. Did you mean 'label'?"),
        ({"prediction": "q"}, "Column 'q' is not in it.csv. Columns: label, p."),
        ({"probabilities": {"a": "x"}}, "Column 'x' is not in it.csv. Columns: label, p."),
        (
            {"probabilities": {"a": "label"}},
            (
                "Column 'label' of it.csv (a class probability of model 'model') holds text. Expected numbers "
                "between 0 and 1."
            ),
        ),
        (
            {"probabilities": {"a": "p"}},
            (
                "Column 'p' of it.csv (a class probability of model 'model') ranges from 20 to 80. Expected "
                "numbers between 0 and 1. Divide percentages by 100."
            ),
        ),
        (
            {"models": [Model("m", "p"), Model("m", "label")]},
            "Two models are called 'm'. Give each model its own name.",
        ),
        (
            {"models": [Model("m")], "prediction": "p"},
            "Give either models, or prediction and probabilities for one model. Got both.",
        ),
        (
            {"probabilities": ["p"]},
            "probabilities must map each class to its column, such as {'no': 'p_no', 'yes': 'p_yes'}. Got a list.",
        ),
    ],
)
def test_wrong_roles_are_named(arguments, message):
    """Each message says what is wrong, where, and what to do."""
    with pytest.raises(DataError) as caught:
        Sample(pd.DataFrame({"label": ["a", "b"], "p": [20, 80]}), name="it.csv", **arguments)
    assert str(caught.value) == message


def test_repeated_column_names_are_an_error():
    """Also when they only become equal as text."""
    for names in (["a", "a"], [1, "1"]):
        with pytest.raises(DataError, match=r"^sample has duplicate columns: '.'\. Give each column its own"):
            Sample(pd.DataFrame([[1, 2]], columns=names))
    with pytest.raises(DataError, match="duplicate columns: 'a'"):
        Sample(pa.table([[1], [2]], names=["a", "a"]))


def test_no_rows_and_no_frame_are_errors():
    """A sample is a frame with rows."""
    with pytest.raises(DataError, match=r"^sample has no rows\. Add at least one\.$"):
        Sample(pd.DataFrame({"a": []}))
    message = r"^target must be a data frame of pandas, Polars or PyArrow\. Got dict\.$"
    with pytest.raises(DataError, match=message):
        Sample({"a": [1]}, name="target")


def test_columns_come_in_as_one_type_per_meaning():
    """Text is text, decimals are floats, and NaN is missing, whatever the engine calls them."""
    table = pd.DataFrame(
        {
            "object": pd.Series(["a", None], dtype=object),
            "python": pd.Series(["a", None], dtype=pd.StringDtype("python")),
            "category": pd.Series(["a", None], dtype="category"),
            "numbers": pd.Series([1, 2], dtype="category"),
            "mixed": pd.Series(["a", 1], dtype=object),
            "truth": pd.Series([True, None], dtype=object),
            "whole": pd.Series([1, None], dtype=object),
            "dates": pd.Series([dt.date(2020, 1, 1), None], dtype=object),
            "nothing": pd.Series([None, None], dtype=object),
        }
    )
    schema = Sample(table).schema
    assert [name for name in schema if schema[name] == nw.String] == ["object", "python", "category", "mixed"]
    assert schema["numbers"].is_integer()
    assert schema["whole"].is_integer()
    assert schema["truth"] == nw.Boolean
    assert schema["dates"] == nw.Date
    assert schema["nothing"] == nw.Unknown
    assert Sample(table).series("mixed").to_list() == ["a", "1"]

    polars = pl.DataFrame({"c": ["a", None], "d": [1.5, float("nan")]}).with_columns(pl.col("c").cast(pl.Categorical))
    sample = Sample(polars.with_columns(e=pl.col("d").fill_nan(None).cast(pl.Decimal(10, 2))))
    assert (sample.schema["c"], sample.schema["e"]) == (nw.String, nw.Float64)
    assert sample.series("d").to_list() == [1.5, None]


def test_an_index_does_not_matter():
    """Rows are rows: pandas' labels for them, even repeated ones, play no part."""
    frame = pd.DataFrame({"a": [1, 2]}, index=[7, 7])
    assert Sample(frame).fingerprint == Sample(frame.reset_index(drop=True)).fingerprint


@given(st.data())
def test_fingerprints_are_the_same_in_every_engine_and_chunking(data):
    """Same values, same fingerprint; NaN and a missing value are the same."""
    n = data.draw(st.integers(1, 6))
    columns = {name: data.draw(st.lists(cells, min_size=n, max_size=n)) for name, cells in CELLS.items()}
    table = pa.table({name: pa.array(values, TYPES[name]) for name, values in columns.items()})
    cut = data.draw(st.integers(0, n))
    pandas = pd.DataFrame(
        {
            "number": pd.array(columns["number"], dtype="float64"),
            "whole": pd.array(columns["whole"], dtype="Int64"),
            "text": pd.array(columns["text"], dtype="string"),
            "truth": pd.array(columns["truth"], dtype="boolean"),
        }
    )
    expected = Sample(table).fingerprint
    assert Sample(pa.concat_tables([table.slice(0, cut), table.slice(cut)])).fingerprint == expected
    assert Sample(pl.from_arrow(table)).fingerprint == expected
    assert Sample(pandas).fingerprint == expected


def test_a_fingerprint_changes_with_any_cell_name_or_order():
    """A stale answer is worse than a slow one."""
    base = {"a": [1, 2, None], "b": ["x", "y", ""], "c": [True, False, None]}
    variants = [
        base,
        {**base, "a": [1, 3, None]},
        {**base, "a": [1, None, 2]},
        {**base, "b": ["x", "y", None]},
        {**base, "b": ["xy", "", ""]},
        {**base, "b": ["x", "", "y"]},
        {**base, "c": [True, None, False]},
        {**base, "c": [1, 0, None]},
        {"A": base["a"], "b": base["b"], "c": base["c"]},
        {"b": base["b"], "a": base["a"], "c": base["c"]},
        {"a": base["a"], "b": base["b"]},
        {name: values[::-1] for name, values in base.items()},
        {name: values + values for name, values in base.items()},
    ]
    prints = [Sample(pl.DataFrame(variant)).fingerprint for variant in variants]
    assert len(set(prints)) == len(variants)


def test_whole_numbers_equal_the_same_numbers_with_a_point():
    """In pandas whole numbers become floats when a value is missing; that is no change of data."""
    assert Sample(pd.DataFrame({"a": [1, None]})).fingerprint == Sample(pl.DataFrame({"a": [1, None]})).fingerprint
    big = 2**53
    assert Sample(pl.DataFrame({"a": [big + 1]})).fingerprint != Sample(pl.DataFrame({"a": [big + 2]})).fingerprint


def test_dates_and_nested_values_have_fingerprints():
    """Columns that no rule reads still count."""
    for values in ([dt.date(2020, 1, 1), None], [dt.datetime(2020, 1, 1, 3), None], [[1], [2, 3]]):
        one, other = Sample(pl.DataFrame({"a": values})), Sample(pl.DataFrame({"a": values[::-1]}))
        assert one.fingerprint == Sample(pa.table({"a": values})).fingerprint
        assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_classes_of_one_kind_are_compared_as_they_are(backend):
    """Among texts, "1" and "1.0" are two classes, and order is by alphabet."""
    label = nw.new_series("label", ["1", "1.0", None, "b"], backend=backend)
    answer = nw.new_series("answer", ["b", "1", "1", "a"], backend=backend)
    codes, names = class_codes(label, answer)
    assert names == ("1", "1.0", "a", "b")
    assert [code.tolist() for code in codes] == [[0, 1, -1, 3], [3, 0, 0, 2]]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ([1, 0, 1], ["1", "0.0", "true"]),
        ([True, False, True], [1, 0, 1]),
        (["True", "false", "1.0"], [1.0, 0.0, 1.0]),
        (["1", "0", "1"], [True, False, True]),
    ],
)
def test_classes_of_different_kinds_are_matched_by_what_they_mean(backend, label, answer):
    """1, 1.0, "1", "1.0", True and "true" are one class."""
    codes, names = class_codes(
        nw.new_series("label", label, backend=backend), nw.new_series("answer", answer, backend=backend)
    )
    assert names == ("0", "1")
    assert codes[0].tolist() == codes[1].tolist() == [1, 0, 1]


def test_number_classes_are_in_order_of_value():
    """10 comes after 9, and NaN is missing."""
    codes, names = class_codes(nw.new_series("a", np.array([10.0, 9.0, np.nan]), backend="polars"))
    assert names == ("9", "10")
    assert codes[0].tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1, "1"),
        (np.int64(3), "3"),
        (1.0, "1"),
        ("1.0", "1"),
        ("1e1", "10"),
        (True, "1"),
        ("FALSE", "0"),
        (0.5, "0.5"),
        ("0.50", "0.5"),
        ("007", "7"),
        ("1_000", "1_000"),
        ("nan", "nan"),
        ("1e999", "1e999"),
        ("a b", "a b"),
        (2**60, str(2**60)),
    ],
)
def test_class_names_are_canonical(value, name):
    """One name for all spellings of a number or a truth value; other texts stay as they are."""
    assert class_name(value) == name


def test_a_class_as_written_wins_over_one_that_means_the_same():
    """A project file that says "1.0" means the class "1.0" where there is one."""
    assert find_classes("1.0", ("1", "1.0")) == (1,)
    assert find_classes(1, ("true", "false")) == (0,)
    assert find_classes("x", ("true", "false")) == ()


def test_values_are_looked_up_in_the_columns_own_type():
    """A value that no row of that type can hold matches nothing."""
    assert matching_values([1, "b"], nw.String()) == ["1", "1.0", "true", "True", "TRUE", "b"]
    assert matching_values(["1", "b", 0.5], nw.Int64()) == [1]
    assert matching_values(["1", "b", 0.5], nw.Float32()) == [1.0, 0.5]
    assert matching_values(["false", 7], nw.Boolean()) == [False]
