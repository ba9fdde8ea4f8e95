"""Thinning: where rows make more cells than memory should hold, a uniform share of the rows stands for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mandoline_core.data.tables.table import add_up_tables
from mandoline_core.errors import DataError

MOST_CELLS = 1_000_000  # of a sample: solving on so many with 40 slices takes about 2 GB
_HALVED = b"mandoline.halved"


def add_up_within(parts: Iterable[pa.Table], keys: Sequence[str], most: int | None = None) -> pa.Table:
    """Add up counts by keys; where that leaves too many lines, halve the rows by chance until it does not.

    Every row stays with the same chance, whatever cell it is in, so what stays is a uniform draw: nothing is biased,
    and an interval from these counts is as wide as a draw of so many rows makes it. How often rows were halved travels
    with the table, so that parts which were halved more and less often can be added up.

    Parameters
    ----------
    parts : iterable of pyarrow.Table
        With the keys and "n", the rows of each line; in one part, no two lines have the same keys.
    most : int, optional
        Lines to keep; MOST_CELLS when left out.

    Examples
    --------
    >>> part = pa.table({"code0": np.arange(100), "n": np.full(100, 2)})
    >>> whole = add_up_within([part, part], ["code0"], most=100)
    >>> len(whole), share_kept(whole)
    (100, 1.0)
    >>> some = add_up_within([part], ["code0"], most=60)
    >>> len(some) <= 60, share_kept(some) < 1
    (True, True)
    """
    parts = list(parts)
    halved = max(map(_halved, parts))
    parts = [_halve(part, keys, halved - _halved(part)) for part in parts]
    found = parts[0] if len(parts) == 1 else add_up_tables(parts, keys)
    while len(found) > (MOST_CELLS if most is None else most):
        found, halved = _halve(found, keys, 1), halved + 1
    return found.replace_schema_metadata({_HALVED: str(halved).encode()})


def share_kept(counts: pa.Table) -> float:
    """Say which share of the rows some counts rest on."""
    return float(0.5 ** _halved(counts))


def check_cells(n_cells: int, name: str) -> None:
    """Refuse more cells than memory should hold, where what they hold cannot be thinned."""
    if n_cells > MOST_CELLS:
        raise DataError(
            f"The rows of {name} make {n_cells:,} combinations of slices, and a metric of numbers takes at most "
            f"{MOST_CELLS:,} of rows that stay in a table. Use fewer slices, or give a uniform draw of the rows."
        )


def _halved(counts: pa.Table) -> int:
    return int((counts.schema.metadata or {}).get(_HALVED, b"0"))


def _halve(counts: pa.Table, keys: Sequence[str], times: int) -> pa.Table:
    """Keep each row with chance one half, so many times over; the same rows of the same counts each time."""
    if not times:
        return counts
    # Engines list cells in any order; what is drawn must not depend on it.
    marks = _marks(counts, keys)
    order = np.argsort(marks)
    rows = counts["n"].to_numpy()
    with np.errstate(over="ignore"):
        seed = [times, len(counts), int(rows.sum()), int(np.bitwise_xor.reduce(marks * (rows.astype(np.uint64) + 1)))]
    kept = np.zeros(len(counts), dtype=np.int64)
    kept[order] = np.random.default_rng(seed).binomial(rows[order], 0.5**times)
    there = kept > 0
    column = counts.column_names.index("n")
    return counts.set_column(column, "n", pa.array(kept)).filter(pa.array(there))


def _marks(counts: pa.Table, keys: Sequence[str]) -> NDArray[np.uint64]:
    """Give every cell a number that follows from its keys alone."""
    found = np.zeros(len(counts), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for key in keys:
            column = counts[key].combine_chunks().dictionary_encode(null_encoding="encode")
            column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            names = np.array([repr(value) for value in column.dictionary.to_pylist()], dtype=object)
            numbers = pd.util.hash_array(names, categorize=False)
            found = (found ^ numbers[column.indices.to_numpy()]) * np.uint64(0x9E3779B97F4A7C15)
            found ^= found >> np.uint64(29)
    return found
