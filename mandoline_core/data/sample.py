"""Samples: a frame from any engine, with the roles of its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd

from mandoline_core.data.cache import SAMPLE_CACHE
from mandoline_core.data.classes import class_name
from mandoline_core.data.engines import Table, rows_in_memory
from mandoline_core.data.fingerprint import RowKeys, fingerprint
from mandoline_core.data.frames import normalise_frame
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

_ROUNDING = 1e-6  # probabilities are often written with a few digits
MOST_VALUES = 10_000  # of a column of a table that are listed


class FrozenMapping(Mapping[str, Any]):
    """A mapping that cannot change, so that what holds it can be hashed.

    Examples
    --------
    >>> FrozenMapping({"a": "b"})["a"], hash(FrozenMapping()) == hash(FrozenMapping({}))
    ('b', True)
    """

    def __init__(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        """Go through the keys."""
        return iter(self._items)

    def __len__(self) -> int:
        """Count the keys."""
        return len(self._items)

    def __hash__(self) -> int:
        """Hash the pairs, whatever their order."""
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        """Look like a dictionary."""
        return repr(self._items)


@dataclass(frozen=True)
class Model:
    """Say which columns hold a model's predictions.

    Parameters
    ----------
    name : str
        The model's name.
    prediction : str, optional
        The column of predicted classes.
    probabilities : mapping of str to str
        For each class, the column of its probability.

    Examples
    --------
    >>> Model("lr", "pred_lr", {"no": "p_no", "yes": "p_yes"}).probabilities["yes"]
    'p_yes'
    """

    name: str
    prediction: str | None = None
    probabilities: Mapping[str, str] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
        """Freeze the probabilities."""
        classes: Mapping[Any, str] = self.probabilities
        pairs = ((key if isinstance(key, str) else class_name(key), classes[key]) for key in classes)
        object.__setattr__(self, "probabilities", FrozenMapping(pairs))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the model's predictions are in."""
        return (*(() if self.prediction is None else (self.prediction,)), *self.probabilities.values())


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Sample:
    """Hold one sample: a frame and the roles of its columns.

    Columns come in as one type per meaning: text as text (also categoricals, and pandas objects), decimals as
    floats, NaN as a missing value.

    Data beyond memory stay where they are, in a table: what can be counted is counted there, on all rows, and what
    must look at rows looks at a uniform draw of them. Then `frame` is that draw, the same rows each time.

    Parameters
    ----------
    frame : a frame of pandas, Polars, PyArrow or another engine Narwhals knows, or a Table
        A lazy frame of Polars, DuckDB or Spark is a table, unless it has no more rows than a draw would.
    label : str, optional
        The column of true classes.
    prediction : str, optional
        The column of predicted classes: short for one model called "model".
    probabilities : mapping of str to str, optional
        For each class the column of its probability, for that model.
    models : iterable of Model
        The models, when there are several.
    name : str
        What to call the sample in messages, such as its file's name.

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
    ) -> None:
        models = tuple(models)
        if prediction is not None or probabilities:
            if models:
                raise DataError("Give either models, or prediction and probabilities for one model; not both.")
            if not isinstance(probabilities, Mapping | None):
                raise DataError(
                    "probabilities must say which column holds which class: {'no': 'p_no', 'yes': 'p_yes'}. "
                    f"Got a {type(probabilities).__name__}."
                )
            models = (Model("model", prediction, probabilities or {}),)
        if table is None:
            frame, table = rows_in_memory(frame, name)
        values = {"frame": normalise_frame(frame, name), "label": label, "models": models, "name": name, "table": table}
        for key, value in values.items():
            object.__setattr__(self, key, value)
        self._check()

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
        """The rows in memory alone: a sample of its own that knows how many it was drawn from."""
        if self.table is None:
            return self
        alone = Sample(self.frame, label=self.label, models=self.models, name=self.name)
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
        """The columns that are the label or a model's predictions."""
        predictions = (column for model in self.models for column in model.columns)
        return frozenset([*predictions, *([] if self.label is None else [self.label])])

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
        """A hash of every cell, column name and the row order; the same in every engine. Roles are not in it.

        Of a table beyond memory, what tells its files from others, and from themselves after a change.
        """
        return fingerprint(self.frame) if self.table is None else self.table.identity

    def row_keys(self, columns: tuple[str, ...]) -> RowKeys:
        """Name every row by what some of its columns hold; computed once."""
        for column in columns:
            self.series(column)
        return SAMPLE_CACHE.of((self,), ("row keys", columns), lambda: RowKeys(self.frame, columns))

    def series(self, column: str) -> nw.Series[Any]:
        """Return a column, or say which columns there are.

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

    def values(self, column: str) -> nw.Series[Any]:
        """List the distinct values of a column, missing ones left out; of very many, only some."""
        if self.table is not None and column in self.columns:
            return self.table.distinct(column, MOST_VALUES)
        return self.series(column).unique().drop_nulls()

    def _check(self) -> None:
        if not self.n_rows:
            raise DataError(f"{self.name} has no rows. A sample needs at least one.")
        repeated = [name for name, count in Counter(model.name for model in self.models).items() if count > 1]
        if repeated:
            raise DataError(f"More than one model is called {repeated[0]!r}. Give each model its own name.")
        if self.label is not None:
            self._check_classes(self.label, "the label")
        for model in self.models:
            if model.prediction is not None:
                self._check_classes(model.prediction, f"the prediction of model {model.name!r}")
            for column in model.probabilities.values():
                self._check_probability(model, column)

    def _check_classes(self, column: str, role: str) -> None:
        dtype = self.series(column).dtype
        if dtype.is_nested() or dtype == nw.Binary:
            raise DataError(
                f"Column {column!r} of {self.name}, {role}, holds values of type {dtype}. Expected a class or a number "
                "in each row."
            )

    def _check_probability(self, model: Model, column: str) -> None:
        series = self.series(column)
        where = f"Column {column!r} of {self.name}, a class probability of model {model.name!r},"
        if series.is_null().all():
            return
        if not series.dtype.is_numeric():
            raise DataError(f"{where} holds {kind_of(series.dtype)}. Expected numbers between 0 and 1.")
        low, high = float(series.min()), float(series.max())
        if low < -_ROUNDING or high > 1 + _ROUNDING:
            hint = " Divide percentages by 100." if low >= 0 and 2 < high <= 100 + _ROUNDING else ""
            raise DataError(f"{where} goes from {low:g} to {high:g}. Expected numbers between 0 and 1.{hint}")


class Predictions(NamedTuple):
    """Hold a model's predictions as columns, and the `Model` that names them.

    Parameters
    ----------
    frame : DataFrame
        A row for each row asked about, with its index if it had one: put it beside them.
    """

    frame: pd.DataFrame
    model: Model


def predict_columns(model: Any, X: Any, *, name: str = "model") -> Predictions:  # noqa: N803 - as scikit-learn says
    """Ask a fitted model about rows: a column of predictions and, for a classifier, one of each class's probability.

    Parameters
    ----------
    model : a fitted model of scikit-learn, or of anything like it
        It has `predict`; with `predict_proba` and `classes_`, there are probabilities, too.
    X : what its `predict` takes
    name : str
        The model's name: columns are called pred_NAME and prob_NAME_CLASS.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> fitted = DummyClassifier().fit([[0], [0], [0], [0]], ["no", "yes", "yes", "yes"])
    >>> predictions = predict_columns(fitted, [[0], [1]], name="most")
    >>> list(predictions.frame), predictions.model.probabilities["yes"]
    (['pred_most', 'prob_most_no', 'prob_most_yes'], 'prob_most_yes')
    """
    if not callable(getattr(model, "predict", None)):
        raise DataError(f"A {type(model).__name__} has no predict. Expected a fitted model, as of scikit-learn.")
    if not name.strip():
        raise DataError(f"A model's name must be a text that is not empty. Got {name!r}.")
    predictions = np.asarray(model.predict(X))
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions[:, 0]
    if predictions.ndim != 1:
        raise DataError(f"The model gives {predictions.shape[-1]} answers a row. Take a model with one.")
    columns: dict[str, Any] = {f"pred_{name}": predictions}
    probabilities: dict[str, str] = {}
    if callable(getattr(model, "predict_proba", None)):
        values = np.asarray(model.predict_proba(X))
        for position, class_ in enumerate(map(class_name, model.classes_)):
            column = f"prob_{name}_{class_}"
            columns[column], probabilities[class_] = values[:, position], column
    index = X.index if isinstance(X, (pd.DataFrame, pd.Series)) else None
    return Predictions(pd.DataFrame(columns, index=index), Model(name, f"pred_{name}", probabilities))


def kind_of(dtype: nw.dtypes.DType) -> str:
    """Say in one word or two what a column of a type holds.

    Examples
    --------
    >>> kind_of(nw.Int64()), kind_of(nw.String()), kind_of(nw.Boolean())
    ('numbers', 'text', 'true/false')
    """
    if dtype.is_numeric():
        return "numbers"
    if dtype.is_temporal():
        return "dates or times"
    names = {nw.String: "text", nw.Boolean: "true/false", nw.Unknown: "no value at all"}
    return next((name for kind, name in names.items() if dtype == kind), f"values of type {dtype}")
