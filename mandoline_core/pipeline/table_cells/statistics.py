"""Adding up scores that are numbers, by codes: as cells of equal ones where a metric ranks, else with their moments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from mandoline_core.arrays import Floats
from mandoline_core.data import Sample, Table, add_up_tables, add_up_within, check_cells
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline.table_cells.answers import within_memory
from mandoline_core.pipeline.table_cells.moments import matching_cells
from mandoline_core.pipeline.table_cells.question import (
    Question,
    code_rows,
    codes_in,
    frame_for,
    named_classes,
    score_models,
)
from mandoline_core.pipeline.table_cells.table_cells import TableCells

_BINS = {1: 1_000, 2: 100}  # of a score, where a metric ranks by it; by how many scores a row has
_FEWEST_BINS = 20


def count_statistics(sample: Sample, table: Table, question: Question) -> TableCells:
    """Add up the metric's statistics by codes: as cells of equal ones where it ranks, else with their products."""
    names = [f"code{number}" for number in range(len(question.rules))]
    sizes = _sizes(table, question)
    reduce = partial(_reduce_statistics, question)
    total = sum(sizes.values())
    if _ranks(question):
        keys = [*names, *(f"statistic{number}" for number in range(total))]
        counted = table.reduce(question.columns, reduce, partial(add_up_within, keys=keys))
        found, share = within_memory(counted, keys, sample, question, reduce)
        values = np.column_stack([found[key].to_numpy(zero_copy_only=False) for key in keys[len(names) :]])
        statistics = dict(zip(sizes, _split(values, list(sizes.values())), strict=True))
        rows = found["n"].to_numpy().astype(float)
        return TableCells(codes_in(found, names), rows, None, statistics, named_classes(question), share)
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
    coded = {key: column[group] for key, column in codes_in(found, names).items()}
    return TableCells(coded, rows, None, statistics, named_classes(question))


def _reduce_statistics(question: Question, batch: pa.Table) -> pa.Table:
    """Add up the statistics of a batch's rows."""
    models = [model for model in question.models if model is not None]
    sample = Sample(frame_for(batch, question), label=question.label, models=models, name=question.name)
    table = code_rows(sample, question.rules)
    found = list(score_models(sample, question, whole=False).values())
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


def _sizes(table: Table, question: Question) -> dict[str, int]:
    """Ask a row how many statistics each model has."""
    models = [model for model in question.models if model is not None]
    first = table.head(question.columns, 1)
    sample = Sample(first, label=question.label, models=models, name=question.name)
    return {name: part.shape[1] for name, part in score_models(sample, question, whole=False).items()}


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


def _split(values: Floats, sizes: Sequence[int]) -> list[Floats]:
    return np.split(values, np.cumsum(sizes)[:-1], axis=1)
