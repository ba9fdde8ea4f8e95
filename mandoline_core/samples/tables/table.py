"""A table beyond memory: what every engine does for us, and what is the same for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa

from mandoline_core.errors import DataError
from mandoline_core.samples.doors import check_names, door_expressions
from mandoline_core.samples.stopping import take_step
from mandoline_core.samples.tables.files import Files

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
        self._values: dict[tuple[str, int], nw.Series[Any]] = {}

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

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The type of each column, as rules know it."""
        return self.at_the_door.collect_schema()

    @cached_property
    def at_the_door(self) -> nw.LazyFrame[Any]:
        """The table with one type per meaning, as every sample has it."""
        check_names(self.lazy.collect_schema().names(), self.name)
        expressions = door_expressions(self.lazy.collect_schema())
        return self.lazy.with_columns(*expressions) if expressions else self.lazy

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.collect(self.lazy.select(nw.len().alias("n")))["n"][0].as_py())

    @cached_property
    def identity(self) -> str:
        """What tells this table from another, or from itself after a change."""
        return self.files.identity if self.files is not None else f"{self.engine}-{id(self.lazy)}"

    def count_by(self, keys: Mapping[str, nw.Expr]) -> pa.Table:
        """Count the rows by what expressions make of them.

        Returns
        -------
        pyarrow.Table
            One line for each combination that there is, with its rows as the last column, "n".
        """
        query = self.at_the_door.select(*(how.alias(name) for name, how in keys.items()))
        found = self.collect(query.group_by(*keys).agg(nw.len().alias("n")))
        self.check_unchanged()
        return found.select([*keys, "n"])

    def distinct(self, column: str, most: int) -> nw.Series[Any]:
        """List the values of a column, missing ones left out; of very many, only some. Rows are read once for it."""
        if (column, most) not in self._values:
            some = self.at_the_door.select(column).unique().filter(~nw.col(column).is_null()).head(most)
            self._values[column, most] = nw.from_native(self.collect(some)[column], series_only=True)
        return self._values[column, most]

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
        take_step(seen / max(n_rows, 1))
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


def missing_engine(engine: str, needs: str) -> DataError:
    """Build the message for an engine that is not installed."""
    return DataError(
        f"Engine {engine!r} needs the package {needs}, which is not installed. "
        f"Install it with: pip install 'mandoline-estimator[{engine}]'."
    )
