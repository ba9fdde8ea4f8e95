"""Split labelled rows by a column, such as time or group: one part is the source, the other the target."""

from __future__ import annotations

import re
from collections.abc import Callable

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.data import Sample, arrow_array, class_codes
from mandoline_core.domain_classifier import default_columns

FEWEST_ROWS = 30  # on either side of a split
MOST_GROUPS = 4  # of one column: the largest
MOST_FOUND = 3  # columns
MOST_LEVELS = 12  # of a column that is taken for groups without being asked for
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ].*)?)?")


# What the target's part is, and which scored rows are in the source and the target; rows without a value in neither.
Split = tuple[str, Bools, Bools]


def find_columns(source: Sample, target: Sample) -> list[str]:
    """Find columns of the source that look like times or groups, times first.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [0.1, 0.2], "shop": ["a", "b"], "day": ["2024-01-01", "2024-01-02"]})
    >>> find_columns(Sample(frame), Sample(frame))
    ['day', 'shop']
    """
    times, groups = [], []
    for column in default_columns(source, target)[0]:
        series, dtype = source.series(column), source.schema[column]
        if dtype in (nw.Date, nw.Datetime):
            times.append(column)
        elif dtype in (nw.String, nw.Boolean):
            codes, names = class_codes(series)
            if all(_DATE.fullmatch(name) for name in names):
                times.append(column)
            elif 2 <= len(np.unique(codes[0][codes[0] >= 0])) <= MOST_LEVELS:
                groups.append(column)
    return (times + groups)[:MOST_FOUND]


def split_column(sample: Sample, column: str, scored: Bools) -> list[Split]:
    """Split the scored rows by a column.

    By a time, later rows are foretold from earlier ones; by a number, either side of the median from the other; by a
    group, each of the largest groups from all the others. Parts with too few rows are left out.

    Parameters
    ----------
    scored : array of bool, shape (n_rows,)

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"age": range(80), "shop": ["a", "b"] * 40}))
    >>> [detail for detail, _, _ in split_column(sample, "age", np.ones(80, dtype=bool))]
    ["'age' from 40", "'age' below 40"]
    >>> [detail for detail, _, _ in split_column(sample, "shop", np.ones(80, dtype=bool))]
    ["'shop' is a", "'shop' is b"]
    """
    series, dtype = sample.series(column), sample.schema[column]
    if dtype in (nw.Date, nw.Datetime):
        ticks = _ticks(arrow_array(series))[scored]
        splits = _halves(column, ticks, lambda tick: _show_time(int(tick)))[:1]
    elif dtype.is_numeric():
        values = np.asarray(series.to_numpy(), dtype=float)[scored]
        splits = _halves(column, values, lambda value: f"{value:g}")
    elif dtype in (nw.String, nw.Boolean):
        codes, names = class_codes(series)
        if all(_DATE.fullmatch(name) for name in names):  # written so that their order is that of their characters
            order, ranks = np.unique(np.array(names, dtype=object), return_inverse=True)
            values = np.append(ranks, np.nan)[codes[0]][scored]  # code -1 reads the last
            splits = _halves(column, values, lambda rank: str(order[int(rank)]))[:1]
        else:
            splits = _groups(column, codes[0][scored].astype(np.intp), names)
    else:
        splits = []
    return [split for split in splits if min(split[1].sum(), split[2].sum()) >= FEWEST_ROWS]


def _halves(column: str, values: Floats, show: Callable[[float], str]) -> list[Split]:
    """Split at the median: the upper half foretold from the lower, then the other way round."""
    has_value = np.isfinite(values)
    cut = np.median(values[has_value]) if has_value.any() else np.nan
    low = has_value & (values < cut)
    if not low.any():  # more than half of the rows share the least value
        low = has_value & (values <= cut)
    high = has_value & ~low
    if not high.any():
        return []
    at = show(float(values[high].min()))
    return [(f"{column!r} from {at}", low, high), (f"{column!r} below {at}", high, low)]


def _groups(column: str, codes: Index, names: tuple[str, ...]) -> list[Split]:
    """Foretell each of the largest groups from all the others."""
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    largest = [code for code in np.argsort(-counts, kind="stable")[:MOST_GROUPS] if counts[code]]
    return [(f"{column!r} is {names[code]}", (codes >= 0) & (codes != code), codes == code) for code in largest]


def _ticks(array: pa.Array) -> Floats:
    """Turn dates into microseconds; NaN where missing."""
    zone = array.type.tz if pa.types.is_timestamp(array.type) else None
    ticks = pc.cast(pc.cast(array, pa.timestamp("us", zone), safe=False), pa.int64())
    return np.asarray(pc.cast(ticks, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)


def _show_time(tick: int) -> str:
    return str(np.datetime64(tick, "us")).replace("T", " ").removesuffix(" 00:00:00.000000").removesuffix(".000000")
