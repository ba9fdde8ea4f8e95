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
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mandoline_core.data.cache import SAMPLE_CACHE
from mandoline_core.data.files import Files, write_batches
from mandoline_core.data.frames import check_names, normalise
from mandoline_core.data.progress import take_step
from mandoline_core.errors import DataError

DRAWN = 20_000  # rows that come into memory, for whatever must look at rows
BATCH = 250_000  # rows that are looked at together
MOST_CELLS = 1_000_000  # of a sample: solving on so many with 40 slices takes about 2 GB
_MOST_LINES = 1_000_000  # of small tables, before they are put together
_HALVED = b"mandoline.halved"
WEIGHT_SUM, SQUARE_SUM = "weight", "square"  # what sums of design weights and of their squares are called in counts
_ONE, _SQUARE = "mandoline_weight", "mandoline_square"

# Takes the lazy rows, gives them with more columns.
Change = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]
# Takes rows, gives a small table of what they add up to.
Reduce = Callable[[pa.Table], pa.Table]
# Makes one small table of several.
Combine = Callable[[list[pa.Table]], pa.Table]


class Table(ABC):
    """Go over the rows of a table that stays where it is.

    Parameters
    ----------
    name : str
        Its name in messages.
    files : Files, optional
        Its files, if it has any: they show whether it changed.

    Notes
    -----
    An engine says how to count by expressions (`count_by`) and how to reduce batches of rows (`reduce`). Both run
    where the rows are; neither brings rows here. A rule is always the same expression: in `count_by` the engine itself
    evaluates it, in `reduce` it is evaluated on Arrow batches, wherever the engine has them.

    An engine in this process gives `lazy`, `collect`, `batches`, `take` and `errors`; one elsewhere gives its own
    `reduce`, `draw` and `write` instead of `batches` and `take`.
    """

    runs_expressions: bool = True  # whether rules mean the same when the engine itself evaluates them

    def __init__(self, name: str, files: Files | None = None) -> None:
        self.name, self.files = name, files

    @property
    @abstractmethod
    def lazy(self) -> nw.LazyFrame[Any]:
        """The table as the engine knows it."""

    @abstractmethod
    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query with a small result; it can be cancelled."""

    @abstractmethod
    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what the engine raises."""

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Go over some columns of all rows, in order, batch by batch."""
        raise NotImplementedError

    def take(self, rows: NDArray[np.int64]) -> pa.Table:
        """Bring rows here by their numbers, which are in order."""
        raise NotImplementedError

    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce every batch of rows, with these columns, to a small table, and all of these to one."""
        parts: list[pa.Table] = []
        seen = size = 0
        n_rows = max(self.n_rows, 1)  # asked first: an engine may lose its place when it is asked in between
        for batch in self.batches(columns):
            parts.append(function(batch))
            seen, size = seen + len(batch), size + len(parts[-1])
            if len(parts) > 1 and size > _MOST_LINES:  # before they grow beyond memory
                parts, size = [combine(parts)], 0
            take_step("counting", seen / n_rows)
        self.check_unchanged()
        return combine(parts)

    def draw(self, most: int, seed: int) -> pa.Table:
        """Draw rows uniformly without replacement, the same rows each time; all rows if there are no more."""
        if self.n_rows <= most:
            return self.collect(self.lazy)
        return self.take(np.sort(np.random.default_rng(seed).choice(self.n_rows, most, replace=False)))

    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write what a function makes of every batch of rows as Parquet: one line a row, in the table's order."""
        write_batches(path, (function(batch) for batch in self.batches(columns)))
        self.check_unchanged()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Report what the engine cannot read; first, whether a file is missing or changed."""
        try:
            yield
        except self.errors() as error:
            self.check_unchanged()
            raise DataError(self.explain(error)) from None

    def explain(self, error: BaseException) -> str:
        """Say what the engine could not do."""
        return f"{self.name} cannot be read: {first_line(error)}. Write it again."

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The type of each column, as rules know it."""
        with self.reading():
            return self.normalised.collect_schema()

    @cached_property
    def normalised(self) -> nw.LazyFrame[Any]:
        """The table with one type per meaning, as every sample has it."""
        check_names(self.lazy.collect_schema().names(), self.name)
        return normalise(self.lazy)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema)

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        with self.reading():
            return int(self.collect(self.lazy.select(nw.len().alias("n")))["n"][0].as_py())

    @cached_property
    def identity(self) -> str:
        """What tells this table from another, or from itself after a change."""
        return self.files.identity if self.files is not None else uuid.uuid4().hex

    def count_by(self, keys: Mapping[str, nw.Expr], weight: str | None = None) -> pa.Table:
        """Count the rows by what expressions make of them.

        Parameters
        ----------
        weight : str, optional
            The column of design weights; rows of weight 0 are not counted.

        Returns
        -------
        pyarrow.Table
            One line for each combination that there is, with its rows as the last column, "n"; behind it, where there
            are design weights, the sum of these and of their squares, "weight" and "square".
        """
        counts = self._count(self.normalised, keys, weight)
        self.check_unchanged()
        return counts

    def _count(self, rows: nw.LazyFrame[Any], keys: Mapping[str, nw.Expr], weight: str | None) -> pa.Table:
        sums = {"n": nw.len()}
        columns = {name: how.alias(name) for name, how in keys.items()}
        if weight is not None:
            rows, one = rows.filter(nw.col(weight) > 0), nw.col(weight).cast(nw.Float64())
            columns |= {_ONE: one.alias(_ONE), _SQUARE: (one * one).alias(_SQUARE)}
            sums |= {WEIGHT_SUM: nw.col(_ONE).sum(), SQUARE_SUM: nw.col(_SQUARE).sum()}
        with self.reading():
            query, added = rows.select(*columns.values()), [how.alias(name) for name, how in sums.items()]
            found = query.group_by(*keys).agg(*added) if keys else query.select(*added)
            return self.collect(found).select([*keys, *sums])

    def changed(self, change: Change) -> Table:  # noqa: ARG002 - engines that can do it do
        """Return the table with more columns, made from those it has."""
        raise DataError(
            f"{self.name} stays in a table to which no columns can be added. Add a prediction, and a probability for "
            "each class, as columns."
        )

    def reopened(self, files: Files) -> Table:  # noqa: ARG002 - engines that can do it do
        """Return a table of the same engine over other files."""
        raise DataError(f"{self.name} stays on a cluster, where no types can be declared. Cast its columns there.")

    def distinct(self, column: str, most: int) -> nw.Series[Any]:
        """List the distinct values of a column, without missing ones; of very many, only some. Cached."""
        return SAMPLE_CACHE.of((self,), ("distinct", column, most), lambda: self._distinct(column, most))

    def _distinct(self, column: str, most: int) -> nw.Series[Any]:
        with self.reading():
            some = self.normalised.select(column).unique().filter(~nw.col(column).is_null()).head(most)
            return nw.from_native(self.collect(some)[column], series_only=True)

    def head(self, columns: Sequence[str], n: int) -> pa.Table:
        """Bring some rows here, whichever come first."""
        with self.reading():
            return self.collect(self.lazy.select(*columns).head(n))

    def has_values(self, column: str) -> bool:
        """Tell whether a column holds any value."""
        return bool(len(self.distinct(column, 1)))

    def check_unchanged(self) -> None:
        """Refuse the counts if the files changed."""
        if self.files is not None:
            self.files.check_unchanged()


def first_line(error: BaseException) -> str:
    r"""Take the first line of what an engine says.

    >>> first_line(ValueError("No such file." + chr(10) + "Hint: look elsewhere."))
    'No such file'
    """
    return str(error).strip().split("\n")[0].rstrip(".")


def add_up_tables(parts: Iterable[pa.Table], keys: Sequence[str]) -> pa.Table:
    """Add up all columns but the keys, by the keys, from tables that were counted part by part.

    >>> part = pa.table({"a": [1, 2], "n": [3, 4]})
    >>> add_up_tables([part, part], ["a"]).sort_by("a").to_pydict()
    {'a': [1, 2], 'n': [6, 8]}
    """
    whole = pa.concat_tables(parts)
    others = [column for column in whole.column_names if column not in keys]
    return whole.group_by(list(keys)).aggregate([(column, "sum") for column in others]).rename_columns([*keys, *others])


def add_up_within(parts: Iterable[pa.Table], keys: Sequence[str], most: int | None = None) -> pa.Table:
    """Add up counts by keys; where that leaves too many lines, halve the rows at random until it does not.

    Every row stays with the same probability, whatever cell it is in, so what stays is a uniform draw: nothing is
    biased, and an interval from these counts has the width that fits the rows drawn. How often rows were halved
    travels with the table, so that parts which were halved more and less often can be added up.

    Parameters
    ----------
    parts : iterable of pyarrow.Table
        With the keys and "n", the rows of each line; in one part, no two lines have the same keys.
    most : int, optional
        The most lines to keep. By default, MOST_CELLS.

    Examples
    --------
    >>> part = pa.table({"code0": np.arange(100), "n": np.full(100, 2)})
    >>> whole = add_up_within([part, part], ["code0"], most=100)
    >>> len(whole), share_kept(whole)
    (100, 1.0)
    >>> some = add_up_within([part], ["code0"], most=60)
    >>> len(some) <= 60, share_kept(some) < 1
    (True, True)
    """
    parts = list(parts)
    halved = max(map(_halved, parts))
    parts = [_halve(part, keys, halved - _halved(part)) for part in parts]
    counts = parts[0] if len(parts) == 1 else add_up_tables(parts, keys)
    while len(counts) > (MOST_CELLS if most is None else most):
        counts, halved = _halve(counts, keys, 1), halved + 1
    return counts.replace_schema_metadata({_HALVED: str(halved).encode()})


def share_kept(counts: pa.Table) -> float:
    """Say which share of the rows some counts rest on."""
    return float(0.5 ** _halved(counts))


def check_cells(n_cells: int, name: str) -> None:
    """Refuse more cells than memory should hold, where what they hold cannot be thinned."""
    if n_cells > MOST_CELLS:
        raise DataError(
            f"{name} has {n_cells:,} combinations of slices. The limit for this metric on data beyond memory is "
            f"{MOST_CELLS:,}. Use fewer slices, or a random sample of the rows."
        )


def _halved(counts: pa.Table) -> int:
    return int((counts.schema.metadata or {}).get(_HALVED, b"0"))


def _halve(counts: pa.Table, keys: Sequence[str], times: int) -> pa.Table:
    """Keep each row with probability one half, so many times over; the same rows of the same counts each time."""
    if not times:
        return counts
    # Engines list cells in any order; what is drawn must not depend on it.
    hashes = _hash_keys(counts, keys)
    order = np.argsort(hashes)
    rows = counts["n"].to_numpy()
    with np.errstate(over="ignore"):
        seed = [times, len(counts), int(rows.sum()), int(np.bitwise_xor.reduce(hashes * (rows.astype(np.uint64) + 1)))]
    kept = np.zeros(len(counts), dtype=np.int64)
    kept[order] = np.random.default_rng(seed).binomial(rows[order], 0.5**times)
    column = counts.column_names.index("n")
    thinned = counts.set_column(column, "n", pa.array(kept))
    for name in (WEIGHT_SUM, SQUARE_SUM):  # what stays of a cell weighs as much as its rows do on average
        if name in counts.column_names:
            sums = pa.array(counts[name].to_numpy() * (kept / rows))
            thinned = thinned.set_column(counts.column_names.index(name), name, sums)
    return thinned.filter(pa.array(kept > 0))


def _hash_keys(counts: pa.Table, keys: Sequence[str]) -> NDArray[np.uint64]:
    """Give every cell a number that follows from its keys alone."""
    hashes = np.zeros(len(counts), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for key in keys:
            column = counts[key].combine_chunks().dictionary_encode(null_encoding="encode")
            column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            names = np.array([repr(value) for value in column.dictionary.to_pylist()], dtype=object)
            numbers = pd.util.hash_array(names, categorize=False)
            hashes = (hashes ^ numbers[column.indices.to_numpy()]) * np.uint64(0x9E3779B97F4A7C15)
            hashes ^= hashes >> np.uint64(29)
    return hashes
