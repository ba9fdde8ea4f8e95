"""Samples: a frame from any engine, with the roles of its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import EllipsisType
from typing import Any, Self

import narwhals as nw
import numpy as np
import pandas as pd

from mandoline_core.arrays import Floats, Index
from mandoline_core.data.arrays import arrays_frame
from mandoline_core.data.cache import SAMPLE_CACHE
from mandoline_core.data.classes import kind_of
from mandoline_core.data.column_types import ColumnType, Reading, check_types, read_frame, read_table_as
from mandoline_core.data.engines import Table, rows_in_memory
from mandoline_core.data.fingerprint import RowKeys, fingerprint
from mandoline_core.data.frames import PANDAS_READS_RE2, normalise_frame
from mandoline_core.data.models import Model
from mandoline_core.data.weights import check_weights, read_weights
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

_ROUNDING = 1e-6  # probabilities are often written with a few digits
MOST_VALUES = 10_000  # of a column of a table that are listed


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Sample:
    """Hold one sample: a frame and the roles of its columns.

    Columns come in as one type per meaning: text as text (also categoricals, intervals of `pandas.cut`, and pandas
    objects), decimals as floats, NaN as a missing value.

    Data beyond memory stays in a table: counts use all of its rows there, and other steps use a random sample of
    them. `frame` is that sample, the same rows each time.

    Parameters
    ----------
    frame : a frame of pandas, Polars, PyArrow or another engine Narwhals knows, or a Table
        A lazy frame of Polars, DuckDB or Spark stays a table, unless it is small.
    label : str, optional
        The column of true classes.
    prediction : str, optional
        The column of predicted classes, if there is one model. It is named "model". When left out, its prediction is
        the most probable class.
    probabilities : mapping of str to str, optional
        For each class, the column of its probability, for that model. Of two classes, one is enough.
    models : iterable of Model
        The models, when there are several.
    name : str
        The sample's name in messages, such as its file's name.
    group : str, optional
        The column of what rows belong together by, such as a user. Intervals and splits go by it.
    weight : str, optional
        The column of design weights: how much each row counts, such as 1 over its sampling probability. Only
        their ratios matter.
    types : mapping of str to {"number", "date"}, optional
        What columns of text hold, where they are to be read as something else. What cannot be read is missing.

    Examples
    --------
    >>> sample = Sample(pd.DataFrame({"label": [1, 0], "answer": [1, 1]}), label="label", prediction="answer")
    >>> sample.n_rows, sample.columns, sample.models[0].name
    (2, ('label', 'answer'), 'model')
    """

    frame: nw.DataFrame[Any]
    label: str | None
    models: tuple[Model, ...]
    name: str
    table: Table | None
    group: str | None
    weight: str | None
    readings: Mapping[str, Reading]
    _drawn_from: int | None = None

    def __init__(
        self,
        frame: Any,
        *,
        label: str | None = None,
        prediction: str | None = None,
        probabilities: Mapping[str, str] | None = None,
        models: Iterable[Model] = (),
        name: str = "sample",
        table: Table | None = None,
        group: str | None = None,
        weight: str | None = None,
        types: Mapping[str, ColumnType] | None = None,
    ) -> None:
        models = tuple(models)
        if prediction is not None or probabilities:
            if models:
                raise DataError("Give either models, or prediction and probabilities for one model. Got both.")
            if not isinstance(probabilities, Mapping | None):
                raise DataError(
                    "probabilities must map each class to its column, such as {'no': 'p_no', 'yes': 'p_yes'}. "
                    f"Got a {type(probabilities).__name__}."
                )
            models = (Model("model", prediction, probabilities or {}),)
        if table is None:
            frame, table = rows_in_memory(frame, name)
        readings: Mapping[str, Reading] = {}
        types = check_types(types or {})
        if types and table is not None:
            table, readings = read_table_as(table, types, name)
            frame, _ = rows_in_memory(table, name)
        whole = normalise_frame(frame, name)
        if types and table is None:
            whole, readings = read_frame(whole, types, name)
        values: dict[str, Any] = {"frame": whole, "label": label, "models": models, "name": name, "table": table}
        values |= {"group": group, "weight": weight, "readings": readings}
        for key, value in values.items():
            object.__setattr__(self, key, value)
        self._check()

    @classmethod
    def from_arrays(
        cls,
        X: Any,  # noqa: N803 - as scikit-learn says
        y: Any = None,
        y_pred: Any = None,
        proba: Any = None,
        *,
        classes: Sequence[Any] | None = None,
        columns: Sequence[str] | None = None,
        name: str = "sample",
    ) -> Self:
        """Make a sample of arrays, as scikit-learn takes and returns them.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns), frame, or list of texts
            What slices read. Columns of an array are named x0, x1 and so on; texts are column "text".
        y : array of shape (n_rows,), optional
            Labels, as column "label".
        y_pred : array of shape (n_rows,), optional
            Predictions, as column "prediction". When left out, the most probable class.
        proba : array of shape (n_rows, n_classes) or (n_rows,), optional
            Class probabilities; of shape (n_rows,), those of the second of two classes.
        classes : sequence, optional
            The class of each column of `proba`, such as `model.classes_`. By default, the sorted values of `y`.
        columns : sequence of str, optional
            The names of the columns of X.

        Examples
        --------
        >>> sample = Sample.from_arrays([[1, 2], [3, 4]], ["no", "yes"], proba=[[0.9, 0.1], [0.2, 0.8]])
        >>> sample.columns, sample.label, sample.models[0].probabilities
        (('x0', 'x1', 'label', 'prob_no', 'prob_yes'), 'label', {'no': 'prob_no', 'yes': 'prob_yes'})
        """
        frame, roles = arrays_frame(X, y, y_pred, proba, classes=classes, columns=columns, name=name)
        return cls(frame, **roles, name=name)

    def __repr__(self) -> str:
        """Name the sample and its size."""
        return f"Sample({self.name!r}, {self.n_rows} rows, columns: {listed(self.columns)})"

    @property
    def n_rows(self) -> int:
        """The number of rows in memory."""
        return len(self.frame)

    @property
    def n_all(self) -> int:
        """The number of all rows, also of those that stay in a table."""
        return self._drawn_from or (self.n_rows if self.table is None else self.table.n_rows)

    @cached_property
    def drawn(self) -> Sample:
        """The rows in memory, as a sample that knows how many rows it was drawn from."""
        if self.table is None:
            return self
        alone = self.with_rows(self.frame)
        object.__setattr__(alone, "_drawn_from", self.table.n_rows)
        return alone

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.frame.columns)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.columns)  # of which there may be thousands, asked for one by one

    @property
    def roles(self) -> frozenset[str]:
        """The columns that are the label, a model's predictions, what rows belong together by, or their weight."""
        predictions = (column for model in self.models for column in model.columns)
        others = (self.label, self.group, self.weight)
        return frozenset([*predictions, *(column for column in others if column is not None)])

    @cached_property
    def clusters(self) -> Index | None:
        """The number of each row's group; None where rows are on their own. A row without a value is a group itself."""
        return None if self.group is None else number_groups(self.series(self.group), f"{self.group!r} of {self.name}")

    @cached_property
    def design_weights(self) -> Floats | None:
        """The design weight of each row in memory, as its column has it; None where all rows count alike."""
        return None if self.weight is None else read_weights(self.series(self.weight), self._weight_column)

    @property
    def _weight_column(self) -> str:
        return f"Column {self.weight!r} of {self.name}"

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The type of each column; `narwhals.Unknown` for a column without a single value."""
        native = nw.to_native(self.frame)
        if isinstance(native, pd.DataFrame):  # which asks all columns at once, where there may be thousands
            empty = set(native.columns[native.isna().all().to_numpy()])
        else:
            missing = self.frame.select(nw.all().is_null().all())
            empty = {name for name in self.columns if missing[name].item()}
        if self.table is not None:  # a draw may miss the few values there are
            empty = {name for name in empty if not self.table.has_values(name)}
            return {name: nw.Unknown() if name in empty else self.table.schema[name] for name in self.columns}
        return {name: nw.Unknown() if name in empty else dtype for name, dtype in self.frame.schema.items()}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every cell, column name and the row order; the same in every engine. Roles are excluded.

        Of a table beyond memory, a hash of its files' identity and state.
        """
        return fingerprint(self.frame) if self.table is None else self.table.identity

    @cached_property
    def rule_frame(self) -> nw.DataFrame[Any]:
        """The frame on which rules are evaluated: regular expressions run in linear time."""
        if self.frame.implementation.is_pandas() and not PANDAS_READS_RE2:
            return nw.from_native(self.frame.to_arrow(), eager_only=True)
        return self.frame

    def row_keys(self, columns: tuple[str, ...]) -> RowKeys:
        """Give every row a key from the values of some columns; computed once."""
        for column in columns:
            self.series(column)
        return SAMPLE_CACHE.of((self,), ("row keys", columns), lambda: RowKeys(self.frame, columns))

    def series(self, column: str) -> nw.Series[Any]:
        """Return a column; an error lists the columns.

        Examples
        --------
        >>> Sample(pd.DataFrame({"text": ["a"]})).series("txt")
        Traceback (most recent call last):
        ...
        mandoline_core.errors.DataError: Column 'txt' is not in sample. Columns: text. Did you mean 'text'?
        """
        if column not in self._names:
            raise DataError.missing_column(column, self.name, self.columns)
        return self.frame[column]

    def changed(self, change: Callable[[Any], Any], models: Iterable[Model]) -> Sample:
        """Return the sample with its frame changed, where the rows are, and with other models.

        Parameters
        ----------
        change : callable
            From a narwhals frame, eager or lazy, to one with the same rows and more columns.

        Examples
        --------
        >>> sample = Sample(pd.DataFrame({"n": [1]}))
        >>> sample.changed(lambda frame: frame.with_columns(twice=nw.col("n") * 2), models=()).columns
        ('n', 'twice')
        """
        table = None if self.table is None else self.table.changed(change)
        made = self.with_rows(change(self.frame), models=models, table=table)
        object.__setattr__(made, "_drawn_from", self._drawn_from)
        return made

    def with_rows(
        self,
        frame: Any,
        *,
        label: str | EllipsisType | None = ...,
        models: Iterable[Model] | None = None,
        name: str | None = None,
        table: Table | None = None,
        group: str | EllipsisType | None = ...,
        weight: str | EllipsisType | None = ...,
    ) -> Sample:
        """Return a sample of other rows whose columns have the same roles, or others where these are given.

        Examples
        --------
        >>> rows = pd.DataFrame({"user": ["a", "b"], "y": 1})
        >>> Sample(rows, label="y", group="user").with_rows(rows, label=None)
        Sample('sample', 2 rows, columns: user, y)
        """
        made = Sample(
            frame,
            label=self.label if isinstance(label, EllipsisType) else label,
            models=self.models if models is None else models,
            name=self.name if name is None else name,
            table=table,
            group=self.group if isinstance(group, EllipsisType) else group,
            weight=self.weight if isinstance(weight, EllipsisType) else weight,
        )
        object.__setattr__(made, "readings", self.readings)
        return made

    def values(self, column: str) -> nw.Series[Any]:
        """List the distinct values of a column, without missing ones; of very many, only some."""
        if self.table is not None and column in self.columns:
            return self.table.distinct(column, MOST_VALUES)
        return self.series(column).unique().drop_nulls()

    def _check(self) -> None:
        if not self.n_rows:
            raise DataError(f"{self.name} has no rows. Add at least one.")
        repeated = [name for name, count in Counter(model.name for model in self.models).items() if count > 1]
        if repeated:
            raise DataError(f"Two models are called {repeated[0]!r}. Give each model its own name.")
        if self.label is not None:
            self._check_classes(self.label, "the label")
        if self.group is not None:
            self._check_classes(self.group, "the group")
        if self.weight is not None:
            self.series(self.weight)  # is there
            if self.table is not None:
                check_weights(self.table, self.weight, self._weight_column)
            _ = self.design_weights  # are weights
        for model in self.models:
            if model.prediction is not None:
                self._check_classes(model.prediction, f"the prediction of model {model.name!r}")
            for column in model.probabilities.values():
                self._check_probability(model, column)

    def _check_classes(self, column: str, role: str) -> None:
        dtype = self.series(column).dtype
        if dtype.is_nested() or dtype == nw.Binary:
            raise DataError(
                f"Column {column!r} of {self.name} ({role}) has type {dtype}. Expected a class or a number in each row."
            )

    def _check_probability(self, model: Model, column: str) -> None:
        series = self.series(column)
        where = f"Column {column!r} of {self.name} (a class probability of model {model.name!r})"
        if series.is_null().all():
            return
        if not series.dtype.is_numeric():
            raise DataError(f"{where} holds {kind_of(series.dtype)}. Expected numbers between 0 and 1.")
        low, high = float(series.min()), float(series.max())
        if low < -_ROUNDING or high > 1 + _ROUNDING:
            hint = " Divide percentages by 100." if low >= 0 and 2 < high <= 100 + _ROUNDING else ""
            raise DataError(f"{where} ranges from {low:g} to {high:g}. Expected numbers between 0 and 1.{hint}")


def number_groups(values: nw.Series[Any], name: str) -> Index:
    """Give every value of a column a number; a missing value is one of its own.

    Parameters
    ----------
    name : str
        What messages call the column.

    Examples
    --------
    >>> number_groups(nw.from_native(pd.Series(["a", "b", None, "a", None]), series_only=True), "").tolist()
    [0, 1, 2, 0, 3]
    """
    numbers, distinct = pd.factorize(values.to_pandas())
    missing = np.flatnonzero(numbers < 0)
    if len(distinct) + len(missing) < 2:
        raise DataError(f"Column {name} (the group) is the same in all rows. Expected at least 2 groups.")
    numbers = numbers.astype(np.intp)
    numbers[missing] = len(distinct) + np.arange(len(missing))
    return numbers
