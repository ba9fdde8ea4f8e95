"""In memory: files that are read whole, into a frame of pandas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mandoline_core.data.conversion import as_parquet
from mandoline_core.data.delimited import read_delimited
from mandoline_core.data.engines.engine import Engine
from mandoline_core.data.files import PARQUET, Files, check_path, read_parquet
from mandoline_core.errors import DataError


class Pandas(Engine):
    """Read files whole."""

    name = "pandas"
    title = "into memory"
    in_memory = True

    def scan(self, files: Files) -> pd.DataFrame:
        """Read all files, one below the other."""
        if len(files.paths) == 1:
            return read_table(files.paths[0], files.codes)
        files = as_parquet(files)  # several text files are typed together
        return pd.concat([read_table(path) for path in files.paths], ignore_index=True)


def read_table(path: str | Path, codes: Sequence[str] = ()) -> pd.DataFrame:
    r"""Read a CSV (also TSV, also gzipped) or a Parquet file.

    The delimiter (comma, semicolon, tab or bar) and the encoding of a CSV are found out. An empty cell is a
    missing value. Words such as NA, NaN, N/A, null and None are missing in a column that otherwise holds numbers
    or true/false; in a column of text they stay as written, so that Namibia's country code and a class
    called "None" survive.

    Parameters
    ----------
    path : str or Path
        Ends in .csv, .tsv, .tab, .txt (each also with .gz), .parquet or .pq.
    codes : sequence of str
        Columns of a CSV that are read as text though they hold numbers, such as class codes 007 and 7.

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
    table = read_parquet(path) if path.suffix.lower() in PARQUET else read_delimited(path, codes)
    if table.empty:
        raise DataError(f"{path.name} has a header but no rows. Add at least one row.")
    return table
