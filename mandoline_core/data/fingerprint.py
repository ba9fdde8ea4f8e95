"""Fingerprints of frames and rows: the same values have the same hash in every engine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.arrays import Index
from mandoline_core.data.classes import arrow_array

_LONG = 1_000  # rows from which on threads are worth what they cost
_KEY = re.compile(r"([0-9a-f]{12})(?:-([1-9][0-9]*))?")
_MISSING = np.uint64(0x9AE16A3B2F90404F)  # what a missing value counts as
_LARGEST_EXACT = 2**53  # the last whole number up to which float64 holds every one


def fingerprint(frame: nw.DataFrame[Any]) -> str:
    """Hash every cell, column name and the order of rows and columns of a frame.

    The same values give the same fingerprint in pandas, Polars and PyArrow, however chunked. Whole numbers
    equal the same numbers with a decimal point (pandas turns one into the other when a value is missing), and
    NaN equals a missing value.

    Examples
    --------
    >>> import pandas as pd
    >>> first = fingerprint(nw.from_native(pd.DataFrame({"a": [1, 2]})))
    >>> first == fingerprint(nw.from_native(pa.table({"a": [1.0, 2.0]})))
    True
    >>> first == fingerprint(nw.from_native(pd.DataFrame({"a": [2, 1]})))
    False
    """
    if len(frame) < _LONG:
        digests = [_column_digest(column.name, column) for column in frame.iter_columns()]
    else:  # hashlib lets go of the interpreter lock on large buffers, so columns hash side by side
        with ThreadPoolExecutor() as pool:
            digests = list(pool.map(lambda name: _column_digest(name, frame[name]), frame.columns))
    return hashlib.blake2b(b"".join([len(frame).to_bytes(8, "little"), *digests]), digest_size=16).hexdigest()


def _column_digest(name: str, column: nw.Series[Any]) -> bytes:
    kind, array, buffers = _canonical(arrow_array(column))
    digest = hashlib.blake2b(digest_size=16)
    for text in (name, kind):
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    digest.update(bytes([array.null_count > 0]))
    if array.null_count:
        digest.update(np.packbits(array.is_valid().to_numpy(zero_copy_only=False)).data)
    for buffer in buffers:
        digest.update(buffer)
    return digest.digest()


def _canonical(array: pa.Array) -> tuple[str, pa.Array, list[memoryview]]:
    """Bring a column to one form per kind: its kind, the array (for its missing values), bytes to hash."""
    dtype = array.type
    if pa.types.is_dictionary(dtype):
        array, dtype = array.dictionary_decode(), dtype.value_type
    if array.null_count == len(array):
        return "missing", pa.nulls(len(array)), []
    if pa.types.is_boolean(dtype):
        values = array.fill_null(fill_value=False).to_numpy(zero_copy_only=False)
        return "boolean", array, [np.packbits(values).data]
    if pa.types.is_integer(dtype):
        return _whole_numbers(array)
    if pa.types.is_floating(dtype) or pa.types.is_decimal(dtype):
        return _numbers(array.cast(pa.float64()))
    if pa.types.is_timestamp(dtype) or pa.types.is_date(dtype):
        return _instants(array)
    return _texts(array)


def _whole_numbers(array: pa.Array) -> tuple[str, pa.Array, list[memoryview]]:
    span = pc.min_max(array).as_py()
    if span["min"] >= -_LARGEST_EXACT and span["max"] <= _LARGEST_EXACT:
        return _numbers(array.cast(pa.float64()))
    values = array.fill_null(0).to_numpy(zero_copy_only=False)
    return "whole", array, [values.astype(np.uint64 if span["max"] >= 2**63 else np.int64).data]


def _numbers(array: pa.Array) -> tuple[str, pa.Array, list[memoryview]]:
    values = array.to_numpy(zero_copy_only=False)
    missing = np.isnan(values)
    if missing.all():
        return "missing", pa.nulls(len(array)), []
    # Adding 0 makes one zero of 0.0 and -0.0; a missing value has one form whatever its bits were.
    values = values + 0.0
    if missing.any():
        values[missing] = np.nan
    return "number", pa.nulls(0), [values.data]


def _instants(array: pa.Array) -> tuple[str, pa.Array, list[memoryview]]:
    zone = getattr(array.type, "tz", None)
    if not pa.types.is_timestamp(array.type) or array.type.unit != "ns":
        array = array.cast(pa.timestamp("us", tz=zone), safe=False)
    values = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    unit = getattr(array.type, "unit", "us")
    if unit == "ns" and not (values % 1000).any():
        values, unit = values // 1000, "us"
    return f"instant {unit} {zone or ''}", array, [np.ascontiguousarray(values).data]


def _texts(array: pa.Array) -> tuple[str, pa.Array, list[memoryview]]:
    kind = "text"
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        kind = "other"
        try:
            array = array.cast(pa.large_string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            array = pa.array([None if value is None else repr(value) for value in array.to_pylist()], pa.large_string())
    # A missing text may hide bytes; filling it removes them.
    filled = array.fill_null("") if array.null_count else array
    wide = pa.types.is_large_string(filled.type)
    _, offsets, data = filled.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64 if wide else np.int32)[
        filled.offset : filled.offset + len(filled) + 1
    ]
    lengths = np.diff(bounds).astype(np.uint32 if len(bounds) < 2 or np.diff(bounds).max() < 2**32 else np.int64)
    body = memoryview(data)[int(bounds[0]) : int(bounds[-1])] if data is not None else memoryview(b"")
    return kind, array, [lengths.data, body]


class RowKeys:
    """Name every row of a frame by what some of its columns hold.

    Other columns may come, go and change; whole numbers equal the same numbers with a decimal point. Rows that hold
    the same are numbered in order: the second is "...-2".

    Examples
    --------
    >>> import pandas as pd
    >>> frame = nw.from_native(pd.DataFrame({"a": [1, 2, 1], "b": ["x", None, "x"]}))
    >>> keys = RowKeys(frame, ["a", "b"])
    >>> keys.name(0) == keys.name(1), keys.name(2) == keys.name(0) + "-2"
    (False, True)
    >>> turned = RowKeys(nw.from_native(pa.table({"b": ["y", None], "a": [2.0, 2.0]})), ["a", "b"])
    >>> turned.find([keys.name(0), keys.name(1)]).tolist()
    [-1, 1]
    """

    def __init__(self, frame: nw.DataFrame[Any], columns: Sequence[str]) -> None:
        hashes = np.zeros(len(frame), dtype=np.uint64)
        for name in columns:
            salt = np.uint64(_digest(name.encode("utf-8", "surrogatepass")))
            hashes = mix(hashes * np.uint64(3) + mix(_hash_column(frame[name]) ^ salt))
        self._hashes = hashes >> np.uint64(16)  # 48 bits are short enough to be read and too many to be met twice
        self._order = np.argsort(self._hashes, kind="stable")  # rows of one hash stay in order

    def name(self, row: int) -> str:
        """Return the key of a row."""
        same = self._order[slice(*self._span(self._hashes[row : row + 1]).ravel())]
        number = int(np.searchsorted(same, row)) + 1
        return f"{int(self._hashes[row]):012x}" + (f"-{number}" if number > 1 else "")

    def find(self, keys: Iterable[str]) -> Index:
        """Return the row of each key; -1 where there is no such row."""
        parts = [match.groups() if (match := _KEY.fullmatch(key)) else ("0", "0") for key in keys]
        if not parts:
            return np.zeros(0, dtype=np.intp)
        hashes = np.array([int(text, 16) for text, _ in parts], dtype=np.uint64)
        numbers = np.array([int(number or 1) for _, number in parts], dtype=np.intp)
        first, end = self._span(hashes).T
        place = first + numbers - 1
        exists = (numbers > 0) & (place < end)
        return np.where(exists, self._order[np.where(exists, place, 0)], -1)

    def _span(self, hashes: np.ndarray) -> Index:
        """Find where the rows of some hashes stand in the order: first and end, shape (n, 2)."""
        sides = [np.searchsorted(self._hashes, hashes, side, sorter=self._order) for side in ("left", "right")]
        return np.column_stack(sides)


def _hash_column(column: nw.Series[Any]) -> np.ndarray:
    """Hash every value of a column on its own, shape (n_rows,)."""
    kind, array, buffers = _canonical(arrow_array(column))
    if kind == "missing":
        return np.full(len(column), _MISSING)
    if kind in ("text", "other"):
        coded = array.dictionary_encode()  # a text that many rows share is hashed once
        digests = [_digest(text.encode("utf-8", "surrogatepass")) for text in coded.dictionary.to_pylist()]
        hashes = np.array([*digests, int(_MISSING)], dtype=np.uint64)
        return hashes[coded.indices.fill_null(len(digests)).to_numpy(zero_copy_only=False)]
    if kind == "boolean":
        values = np.unpackbits(np.frombuffer(buffers[0], dtype=np.uint8), count=len(column)).astype(np.uint64)
    else:
        values = np.frombuffer(buffers[0], dtype=np.uint64)
    return np.where(np.asarray(column.is_null().to_numpy(), dtype=bool), _MISSING, mix(values))


def _digest(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def mix(values: np.ndarray) -> np.ndarray:
    """Spread the bits of 64-bit numbers, each of which keeps a value of its own (the end of SplitMix64)."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
