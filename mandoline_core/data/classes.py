"""Classes: one name and one code for each class, in any spelling of its column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.data.dates import read_date
from mandoline_core.formatting import show_date

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_TOGETHER = 100_000  # rows
_MOST_DIGITS = 4_000  # that Python makes a number of


def class_name(value: object) -> str:
    """Return the name under which a class is matched when columns are of different types.

    1, 1.0, "1", "1.0", True and "true" are one class; 0, False and "false" another.

    Examples
    --------
    >>> class_name(1.0), class_name("1.0"), class_name(True), class_name("true")
    ('1', '1', '1', '1')
    >>> class_name("positive"), class_name(0.5)
    ('positive', '0.5')
    """
    if isinstance(value, date):
        return show_date(value, midnight=False)
    text = str(float(value) if isinstance(value, np.floating) else value)
    if text.casefold() in ("true", "false"):
        return "1" if text.casefold() == "true" else "0"
    if _WHOLE.fullmatch(text):
        return str(int(text)) if len(text) < _MOST_DIGITS else text
    if not _NUMBER.fullmatch(text) or not np.isfinite(number := float(text)):
        return text
    return str(int(number)) if number.is_integer() else repr(number)


def class_codes(*columns: nw.Series[Any]) -> tuple[list[np.ndarray], tuple[str, ...]]:
    """Give the values of several columns of classes common integer codes.

    Columns of one kind (all text, all numbers, all true/false) are compared as they are. When kinds differ,
    values are compared by `class_name`.

    Parameters
    ----------
    *columns : narwhals.Series
        Columns of class values, such as the label and the prediction.

    Returns
    -------
    codes : list of ndarray of int32, one per column
        -1 where the value is missing.
    names : tuple of str
        The class of each code, in order: by value if all are numbers, otherwise alphabetical.

    Examples
    --------
    >>> label = nw.new_series("label", [1, 0, 1], backend="pandas")
    >>> prediction = nw.new_series("prediction", ["1", None, "0"], backend="pandas")
    >>> codes, names = class_codes(label, prediction)
    >>> [c.tolist() for c in codes], names
    ([[1, 0, 1], [1, -1, 0]], ('0', '1'))
    """
    encoded = [_encode(column) for column in columns]
    kinds = {kind for _, _, kind in encoded if kind is not None}
    name = _exact_name if len(kinds) <= 1 else class_name
    renamed = [[name(value) for value in values] for _, values, _ in encoded]
    names = sorted_classes({label for labels in renamed for label in labels})
    position = {label: code for code, label in enumerate(names)}
    codes = []
    for (indices, _, _), labels in zip(encoded, renamed, strict=True):
        # The last entry is what index -1 (missing) reads.
        table = np.array([position[label] for label in labels] + [-1], dtype=np.int32)
        codes.append(table[indices])
    return codes, names


def find_classes(value: object, names: Sequence[str]) -> tuple[int, ...]:
    """Return the codes of the classes that a value in a project file means.

    The name as written wins; only without one are numbers and true/false compared by `class_name`.

    Examples
    --------
    >>> find_classes(1.0, ("0", "1")), find_classes("true", ("0", "1")), find_classes("no", ("0", "1"))
    ((1,), (1,), ())
    """
    exact = tuple(code for code, name in enumerate(names) if name == value)
    return exact or tuple(code for code, name in enumerate(names) if class_name(name) == class_name(value))


def class_finder(names: Sequence[str]) -> Callable[[str], int | None]:
    """Return how a class is found among others: by its name, else by `class_name`, if only one of them has it.

    Examples
    --------
    >>> find = class_finder(("007", "7", "1"))
    >>> find("7"), find("007"), find("1.0"), find("7.0")
    (1, 0, 2, None)
    """
    exact = {name: code for code, name in enumerate(names)}
    alike: dict[str, list[int]] = {}
    for code, name in enumerate(names):
        alike.setdefault(class_name(name), []).append(code)

    def find(name: str) -> int | None:
        if name in exact:
            return exact[name]
        found = alike.get(class_name(name), [])
        return found[0] if len(found) == 1 else None

    return find


def sorted_classes(names: Iterable[str]) -> tuple[str, ...]:
    """Sort class names: by value if all are numbers, otherwise alphabetically.

    Examples
    --------
    >>> sorted_classes(["10", "9"]), sorted_classes(["b", "10", "a"])
    (('9', '10'), ('10', 'a', 'b'))
    """
    names = sorted(names)
    if all(_NUMBER.fullmatch(name) for name in names):
        names.sort(key=float)
    return tuple(names)


def matching_values(values: Iterable[object], dtype: nw.dtypes.DType) -> list[object]:
    """List the values of a column's own type that match some classes.

    Examples
    --------
    >>> matching_values([1], nw.String()), matching_values(["1"], nw.Float64()), matching_values([1], nw.Boolean())
    (['1', '1.0', 'true', 'True', 'TRUE'], [1.0], [True])
    """
    matches: dict[object, None] = {}
    for value in values:
        name = class_name(value)
        if dtype in (nw.Date, nw.Datetime):
            matches |= {} if (found := read_date(name)) is None else {found: None}
        elif dtype == nw.String:
            matches |= dict.fromkeys([value] if isinstance(value, str) else _spellings(name))
        elif dtype == nw.Boolean:
            matches |= {name == "1": None} if name in ("0", "1") else {}
        elif _NUMBER.fullmatch(name):
            number = float(name)
            if not dtype.is_integer():
                matches[number] = None
            elif number.is_integer():
                matches[int(name) if _WHOLE.fullmatch(name) else int(number)] = None
    return list(matches)


def _spellings(name: str) -> list[str]:
    spellings = [name]
    if _WHOLE.fullmatch(name):
        spellings.append(name + ".0")
    words = {"1": "true", "0": "false"}.get(name)
    return spellings + ([words, words.capitalize(), words.upper()] if words else [])


def _exact_name(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return class_name(value)


def arrow_array(column: nw.Series[Any]) -> pa.Array:
    """Return a column of any engine as one PyArrow array."""
    array = column.to_arrow()
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _encode(column: nw.Series[Any]) -> tuple[np.ndarray, list[object], str | None]:
    """Return the index of each row's value (-1 if missing), the distinct values and their kind."""
    # Text of another engine is copied on its way here: part by part, for classes repeat.
    step = _TOGETHER if column.dtype == nw.String else max(len(column), 1)
    parts = [_as_dictionary(column[start : start + step]) for start in range(0, max(len(column), 1), step)]
    if len(parts) > 1:
        parts = pa.chunked_array(parts).unify_dictionaries().chunks
    indices = [part.indices.fill_null(-1).to_numpy(zero_copy_only=False) for part in parts]
    words = parts[0].dictionary
    values = words.to_pylist()
    return np.concatenate(indices), values, _kind(words.type) if len(values) else None


def _as_dictionary(column: nw.Series[Any]) -> pa.DictionaryArray:
    array = arrow_array(column)
    if pa.types.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), None, array)
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _kind(dtype: pa.DataType) -> str:
    if pa.types.is_boolean(dtype):
        return "boolean"
    if pa.types.is_integer(dtype) or pa.types.is_floating(dtype) or pa.types.is_decimal(dtype):
        return "number"
    return "text" if pa.types.is_string(dtype) or pa.types.is_large_string(dtype) else str(dtype)


def kind_of(dtype: nw.dtypes.DType) -> str:
    """Say what a column of a type holds.

    Examples
    --------
    >>> kind_of(nw.Int64()), kind_of(nw.String()), kind_of(nw.Boolean())
    ('numbers', 'text', 'true/false')
    """
    if dtype.is_numeric():
        return "numbers"
    if dtype.is_temporal():
        return "dates" if dtype == nw.Date else "times"
    names = {nw.String: "text", nw.Boolean: "true/false", nw.Unknown: "no values"}
    return next((name for kind, name in names.items() if dtype == kind), f"values of type {dtype}")
