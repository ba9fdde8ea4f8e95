"""Delimited text: find its encoding, its delimiter and what its columns hold, and report what is wrong with it."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.data.dates import parse_dates
from mandoline_core.data.files import check_path, empty_file
from mandoline_core.data.frames import check_names, pandas_dates, typed_objects
from mandoline_core.errors import DataError

MAX_COLUMNS = 20_000
_DELIMITERS = ",;\t|"
_SAMPLE_BYTES = 1 << 16
_LONGEST_HEADER = 1 << 22
_LONGEST_NAME = 1 << 17
# Once, for the whole process: a limit that one reader sets and puts back is taken from another in the middle of a file.
csv.field_size_limit(max(csv.field_size_limit(), 1 << 30))
# Missing only among numbers, dates or true/false: among texts, "NA" may be Namibia and "None" a class.
MISSING = ("NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>", "#N/A", "#NA")
_MISSING_WORDS = pa.array(MISSING)
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_POINT = re.compile(r"[+-]?\d*\.\d+")
_COMMA = re.compile(r"[+-]?(?:0,\d+|\d+,(?!\d{3}$)\d+)")
_BLOCK = 1 << 16
_LONGEST_LINE = 50_000_000  # characters: a longer one takes gigabytes to be read as a table
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_WIDE_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
# How files of other kinds start. Those in the second group could be the first words of a table, too.
_KINDS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "a gzip file, whose name should end in .gz",
    b"%PDF-": "a PDF",
}
_WORDLIKE_KINDS = {b"PAR1": "Parquet, whose name should end in .parquet", b"GIF8": "a GIF picture"}


class _Delimited:
    """Find out how a delimited file is written, and refuse what its first rows show to be no table."""

    def __init__(self, path: Path) -> None:
        self.path, self.encoding = path, find_encoding(path)
        sample = _head(path, self.encoding)
        if not sample.strip("\ufeff\0 \t\r\n"):
            raise empty_file(path)
        self.delimiter = "\t" if ".tsv" in path.suffixes else _delimiter(sample)
        rows = list(_rows(sample, self.delimiter))
        if not rows:
            raise _no_header(path)
        header = rows.pop(0)
        self.decimal = _decimal(rows, self.delimiter)
        self.n_columns = len(header)
        if self.n_columns > MAX_COLUMNS:
            raise DataError(f"{path.name} has {self.n_columns:,} columns. The limit is {MAX_COLUMNS:,}. Remove some.")
        check_names(sorted(name for name in header if name), path.name)
        if any(len(row) != self.n_columns for row in rows):
            # pandas would take an extra field for an index, and fill short rows before anyone sees them.
            self.check_widths()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Say in a sentence what pandas cannot read."""
        try:
            yield
        except pd.errors.EmptyDataError:  # a quote and nothing in it, say
            raise empty_file(self.path) from None
        except pd.errors.ParserError as error:
            self.check_widths()
            if "EOF inside string" not in str(error):
                raise DataError(
                    f"{self.path.name} cannot be read as CSV: {error}. Check its delimiters and quotes."
                ) from None
            line = max((line for line, _ in self.records()), default=1)
            raise DataError(
                f"The quote opened on line {line} of {self.path.name} is never closed. Close it, or double the "
                "quotes inside a text."
            ) from None

    def read(self, **how: Any) -> Any:
        """Read all of it, or chunk by chunk."""
        return pd.read_csv(
            self.path,
            sep=self.delimiter,
            decimal=self.decimal,
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
            self.check_widths()

    def check_widths(self) -> None:
        """Refuse the first row whose number of fields is not the header's, if there is one."""
        width = 0
        for line, row in self.records():
            width = width or len(row)
            if row and len(row) != width:
                fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
                raise DataError(
                    f"Line {line} of {self.path.name} has {fields}, but the header has {width}. Check its "
                    "delimiters and quotes."
                )

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Go through the rows with the line each starts on, up to a text that the csv module finds too long."""
        line = 1
        with open_text(self.path, self.encoding) as file:
            reader = csv.reader(file, delimiter=self.delimiter)
            try:
                for row in reader:
                    if row:
                        yield line, row
                    line = reader.line_num + 1
            except csv.Error:
                yield line, []


def read_delimited(path: Path, codes: Sequence[str] = ()) -> pd.DataFrame:
    """Read a whole file.

    Parameters
    ----------
    codes : sequence of str
        Columns of numbers that are read as text.
    """
    file = _Delimited(path)
    with file.explaining():
        table: pd.DataFrame = file.read(dtype=dict.fromkeys(codes, "str"))
    file.check_short(table)
    return _typed(_without_words(table, codes))


def read_as_text(path: Path, columns: Sequence[str], n_rows: int) -> Iterator[pd.DataFrame]:
    """Read some columns as they are written, in chunks; those that are not in the file are left out."""
    file = _Delimited(path)
    with file.explaining(), file.read(chunksize=n_rows, dtype="str", usecols=lambda name: name in columns) as chunks:
        yield from chunks


def _without_words(table: pd.DataFrame, codes: Sequence[str]) -> pd.DataFrame:
    """Leave out NA and its like, which are missing among numbers, also where these are read as text."""
    changed = {}
    for name in (name for name in codes if name in table):
        words = table[name].isin(MISSING)
        if words.any() and pd.to_numeric(table[name][~words].dropna(), errors="coerce").notna().all():
            changed[name] = table[name].mask(words)
    return table.assign(**changed) if changed else table


def read_chunks(
    path: Path, n_rows: int, as_text: Sequence[str] = (), codes: Sequence[str] = ()
) -> Iterator[pd.DataFrame]:
    """Read a delimited file in chunks of rows; each chunk has its own column types.

    Parameters
    ----------
    as_text : sequence of str
        Columns to read as text.
    codes : sequence of str
        Columns of numbers to read as text.
    """
    as_text = [*as_text, *codes]
    check_path(path)
    file, checked = _Delimited(path), False
    with file.explaining(), file.read(chunksize=n_rows, dtype=dict.fromkeys(as_text, "str")) as chunks:
        for chunk in chunks:
            if not checked and chunk.iloc[:, -1].isna().any():  # looks at the whole file, so once will do
                file.check_short(chunk)
                checked = True
            kept = _without_words(chunk.reset_index(drop=True), codes)
            yield kept.assign(**dict(_typed(kept.drop(columns=list(as_text), errors="ignore")).items()))


def _head(path: Path, encoding: str) -> str:
    """Read the first lines: at least two, if they are not longer than any that are read."""
    with open_text(path, encoding) as file:
        head = file.read(_SAMPLE_BYTES)
        if len(head) < _SAMPLE_BYTES:
            return head
        if "\n" not in head:  # a header may be longer than that
            head += file.readline(_LONGEST_HEADER)
            if len(head) >= _LONGEST_HEADER:
                raise _no_header(path)
        if head.find("\n") in (head.rfind("\n"), -1):
            return head + file.readline(_LONGEST_HEADER)
    # A line cut in half would look ragged.
    return head[: head.rindex("\n")]


def _no_header(path: Path) -> DataError:
    return DataError(f"The first line of {path.name} is too long for a header. Put the column names on the first line.")


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Go through the first rows that are not empty, up to a text that is too long for a column's name."""
    try:
        for row in filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)):
            if max(map(len, row)) > _LONGEST_NAME:
                return
            yield row
    except csv.Error:
        return


def _decimal(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """Tell decimal commas from points; 1,234 could be either, so three digits decide only after a zero.

    Examples
    --------
    >>> [_decimal([["a", cell]], ";") for cell in ("3,5", "0,125", "1,234", "3.5", "3")]
    [',', ',', '.', '.', '.']
    """
    cells = [cell.strip() for row in rows for cell in row] if delimiter != "," else []
    has_points = any(_POINT.fullmatch(cell) for cell in cells)
    return "," if not has_points and any(_COMMA.fullmatch(cell) for cell in cells) else "."


def _delimiter(sample: str) -> str:
    """Choose the delimiter that splits the header and splits the rows as it splits the header."""

    def fit(delimiter: str) -> tuple[bool, float, int]:
        rows = list(islice(_rows(sample, delimiter), 100))
        width = len(rows[0]) if rows else 0
        return width > 1, sum(len(row) == width for row in rows) / max(1, len(rows)), width

    return max(_DELIMITERS, key=fit)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Read texts that are all dates as dates, and NA and its like as missing among dates, numbers and true/false."""
    changed = {}
    for name, dtype in table.dtypes.items():
        column = table[name]
        # True/false with gaps, whole numbers that only a text holds, and before pandas 3 all text.
        if pd.api.types.is_object_dtype(dtype):
            changed[name] = column = typed_objects(column)
        if not isinstance(column.dtype, pd.StringDtype):
            continue
        texts = pa.array(column)  # whose kernels take a hundredth of pandas' time where columns are many and short
        words = pc.is_in(texts, value_set=_MISSING_WORDS)
        dates = parse_dates(pc.if_else(words, None, texts) if words.true_count else texts)
        if dates is not None:
            changed[name] = pandas_dates(dates, column)
            continue
        if not 0 < words.true_count < len(texts) - texts.null_count:
            continue
        words = column.isin(MISSING)
        rest = column[~words].dropna()
        if rest.isin(list(_TRUTH)).all():
            changed[name] = column.mask(words).map(_TRUTH).astype("boolean")
        # A look at the first few spares the whole of a long column of texts.
        elif all(pd.to_numeric(part, errors="coerce").notna().all() for part in (rest.head(), rest)):
            changed[name] = pd.to_numeric(rest).reindex(column.index)
    if not changed:
        return table
    return pd.concat([changed.get(name, table[name]) for name in table.columns], axis=1)


def open_text(path: Path, encoding: str) -> TextIO:
    r"""Open a text file, decompressed if its name ends in .gz, with its line endings unchanged.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv.gz"
    >>> _ = path.write_bytes(gzip.compress(b"x\r\n1\r\n"))
    >>> with open_text(path, "utf-8") as file:
    ...     file.read()
    'x\r\n1\r\n'
    """
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def find_encoding(path: Path) -> str:
    r"""Find a text file's encoding: by its byte order mark, otherwise UTF-8 if valid, otherwise Western European.

    Parameters
    ----------
    path : Path
        The file. It is decompressed if its name ends in .gz.

    Raises
    ------
    DataError
        If the file is not text, or cannot be decoded.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_bytes("été".encode("cp1252"))
    >>> find_encoding(path)
    'cp1252'
    """
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rb") as file:
            start = file.read(_BLOCK)
        marked = next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), None)
        _check_text(path, start, marked)
        for encoding in (marked,) if marked else ("utf-8", "cp1252", "latin-1"):
            if _decodes(path, encoding):
                return encoding
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(
            f"{path.name} is damaged or not a gzip file. Compress it again, or save it without .gz."
        ) from None
    kind = "UTF-16" if marked == "utf-16" else "UTF-8"
    raise DataError(f"{path.name} starts as {kind} text but contains invalid bytes. Save it again as UTF-8.")


def _check_text(path: Path, start: bytes, marked: str | None) -> None:
    """Refuse a file that starts as no text does."""
    if start.startswith(_WIDE_MARKS):
        raise DataError(f"{path.name} is UTF-32 text, which is not supported. Save it as UTF-8.")
    if marked == "utf-16":  # in which every other byte may be null
        return
    has_null = b"\0" in start
    kinds = _KINDS | (_WORDLIKE_KINDS if has_null else {})
    kind = next((kind for mark, kind in kinds.items() if start.startswith(mark)), None)
    if kind is not None:
        raise DataError(f"{path.name} is not a text file: it starts like {kind}. Save the table as CSV or Parquet.")
    if not has_null:
        return
    # Nearly every other byte, and no byte between, is null: Western text at two bytes a character.
    nulls = [start[parity::2].count(0) for parity in (0, 1)]
    if min(nulls) == 0 and max(nulls) > 0.4 * len(start):
        raise DataError(f"{path.name} looks like UTF-16 text without a byte order mark. Save it as UTF-8.")
    raise DataError(f"{path.name} is not a text file: it contains null bytes. Save the table as CSV or Parquet.")


def _decodes(path: Path, encoding: str) -> bool:
    """Tell whether all of a file is text in an encoding; refuse a line that is too long."""
    line = 0
    try:
        with open_text(path, encoding) as file:
            while block := file.read(1 << 22):
                end = max(block.rfind("\n"), block.rfind("\r"))
                line = len(block) - end - 1 if end >= 0 else line + len(block)
                if line > _LONGEST_LINE:
                    raise DataError(
                        f"{path.name} has a line of more than {_LONGEST_LINE // 10**6} million characters. "
                        "Check its line endings."
                    )
    except UnicodeDecodeError:
        return False
    return True
