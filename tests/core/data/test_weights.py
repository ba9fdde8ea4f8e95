"""Design weights that make no sense are refused, in memory and in tables, in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mandoline_core import DataError, Sample
from mandoline_core.data import open_data

WRONG: dict[str, tuple[list[Any], str]] = {
    "missing": ([1, None, 2], "is missing in 1 row. Expected a number of 0 or more in each row."),
    "negative": ([1.0, -2.0, -3.0], "is negative in 2 rows. Expected a number of 0 or more in each row."),
    "infinite": ([1.0, np.inf, 2.0], "is infinite in 1 row. Expected a number of 0 or more in each row."),
    "text": (["1", "2", "3"], "holds text. Expected a number of 0 or more in each row."),
    "zero": ([0, 0, 0], "is 0 in all rows. Expected a weight above 0 in at least one."),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_weight_that_makes_no_sense_is_refused(tmp_path: Path, what: str) -> None:
    values, why = WRONG[what]
    frame = pd.DataFrame({"w": values, "x": [1, 2, 3]})
    frame.to_parquet(tmp_path / "rows.parquet")
    for rows in (frame, open_data(tmp_path / "rows.parquet", engine="polars")):
        with pytest.raises(DataError) as caught:
            Sample(rows, weight="w", name="rows.csv")
        assert str(caught.value) == f"Column 'w' of rows.csv (the weight) {why}"


def test_an_unknown_weight_names_the_columns() -> None:
    with pytest.raises(DataError, match="Column 'v' is not in sample"):
        Sample(pd.DataFrame({"w": [1]}), weight="v")


def test_other_rows_keep_the_weight() -> None:
    sample = Sample(pd.DataFrame({"w": [1, 2], "x": 1}), weight="w")
    assert sample.with_rows(sample.frame.head(1)).design_weights.tolist() == [1.0]
    assert "w" in sample.roles
