"""How much memory an answer takes, so that there is room for so many bytes and not for so many answers."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from mandoline_core import Project, Sample
from mandoline_core.data import Table

A_FEW = 50_000_000  # bytes of what one kind of work in the background has found
_LEAST = 500  # bytes of anything
_MOST_PARTS = 20_000  # that are looked at: an answer of more is not worth weighing to the last byte
_PLAIN = (str, bytes, int, float, bool, type(None), type)


def n_bytes(answer: object) -> int:
    """Add up the arrays behind an answer, each once. Samples are left out: they are kept elsewhere, for all.

    >>> n_bytes((np.zeros(1000), {"a": np.zeros(1000)})) > 16_000
    True
    """
    total, seen, left, looked = 0, set[int](), [answer], 0
    while left and looked < _MOST_PARTS:
        one, looked = left.pop(), looked + 1
        if isinstance(one, str | bytes):
            total += len(one)
        if isinstance(one, _PLAIN) or id(one) in seen:
            continue
        seen.add(id(one))
        total += _LEAST
        if isinstance(one, np.ndarray):
            # A view keeps all of what it looks at.
            base = one if one.base is None or not isinstance(one.base, np.ndarray) else one.base
            if base is one or id(base) not in seen:
                seen.add(id(base))
                total += base.nbytes
        elif isinstance(one, pd.DataFrame | pd.Series):
            total += int(np.sum(one.memory_usage()))
        elif isinstance(one, pa.Table | pa.ChunkedArray | pa.Array):
            total += one.nbytes
        elif not isinstance(one, Sample | Project | Table):
            left.extend(_parts(one))
    return total


def sample_bytes(sample: Sample) -> int:
    """Say how much memory the rows of a sample take."""
    return _LEAST + int(sample.frame.estimated_size())


def _parts(one: Any) -> list[Any]:
    if isinstance(one, dict):
        return [*one.keys(), *one.values()]
    if isinstance(one, list | tuple | set | frozenset):
        return list(one)
    found = list(getattr(one, "__dict__", {}).values())  # what was computed once and kept, too
    if is_dataclass(one) and not found:
        found = [getattr(one, field.name) for field in fields(one)]
    return found
