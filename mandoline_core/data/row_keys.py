"""Row keys: a short name for each row by what it holds, the same in every engine and wherever the row stands."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.data.classes import arrow_array
from mandoline_core.data.fingerprint import canonical

_KEY = re.compile(r"([0-9a-f]{12})(?:-([1-9][0-9]*))?")
_MISSING = np.uint64(0x9AE16A3B2F90404F)  # what a missing value counts as


@dataclass(frozen=True, eq=False)
class RowKeys:
    """Hold the keys of all rows of a sample.

    Rows that hold the same are told apart by their order: the second is called "...-2".

    Parameters
    ----------
    hashes : array of uint64, shape (n_rows,)
    order : array of int, shape (n_rows,)
        Rows by hash; rows of one hash stay in order.
    """

    hashes: np.ndarray
    order: Index

    def name(self, row: int) -> str:
        """Return the key of a row."""
        same = self.order[slice(*self._span(self.hashes[row : row + 1]).ravel())]
        number = int(np.searchsorted(same, row)) + 1
        return f"{int(self.hashes[row]):012x}" + (f"-{number}" if number > 1 else "")

    def find(self, keys: Iterable[str]) -> Index:
        """Return the row of each key; -1 where there is no such row."""
        taken = [found.groups() if (found := _KEY.fullmatch(key)) else ("0", "0") for key in keys]
        if not taken:
            return np.zeros(0, dtype=np.intp)
        hashes = np.array([int(text, 16) for text, _ in taken], dtype=np.uint64)
        numbers = np.array([int(number or 1) for _, number in taken], dtype=np.intp)
        first, end = self._span(hashes).T
        place = first + numbers - 1
        there = (numbers > 0) & (place < end)
        return np.where(there, self.order[np.where(there, place, 0)], -1)

    def _span(self, hashes: np.ndarray) -> Index:
        """Find where the rows of some hashes stand in the order: first and end, shape (n, 2)."""
        sides = [np.searchsorted(self.hashes, hashes, side, sorter=self.order) for side in ("left", "right")]
        return np.column_stack(sides)


def row_keys(frame: nw.DataFrame[Any], columns: Sequence[str]) -> RowKeys:
    """Name every row by what some of its columns hold.

    Other columns may come, go and change; whole numbers equal the same numbers with a decimal point.

    Examples
    --------
    >>> import pandas as pd
    >>> import pyarrow as pa
    >>> frame = nw.from_native(pd.DataFrame({"a": [1, 2, 1], "b": ["x", None, "x"]}))
    >>> keys = row_keys(frame, ["a", "b"])
    >>> keys.name(0) == keys.name(1), keys.name(2) == keys.name(0) + "-2"
    (False, True)
    >>> turned = row_keys(nw.from_native(pa.table({"b": ["y", None], "a": [2.0, 2.0]})), ["a", "b"])
    >>> turned.find([keys.name(0), keys.name(1)]).tolist()
    [-1, 1]
    """
    hashes = np.zeros(len(frame), dtype=np.uint64)
    for name in columns:
        salt = np.uint64(_digest(name.encode("utf-8", "surrogatepass")))
        hashes = _mix(hashes * np.uint64(3) + _mix(_column(frame[name]) ^ salt))
    hashes = hashes >> np.uint64(16)  # 48 bits are short enough to be read and too many to be met twice
    return RowKeys(hashes, np.argsort(hashes, kind="stable"))


def _column(column: nw.Series[Any]) -> np.ndarray:
    """Hash every value of a column on its own, shape (n_rows,)."""
    kind, array, buffers = canonical(arrow_array(column))
    if kind == "missing":
        return np.full(len(column), _MISSING)
    if kind in ("text", "other"):
        coded = array.dictionary_encode()  # a text that many rows share is hashed once
        digests = [_digest(text.encode("utf-8", "surrogatepass")) for text in coded.dictionary.to_pylist()]
        known = np.array([*digests, int(_MISSING)], dtype=np.uint64)
        return known[coded.indices.fill_null(len(digests)).to_numpy(zero_copy_only=False)]
    if kind == "boolean":
        values = np.unpackbits(np.frombuffer(buffers[0], dtype=np.uint8), count=len(column)).astype(np.uint64)
    else:
        values = np.frombuffer(buffers[0], dtype=np.uint64)
    return np.where(np.asarray(column.is_null().to_numpy(), dtype=bool), _MISSING, _mix(values))


def _digest(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def _mix(values: np.ndarray) -> np.ndarray:
    """Spread the bits of 64-bit numbers, each of which keeps a value of its own (the end of SplitMix64)."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
