"""Counting a sample that stays in a table: cells of rows alike in slices and answers, in one pass for all models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.arrays import Codes, Floats
from mandoline_core.estimating.moments import matching_cells
from mandoline_core.metrics import Scores, get_metric, read_answers, score_rows
from mandoline_core.patterns import one_each
from mandoline_core.project import MetricSettings
from mandoline_core.samples import (
    Memory,
    Model,
    Reduce,
    Sample,
    Table,
    add_up_tables,
    add_up_within,
    check_cells,
    frame_of,
    share_kept,
)
from mandoline_core.slices import Flag, Slice, codes, settle

_BINS = {1: 1_000, 2: 100}  # of a score, where a metric ranks by it; by how many scores a row has
_FEWEST_BINS = 20


@dataclass(frozen=True, eq=False)
class Cells:
    """Hold a sample as cells.

    Parameters
    ----------
    codes : dict of tuple to array of int8, shape (n_cells,)
        What each rule says of a cell's rows, by the rule's key.
    rows : array of float, shape (n_cells,)
        How many rows each cell has.
    answers : Sample or None
        A row for each cell with its label and predictions, where the metric follows from these.
    statistics : dict of str to array of float, shape (n_cells, n_statistics)
        Else the metric's statistics by model; NaN where a row lacks what it needs.
    classes : dict of str to tuple of str
        Behind the statistics.
    share : float
        Of the rows that are counted: below 1 where they would make more cells than memory should hold.
    """

    codes: dict[Hashable, Codes]
    rows: Floats
    answers: Sample | None = None
    statistics: dict[str, Floats] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 1.0

    def code(self, slices: Sequence[Slice]) -> Codes:
        """Return the codes of some rules, shape (n_cells, n_slices)."""
        found = [self.codes[rule.key] for rule in slices]
        return np.column_stack(found) if found else np.zeros((len(self.rows), 0), dtype=np.int8)

    def gold(self, rule: Slice) -> Codes:
        """Return the true answers of a slice's gold column."""
        return self.codes[gold_rule(rule).key]

    def score(self, metric: MetricSettings, model: Model | None, known: Sequence[str] = ()) -> Scores:
        """Return the statistics of every cell for one model."""
        if self.answers is not None:
            return score_rows(metric, self.answers, label=self.answers.label, model=model, known=known)
        found, classes = self.statistics[_name(model)], self.classes[_name(model)]
        there = np.asarray(np.isfinite(found).all(axis=1))
        fitted = get_metric(metric.name)
        fitted = fitted.fit(classes, metric.positive) if classes else fitted
        return Scores(np.where(there[:, None], found, 0.0), there, fitted, classes)


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
    there : tuple of str
        All columns that there are.
    classes : dict of str to tuple of str
        Of each model, where scores need them beforehand.
    """

    rules: tuple[Slice, ...]
    models: tuple[Model | None, ...]
    label: str | None
    metric: MetricSettings
    scored: bool
    name: str
    there: tuple[str, ...]
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def by_answers(self) -> bool:
        """Whether what a row scores follows from its label and its prediction."""
        return get_metric(self.metric.name).needs == "predictions"

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
            return self.there
        found = [column for rule in self.rules for leaf in rule.leaves for column in leaf.reads]
        found += self.answers
        if self.scored and not self.by_answers:
            found += [column for model in self.models if model is not None for column in model.columns]
            found += [column for column in (self.label, self.metric.column) if column is not None]
        return tuple(dict.fromkeys(found))


_COUNTED: Memory[Cells] = Memory(most=32)


def count_cells(
    sample: Sample,
    slices: Sequence[Slice],
    models: Sequence[Model | None],
    label: str | None,
    metric: MetricSettings,
    classes: dict[str, tuple[str, ...]] | None = None,
) -> Cells:
    """Count a sample's rows by what slices say and what models answer, in one pass; once for the same question.

    Parameters
    ----------
    slices : sequence of Slice
        Resolved, for any of the models; the gold columns that the sample has are counted along.
    label : str or None
        The column of labels; rows are scored where the sample has what the metric needs.
    classes : dict of str to tuple of str, optional
        Of each model, from another sample.

    Examples
    --------
    >>> from mandoline_core import Threshold
    >>> sample = Sample(pa.table({"n": [1, 2, 3], "y": [0, 1, 1], "p": [0, 1, 0]}), label="y", prediction="p")
    >>> cells = count_cells(sample, [Threshold("big", column="n", above=1)], sample.models, "y", MetricSettings())
    >>> cells.score(MetricSettings(), sample.models[0]).statistics.ravel().tolist(), cells.rows.tolist()
    ([1.0, 1.0, 0.0], [1.0, 1.0, 1.0])
    """
    golds = [gold_rule(rule) for rule in slices if rule.gold is not None and rule.gold in sample.columns]
    rules = {rule.key: rule for rule in (*slices, *golds)}
    needed = metric.column if metric.column is not None else label
    scored = needed is not None and needed in sample.columns
    key = (tuple(rules), tuple(models), label, metric, tuple((classes or {}).items()))

    def count() -> Cells:
        settled = tuple(settle(rule, sample) for rule in rules.values())
        known = label if scored and label in sample.columns else None  # the mean of a column needs no label
        question = Question(settled, tuple(models), known, metric, scored, sample.name, sample.columns)
        if scored and not question.by_answers and metric.column is None:
            question.classes.update(classes or classes_of(sample, models, metric))
        found = _in_memory(sample, question) if sample.table is None else _in_table(sample, sample.table, question)
        return Cells(dict(zip(rules, found.codes.values(), strict=True)), *_rest(found))

    return _COUNTED.once((sample,), key, count)


def _rest(found: Cells) -> tuple[Any, ...]:
    return found.rows, found.answers, found.statistics, found.classes, found.share


def gold_rule(rule: Slice) -> Slice:
    """Read a slice's gold column as a slice."""
    return Flag(rule.name, column=str(rule.gold))


def classes_of(sample: Sample, models: Sequence[Model | None], metric: MetricSettings) -> dict[str, tuple[str, ...]]:
    """List the classes that labels and predictions show, for each model; none for numbers."""
    if get_metric(metric.name).needs == "numbers" or sample.label is None:
        return {}
    found = {}
    for model in models:
        if model is not None and model.prediction is not None:
            columns = dict.fromkeys([sample.label, model.prediction])
            values = {column: sample.values(column).to_arrow() for column in columns}
            most = max(map(len, values.values()))
            padded = {column: [*one.to_pylist(), *[None] * (most - len(one))] for column, one in values.items()}
            small = Sample(pa.table(padded), name=sample.name)
            found[model.name] = read_answers(
                small, label=sample.label, prediction=model.prediction, merge=metric.merge
            ).classes
    return found


def _in_memory(sample: Sample, question: Question) -> Cells:
    """Take every row for a cell."""
    found = codes(sample, question.rules)
    by_rule: dict[Hashable, Codes] = {number: found[:, number] for number in range(len(question.rules))}
    rows = one_each(sample.n_rows)
    if not question.scored:
        return Cells(by_rule, rows)
    if question.by_answers:
        labelled = Sample(sample.frame, label=question.label, models=sample.models, name=sample.name)
        return Cells(by_rule, rows, labelled)
    statistics = _statistics(sample, question, whole=True)
    return Cells(by_rule, rows, None, statistics, _classes(question))


def _in_table(sample: Sample, table: Table, question: Question) -> Cells:
    """Let the engine count by expressions, where it can; else reduce batches of rows."""
    if question.scored and not question.by_answers:
        return _count_statistics(sample, table, question)
    names = [f"code{number}" for number in range(len(question.rules))]
    columns = {f"column{number}": column for number, column in enumerate(question.answers)}
    if not names and not columns:
        return Cells({}, np.array([float(table.n_rows)]))
    reduce = partial(_reduce_answers, question, columns)
    if table.runs_expressions and _are_expressions(question.rules, table.schema):
        keys = {
            name: rule.compile_codes(table.schema).cast(nw.Int8)
            for name, rule in zip(names, question.rules, strict=True)
        }
        counted = table.count_by(keys | {name: nw.col(column) for name, column in columns.items()})
    else:
        counted = table.reduce(question.columns, reduce, partial(add_up_within, keys=[*names, *columns]))
    found, share = _within_memory(counted, [*names, *columns], sample, question, reduce)
    answers = None
    if columns:
        small = pa.table({column: found[name] for name, column in columns.items()})
        models = [Model(model.name, model.prediction) for model in question.models if model is not None]
        answers = Sample(small, label=question.label, models=models, name=question.name)
    return Cells(_codes(found, names), found["n"].to_numpy().astype(float), answers, share=share)


def _within_memory(
    counted: pa.Table, keys: Sequence[str], sample: Sample, question: Question, reduce: Reduce
) -> tuple[pa.Table, float]:
    """Thin counts that are too many; the rows in memory join them, so that all that is asked of these has a pattern.

    They are a uniform draw themselves, so every row still counts with the same chance.
    """
    found = add_up_within([counted], keys)
    share = share_kept(found)
    if share == 1:
        return counted, share
    rows = sample.frame.to_arrow().select(list(question.columns))
    return add_up_tables([found.replace_schema_metadata(None), _alike(reduce(rows), found)], keys), share


def _alike(few: pa.Table, many: pa.Table) -> pa.Table:
    """Give counts the types that others have: engines write text and whole numbers in several."""
    return few.select(many.column_names).cast(many.schema.remove_metadata())


def _reduce_answers(question: Question, columns: dict[str, str], batch: pa.Table) -> pa.Table:
    """Count the rows of a batch by codes and answers."""
    table = _coded(Sample(_frame(batch, question), name=question.name), question.rules)
    rows = Sample(batch, name=question.name)  # answers keep their type, whatever a function was handed
    for name, column in columns.items():
        table = table.append_column(name, rows.frame[column].to_arrow())
    return add_up_tables([table.append_column("n", pa.array(np.ones(len(batch), dtype=np.int64)))], table.column_names)


def _count_statistics(sample: Sample, table: Table, question: Question) -> Cells:
    """Add up the metric's statistics by codes: as cells of equal ones where it ranks, else with their products."""
    names = [f"code{number}" for number in range(len(question.rules))]
    sizes = _sizes(table, question)
    reduce = partial(_reduce_statistics, question)
    total = sum(sizes.values())
    if _ranks(question):
        keys = [*names, *(f"statistic{number}" for number in range(total))]
        counted = table.reduce(question.columns, reduce, partial(add_up_within, keys=keys))
        found, share = _within_memory(counted, keys, sample, question, reduce)
        values = np.column_stack([found[key].to_numpy(zero_copy_only=False) for key in keys[len(names) :]])
        statistics = dict(zip(sizes, _split(values, list(sizes.values())), strict=True))
        rows = found["n"].to_numpy().astype(float)
        return Cells(_codes(found, names), rows, None, statistics, _classes(question), share)
    keys = [*names, *(f"known{number}" for number in range(len(sizes)))]
    found = table.reduce(question.columns, reduce, partial(add_up_tables, keys=keys))
    check_cells(len(found), table.name)
    sums = np.column_stack([found[f"sum{i}"].to_numpy() for i in range(total)])
    products = np.empty((len(found), total, total))
    for i in range(total):
        for j in range(i + 1):
            products[:, i, j] = products[:, j, i] = found[f"product{i}_{j}"].to_numpy()
    group, values, rows = matching_cells(found["n"].to_numpy().astype(float), sums, products)
    statistics = {}
    for number, (name, part) in enumerate(zip(sizes, _split(values, list(sizes.values())), strict=True)):
        known = found[f"known{number}"].to_numpy(zero_copy_only=False).astype(bool)[group]
        statistics[name] = np.where(known[:, None], part, np.nan)
    coded = {key: column[group] for key, column in _codes(found, names).items()}
    return Cells(coded, rows, None, statistics, _classes(question))


def _reduce_statistics(question: Question, batch: pa.Table) -> pa.Table:
    """Add up the statistics of a batch's rows."""
    models = [model for model in question.models if model is not None]
    sample = Sample(_frame(batch, question), label=question.label, models=models, name=question.name)
    table = _coded(sample, question.rules)
    found = list(_statistics(sample, question, whole=False).values())
    values = np.hstack(found)
    if _ranks(question):
        bins = bins_of(values.shape[1] // 2)
        for number, column in enumerate(values.T):
            rounded = np.round(column * bins) / bins
            table = table.append_column(f"statistic{number}", pa.array(rounded, mask=np.isnan(rounded)))
        keys = table.column_names
        return add_up_tables([table.append_column("n", pa.array(np.ones(len(batch), dtype=np.int64)))], keys)
    for number, part in enumerate(found):
        table = table.append_column(f"known{number}", pa.array(~np.isnan(part).any(axis=1)))
    keys = table.column_names
    table = table.append_column("n", pa.array(np.ones(len(batch), dtype=np.int64)))
    values = np.nan_to_num(values)
    for i in range(values.shape[1]):
        table = table.append_column(f"sum{i}", pa.array(values[:, i]))
        for j in range(i + 1):
            table = table.append_column(f"product{i}_{j}", pa.array(values[:, i] * values[:, j]))
    return add_up_tables([table], keys)


def _statistics(sample: Sample, question: Question, *, whole: bool) -> dict[str, Floats]:
    """Score rows for every model; NaN where a row lacks what the metric needs."""
    found = {}
    for model in question.models:
        known = question.classes.get(_name(model), ())
        scores = score_rows(question.metric, sample, label=question.label, model=model, known=known, whole=whole)
        found[_name(model)] = np.where(scores.known[:, None], scores.statistics, np.nan)
    return found


def _sizes(table: Table, question: Question) -> dict[str, int]:
    """Ask a row how many statistics each model has."""
    models = [model for model in question.models if model is not None]
    first = table.head(question.columns, 1)
    sample = Sample(first, label=question.label, models=models, name=question.name)
    return {name: part.shape[1] for name, part in _statistics(sample, question, whole=False).items()}


def _ranks(question: Question) -> bool:
    metric = get_metric(question.metric.name)
    return metric.of_classes is not None and any(
        metric.fit(classes, question.metric.positive).ranked for classes in question.classes.values()
    )


def bins_of(n_scores: int) -> int:
    """Say how finely scores are told apart where a metric ranks rows that stay in a table.

    >>> bins_of(1), bins_of(5)
    (1000, 20)
    """
    return _BINS.get(n_scores, _FEWEST_BINS)


def _are_expressions(rules: Sequence[Slice], schema: Any) -> bool:
    """Tell whether rules say all they say in expressions."""
    measures = (leaf.measure(schema) for rule in rules for leaf in rule.leaves)
    return all(measure is None or isinstance(measure.how, nw.Expr) for measure in measures)


def _frame(batch: pa.Table, question: Question) -> Any:
    """Hand a function the same type of frame for every batch as for the rows that were drawn."""
    return frame_of(batch) if question.sees_all else batch


def _coded(sample: Sample, rules: Sequence[Slice]) -> pa.Table:
    found = codes(sample, rules)
    return pa.table({f"code{number}": pa.array(column) for number, column in enumerate(found.T)})


def _codes(found: pa.Table, names: Sequence[str]) -> dict[Hashable, Codes]:
    return {number: found[name].to_numpy().astype(np.int8) for number, name in enumerate(names)}


def _split(values: Floats, sizes: Sequence[int]) -> list[Floats]:
    return np.split(values, np.cumsum(sizes)[:-1], axis=1)


def _classes(question: Question) -> dict[str, tuple[str, ...]]:
    return {_name(model): question.classes.get(_name(model), ()) for model in question.models}


def _name(model: Model | None) -> str:
    return "" if model is None else model.name
