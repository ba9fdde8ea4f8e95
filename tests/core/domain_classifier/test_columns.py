"""Choosing columns to look at: of very many, the first, and it is said."""

from __future__ import annotations

import numpy as np
import pandas as pd

import mandoline_core as md
from mandoline_core.domain_classifier import BEYOND, MOST_COLUMNS, default_columns

MORE = 7


def wide(n_rows: int, seed: int) -> pd.DataFrame:
    """Make a frame with some columns more than are looked at, one of them constant."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, (n_rows, MOST_COLUMNS + MORE + 1))
    values[:, 3] = 5
    return pd.DataFrame(values, columns=[f"c{number}" for number in range(values.shape[1])])


def test_of_very_many_columns_the_first_that_can_be_are_looked_at() -> None:
    chosen, left_out = default_columns(md.Sample(wide(30, 0)), md.Sample(wide(30, 1)))
    assert len(chosen) == MOST_COLUMNS
    assert chosen[:4] == ("c0", "c1", "c2", "c4")  # what cannot be looked at anyway takes nobody's place
    beyond = [column for column, why in left_out.items() if why == BEYOND]
    assert beyond == [f"c{number}" for number in range(MOST_COLUMNS + 1, MOST_COLUMNS + 1 + MORE)]


def test_a_report_says_how_many_columns_were_not_looked_at() -> None:
    answers = {"label": np.tile([0, 1], 20), "answer": np.tile([0, 1, 1, 1], 10)}
    source = md.Sample(wide(40, 0).assign(**answers), label="label", prediction="answer")
    target = md.Sample(wide(40, 1).assign(answer=answers["answer"]))
    report = md.estimate(source, target, [md.Threshold("s", column="c0", above=4)])
    (said,) = [finding for finding in report.findings if finding.code == "columns_beyond"]
    assert said.severity == "info"
    assert f"only the first {MOST_COLUMNS:,} columns, not the other {MORE}." in said.message


def test_fewer_columns_are_all_looked_at() -> None:
    few = wide(30, 0).iloc[:, :50]
    chosen, left_out = default_columns(md.Sample(few), md.Sample(wide(30, 1).iloc[:, :50]))
    assert len(chosen) == 49
    assert BEYOND not in left_out.values()
