"""The third step, count: rows alike in slices and statistics, with how many they are; from here on no row is looked at.

Whatever a later step needs of rows is read here, once: scores, other columns of a draw, what the model predicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from mandoline_core.arrays import Bools, CodeArray, Floats
from mandoline_core.data import Model, Sample
from mandoline_core.domain_classifier import MOST_COLUMNS
from mandoline_core.errors import DataError
from mandoline_core.findings import Finding, rows_left_out
from mandoline_core.formatting import show_percent
from mandoline_core.metrics import Metric, Scores, check_new_predictions, find_sums_off, score_rows
from mandoline_core.patterns import Count, Membership, count_patterns, find_patterns, one_each
from mandoline_core.pipeline.class_names import about_classes
from mandoline_core.pipeline.codes import Codes, Memo, check_countable, evaluate_slices, no_memo
from mandoline_core.pipeline.columns import (
    GOLD,
    ColumnTable,
    DrawnColumns,
    ScoredColumns,
    Tally,
    column_table,
    draw_columns,
    score_columns,
)
from mandoline_core.pipeline.group_columns import SampleGroups, find_groups, groups_not_searched
from mandoline_core.pipeline.predictions import RowPredictions, read_row_predictions, tally_predictions
from mandoline_core.pipeline.sample_design import design_cells, design_rows
from mandoline_core.pipeline.table_cells import TableCells
from mandoline_core.pipeline.table_count import bins_of, count_cells
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Slice
from mandoline_core.weighting import GoldTable, Rows, gold_table

MOST_MISSING = 0.01  # of the rows: beyond it, their missing probabilities are worth a warning
SampleCells = tuple[TableCells, TableCells]


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Hold what was read off the rows for one model: nothing in it depends on corrections, edges or settings.

    It holds no truth either: labels of the target are never counted along.

    Parameters
    ----------
    slices : tuple of Slice
        Resolved for this model.
    origins : dict of str to str
        The rule each slice comes from.
    count : Count
        Patterns of the source rows that have a score, and of all target rows.
    statistics : array of float, shape (n_scored, n_statistics)
    scored : array of bool, shape (n_source_rows,)
        Source rows with a label and a prediction.
    classes : tuple of str
        That labels and predictions of the source show; empty where the metric is of numbers.
    gold : dict of str to GoldTable
        For slices with a gold column.
    rows : Rows or None
        For methods that look beyond slices; None where only codes are known.
    gold_answers : dict of str to array of int8, shape (n_scored,)
        The gold columns themselves: who moves a measured correction, and how far.
    drawn : DrawnColumns or None
        Every other column of a draw of rows.
    predictions : RowPredictions or None
        What the model says of each row; None where it predicts no classes.
    drawn_members : Membership or None
        The pattern of every row in memory, where these were drawn from a table; else each of them is a cell.
    groups : pair of SampleGroups or None
        Columns of both samples that may name groups, and copies of rows; None where rows stay in a table.
    tables : pair of TableCells or None
        What an engine counted, where rows stay in a table.
    """

    kept_elsewhere: ClassVar[bool] = True  # where results are kept, cells have a key of their own

    model: str
    slices: tuple[Slice, ...]
    origins: dict[str, str]
    metric: Metric
    count: Count
    statistics: Floats
    scored: Bools
    classes: tuple[str, ...]
    gold: dict[str, GoldTable]
    findings: tuple[Finding, ...]
    rows: Rows | None = None
    gold_answers: dict[str, CodeArray] = field(default_factory=dict)
    drawn: DrawnColumns | None = None
    predictions: RowPredictions | None = None
    drawn_members: Membership | None = None
    groups: tuple[SampleGroups, SampleGroups] | None = None
    tables: SampleCells | None = None

    @property
    def members(self) -> Membership:
        """The pattern of every row in memory, not split."""
        return self.count.members(self.statistics) if self.drawn_members is None else self.drawn_members

    @cached_property
    def columns(self) -> ColumnTable | None:
        """The other columns, added up by pattern once; None where there are only codes."""
        return None if self.drawn is None else column_table(self.drawn, self.members, len(self.count.patterns))

    @cached_property
    def scored_columns(self) -> ScoredColumns | None:
        """Their products with the score, once; None where the metric is not the mean of a score."""
        if self.drawn is None or not self.metric.is_mean:
            return None
        members = self.members
        return score_columns(self.drawn, members, len(self.count.patterns), members.statistics[:, 0])

    @cached_property
    def prediction_tally(self) -> tuple[Tally, Tally | None, Floats | None] | None:
        """The model's predictions, added up by pattern once."""
        if self.predictions is None:
            return None
        return tally_predictions(self.predictions, self.members, len(self.count.patterns))


def count(codes: Codes, metric: MetricSettings, memo: Memo = no_memo) -> Cells:
    """Count the patterns of coded rows, and read off the rows whatever later steps need of them."""
    source, target, model, slices = codes.source, codes.target, codes.model, codes.slices
    tables: SampleCells | None = None
    if codes.source_codes is None:  # the rows stay in a table
        models = source.models or (None,)
        asked = (source, target, codes.every_slice, models, metric)
        tables = memo(("tables", *asked), lambda: count_tables(*asked))
    scores = _score(codes, metric, memo) if tables is None else tables[0].score(metric, model)
    scored, names = _counted(scores.known, source, in_tables=tables is not None), [rule.name for rule in slices]
    check_new_predictions(scores.metric, target, model)
    rows, drawn_statistics = _rows(codes, metric, scores, in_tables=tables is not None)
    drawn = draw_columns(rows).without({rule.gold for rule in slices if rule.gold is not None}, GOLD)
    source_codes, target_codes, gold_answers = _codes(codes, scored, tables)
    if tables is None:
        (source_rows, of_source), (target_rows, of_target) = design_rows(source, scored), design_rows(target)
    else:
        (source_rows, of_source), (target_rows, of_target) = design_cells(tables[0], scored), design_cells(tables[1])
    statistics = scores.statistics if scored.all() else scores.statistics[scored]
    predictions = None if scores.metric.needs == "numbers" else read_row_predictions(rows)
    count = count_patterns(
        source_codes,
        target_codes,
        statistics,
        names,
        source_rows=source_rows,
        target_rows=target_rows,
        design=(of_source, of_target),
    )
    return Cells(
        model=model.name if model is not None else metric.column or "score",
        slices=slices,
        origins=codes.origins,
        metric=scores.metric,
        count=count,
        statistics=statistics,
        scored=scored,
        classes=scores.classes,
        gold={
            name: gold_table(source_codes[:, names.index(name)], answers, statistics[:, 0], source_rows)
            for name, answers in gold_answers.items()
        },
        findings=(
            *_unscored(scores, source, None if tables is None else tables[0].n),
            *find_sums_off(slices, source, target),
            *about_classes(source, model, scores.classes),
            *_about_gaps(predictions, source, target),
            *_about_slices(slices, codes.origins),
            *_about_columns(drawn),
            *([] if tables is None else _about_tables(source, target, scores, tables)),
        ),
        rows=rows,
        gold_answers=gold_answers,
        drawn=drawn,
        predictions=predictions,
        drawn_members=None if drawn_statistics is None else _find_drawn(count, rows, drawn_statistics, slices, memo),
        groups=None if tables is not None else (find_groups(source, target), find_groups(target, source)),
        tables=tables,
    )


def count_tables(
    source: Sample, target: Sample, slices: Sequence[Slice], models: Sequence[Model | None], metric: MetricSettings
) -> SampleCells:
    """Count both samples, all models together, one pass each; a sample in memory is counted row by row.

    Parameters
    ----------
    slices : sequence of Slice
        Resolved, for any of the models.
    """
    check_countable(source, target, slices)
    for column in [rule.gold for rule in slices if rule.gold is not None]:
        source.series(column)  # or say that it is not there
    source_cells = count_cells(source, slices, models, source.label, metric)
    return source_cells, count_cells(target, slices, models, source.label, metric, source_cells.classes)


def _score(codes: Codes, metric: MetricSettings, memo: Memo) -> Scores:
    """Score the labelled rows, whatever the slices."""
    source, model = codes.source, codes.model
    make = partial(score_rows, metric, source, label=source.label, model=model)
    return memo(("scores", source, model, metric), make)


def _counted(known: Bools, source: Sample, *, in_tables: bool) -> Bools:
    """Take the source rows that count: those with a score, and a design weight above 0."""
    if not known.any():
        raise DataError(
            f"No row of {source.name} has both a label and a prediction. Add labels to rows with predictions."
        )
    if in_tables or source.design_weights is None:  # an engine counts no rows of weight 0
        return known
    counted = known & (source.design_weights > 0)
    if not counted.any():
        raise DataError(
            f"Column {source.weight!r} of {source.name} (the weight) is 0 in all rows with a score. Expected a weight "
            "above 0 in at least one."
        )
    return counted


def _codes(
    codes: Codes, scored: Bools, tables: SampleCells | None
) -> tuple[CodeArray, CodeArray, dict[str, CodeArray]]:
    """Return codes of the scored source rows and of the target rows, and gold answers of the former.

    Where an engine counted, a cell takes the place of a row.
    """
    if tables is not None:
        source_codes, target_codes = (side.code(codes.slices) for side in tables)
        gold = {rule.name: tables[0].gold(rule)[scored] for rule in codes.slices if rule.gold is not None}
        return source_codes[scored], target_codes, gold
    if codes.source_codes is None or codes.target_codes is None:
        raise ValueError("Rows in memory have not been coded.")
    source_codes = codes.source_codes if scored.all() else codes.source_codes[scored]
    gold = {name: answers[scored] for name, answers in codes.gold.items()}
    return source_codes, codes.target_codes, gold


def _rows(codes: Codes, metric: MetricSettings, scores: Scores, *, in_tables: bool) -> tuple[Rows, Floats | None]:
    """Take the rows in memory; of a draw, find out which of them are scored, and how."""
    source, target, model = codes.source, codes.target, codes.model
    if not in_tables:
        scored = _counted(scores.known, source, in_tables=False)
        return Rows(source, target, model, metric, scored, read=scores.labels), None
    drawn = score_rows(metric, source, label=source.label, model=model, known=scores.classes, whole=False)
    scored = _counted(drawn.known, source, in_tables=False)
    return Rows(source, target, model, metric, scored), drawn.statistics[scored]


def _find_drawn(count: Count, rows: Rows, statistics: Floats, slices: Sequence[Slice], memo: Memo) -> Membership:
    """Find the patterns of rows that were drawn."""
    source_codes = evaluate_slices(rows.source, slices, memo)[rows.scored]
    target_codes = evaluate_slices(rows.target, slices, memo)
    source, target = (find_patterns(count.patterns.codes, side) for side in (source_codes, target_codes))
    if (source < 0).any() or (target < 0).any():
        raise DataError("The data changed while they were read. Run again.")
    (source_rows, of_source), (target_rows, of_target) = design_rows(rows.source, rows.scored), design_rows(rows.target)
    n = len(source)
    counted = (
        one_each(n) if source_rows is None else source_rows,
        one_each(len(target)) if target_rows is None else target_rows,
    )
    design = of_source._replace(clusters=None), of_target._replace(clusters=None)
    return Membership(source, target, np.zeros(n, np.int8), statistics, *counted, design)


def _about_slices(slices: Sequence[Slice], origins: dict[str, str]) -> Iterator[Finding]:
    """Say what to know about slices, once for a family."""
    seen = set()
    for rule in slices:
        if origins[rule.name] not in seen:
            seen.add(origins[rule.name])
            yield from (finding for leaf in rule.leaves for finding in leaf.findings)


def _unscored(scores: Scores, source: Sample, rows: Floats | None) -> tuple[Finding, ...]:
    counts = one_each(len(scores.known)) if rows is None else rows  # of these, whatever they weigh
    missing, n = round(counts[~scores.known].sum()), round(counts.sum())
    return rows_left_out("rows_without_score", missing, n, name=source.name, lacking="label or prediction")


def _about_gaps(predictions: RowPredictions | None, source: Sample, target: Sample) -> Iterator[Finding]:
    """Report rows that have a prediction but no probabilities: methods that use these leave them out."""
    if predictions is None or predictions.confidence is None:
        return
    for sample, predicted, sure in zip((source, target), predictions.predicted, predictions.confidence, strict=True):
        missing, n = int((~np.isfinite(sure) & (predicted >= 0)).sum()), int((predicted >= 0).sum())
        if missing:
            yield Finding(
                "answers",
                "probabilities_missing",
                "warning" if missing > MOST_MISSING * n else "info",
                f"{missing:,} of {n:,} rows of {sample.name} have a prediction but no probabilities.",
                "Fill them in if these rows differ from the others.",
                "Methods that use probabilities leave these rows out.",
                numbers={"name": sample.name, "missing": missing, "n": n},
            )


def _about_columns(drawn: DrawnColumns) -> Iterator[Finding]:
    if drawn.n_beyond:
        yield Finding(
            "columns",
            "columns_beyond",
            "info",
            f"The checks compared only the first {MOST_COLUMNS:,} columns, not the other {drawn.n_beyond:,}.",
            "Move important columns to the front, or remove irrelevant ones.",
            numbers={"most": MOST_COLUMNS, "n": drawn.n_beyond},
        )


def _about_tables(source: Sample, target: Sample, scores: Scores, tables: SampleCells) -> Iterator[Finding]:
    """Report rounded scores of ranking metrics, counts on a sample of the rows, and what is not looked for."""
    yield from groups_not_searched(source, target)
    if scores.metric.ranked:
        bins, metric = bins_of(scores.statistics.shape[1] // 2), scores.metric.name
        yield Finding(
            "rows",
            "scores_binned",
            "info",
            f"{scores.metric.spoken} is computed on scores rounded to {bins:,} bins, because the rows stay in a table.",
            numbers={"bins": bins, "metric": metric},
        )
    for sample, side in zip((source, target), tables, strict=True):
        if side.share < 1:
            yield Finding(
                "rows",
                "on_a_share",
                "warning",
                f"{sample.name} has too many slice patterns for memory: a random {show_percent(side.share)} of its "
                "rows is used.",
                "Use fewer slices for narrower intervals.",
                "The estimate is not biased by it.",
                numbers={"name": sample.name, "share": side.share},
            )
