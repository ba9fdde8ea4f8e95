"""Reading tables: CSV and Parquet, with one clear sentence for whatever is wrong with the file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mandoline_core.data.doors import check_names, frame_of
from mandoline_core.data.tables.files import PARQUET, read_schema, unreadable
from mandoline_core.data.text_files import find_encoding, open_text
from mandoline_core.errors import DataError, did_you_mean

MAX_COLUMNS = 20_000
_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_DELIMITERS = ",;\t|"
_SAMPLE_BYTES = 1 << 16
_LONGEST_LINE = 1 << 22
_LONGEST_NAME = 1 << 17
# Once, for the whole process: a limit that one reader sets and puts back is taken from another in the middle of a file.
csv.field_size_limit(max(csv.field_size_limit(), 1 << 30))
_NAMELESS_INDEX = re.compile(r"__index_level_\d+__")
_OFFSET = re.compile(r"[+-]\d{2}:?\d{2}")
_LAST_SECOND = 62_135_596_800  # as many since 1970 backwards are the year 1; forwards a little less is 9999
# Missing only among numbers or true/false: among texts, "NA" may be Namibia and "None" a class.
_MISSING = ("NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>", "#N/A", "#NA")
_MISSING_WORDS = pa.array(_MISSING)
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def read_table(path: str | Path) -> pd.DataFrame:
    r"""Read a CSV (also TSV, also gzipped) or a Parquet file.

    The delimiter (comma, semicolon, tab or bar) and the encoding of a CSV are found out. An empty cell is a
    missing value. Words such as NA, NaN, N/A, null and None are missing in a column that otherwise holds numbers
    or true/false; in a column of text they stay as written, so that Namibia's country code and a class
    called "None" survive.

    Parameters
    ----------
    path : str or Path
        Ends in .csv, .tsv, .tab, .txt (each also with .gz), .parquet or .pq.

    Returns
    -------
    pandas.DataFrame
        Text in pandas' Arrow-backed string type.

    Raises
    ------
    DataError
        If the file is missing, empty, ragged or of another kind, in one sentence.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("country;n\nNA;1\nFR;NA\n")
    >>> read_table(folder / "a.csv")["country"].tolist()
    ['NA', 'FR']
    """
    path = Path(path)
    check_path(path)
    table = _read_parquet(path) if path.suffix.lower() in PARQUET else _read_delimited(path)
    if table.empty:
        raise DataError(f"{path.name} has a header but no rows. Put at least one row of data in it.")
    return table


def check_path(path: Path) -> None:
    """Refuse what is no file that can be read here."""
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file. Name the CSV or Parquet file in it.")
    if not path.is_file():
        near = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
        where = f"{path.parent}" if path.parent.is_dir() else f"{path.parent}, a folder that does not exist"
        raise DataError(f"File {path.name!r} is not in {where}.{did_you_mean(path.name, near)}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    if kind not in _DELIMITED + PARQUET or (kind in PARQUET and suffixes[-1] == ".gz"):
        wanted = "CSV (.csv, .tsv, .txt, also .gz) or Parquet (.parquet, .pq)"
        raise DataError(
            f"{path.name} is not a table that can be read here. Expected {wanted}. Save it as one of these."
        )
    if path.stat().st_size == 0:
        raise _empty(path)


def _empty(path: Path) -> DataError:
    return DataError(f"{path.name} is empty. Expected a header line and at least one row.")


def _read_parquet(path: Path) -> pd.DataFrame:
    check_names(sorted(read_schema(path).names), path.name)
    try:
        table = pq.read_table(path)
        table.validate(full=True)  # a damaged file may hold what is no text
        check_times(table, path.name)
        # What pandas noted about its own types and index is not asked: an index is an ordinary column to everyone else.
        frame = frame_of(table.replace_schema_metadata(None))
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, TypeError) as error:
        raise unreadable(path.name, error) from None
    return frame.drop(columns=[name for name in frame.columns if _NAMELESS_INDEX.fullmatch(name)])


def check_times(table: pa.Table, name: str) -> None:
    """Refuse times in a zone that nobody knows, or in years that no calendar here has."""
    for field in table.schema:
        if not pa.types.is_timestamp(field.type):
            continue
        if field.type.tz is not None and not _is_zone(field.type.tz):
            raise DataError(
                f"Column {field.name!r} of {name} is in time zone {field.type.tz!r}, which is none. Write it in UTC."
            )
        span = pc.min_max(table[field.name].cast(pa.int64())).as_py()
        second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[field.type.unit]
        if span["min"] is not None and max(abs(span["min"]), abs(span["max"])) > _LAST_SECOND * second:
            raise DataError(f"Column {field.name!r} of {name} holds times outside of the years 1 to 9999. Mend them.")


def _is_zone(name: str) -> bool:
    if _OFFSET.fullmatch(name):
        return True
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
    return True


class _Text(NamedTuple):
    """Hold how a delimited file is written."""

    path: Path
    encoding: str
    delimiter: str
    n_columns: int

    @classmethod
    def of(cls, path: Path) -> _Text:
        """Find out, and refuse what its first rows show to be no table."""
        encoding = find_encoding(path)
        sample = _head(path, encoding)
        if not sample.strip("\ufeff\0 \t\r\n"):
            raise _empty(path)
        delimiter = "\t" if ".tsv" in path.suffixes else _delimiter(sample)
        rows = _rows(sample, delimiter)
        header = next(rows, None)
        if header is None:
            raise _no_header(path)
        if len(header) > MAX_COLUMNS:
            raise DataError(f"{path.name} has {len(header):,} columns. At most {MAX_COLUMNS:,} are read. Save fewer.")
        check_names(sorted(name for name in header if name), path.name)
        if any(len(row) != len(header) for row in rows):
            # pandas would take an extra field for an index, and fill short rows before anyone sees them.
            _explain_ragged(path, encoding, delimiter)
        return cls(path, encoding, delimiter, len(header))

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Say in a sentence what pandas cannot read."""
        try:
            yield
        except pd.errors.EmptyDataError:  # a quote and nothing in it, say
            raise _empty(self.path) from None
        except pd.errors.ParserError as error:
            _explain_ragged(self.path, self.encoding, self.delimiter)
            if "EOF inside string" in str(error):
                raise _open_quote(self.path, self.encoding, self.delimiter) from None
            raise DataError(f"{self.path.name} cannot be read as CSV: {error}.") from None

    def read(self, **how: Any) -> Any:
        """Read all of it, or chunk by chunk."""
        return pd.read_csv(
            self.path,
            sep=self.delimiter,
            encoding=self.encoding,
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
            skip_blank_lines=self.n_columns > 1,
            **how,
        )

    def check_short(self, table: pd.DataFrame) -> None:
        """Refuse short rows, which pandas fills without a word, always from the last column."""
        if self.n_columns > 1 and table.iloc[:, -1].isna().any():
            _explain_ragged(self.path, self.encoding, self.delimiter)


def _read_delimited(path: Path) -> pd.DataFrame:
    text = _Text.of(path)
    with text.explaining():
        table: pd.DataFrame = text.read()
    text.check_short(table)
    return _with_missing_words(table)


def read_chunks(path: Path, n_rows: int, as_text: Sequence[str] = ()) -> Iterator[pd.DataFrame]:
    """Read a delimited file so many rows at a time; each chunk has the types that its own rows show.

    Parameters
    ----------
    as_text : sequence of str
        Columns that are text, whatever their values look like.
    """
    check_path(path)
    text, checked = _Text.of(path), False
    with text.explaining(), text.read(chunksize=n_rows, dtype=dict.fromkeys(as_text, "str")) as chunks:
        for chunk in chunks:
            if not checked and chunk.iloc[:, -1].isna().any():  # looks at the whole file, so once will do
                text.check_short(chunk)
                checked = True
            kept = chunk.reset_index(drop=True)
            found = _with_missing_words(kept.drop(columns=list(as_text)))
            yield kept.assign(**{column: found[column] for column in found.columns})


def _head(path: Path, encoding: str) -> str:
    """Read the first lines: at least two, if they are not longer than any that are read."""
    with open_text(path, encoding) as file:
        head = file.read(_SAMPLE_BYTES)
        if len(head) < _SAMPLE_BYTES:
            return head
        if "\n" not in head:  # a header may be longer than that
            head += file.readline(_LONGEST_LINE)
            if len(head) >= _LONGEST_LINE:
                raise _no_header(path)
        if head.find("\n") in (head.rfind("\n"), -1):
            return head + file.readline(_LONGEST_LINE)
    # A line cut in half would look ragged.
    return head[: head.rindex("\n")]


def _no_header(path: Path) -> DataError:
    return DataError(
        f"The first line of {path.name} is longer than any line of column names. Put one name a column there."
    )


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Go through the first rows that are not empty, up to a text that is too long for a column's name."""
    try:
        for row in filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)):
            if max(map(len, row)) > _LONGEST_NAME:
                return
            yield row
    except csv.Error:
        return


def _delimiter(sample: str) -> str:
    """Choose the delimiter that splits the header and splits the rows as it splits the header."""

    def fit(delimiter: str) -> tuple[bool, float, int]:
        rows = list(islice(_rows(sample, delimiter), 100))
        width = len(rows[0]) if rows else 0
        return width > 1, sum(len(row) == width for row in rows) / max(1, len(rows)), width

    return max(_DELIMITERS, key=fit)


def _explain_ragged(path: Path, encoding: str, delimiter: str) -> None:
    """Raise for the first row whose number of fields is not the header's; return if there is none."""
    width = 0
    for line, row in _records(path, encoding, delimiter):
        width = width or len(row)
        if row and len(row) != width:
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            raise DataError(
                f"Line {line} of {path.name} has {fields}, and the header has {width}. Check its delimiters and quotes."
            )


def _open_quote(path: Path, encoding: str, delimiter: str) -> DataError:
    """Say where the quote opens that swallows the rest of the file."""
    line = max((line for line, _ in _records(path, encoding, delimiter)), default=1)
    return DataError(
        f"A quote that opens on line {line} of {path.name} is never closed. "
        "Close it, or double the quotes inside a text."
    )


def _records(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Go through the rows with the line each starts on, up to a text that the csv module finds too long."""
    line = 1
    with open_text(path, encoding) as file:
        reader = csv.reader(file, delimiter=delimiter)
        try:
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
        except csv.Error:
            yield line, []


def _of_one_type(column: pd.Series) -> pd.Series:
    """Give Python's own values a type: true/false with gaps, or whole numbers that only a text holds."""
    if pd.api.types.is_bool_dtype(column.dropna().infer_objects().dtype):
        return column.astype("boolean")
    return column.astype("str")


def _with_missing_words(table: pd.DataFrame) -> pd.DataFrame:
    """Read NA and its like as missing in the columns that are numbers or true/false but for them."""
    changed = {}
    for name, dtype in table.dtypes.items():
        if pd.api.types.is_object_dtype(dtype):
            changed[name] = _of_one_type(table[name])
        if not isinstance(dtype, pd.StringDtype):
            continue
        column = table[name]
        texts = pa.array(column)  # whose kernels take a hundredth of pandas' time where columns are many and short
        found = pc.is_in(texts, value_set=_MISSING_WORDS)
        if not 0 < found.true_count < len(texts) - texts.null_count:
            continue
        words = column.isin(_MISSING)
        rest = column[~words].dropna()
        if rest.isin(list(_TRUTH)).all():
            changed[name] = column.mask(words).map(_TRUTH).astype("boolean")
        # A look at the first few spares the whole of a long column of texts.
        elif all(pd.to_numeric(part, errors="coerce").notna().all() for part in (rest.head(), rest)):
            changed[name] = pd.to_numeric(rest).reindex(column.index)
    if not changed:
        return table
    return pd.concat([changed.get(name, table[name]) for name in table.columns], axis=1)
