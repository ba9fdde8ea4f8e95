"""Samples from arrays, as scikit-learn takes and returns them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import mandoline_core as md


def test_columns_are_numbered_or_named_and_roles_are_set():
    """Of an array, of a frame and of texts."""
    sample = md.Sample.from_arrays(np.eye(2), [1, 0], np.array([1.0, 1.0]), [[0.2, 0.8], [0.3, 0.7]], name="mine")
    assert sample.columns == ("x0", "x1", "label", "prediction", "prob_0", "prob_1")
    assert (sample.name, sample.label) == ("mine", "label")
    assert sample.models == (md.Model("model", "prediction", {"0": "prob_0", "1": "prob_1"}),)
    assert sample.series("prob_1").to_list() == [0.8, 0.7]
    named = md.Sample.from_arrays([[1, "a"], [2, "b"]], columns=["age", "place"])
    assert (named.columns, named.label, named.models) == (("age", "place"), None, ())
    assert md.Sample.from_arrays(["one text", "another"], ["a", "b"]).columns == ("text", "label")


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame])
def test_a_frame_keeps_its_columns_and_rows_go_by_order(engine):
    """Whatever the index of a pandas frame or series."""
    frame = engine({"age": [1, 2, 3]})
    if isinstance(frame, pd.DataFrame):
        frame = frame.set_axis([5, 5, 1])
    sample = md.Sample.from_arrays(frame, pd.Series(["a", None, "b"], index=[9, 8, 7]), [1.5, None, 2.5])
    assert sample.columns == ("age", "label", "prediction")
    for column, values in (("label", ["a", "b"]), ("prediction", [1.5, 2.5])):
        assert sample.series(column).is_null().to_list() == [False, True, False]
        assert sample.series(column).drop_nulls().to_list() == values


def test_classes_are_those_given_else_the_sorted_labels():
    """In the order of the columns; one column is of the second of two classes."""
    proba = np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    given = md.Sample.from_arrays([[1], [2]], proba=proba, classes=np.array(["b", "c", "a"]))
    assert given.models[0].probabilities == {"b": "prob_b", "c": "prob_c", "a": "prob_a"}
    sorted_ = md.Sample.from_arrays([[1], [2], [3]], [10, 9, 10], proba=np.array([0.1, 0.2, 0.9]))
    assert sorted_.models[0].probabilities == {"10": "prob_10"}
    assert sorted_.series("prob_10").to_list() == [0.1, 0.2, 0.9]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2],), {}, "X must be an array with one row per example, a frame or a list of texts. Got shape (2,)."),
        (
            (csr_matrix([[1]]),),
            {},
            "X is a sparse matrix, which slices cannot read. Pass the rows that it was made from.",
        ),
        (
            (pl.LazyFrame({"a": [1]}),),
            {},
            "X is a lazy frame. Collect it first, or use Sample(frame, ...).",
        ),
        (([[1], [2]],), {"columns": ["a", "b"]}, "X has 1 columns, and there are 2 names for them."),
        (([[1], [2]], [1]), {}, "Column 'label' has 1 values, and X has 2 rows. Give one value per row."),
        (([[1]], [[1, 2]]), {}, "Column 'label' has shape (1, 2). Give one value per row."),
        ((pd.DataFrame({"label": [1]}), [1]), {}, "X already has a column 'label'. Rename it, or leave it out."),
        (
            ([[1]], None, None, [[0.5, 0.5]]),
            {},
            "The classes of proba are not known for sample. Set classes, such as model.classes_.",
        ),
        (
            ([[1], [2]], ["a", "b"], None, [[0.2, 0.3, 0.5]] * 2),
            {},
            (
                "proba has 3 columns, and there are 2 classes: a, b. "
                "Set classes to one per column, such as model.classes_."
            ),
        ),
    ],
)
def test_bad_arrays_get_one_sentence(arguments, options, message):
    """With what was expected."""
    with pytest.raises(md.DataError) as caught:
        md.Sample.from_arrays(*arguments, **options)
    assert str(caught.value) == message
