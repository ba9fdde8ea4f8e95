"""Counting rows by codes, labels and predictions: by the engine itself where it can, else batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.data import Model, Reduce, Sample, Table, add_up_tables, add_up_within, share_kept
from mandoline_core.pipeline.table_cells.question import Question, code_rows, codes_in, frame_for
from mandoline_core.pipeline.table_cells.table_cells import TableCells
from mandoline_core.slices import Slice


def count_answers(sample: Sample, table: Table, question: Question) -> TableCells:
    """Let the engine count by expressions, where it can; else reduce batches of rows."""
    names = [f"code{number}" for number in range(len(question.rules))]
    columns = {f"column{number}": column for number, column in enumerate(question.answers)}
    if not names and not columns:
        return TableCells({}, np.array([float(table.n_rows)]))
    reduce = partial(reduce_answers, question, columns)
    if table.runs_expressions and are_expressions(question.rules, table.schema):
        keys = {
            name: rule.compile_codes(table.schema).cast(nw.Int8)
            for name, rule in zip(names, question.rules, strict=True)
        }
        counted = table.count_by(keys | {name: nw.col(column) for name, column in columns.items()})
    else:
        counted = table.reduce(question.columns, reduce, partial(add_up_within, keys=[*names, *columns]))
    found, share = within_memory(counted, [*names, *columns], sample, question, reduce)
    answers = None
    if columns:
        small = pa.table({column: found[name] for name, column in columns.items()})
        models = [Model(model.name, model.prediction) for model in question.models if model is not None]
        answers = Sample(small, label=question.label, models=models, name=question.name)
    return TableCells(codes_in(found, names), found["n"].to_numpy().astype(float), answers, share=share)


def within_memory(
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


def reduce_answers(question: Question, columns: dict[str, str], batch: pa.Table) -> pa.Table:
    """Count the rows of a batch by codes and answers."""
    table = code_rows(Sample(frame_for(batch, question), name=question.name), question.rules)
    rows = Sample(batch, name=question.name)  # answers keep their type, whatever a function was handed
    for name, column in columns.items():
        table = table.append_column(name, rows.frame[column].to_arrow())
    return add_up_tables([table.append_column("n", pa.array(np.ones(len(batch), dtype=np.int64)))], table.column_names)


def are_expressions(rules: Sequence[Slice], schema: Any) -> bool:
    """Tell whether rules say all they say in expressions."""
    measures = (leaf.measure(schema) for rule in rules for leaf in rule.leaves)
    return all(measure is None or isinstance(measure.how, nw.Expr) for measure in measures)
