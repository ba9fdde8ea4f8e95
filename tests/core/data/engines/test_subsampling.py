"""Subsampling: a uniform share of the rows, the same each time, and no estimate is biased by it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import mandoline_core as md
from mandoline_core.data.engines import add_up_within, check_cells, polars, share_kept, table
from mandoline_core.errors import DataError

KEYS = ["code0", "code1"]


def _counts(rng: np.random.Generator, n: int = 400) -> pa.Table:
    codes = rng.permutation(n)
    return pa.table({"code0": codes // 20, "code1": codes % 20, "n": rng.integers(1, 50, n)})


def test_counts_that_fit_are_exact() -> None:
    part = _counts(np.random.default_rng(0))
    found = add_up_within([part, part], KEYS, most=400)
    assert share_kept(found) == 1
    assert found["n"].to_numpy().sum() == 2 * part["n"].to_numpy().sum()


def test_what_is_kept_does_not_depend_on_the_order_of_cells() -> None:
    rng = np.random.default_rng(1)
    part = _counts(rng)
    mixed = part.take(pa.array(rng.permutation(len(part))))
    first, second = (
        add_up_within([one], KEYS, most=200).sort_by([(key, "ascending") for key in KEYS]) for one in (part, mixed)
    )
    assert first.equals(second)
    assert share_kept(first) < 1


def test_every_row_is_kept_with_the_same_chance_however_parts_were_halved() -> None:
    """Many small tables, one of each pair halved before they meet: the mean count is the share of the rows."""
    rng, kept, rows, shares = np.random.default_rng(2), 0.0, 0.0, []
    for _ in range(300):
        parts = [_counts(rng), _counts(rng)]
        halved = add_up_within(parts[:1], KEYS, most=200)
        found = add_up_within([halved, parts[1]], KEYS, most=390)
        shares.append(share_kept(found))
        n = sum(part["n"].to_numpy().sum() for part in parts)
        kept, rows = kept + found["n"].to_numpy().sum(), rows + shares[-1] * n
    # Binomial: four standard errors, from the smallest share that there is.
    assert abs(kept - rows) < 4 * np.sqrt(rows * (1 - min(shares)))


def test_a_metric_of_numbers_refuses_more_cells_than_it_can_add_up() -> None:
    with pytest.raises(DataError, match="has 2,000,000 combinations of slices"):
        check_cells(2_000_000, "rows.parquet")


def _write(folder: Path) -> md.Project:
    """Write rows of twelve slices, most of whose patterns are rare, with a score that depends on two of them."""
    rng, n, k = np.random.default_rng(3), 60_000, 12
    for side, rate in (("source", 0.4), ("target", 0.5)):
        inside = rng.random((n, k)) < rate
        wrong = rng.random(n) < 0.1 + 0.2 * inside[:, 0] + 0.1 * inside[:, 1]
        columns = {f"x{i}": inside[:, i].astype(int) for i in range(k)}
        labels = {} if side == "target" else {"y": np.where(wrong, 1, 0)}
        pl.DataFrame(columns | labels | {"p": np.zeros(n, int)}).write_parquet(folder / f"{side}.parquet")
    slices = tuple(md.Threshold(f"s{i}", column=f"x{i}", above=0.5) for i in range(k))
    return md.Project(
        name="many",
        source_path="source.parquet",
        target_path="target.parquet",
        source_engine="polars",
        target_engine="polars",
        label="y",
        models=(md.Model("model", "p"),),
        slices=slices,
        base=folder,
    )


def test_an_estimate_on_a_share_agrees_with_the_exact_one_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _write(tmp_path)
    exact = md.estimate(project).first
    assert not any(finding.code == "on_a_share" for finding in exact.findings)
    for module in (table, polars):
        monkeypatch.setattr(module, "MOST_CELLS", 3_500)
    found = md.estimate(project).first
    said = [finding.message for finding in found.findings if finding.code == "on_a_share"]
    assert len(said) == 2
    assert "source.parquet" in said[0]
    assert found.n_source < exact.n_source
    # The share is drawn from the same rows, so it is off by less than its own error; and its interval is wider.
    error = (found.interval[1] - found.interval[0]) / 2
    assert abs(found.estimate - exact.estimate) < error
    assert error > (exact.interval[1] - exact.interval[0]) / 2
    assert md.estimate(project).first.estimate == found.estimate
