"""Count rows that stay in a table, all models in one pass: by the engine where it can, else batch by batch."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.arrays import CodeArray, Floats, Index
from mandoline_core.data import (
    SAMPLE_CACHE,
    SQUARE_SUM,
    WEIGHT_SUM,
    Model,
    Reduce,
    Sample,
    Table,
    add_up_tables,
    add_up_within,
    check_cells,
    number_groups,
    share_kept,
)
from mandoline_core.metrics import get_metric
from mandoline_core.patterns import one_each
from mandoline_core.pipeline.table_cells import (
    Question,
    TableCells,
    classes_of,
    code_rows,
    codes_in,
    frame_for,
    gold_rule,
    named_classes,
    score_models,
)
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Slice, codes, settle


def matching_cells(rows: Floats, sums: Floats, products: Floats) -> tuple[Index, Floats, Floats]:
    """Make cells with the same rows, sums and products as many rows have.

    An estimate of means and its interval depend on nothing else, so they are what the rows themselves would give.
    Around the mean of each group are two cells for each direction in which its statistics vary, as far apart as
    these vary.

    Parameters
    ----------
    rows : array of float, shape (n_groups,)
    sums : array of float, shape (n_groups, n_statistics)
    products : array of float, shape (n_groups, n_statistics, n_statistics)
        Sums of the statistics' outer products.

    Returns
    -------
    group : array of int, shape (n_cells,)
        The group that each cell is of.
    statistics : array of float, shape (n_cells, n_statistics)
    counts : array of float, shape (n_cells,)
        Rows of each cell; not always whole.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 6.0])
    >>> _, cells, counts = matching_cells(
    ...     np.array([3.0]), np.array([[values.sum()]]), np.array([[[values @ values]]])
    ... )
    >>> len(cells), float(counts @ cells[:, 0]), round(float(counts @ cells[:, 0] ** 2), 9)
    (2, 9.0, 41.0)
    """
    n_groups, n_statistics = sums.shape
    means = sums / rows[:, None]
    spread = products / rows[:, None, None] - means[:, :, None] * means[:, None, :]
    values, vectors = np.linalg.eigh(spread)
    reach = vectors * np.sqrt(n_statistics * np.maximum(values, 0.0))[:, None, :]
    sides = np.concatenate([reach, -reach], axis=2).transpose(0, 2, 1)  # (n_groups, 2 * n_statistics, n_statistics)
    statistics = (means[:, None, :] + sides).reshape(-1, n_statistics)
    n_cells = 2 * n_statistics
    return np.repeat(np.arange(n_groups), n_cells), statistics, np.repeat(rows / n_cells, n_cells)


def count_answers(sample: Sample, table: Table, question: Question) -> TableCells:
    """Let the engine count by expressions, where it can; else reduce batches of rows."""
    names = [f"code{number}" for number in range(len(question.rules))]
    columns = {f"column{number}": column for number, column in enumerate(question.answers)}
    columns |= {} if question.group is None else {GROUP: question.group}
    if not names and not columns and question.weight is None:
        return TableCells({}, np.array([float(table.n_rows)]))
    reduce = partial(reduce_answers, question, columns)
    if table.runs_expressions and are_expressions(question.rules, table.schema):
        keys = {
            name: rule.compile_codes(table.schema).cast(nw.Int8)
            for name, rule in zip(names, question.rules, strict=True)
        }
        counted = table.count_by(keys | {name: nw.col(column) for name, column in columns.items()}, question.weight)
    else:
        counted = table.reduce(question.columns, reduce, partial(add_up_within, keys=[*names, *columns]))
    found, share = within_memory(counted, [*names, *columns], sample, question, reduce)
    answers = None
    if question.answers:
        small = pa.table({column: found[name] for name, column in columns.items() if name != GROUP})
        models = [Model(model.name, model.prediction) for model in question.models if model is not None]
        answers = Sample(small, label=question.label, models=models, name=question.name)
    rows, *weighted = rows_in(found)
    clusters = clusters_in(found, question)
    return TableCells(codes_in(found, names), rows, answers, {}, {}, share, clusters, *weighted)


def within_memory(
    counted: pa.Table, keys: Sequence[str], sample: Sample, question: Question, reduce: Reduce
) -> tuple[pa.Table, float]:
    """Thin counts that are too many; the rows in memory join them, so that all that is asked of these has a pattern.

    They are a uniform draw themselves, so every row still counts with the same probability.
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


def reduce_answers(question: Question, columns: dict[str, str], batch: pa.Table) -> pa.Table:
    """Count the rows of a batch by codes and answers."""
    batch, weights = weigh_batch(batch, question)
    table = code_rows(Sample(frame_for(batch, question), name=question.name), question.rules)
    rows = Sample(batch, name=question.name)  # answers keep their type, whatever a function was handed
    for name, column in columns.items():
        table = table.append_column(name, rows.frame[column].to_arrow())
    return add_up_tables([with_rows(table, weights)], table.column_names)


def weigh_batch(batch: pa.Table, question: Question) -> tuple[pa.Table, Floats | None]:
    """Return the rows of a batch that count, and their design weights, or None."""
    if question.weight is None:
        return batch, None
    weights = batch[question.weight].cast(pa.float64()).to_numpy(zero_copy_only=False)
    counted = weights > 0
    return batch.filter(pa.array(counted)), weights[counted]


def with_rows(table: pa.Table, weights: Floats | None) -> pa.Table:
    """Add what is added up of every row: that it is one, and its design weight with its square."""
    table = table.append_column("n", pa.array(np.ones(len(table), dtype=np.int64)))
    if weights is None:
        return table
    return table.append_column(WEIGHT_SUM, pa.array(weights)).append_column(SQUARE_SUM, pa.array(weights**2))


def rows_in(found: pa.Table) -> tuple[Floats, Floats | None, Floats | None]:
    """Read the rows of each cell off a table of counts; where they have design weights, also squares and counts."""
    counts = found["n"].to_numpy().astype(float)
    if WEIGHT_SUM not in found.column_names:
        return counts, None, None
    weight, square = (found[name].to_numpy().astype(float) for name in (WEIGHT_SUM, SQUARE_SUM))
    return weight, square, counts


def are_expressions(rules: Sequence[Slice], schema: Any) -> bool:
    """Tell whether rules say all they say in expressions."""
    measures = (leaf.measure(schema) for rule in rules for leaf in rule.leaves)
    return all(measure is None or isinstance(measure.how, nw.Expr) for measure in measures)


GROUP = "group"  # what the column of groups is called in counts
# Rows of a cell with moments weigh about the same, so that the squares of their weights do not depend on their
# statistics: no more than a sixteenth of a power of two apart. Of weights in few steps nothing is lost.
_LEVEL, _LEVELS = "level", 16
_BINS = {1: 1_000, 2: 100}  # of a score, where a metric ranks by it; by how many scores a row has
_FEWEST_BINS = 20


def count_statistics(sample: Sample, table: Table, question: Question) -> TableCells:
    """Add up the metric's statistics by codes: as cells of equal ones where it ranks, else with their products."""
    names = [f"code{number}" for number in range(len(question.rules))]
    sizes = _sizes(table, question)
    reduce, group = partial(_reduce_statistics, question), [] if question.group is None else [GROUP]
    total = sum(sizes.values())
    if _ranks(question):
        keys = [*names, *(f"statistic{number}" for number in range(total)), *group]
        counted = table.reduce(question.columns, reduce, partial(add_up_within, keys=keys))
        found, share = within_memory(counted, keys, sample, question, reduce)
        values = np.column_stack(
            [found[key].to_numpy(zero_copy_only=False) for key in keys[len(names) : len(names) + total]]
        )
        statistics = dict(zip(sizes, _split(values, list(sizes.values())), strict=True))
        rows, *weighted = rows_in(found)
        clusters = clusters_in(found, question)
        about = statistics, named_classes(question), share, clusters
        return TableCells(codes_in(found, names), rows, None, *about, *weighted)
    keys = [*names, *(f"known{number}" for number in range(len(sizes))), *group]
    keys += [] if question.weight is None else [_LEVEL]
    found = table.reduce(question.columns, reduce, partial(add_up_tables, keys=keys))
    check_cells(len(found), table.name)
    sums = np.column_stack([found[f"sum{i}"].to_numpy() for i in range(total)])
    products = np.empty((len(found), total, total))
    for i in range(total):
        for j in range(i + 1):
            products[:, i, j] = products[:, j, i] = found[f"product{i}_{j}"].to_numpy()
    totals, *weighted = rows_in(found)
    cells, values, rows = matching_cells(totals, sums, products)
    weighted = [None if each is None else each[cells] * rows / totals[cells] for each in weighted]
    statistics = {}
    for number, (name, part) in enumerate(zip(sizes, _split(values, list(sizes.values())), strict=True)):
        known = found[f"known{number}"].to_numpy(zero_copy_only=False).astype(bool)[cells]
        statistics[name] = np.where(known[:, None], part, np.nan)
    coded = {key: column[cells] for key, column in codes_in(found, names).items()}
    clusters = clusters_in(found, question)
    clusters = None if clusters is None else clusters[cells]
    return TableCells(coded, rows, None, statistics, named_classes(question), 1.0, clusters, *weighted)


def _reduce_statistics(question: Question, batch: pa.Table) -> pa.Table:
    """Add up the statistics of a batch's rows."""
    batch, weights = weigh_batch(batch, question)
    models = [model for model in question.models if model is not None]
    sample = Sample(frame_for(batch, question), label=question.label, models=models, name=question.name)
    table = code_rows(sample, question.rules)
    if question.group is not None:
        table = table.append_column(GROUP, batch[question.group])
    found = list(score_models(sample, question, whole=False).values())
    values = np.hstack(found)
    if _ranks(question):
        bins = bins_of(values.shape[1] // 2)
        for number, column in enumerate(values.T):
            rounded = np.round(column * bins) / bins
            table = table.append_column(f"statistic{number}", pa.array(rounded, mask=np.isnan(rounded)))
        return add_up_tables([with_rows(table, weights)], table.column_names)
    for number, part in enumerate(found):
        table = table.append_column(f"known{number}", pa.array(~np.isnan(part).any(axis=1)))
    if weights is not None:
        table = table.append_column(_LEVEL, pa.array(np.round(_LEVELS * np.log2(weights)).astype(np.int64)))
    keys = table.column_names
    table, values = with_rows(table, weights), np.nan_to_num(values)
    counted = values if weights is None else values * weights[:, None]
    for i in range(values.shape[1]):
        table = table.append_column(f"sum{i}", pa.array(counted[:, i]))
        for j in range(i + 1):
            table = table.append_column(f"product{i}_{j}", pa.array(counted[:, i] * values[:, j]))
    return add_up_tables([table], keys)


def _sizes(table: Table, question: Question) -> dict[str, int]:
    """Ask a row how many statistics each model has."""
    models = [model for model in question.models if model is not None]
    first = table.head(question.columns, 1)
    sample = Sample(first, label=question.label, models=models, name=question.name)
    return {name: part.shape[1] for name, part in score_models(sample, question, whole=False).items()}


def _ranks(question: Question) -> bool:
    metric = get_metric(question.metric)
    return metric.of_classes is not None and any(
        metric.fit(classes, question.metric.positive).ranked for classes in question.classes.values()
    )


def bins_of(n_scores: int) -> int:
    """Return the number of bins for scores of a ranking metric whose rows stay in a table.

    >>> bins_of(1), bins_of(5)
    (1000, 20)
    """
    return _BINS.get(n_scores, _FEWEST_BINS)


def _split(values: Floats, sizes: Sequence[int]) -> list[Floats]:
    return np.split(values, np.cumsum(sizes)[:-1], axis=1)


def count_cells(
    sample: Sample,
    slices: Sequence[Slice],
    models: Sequence[Model | None],
    label: str | None,
    metric: MetricSettings,
    classes: dict[str, tuple[str, ...]] | None = None,
) -> TableCells:
    """Count a sample's rows by slice codes and predictions, in one pass; cached.

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
    >>> import pyarrow as pa
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
    key = ("cells", tuple(rules), tuple(models), label, metric, tuple((classes or {}).items()))

    def count() -> TableCells:
        settled = tuple(settle(rule, sample) for rule in rules.values())
        known = label if scored and label in sample.columns else None  # the mean of a column needs no label
        about = (known, metric, scored, sample.name, sample.columns)
        question = Question(settled, tuple(models), *about, group=sample.group, weight=sample.weight)
        if scored and not question.by_answers and metric.column is None:
            question.classes.update(classes or classes_of(sample, models, metric))
        if sample.table is None:
            found = _in_memory(sample, question)
        elif scored and not question.by_answers:
            found = count_statistics(sample, sample.table, question)
        else:
            found = count_answers(sample, sample.table, question)
        return replace(found, codes=dict(zip(rules, found.codes.values(), strict=True)))

    return SAMPLE_CACHE.of((sample,), key, count)


def _in_memory(sample: Sample, question: Question) -> TableCells:
    """Take every row for a cell."""
    found = codes(sample, question.rules)
    by_rule: dict[Hashable, CodeArray] = {number: found[:, number] for number in range(len(question.rules))}
    cells, weights = TableCells(by_rule, one_each(sample.n_rows), clusters=sample.clusters), sample.design_weights
    if weights is not None:
        cells = replace(cells, rows=weights, squares=weights**2, counts=(weights > 0).astype(float))
    if not question.scored:
        return cells
    if question.by_answers:
        return replace(
            cells, answers=Sample(sample.frame, label=question.label, models=sample.models, name=sample.name)
        )
    return replace(cells, statistics=score_models(sample, question, whole=True), classes=named_classes(question))


def clusters_in(found: pa.Table, question: Question) -> Index | None:
    """Give every group that rows were counted by a number; None where they were not."""
    if question.group is None:
        return None
    return number_groups(nw.from_native(found[GROUP], series_only=True), f"{question.group!r} of {question.name}")
