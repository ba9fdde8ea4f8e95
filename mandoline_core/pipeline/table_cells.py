"""Cells of rows that stay in a table: what an engine counts by, and what comes out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from mandoline_core.arrays import CodeArray, Floats, Index
from mandoline_core.data import Model, Sample, to_pandas
from mandoline_core.metrics import Scores, get_metric, read_class_labels, score_rows
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Flag, Slice, codes


@dataclass(frozen=True, eq=False)
class TableCells:
    """Hold a sample as cells.

    Parameters
    ----------
    codes : dict of tuple to array of int8, shape (n_cells,)
        What each rule says of a cell's rows, by the rule's key.
    rows : array of float, shape (n_cells,)
        How many rows each cell has; where rows have design weights, the sum of these.
    answers : Sample or None
        A row for each cell with its label and predictions, where the metric follows from these.
    statistics : dict of str to array of float, shape (n_cells, n_statistics)
        Else the metric's statistics by model; NaN where a row lacks what it needs.
    classes : dict of str to tuple of str
        Behind the statistics.
    share : float
        Of the rows that are counted: below 1 where they would make more cells than memory should hold.
    clusters : array of int, shape (n_cells,), optional
        The number of each cell's group, where rows belong together.
    squares, counts : array of float, shape (n_cells,), optional
        Where rows have design weights: the sum of their squares, and how many rows above 0 there are.
    """

    codes: dict[Hashable, CodeArray]
    rows: Floats
    answers: Sample | None = None
    statistics: dict[str, Floats] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 1.0
    clusters: Index | None = None
    squares: Floats | None = None
    counts: Floats | None = None

    @property
    def n(self) -> Floats:
        """How many rows each cell has, whatever they weigh."""
        return self.rows if self.counts is None else self.counts

    def code(self, slices: Sequence[Slice]) -> CodeArray:
        """Return the codes of some rules, shape (n_cells, n_slices)."""
        found = [self.codes[rule.key] for rule in slices]
        return np.column_stack(found) if found else np.zeros((len(self.rows), 0), dtype=np.int8)

    def gold(self, rule: Slice) -> CodeArray:
        """Return the true answers of a slice's gold column."""
        return self.codes[gold_rule(rule).key]

    def score(self, metric: MetricSettings, model: Model | None, known: Sequence[str] = ()) -> Scores:
        """Return the statistics of every cell for one model."""
        if self.answers is not None:
            return score_rows(metric, self.answers, label=self.answers.label, model=model, known=known)
        found, classes = self.statistics[name_of(model)], self.classes[name_of(model)]
        complete = np.asarray(np.isfinite(found).all(axis=1))
        fitted = get_metric(metric)
        fitted = fitted.fit(classes, metric.positive) if classes else fitted
        return Scores(np.where(complete[:, None], found, 0.0), complete, fitted, classes)


def gold_rule(rule: Slice) -> Slice:
    """Read a slice's gold column as a slice."""
    return Flag(rule.name, column=str(rule.gold))


def name_of(model: Model | None) -> str:
    """Name a model; a metric may need none."""
    return "" if model is None else model.name


@dataclass(frozen=True)
class Question:
    """Say what rows are counted by.

    Parameters
    ----------
    rules : tuple of Slice
        Resolved and settled, each of another key.
    models : tuple of Model or None
        None for a metric that needs no model.
    label : str or None
        The column of true classes or values.
    scored : bool
        Whether rows are scored, too.
    all_columns : tuple of str
        Of the sample.
    classes : dict of str to tuple of str
        Of each model, where scores need them beforehand.
    group : str or None
        The column of what rows belong together by.
    weight : str or None
        The column of design weights.
    """

    rules: tuple[Slice, ...]
    models: tuple[Model | None, ...]
    label: str | None
    metric: MetricSettings
    scored: bool
    name: str
    all_columns: tuple[str, ...]
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    group: str | None = None
    weight: str | None = None

    @property
    def by_answers(self) -> bool:
        """Whether what a row scores follows from its label and its prediction."""
        return get_metric(self.metric).needs == "predictions"

    @property
    def sees_all(self) -> bool:
        """Whether a rule looks at the whole frame."""
        return any(leaf.sees_all for rule in self.rules for leaf in rule.leaves)

    @property
    def answers(self) -> tuple[str, ...]:
        """The columns that what a row scores follows from, where these are few values."""
        if not self.scored or not self.by_answers:
            return ()
        predictions = [model.prediction for model in self.models if model is not None and model.prediction is not None]
        return tuple(dict.fromkeys([*([] if self.label is None else [self.label]), *predictions]))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        if self.sees_all:
            return self.all_columns
        found = [column for rule in self.rules for leaf in rule.leaves for column in leaf.reads]
        found += [*self.answers, *(column for column in (self.group, self.weight) if column is not None)]
        if self.scored and not self.by_answers:
            found += [column for model in self.models if model is not None for column in model.columns]
            found += [column for column in (self.label, self.metric.column) if column is not None]
        return tuple(dict.fromkeys(found))


def classes_of(sample: Sample, models: Sequence[Model | None], metric: MetricSettings) -> dict[str, tuple[str, ...]]:
    """List the classes that labels and predictions show, for each model; none for numbers."""
    if get_metric(metric).needs in ("numbers", "own") or sample.label is None:
        return {}
    found = {}
    for model in models:
        if model is not None and model.prediction is not None:
            columns = dict.fromkeys([sample.label, model.prediction])
            values = {column: sample.values(column).to_arrow() for column in columns}
            most = max(map(len, values.values()))
            padded = {column: [*one.to_pylist(), *[None] * (most - len(one))] for column, one in values.items()}
            small = Sample(pa.table(padded), name=sample.name)
            found[model.name] = read_class_labels(
                small, label=sample.label, prediction=model.prediction, merge=metric.merge
            ).classes
    return found


def score_models(sample: Sample, question: Question, *, whole: bool) -> dict[str, Floats]:
    """Score rows for every model; NaN where a row lacks what the metric needs."""
    found = {}
    whole = whole and get_metric(question.metric).needs != "own"  # whose metric is not kept with the cells
    for model in question.models:
        known = question.classes.get(name_of(model), ())
        scores = score_rows(question.metric, sample, label=question.label, model=model, known=known, whole=whole)
        found[name_of(model)] = np.where(scores.known[:, None], scores.statistics, np.nan)
    return found


def named_classes(question: Question) -> dict[str, tuple[str, ...]]:
    """Say which classes each model's scores were made with."""
    return {name_of(model): question.classes.get(name_of(model), ()) for model in question.models}


def frame_for(batch: pa.Table, question: Question) -> Any:
    """Hand a function the same type of frame for every batch as for the rows that were drawn."""
    return to_pandas(batch) if question.sees_all else batch


def code_rows(sample: Sample, rules: Sequence[Slice]) -> pa.Table:
    """Code rows by rules, a column each."""
    found = codes(sample, rules)
    return pa.table({f"code{number}": pa.array(column) for number, column in enumerate(found.T)})


def codes_in(found: pa.Table, names: Sequence[str]) -> dict[Hashable, CodeArray]:
    """Read codes off a table of counts, by the number of the rule."""
    return {number: found[name].to_numpy().astype(np.int8) for number, name in enumerate(names)}
