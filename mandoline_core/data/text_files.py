"""Text files: how their bytes are to be read, and a clear sentence for a file that is no text."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import TextIO

from mandoline_core.errors import DataError

_BLOCK = 1 << 16
_LONGEST_LINE = 50_000_000
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


def open_text(path: Path, encoding: str) -> TextIO:
    r"""Open a text file, unpacking it if its name ends in .gz, with its line ends as they are.

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
    r"""Find a text file's encoding: its byte-order mark, else UTF-8 if all of it is, else Western European.

    Parameters
    ----------
    path : Path
        Is unpacked if its name ends in .gz.

    Raises
    ------
    DataError
        If the file is no text, or text that cannot be told apart from none.

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
        raise DataError(f"{path.name} is not a whole gzip file. Compress it again, or save it without .gz.") from None
    kind = "UTF-16" if marked == "utf-16" else "UTF-8"
    raise DataError(f"{path.name} starts as {kind} text but does not go on as such. Save it again as UTF-8.")


def _check_text(path: Path, start: bytes, marked: str | None) -> None:
    """Refuse a file that starts as no text does."""
    if start.startswith(_WIDE_MARKS):
        raise DataError(f"{path.name} is UTF-32 text, which is not read here. Save it as UTF-8.")
    if marked == "utf-16":  # in which every other byte may be null
        return
    has_null = b"\0" in start
    kinds = _KINDS | (_WORDLIKE_KINDS if has_null else {})
    kind = next((kind for mark, kind in kinds.items() if start.startswith(mark)), None)
    if kind is not None:
        raise DataError(f"{path.name} is not a text file: it starts like {kind}. Save the table as CSV or Parquet.")
    if not has_null:
        return
    if _is_unmarked_utf_16(start):
        raise DataError(f"{path.name} looks like UTF-16 text without the mark that says so. Save it as UTF-8.")
    raise DataError(f"{path.name} is not a text file: it holds null bytes. Save the table as CSV or Parquet.")


def _is_unmarked_utf_16(start: bytes) -> bool:
    """Tell whether nearly every other byte, and no byte between, is null: Western text at two bytes a letter."""
    nulls = [start[place::2].count(0) for place in (0, 1)]
    return min(nulls) == 0 and max(nulls) > 0.4 * len(start)


def _decodes(path: Path, encoding: str) -> bool:
    """Tell whether all of a file is text in an encoding; refuse a line that takes gigabytes to be read as a table."""
    line = 0
    try:
        with open_text(path, encoding) as file:
            while block := file.read(1 << 22):
                end = max(block.rfind("\n"), block.rfind("\r"))
                line = len(block) - end - 1 if end >= 0 else line + len(block)
                if line > _LONGEST_LINE:
                    raise DataError(
                        f"{path.name} has a line of more than {_LONGEST_LINE // 10**6} million letters. "
                        "Check its ends of lines."
                    )
    except UnicodeDecodeError:
        return False
    return True
