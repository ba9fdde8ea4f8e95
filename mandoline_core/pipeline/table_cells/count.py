"""Counting a sample, all models together, in one pass and once for the same question."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from mandoline_core.arrays import Codes
from mandoline_core.data import SAMPLE_CACHE, Model, Sample
from mandoline_core.patterns import one_each
from mandoline_core.pipeline.table_cells.answers import count_answers
from mandoline_core.pipeline.table_cells.question import Question, classes_of, named_classes, score_models
from mandoline_core.pipeline.table_cells.statistics import count_statistics
from mandoline_core.pipeline.table_cells.table_cells import TableCells, gold_rule
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Slice, codes, settle


def count_cells(
    sample: Sample,
    slices: Sequence[Slice],
    models: Sequence[Model | None],
    label: str | None,
    metric: MetricSettings,
    classes: dict[str, tuple[str, ...]] | None = None,
) -> TableCells:
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
        question = Question(settled, tuple(models), known, metric, scored, sample.name, sample.columns)
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
    by_rule: dict[Hashable, Codes] = {number: found[:, number] for number in range(len(question.rules))}
    rows = one_each(sample.n_rows)
    if not question.scored:
        return TableCells(by_rule, rows)
    if question.by_answers:
        labelled = Sample(sample.frame, label=question.label, models=sample.models, name=sample.name)
        return TableCells(by_rule, rows, labelled)
    statistics = score_models(sample, question, whole=True)
    return TableCells(by_rule, rows, None, statistics, named_classes(question))
