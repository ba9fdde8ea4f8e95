"""At the door: one type per meaning, and one name per column, in a frame of any engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import narwhals as nw

from mandoline_core.errors import DataError
from mandoline_core.formatting import listed


def check_names(columns: Iterable[str], name: str) -> None:
    """Refuse columns of the same name."""
    repeated = [str(column) for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise DataError(
            f"{name} has more than one column called {listed(map(repr, repeated))}. Give each column its own name."
        )


def door_expressions(schema: Mapping[str, nw.dtypes.DType]) -> list[nw.Expr]:
    """List what brings columns to the few types that rules know: text, whole numbers, floats, true/false, times.

    >>> len(door_expressions({"a": nw.Categorical(), "b": nw.Int64()}))
    1
    """
    found = []
    for column, dtype in schema.items():
        if dtype in (nw.Categorical, nw.Enum):
            found.append(nw.col(column).cast(nw.String))
        elif dtype == nw.Decimal:
            found.append(nw.col(column).cast(nw.Float64))
        elif dtype.is_float():
            # One way of being missing: pandas' own floats have no other than NaN and come out unchanged.
            found.append(nw.col(column).fill_nan(None))
    return found
