"""The declaration of an engine: its name, what it needs, and how it opens files, databases and frames."""

from __future__ import annotations

from abc import ABC
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import pandas as pd

from mandoline_core.data.engines.table import Table
from mandoline_core.data.files import Files, files_at
from mandoline_core.errors import DataError
from mandoline_core.formatting import folder_name

_DATABASES = (".duckdb", ".db")
ENGINES: dict[str, Engine] = {}


class Engine(ABC):
    """Declare an engine: a subclass in its own file, and one line in `engines/__init__.py`.

    Attributes
    ----------
    name : str
        What project files call it.
    title : str
        Its name in the interface: rows are read "by Polars".
    package : str, optional
        The package that it needs and that does not come along.
    in_memory : bool
        Whether it reads files whole.
    scans_files, reads_databases, knows_tables : bool
        What it opens: data files, database files, tables by name.
    implementation : narwhals.Implementation, optional
        The lazy frames that it takes from a caller, and goes over as a `table_type`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    package: ClassVar[str | None] = None
    in_memory: ClassVar[bool] = False
    scans_files: ClassVar[bool] = True
    reads_databases: ClassVar[bool] = False
    knows_tables: ClassVar[bool] = False
    implementation: ClassVar[nw.Implementation | None] = None
    table_type: ClassVar[Any] = None

    @property
    def is_installed(self) -> bool:
        """Whether the package that it needs is there."""
        return self.package is None or find_spec(self.package) is not None

    def check_installed(self) -> None:
        """Refuse to go on without the package that it needs."""
        try:
            if self.package is not None:
                import_module(self.package)
        except ImportError:
            raise DataError(
                f"Engine {self.name!r} needs the package {self.package}, which is not installed. "
                f"Install it with: pip install 'mandoline-estimator[{self.name}]'."
            ) from None

    def open(
        self, path: Path | None, table: str | None = None, *, codes: tuple[str, ...] = (), **_where: Any
    ) -> pd.DataFrame | Table:
        """Open a file, the files that match a pattern, or a table.

        Parameters
        ----------
        table : str, optional
            The name of a table in a database.
        codes : tuple of str
            Columns of numbers in text files that are read as text.
        **where
            What an engine elsewhere needs to be reached.
        """
        if path is None:
            raise DataError(f"Only engine {_with('knows_tables')} reads tables without a file. Set path to a file.")
        if table is None and path.suffix.lower() not in _DATABASES:
            return self.scan(files_at(path, codes))
        if not self.reads_databases:
            readers = _with("reads_databases")
            raise DataError(f"{path.name} is a database, which only engine {readers} reads. Got engine {self.name!r}.")
        if not path.is_file():
            raise DataError(f"File {path.name!r} is not in {folder_name(path.parent)}.")
        if table is None:
            raise DataError(f"{path.name} is a database. Set table to the name of a table in it.")
        return self.open_database(Files.of(path.name, (path,)), table)

    def scan(self, files: Files) -> pd.DataFrame | Table:
        """Open files of one kind."""
        raise NotImplementedError

    def open_database(self, files: Files, table: str) -> Table:
        """Open a table of a database file."""
        raise NotImplementedError

    def adapt(self, frame: nw.LazyFrame[Any], name: str) -> Table | None:
        """Make a table of a lazy frame; None if it is of another engine."""
        if self.implementation is None or frame.implementation is not self.implementation:
            return None
        table: Table = self.table_type(nw.to_native(frame), name)
        return table


def _with(ability: str) -> str:
    """Name the engines that can do something; the one that leaves the choice open aside."""
    able = (engine.name for engine in ENGINES.values() if getattr(engine, ability) and engine.scans_files)
    return " or ".join(map(repr, able))
