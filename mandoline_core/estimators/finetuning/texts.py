"""Texts: what a model reads of the rows of two samples."""

from __future__ import annotations

from collections.abc import Sequence

from mandoline_core.arrays import Index
from mandoline_core.data import Sample, profile_column
from mandoline_core.domain_classifier import default_columns, kind_in_both
from mandoline_core.errors import DataError
from mandoline_core.estimators.density.features import read_column
from mandoline_core.formatting import listed

Texts = tuple[list[str], ...]  # one list a column, of as many texts as there are rows


def choose_texts(source: Sample, target: Sample, columns: Sequence[str] = ()) -> tuple[str, ...]:
    """Choose the columns to read: those asked for, or those of both samples that hold text of several words.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"said": ["it was good", "it was bad"], "place": ["a", "b"], "n": [1, 2]})
    >>> source, target = Sample(frame), Sample(frame.assign(said=["good it was", "bad it was"]))
    >>> choose_texts(source, target)
    ('said',)
    >>> choose_texts(source, target, ["n"])
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: Column 'n' holds numbers. Name columns of text as texts in [methods].
    """
    if not columns:
        able, _ = default_columns(source, target)
        found = tuple(
            column for column in able if _is_text(column, source, target) and _is_prose(column, source, target)
        )
        if not found:
            held = listed(able) or "none that could tell the samples apart"
            raise DataError(
                f"No column of both samples holds text of several words. Columns: {held}. Name columns of text as "
                "texts in [methods]."
            )
        return found
    for column in columns:
        for sample in (source, target):
            if column not in sample.columns:
                raise DataError.missing_column(column, sample.name, sample.columns)
        kind, wrong = kind_in_both(column, source, target)
        if kind != "text":
            said = wrong or f"holds {kind if kind != 'nothing' else 'no value at all'}"
            raise DataError(f"Column {column!r} {said}. Name columns of text as texts in [methods].")
    return tuple(dict.fromkeys(columns))


def read_texts(samples: tuple[Sample, Sample], columns: Sequence[str], rows: tuple[Index, Index]) -> Texts:
    """Read the texts of some rows, the source's before the target's; a missing one is empty.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> one, two = (Sample(pd.DataFrame({"said": said})) for said in (["a", None], ["b", "c"]))
    >>> read_texts((one, two), ["said"], (np.array([0, 1]), np.array([1])))
    (['a', '', 'c'],)
    """
    return tuple(
        [
            text
            for sample, some in zip(samples, rows, strict=True)
            for text in read_column(sample, column, "text", some).fill_null("").to_pylist()
        ]
        for column in columns
    )


def _is_text(column: str, source: Sample, target: Sample) -> bool:
    return kind_in_both(column, source, target)[0] == "text"


def _is_prose(column: str, source: Sample, target: Sample) -> bool:
    return profile_column(column, source, target).is_prose
