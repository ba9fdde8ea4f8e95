"""Spellings: class codes in text files whose numbers would make one class of two, such as 007 and 7."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path

from mandoline_core.data.delimited import MISSING, read_as_text
from mandoline_core.data.files import PARQUET, Files, files_at
from mandoline_core.errors import DataError

_CHUNK = 200_000  # rows
_MOST_CLASSES = 10_000  # what has more values is no column of classes
_POINT_ZERO = re.compile(r"\+?(-?\d+)\.0*", re.ASCII)


def keep_codes(paths: Iterable[Path], columns: Collection[str]) -> tuple[str, ...]:
    """Choose how columns of classes are read: as text, all of them, if the numbers of one would merge classes.

    Files that are missing or no text are not looked at: reading them says what is wrong.
    """
    for path in paths if columns else ():
        if is_delimited(path):
            try:
                found = find_codes(path, columns)
            except DataError:
                continue
            if found:
                return tuple(sorted(set(columns)))
    return ()


def find_codes(path: Path, columns: Collection[str]) -> tuple[str, ...]:
    r"""List the columns of text files whose numbers would merge what the files distinguish.

    That is where two spellings are one number (007 and 7, 1.1 and 1.10, 1e3 and 1000), or whole numbers are too large
    for a float. 1 and 1.0 are one class, however they are read.

    Parameters
    ----------
    path : Path
        A file, or a pattern of several.
    columns : collection of str
        Columns of classes; those that a file lacks are not looked at.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("label,prediction,n\n007,7,1\n7,1.0,2\n,1,1\n")
    >>> find_codes(path, ["label", "prediction"])
    ('label',)
    """
    files = files_at(path)
    return () if files.are_parquet else _find(files, tuple(sorted(columns)))


def is_delimited(path: Path) -> bool:
    """Tell whether a path is of text, whose numbers are read from spellings."""
    return not {suffix.lower() for suffix in path.suffixes} & {*PARQUET, ".duckdb", ".db"}


@lru_cache(maxsize=256)
def _find(files: Files, columns: tuple[str, ...]) -> tuple[str, ...]:
    found: set[str] = set()
    spelled: dict[str, dict[float, str]] = {column: {} for column in columns}
    for path in files.paths:
        for chunk in read_as_text(path, columns, _CHUNK):
            for column in [name for name in chunk.columns if name in spelled]:
                merges = _merges(chunk[column].dropna().unique().tolist(), spelled[column])
                if merges:
                    found.add(column)
                if merges is not False:
                    del spelled[column]
            if not spelled:
                break
    return tuple(sorted(found))


def _merges(texts: list[str], spelled: dict[float, str]) -> bool | None:
    """Tell whether texts are numbers of which two are one; None where they are no numbers, or no classes."""
    for text in texts:
        if text in MISSING:
            continue
        try:
            number = float(text.replace(",", "."))
        except ValueError:
            return None
        plain = _plain(text.strip())
        if spelled.setdefault(number, plain) != plain:
            return True
        if len(spelled) > _MOST_CLASSES:
            return None
    return False


def _plain(text: str) -> str:
    """Write a number without what does not matter.

    >>> [_plain(text) for text in ("1.0", "+1", "-0", "1.10", "007")]
    ['1', '1', '0', '1.10', '007']
    """
    whole = _POINT_ZERO.fullmatch(text)
    plain = whole[1] if whole else text[text.startswith("+") :]
    return "0" if plain == "-0" else plain
