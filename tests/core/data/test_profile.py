"""Profiles: one answer to what a column holds."""

from __future__ import annotations

import pandas as pd
import pytest

from mandoline_core import Sample
from mandoline_core.data import few_classes, profile_column, text_kind

N = 120
FRAME = pd.DataFrame(
    {
        "number": [row / 7 for row in range(N)],
        "flag": [row % 3 == 0 for row in range(N)],
        "date": pd.date_range("2020-01-01", periods=N),
        "day": [f"2020-{1 + row % 9:02d}-11" for row in range(N)],
        "category": [f"plan {row % 4}" for row in range(N)],
        "text": [f"this is review number {row}" for row in range(N)],
        "identifier": [f"k{row}" for row in range(N)],
        "numbered": range(100, 100 + N),
        "constant": ["x"] * N,
        "empty": [None] * N,
        "other": [[row] for row in range(N)],
    }
)
SAMPLE = Sample(FRAME)


@pytest.mark.parametrize("column", FRAME.columns)
def test_a_column_is_known_for_what_it_holds(column: str) -> None:
    """Alone, and in two samples together."""
    expected = {"day": "date", "numbered": "identifier"}.get(column, column)
    assert profile_column(column, SAMPLE).kind == expected
    assert profile_column(column, SAMPLE, SAMPLE).kind == expected


def test_a_profile_counts_what_is_there_and_what_is_missing() -> None:
    found = profile_column("n", Sample(pd.DataFrame({"n": [2.5, None, 2.5, 1.0]})))
    assert (found.distinct, found.missing, found.example, found.holds) == ((2,), 0.25, 2.5, "numbers")


def test_an_identifier_may_show_by_its_name_alone() -> None:
    """Customers come back, so their numbers repeat; the name tells."""
    values = [7 * (row % 60) for row in range(200)]
    customers = Sample(pd.DataFrame({"customer_id": values, "amount": values}))
    assert profile_column("customer_id", customers).drawback == "an identifier, judging by its name"
    assert profile_column("amount", customers).kind == "number"


def test_who_asks_says_how_many_values_are_few() -> None:
    """A limit of one's own decides what is prose and what are classes."""
    values = SAMPLE.series("text").head(10).to_arrow()
    twice = [values, values]
    ten = Sample(pd.DataFrame({"text": [*values.to_pylist(), *values.to_pylist()]}))
    assert profile_column("text", ten, most_levels=9).is_prose
    assert not profile_column("text", ten, most_levels=10).is_prose
    assert text_kind(twice, 9) == "text"
    assert text_kind(twice, 10) == "category"
    assert len(few_classes(SAMPLE, "category", 4)) == 4
    assert few_classes(SAMPLE, "category", 3) == few_classes(SAMPLE, "number", 100) == frozenset()
