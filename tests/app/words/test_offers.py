"""What a rule would do, in words, while it is being typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mandoline_core as md
from app.words.offers import dry_run
from tests.core.projects import REVIEWS


@pytest.fixture(scope="module")
def row() -> md.SliceRow:
    """Describe a slice with rows in both samples."""
    return next(iter(md.estimate(md.load_project(REVIEWS)).slices()))


def test_a_rule_says_its_rows_its_score_and_the_estimate(row: md.SliceRow) -> None:
    said = dry_run(row, "79.4% → 78.9%", "accuracy", share=True)
    assert said == "5.6% → 10.8% of rows, accuracy 49.1%, estimate 79.4% → 78.9%; Enter adds"
    assert dry_run(None, "79.4% → 78.9%", "accuracy", share=True) == "estimate 79.4% → 78.9%; Enter adds"


def test_a_rule_that_is_of_no_use_says_why(row: md.SliceRow) -> None:
    assert dry_run(row, "", "accuracy", share=True).endswith("too few rows for an estimate.")
    assert dry_run(replace(row, source=0.0), "", "accuracy", share=True).startswith(
        "10.8% of new rows, but no labelled"
    )
    assert dry_run(replace(row, target=0.0), "", "accuracy", share=True) == "Matches no new row."
    assert dry_run(replace(row, source=0.0, target=0.0), "", "accuracy", share=True) == "Matches no row."
