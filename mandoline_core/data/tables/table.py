"""A table beyond memory: what every engine does for us, and what is the same for all of them."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa

from mandoline_core.data.doors import check_names, door_expressions
from mandoline_core.data.stopping import take_step
from mandoline_core.data.tables.files import Files
from mandoline_core.errors import DataError

DRAWN = 20_000  # rows that come into memory, for whatever must look at rows
BATCH = 250_000  # rows that are looked at together
_MOST_LINES = 1_000_000  # of small tables, before they are put together

# Takes rows, gives a small table of what they add up to.
Reduce = Callable[[pa.Table], pa.Table]
# Makes one small table of several.
Combine = Callable[[list[pa.Table]], pa.Table]


class Table(ABC):
    """Go over the rows of a table that stays where it is.

    Parameters
    ----------
    name : str
        What to call it in messages.
    files : Files, optional
        Where it lies, if it lies in files: they tell whether it has changed.

    Notes
    -----
    An engine says how to count by expressions (`count_by`) and how to reduce batches of rows (`reduce`). Both run
    where the rows are; neither brings rows here. A rule is always the same expression: in `count_by` the engine itself
    evaluates it, in `reduce` it is evaluated on Arrow batches, wherever the engine has them.
    """

    engine: str = ""
    runs_expressions: bool = True  # whether rules mean the same when the engine itself evaluates them

    def __init__(self, name: str, files: Files | None = None) -> None:
        self.name, self.files = name, files

    @property
    @abstractmethod
    def lazy(self) -> nw.LazyFrame[Any]:
        """The table as the engine knows it."""

    @abstractmethod
    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce every batch of rows, with these columns, to a small table, and all of these to one."""

    @abstractmethod
    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query whose result is small, or a stated draw; may be stopped meanwhile."""

    @abstractmethod
    def draw(self, most: int, seed: int) -> pa.Table:
        """Draw rows uniformly without replacement, the same rows each time; all of them, where they are no more."""

    @abstractmethod
    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write what a function makes of every batch of rows as Parquet: one line a row, in the table's order."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say in a sentence what the engine cannot read: that a file is gone or has changed, before anything else."""
        try:
            yield
        except self.errors() as error:
            self.check_unchanged()
            raise DataError(f"{self.name} cannot be read: {first_line(error)}. Write it again.") from None

    @abstractmethod
    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what the engine raises."""

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The type of each column, as rules know it."""
        with self.reading():
            return self.at_the_door.collect_schema()

    @cached_property
    def at_the_door(self) -> nw.LazyFrame[Any]:
        """The table with one type per meaning, as every sample has it."""
        check_names(self.lazy.collect_schema().names(), self.name)
        return self.bring_in(self.lazy)

    def bring_in(self, rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Bring some of the rows to one type per meaning."""
        expressions = door_expressions(rows.collect_schema())
        return rows.with_columns(*expressions) if expressions else rows

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        with self.reading():
            return int(self.collect(self.lazy.select(nw.len().alias("n")))["n"][0].as_py())

    @cached_property
    def identity(self) -> str:
        """What tells this table from another, or from itself after a change."""
        return self.files.identity if self.files is not None else uuid.uuid4().hex

    def count_by(self, keys: Mapping[str, nw.Expr]) -> pa.Table:
        """Count the rows by what expressions make of them.

        Returns
        -------
        pyarrow.Table
            One line for each combination that there is, with its rows as the last column, "n".
        """
        found = self._count(self.at_the_door, keys)
        self.check_unchanged()
        return found

    def _count(self, rows: nw.LazyFrame[Any], keys: Mapping[str, nw.Expr]) -> pa.Table:
        with self.reading():
            query = rows.select(*(how.alias(name) for name, how in keys.items()))
            return self.collect(query.group_by(*keys).agg(nw.len().alias("n"))).select([*keys, "n"])

    def distinct(self, column: str, most: int) -> nw.Series[Any]:
        """List the values of a column, missing ones left out; of very many, only some. Asked once of a column."""
        if (column, most) not in self._listed:
            self._listed[column, most] = self._distinct(column, most)
        return self._listed[column, most]

    @cached_property
    def _listed(self) -> dict[tuple[str, int], nw.Series[Any]]:
        return {}

    def _distinct(self, column: str, most: int) -> nw.Series[Any]:
        with self.reading():
            some = self.at_the_door.select(column).unique().filter(~nw.col(column).is_null()).head(most)
            return nw.from_native(self.collect(some)[column], series_only=True)

    def head(self, columns: Sequence[str], n: int) -> pa.Table:
        """Bring some rows here, whichever come first."""
        with self.reading():
            return self.collect(self.lazy.select(*columns).head(n))

    def has_values(self, column: str) -> bool:
        """Tell whether a column holds any value."""
        return bool(len(self.distinct(column, 1)))

    def check_unchanged(self) -> None:
        """Refuse what was counted if the files changed meanwhile."""
        if self.files is not None:
            self.files.check_unchanged()


def reduce_batches(batches: Iterable[pa.Table], n_rows: int, function: Reduce, combine: Combine) -> pa.Table:
    """Reduce batches as they come; what they were reduced to is combined before it grows."""
    found: list[pa.Table] = []
    seen = size = 0
    for batch in batches:
        found.append(function(batch))
        seen, size = seen + len(batch), size + len(found[-1])
        if len(found) > 1 and size > _MOST_LINES:
            found = [combine(found)]
            size = 0
        take_step("counting", seen / max(n_rows, 1))
    return combine(found)


def add_up_tables(parts: Iterable[pa.Table], keys: Sequence[str]) -> pa.Table:
    """Add up all columns but the keys, by the keys, from tables that were counted part by part.

    >>> part = pa.table({"a": [1, 2], "n": [3, 4]})
    >>> add_up_tables([part, part], ["a"]).sort_by("a").to_pydict()
    {'a': [1, 2], 'n': [6, 8]}
    """
    whole = pa.concat_tables(parts)
    others = [column for column in whole.column_names if column not in keys]
    return whole.group_by(list(keys)).aggregate([(column, "sum") for column in others]).rename_columns([*keys, *others])


def first_line(error: BaseException) -> str:
    r"""Take the first line of what an engine says.

    >>> first_line(ValueError("No such file." + chr(10) + "Hint: look elsewhere."))
    'No such file'
    """
    return str(error).strip().split("\n")[0].rstrip(".")


def missing_engine(engine: str, needs: str) -> DataError:
    """Build the message for an engine that is not installed."""
    return DataError(
        f"Engine {engine!r} needs the package {needs}, which is not installed. "
        f"Install it with: pip install 'mandoline-estimator[{engine}]'."
    )
