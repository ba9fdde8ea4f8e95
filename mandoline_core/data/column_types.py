"""Column types that a person declares: text read as numbers or dates, alike on every engine; and guesses of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mandoline_core.data.cache import Cache, TemporaryFolder
from mandoline_core.data.classes import arrow_array
from mandoline_core.data.dates import is_date
from mandoline_core.data.engines import Table
from mandoline_core.data.files import Files, write_batches
from mandoline_core.data.frames import pandas_dates
from mandoline_core.data.spelling import (
    ColumnType,
    Spelling,
    find_spelling,
    known_texts,
    read_texts,
    share_matched,
)
from mandoline_core.errors import DataError, did_you_mean
from mandoline_core.formatting import listed

if TYPE_CHECKING:
    from mandoline_core.data.sample import Sample

TYPES: tuple[ColumnType, ...] = ("number", "date")
PLURALS = {"number": "numbers", "date": "dates"}
_GUESSED = 0.9  # of the texts of a column read as something: it is that, and the others are codes
_FEW = 10  # distinct texts: classes, whatever they look like
_MOST_EXAMPLES = 3
_BATCH = 1 << 16


@dataclass(frozen=True)
class Reading:
    """Say what became of a column of text that is read as something else.

    Parameters
    ----------
    n_known, n_unread : int
        The texts, without those that say that a value is missing; and those that could not be read, missing now.
    examples : tuple of str
        Some that could not be read, the most frequent first.
    samples : tuple of pairs of str
        Some that could: as written, and as read.
    """

    spelling: Spelling
    n_known: int
    n_unread: int
    examples: tuple[str, ...] = ()
    samples: tuple[tuple[str, str], ...] = ()

    @property
    def type(self) -> ColumnType:
        """What the column holds now."""
        return self.spelling.type

    @property
    def share(self) -> float:
        """The share of texts that could be read."""
        return 1 - self.n_unread / self.n_known if self.n_known else 0.0


def check_types(types: Any, where: str = "types") -> dict[str, ColumnType]:
    """Refuse what does not map columns to types.

    >>> check_types({"day": "dates"})
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: types must map each column to "number" or "date". Got 'dates' for 'day'. Did you
    mean 'date'?
    """
    expected = f"{where} must map each column to {' or '.join(f'{chr(34)}{name}{chr(34)}' for name in TYPES)}."
    if not isinstance(types, Mapping):
        raise DataError(f"{expected} Got {types!r}.")
    for column, name in types.items():
        if name not in TYPES:
            hint = did_you_mean(name, TYPES) if isinstance(name, str) else ""
            raise DataError(f"{expected} Got {name!r} for {column!r}.{hint}")
    return dict(types)


def read_frame(
    frame: nw.DataFrame[Any], types: Mapping[str, ColumnType], name: str
) -> tuple[nw.DataFrame[Any], dict[str, Reading]]:
    """Read columns of text in memory as what they are declared to hold; what cannot be read becomes missing.

    Examples
    --------
    >>> rows = nw.from_native(pa.table({"Betrag": ["1.234,50", "12,5", "k.A."]}))
    >>> rows, found = read_frame(rows, {"Betrag": "number"}, "sample")
    >>> rows["Betrag"].to_list(), found["Betrag"].n_unread, found["Betrag"].examples
    ([1234.5, 12.5, None], 1, ('k.A.',))
    """
    readings = {}
    for column in _columns_of_text(frame.schema, types, name):
        texts = arrow_array(frame[column])
        spelling = find_spelling([texts], types[column], column, name)
        values = read_texts(texts, spelling)
        readings[column] = _reading([(texts, values)], spelling)
        frame = _with_column(frame, column, values)
    return frame, readings


def read_table_as(table: Table, types: Mapping[str, ColumnType], name: str) -> tuple[Table, dict[str, Reading]]:
    """Read columns of text of a table as what they are declared to hold: its files are written again, typed."""
    chosen = {column: types[column] for column in _columns_of_text(table.schema, types, name)}
    if not chosen:
        return table, {}
    if table.files is None:
        raise DataError(
            f"Column {next(iter(chosen))!r} of {name} is text in a table without files, so no type can be declared for "
            "it. Cast it to numbers or dates there."
        )
    files = table.files

    def convert() -> tuple[Files, dict[str, Reading]]:
        return _write(files, chosen, name)

    typed, readings = _WRITTEN((files.identity, tuple(sorted(chosen.items()))), convert)
    return table.reopened(typed), readings


# Bytes on disk. A table holds on to the files that it reads.
_WRITTEN: Cache[tuple[Files, dict[str, Reading]]] = Cache(10_000_000_000, size=lambda found: found[0].n_bytes)


def guess_types(frame: nw.DataFrame[Any]) -> dict[str, Reading]:
    """Find columns of text whose values nearly all read as numbers, or as dates.

    Columns of few distinct texts are classes. Columns whose values could be read in two ways are left out.

    Examples
    --------
    >>> rows = nw.from_native(pa.table({"Alter": [*map(str, range(30)), "k.A."], "Ort": ["Ulm"] * 31}))
    >>> {column: (found.type, round(found.share, 2)) for column, found in guess_types(rows).items()}
    {'Alter': ('number', 0.97)}
    """
    found = {}
    for column, dtype in frame.schema.items():
        if dtype != nw.String:
            continue
        texts = arrow_array(frame[column])
        some = known_texts(texts[:_BATCH])
        for kind in TYPES:
            # The first rows spare the whole of a long column of texts.
            if not len(some) or share_matched(some[:100], kind) < _GUESSED / 2 or share_matched(some, kind) < _GUESSED:
                continue
            if pc.count_distinct(some).as_py() <= _FEW:
                continue
            try:
                spelling = find_spelling([texts], kind, column, "")
            except DataError:  # day or month first
                continue
            reading = _reading([(texts, read_texts(texts, spelling))], spelling)
            if reading.share >= _GUESSED:
                found[column] = reading
                break
    return found


def guess_types_of(source: Sample, target: Sample) -> tuple[dict[str, ColumnType], dict[str, ColumnType]]:
    """Guess the types of two samples' columns: where either shows one, the other's column of text holds the same."""
    guesses = [guess_types(sample.frame) for sample in (source, target)]
    types: dict[str, ColumnType] = {column: found.type for both in guesses for column, found in both.items()}
    here, there = (
        {column: kind for column, kind in types.items() if sample.schema.get(column) == nw.String}
        for sample in (source, target)
    )
    return here, there


def _columns_of_text(
    schema: Mapping[str, nw.dtypes.DType], types: Mapping[str, ColumnType], name: str
) -> Iterable[str]:
    """List the declared columns that are text; those that hold what they should stay as they are."""
    for column, kind in types.items():
        if column not in schema:
            raise DataError.missing_column(column, name, list(schema))
        dtype = schema[column]
        if dtype == nw.String:
            yield column
        elif not (dtype.is_numeric() if kind == "number" else is_date(dtype)) and dtype != nw.Unknown:
            raise DataError(
                f"Column {column!r} of {name} is declared as {kind}, but only text can be read as {PLURALS[kind]}, "
                f"and it holds {str(dtype).lower()}. Remove it from types."
            )


def _reading(pairs: Iterable[tuple[pa.Array, pa.Array]], spelling: Spelling) -> Reading:
    """Count what could be read, and take examples."""
    n_known = n_unread = 0
    unread: Counter[str] = Counter()
    samples: dict[str, str] = {}
    for texts, values in pairs:
        n_known += len(known_texts(texts))
        lost = known_texts(texts.filter(values.is_null()))
        n_unread += len(lost)
        for entry in lost.value_counts().to_pylist():
            unread[entry["values"]] += entry["counts"]
        if len(samples) < _MOST_EXAMPLES:
            read = texts.filter(values.is_valid())[:50].to_pylist()
            shown = values.filter(values.is_valid())[:50].to_pylist()
            rare = sorted(zip(read, shown, strict=True), key=lambda pair: -len(pair[0]))
            samples |= {text: f"{value:g}" if spelling.type == "number" else str(value) for text, value in rare}
        unread = Counter(dict(unread.most_common(1000)))
    examples = tuple(text for text, _ in unread.most_common(_MOST_EXAMPLES))
    return Reading(spelling, n_known, n_unread, examples, tuple(list(samples.items())[:_MOST_EXAMPLES]))


def _with_column(frame: nw.DataFrame[Any], column: str, values: pa.Array) -> nw.DataFrame[Any]:
    native = nw.to_native(frame)
    if frame.implementation.is_pandas():
        made = values.to_numpy(zero_copy_only=False) if pa.types.is_floating(values.type) else None
        dated = pandas_dates(values, native[column]) if made is None else made
        return cast("nw.DataFrame[Any]", nw.from_native(native.assign(**{column: dated}), eager_only=True))
    one = nw.from_arrow(pa.table({column: values}), backend=frame.implementation)
    return frame.with_columns(one[column])


def _write(files: Files, types: Mapping[str, ColumnType], name: str) -> tuple[Files, dict[str, Reading]]:
    """Write Parquet files again, as one, with typed columns; what is read of each column is counted meanwhile."""
    spellings = {
        column: find_spelling((_one(batch[column]) for batch in _batches(files, [column])), kind, column, name)
        for column, kind in types.items()
    }
    pairs: dict[str, list[Reading]] = {column: [] for column in types}

    def typed() -> Iterable[pa.Table]:
        for batch in _batches(files):
            for column, spelling in spellings.items():
                texts = _one(batch[column])
                values = read_texts(texts, spelling)
                pairs[column].append(_reading([(texts, values)], spelling))
                batch = batch.set_column(batch.column_names.index(column), column, values)  # noqa: PLW2901
            yield batch

    folder = TemporaryFolder()
    path = folder.path / "rows.parquet"
    write_batches(path, typed())
    original = replace(files.original or files, read_as=repr(sorted(spellings.items())))
    readings = {column: _added(found, spellings[column]) for column, found in pairs.items()}
    return Files.of(files.name, (path,), folder, original), readings


def _batches(files: Files, columns: list[str] | None = None) -> Iterable[pa.Table]:
    for path in files.paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH, columns=columns):
                yield pa.Table.from_batches([batch])


def _one(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _added(parts: list[Reading], spelling: Spelling) -> Reading:
    examples = tuple(dict.fromkeys(text for part in parts for text in part.examples))[:_MOST_EXAMPLES]
    samples = tuple(dict.fromkeys(pair for part in parts for pair in part.samples))[:_MOST_EXAMPLES]
    return Reading(spelling, sum(p.n_known for p in parts), sum(p.n_unread for p in parts), examples, samples)


def declare_type(column: str, kind: ColumnType) -> str:
    """Say how a column of text becomes one of numbers or dates.

    >>> declare_type("Alter", "number")
    'If it holds numbers, choose its type on the Data page, or set types = { Alter = "number" } in the project file.'
    """
    key = column if re.fullmatch(r"[A-Za-z0-9_-]+", column) else json.dumps(column, ensure_ascii=False)
    where = f'set types = {{ {key} = "{kind}" }} in the project file'
    return f"If it holds {PLURALS[kind]}, choose its type on the Data page, or {where}."


def quoted_examples(reading: Reading) -> str:
    """List texts that could not be read, for a sentence; empty without any.

    >>> quoted_examples(Reading(Spelling("number"), 9, 2, ("k.A.", "?")))
    "such as 'k.A.', '?'"
    """
    return f"such as {listed(map(repr, reading.examples))}" if reading.examples else ""
