"""Reading everything off the rows, once: slices, scores, other columns, answers; and counting patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Codes, Floats
from mandoline_core.data import Model, Sample
from mandoline_core.domain_classifier import MOST_COLUMNS
from mandoline_core.errors import DataError, MandolineError, SliceError
from mandoline_core.findings import Finding, FindingKind, Severity
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import Metric, Scores, evaluate, find_sums_off, score_rows
from mandoline_core.patterns import Count, Membership, count_patterns, find_patterns, one_each
from mandoline_core.pipeline.cells.cells import TableCells
from mandoline_core.pipeline.cells.count import count_cells
from mandoline_core.pipeline.cells.statistics import bins_of
from mandoline_core.pipeline.columns import GOLD, ColumnTable, DrawnColumns, column_table, draw_columns
from mandoline_core.pipeline.labels import TargetLabels, read_arriving_labels
from mandoline_core.pipeline.predictions import PredictionTally, RowPredictions, read_row_predictions, tally_predictions
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Slice, codes, gold_codes, resolve_with_origins
from mandoline_core.weighting import GoldTable, Rows, gold_table

CodesOf = Callable[[Sample, Sequence[Slice]], Codes]
SampleCells = tuple[TableCells, TableCells]

TRUTH_NOT_DEFINED = FindingKind(
    "labels",
    "truth_not_defined",
    "The {target}'s own labels give no truth to compare with",
    "Nothing to do: the estimate does not use them.",
    ": {why}",
)
ROWS_WITHOUT_SCORE = FindingKind(
    "rows",
    "rows_without_score",
    "{missing:,} of {n:,} rows of {name} lack a label or prediction and are left out",
    "Fill in what is missing if these rows differ from the others.",
)
SCORES_BINNED = FindingKind(
    "rows",
    "scores_binned",
    "The rows stay in a table, so {metric} ranks them by scores rounded to {bins:,} steps",
    "Nothing to do, unless many scores lie closer together than that.",
)
ON_A_SHARE = FindingKind(
    "rows",
    "on_a_share",
    "The rows of {name} make more combinations of slices than memory should hold, so a uniform share of them, "
    "{share:.3%}, stands for all",
    "Use fewer slices for narrower intervals; the estimate is not biased by it.",
)
COLUMNS_BEYOND = FindingKind(
    "columns",
    "columns_beyond",
    "The checks that compare other columns looked at {most:,} columns, the first ones; {n:,} more were not looked at",
    "Put columns that may matter first, or save the data without those that do not.",
)


@dataclass(frozen=True, eq=False)
class Cells:
    """Hold what was read off the rows for one model: nothing in it depends on corrections, edges or settings.

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
    gold : dict of str to GoldTable
        For slices with a gold column.
    truth : float or None
        The metric on the target, where the target's labels are known.
    rows : Rows or None
        For methods that look beyond slices; None where only codes are known.
    gold_answers : dict of str to array of int8, shape (n_scored,)
        The gold columns themselves: who moves a measured correction, and how far.
    drawn : DrawnColumns or None
        Every other column of a draw of rows.
    predictions : RowPredictions or None
        What the model says of each row; None where it predicts no classes.
    labels : TargetLabels or None
        The labels that the target has for some of its rows.
    drawn_members : Membership or None
        The pattern of every row in memory, where these were drawn from a table; else each of them is a cell.
    on_draw : callable or None
        Counts the rows that were drawn, as if they were all.
    """

    model: str
    slices: tuple[Slice, ...]
    origins: dict[str, str]
    metric: Metric
    count: Count
    statistics: Floats
    scored: NDArray[np.bool_]
    gold: dict[str, GoldTable]
    truth: float | None
    findings: tuple[Finding, ...]
    rows: Rows | None = None
    gold_answers: dict[str, Codes] = field(default_factory=dict)
    drawn: DrawnColumns | None = None
    predictions: RowPredictions | None = None
    labels: TargetLabels | None = None
    drawn_members: Membership | None = None
    on_draw: Callable[[], Cells] | None = None

    @property
    def members(self) -> Membership:
        """The pattern of every row in memory, not split."""
        return self.count.members(self.statistics) if self.drawn_members is None else self.drawn_members

    @cached_property
    def columns(self) -> ColumnTable | None:
        """The other columns, added up by pattern once; None where there are only codes."""
        return None if self.drawn is None else column_table(self.drawn, self.members, len(self.count.patterns))

    @cached_property
    def prediction_tally(self) -> PredictionTally | None:
        """The model's predictions, added up by pattern once."""
        return (
            None
            if self.predictions is None
            else tally_predictions(self.predictions, self.members, len(self.count.patterns))
        )


def count_rows(
    source: Sample,
    target: Sample,
    rules: Sequence[Slice],
    *,
    model: Model | None,
    metric: MetricSettings | None = None,
    codes_of: CodesOf = codes,
    revealed: Sample | None = None,
    need_slices: bool = True,
    scores: Scores | None = None,
    cells: SampleCells | None = None,
) -> Cells:
    """Read everything off the rows, once: slices, scores, other columns, the model's answers; and count patterns.

    Parameters
    ----------
    scores : Scores, optional
        Of the source's rows, which do not depend on slices, where they are known already.
    cells : pair of Cells, optional
        Of both samples, where rows stay in a table and have been counted already.
    """
    metric = metric or MetricSettings()
    slices, origins = resolve_with_origins(rules, source, target, model)
    if not slices and need_slices:
        raise SliceError("There are no slices, so there is nothing to reweight by. Add or enable at least one.")
    if cells is None and stay_in_tables(source, target):
        cells = count_tables(source, target, slices, [model], metric)
    if cells is not None:
        scores = cells[0].score(metric, model)
    scores = scores or score_rows(metric, source, label=source.label, model=model)
    if not scores.known.any():
        raise DataError(
            f"No row of {source.name} has both a label and a prediction, so nothing can be scored. "
            "Fill in labels where there are predictions."
        )
    known, names = scores.known, [rule.name for rule in slices]
    rows = _rows(source, target, model, metric, scores, in_tables=cells is not None)
    # Reading columns takes the most memory for a while: before there are codes and patterns.
    drawn = draw_columns(rows).without({rule.gold for rule in slices if rule.gold is not None}, GOLD)
    here, there, answers, n_here, n_there = _read_codes(source, target, slices, known, codes_of, cells)
    here, statistics = (here, scores.statistics) if known.all() else (here[known], scores.statistics[known])
    count = count_patterns(here, there, statistics, names, source_rows=n_here, target_rows=n_there)
    gold = {name: gold_table(here[:, names.index(name)], answers[name], statistics[:, 0], n_here) for name in answers}
    truth, why = _truth_or_why(revealed or target, source, model, metric, scores.classes, cells)
    return Cells(
        model=model.name if model is not None else metric.column or "score",
        slices=slices,
        origins=origins,
        metric=scores.metric,
        count=count,
        statistics=statistics,
        scored=known,
        gold=gold,
        truth=truth,
        findings=(
            *_unscored(scores, source, None if cells is None else cells[0].rows),
            *find_sums_off(slices, source, target),
            *why,
            *_about_slices(slices, origins),
            *_beyond(drawn),
            *(() if cells is None else (*_binned(scores), *_on_a_share(source, target, cells))),
        ),
        rows=rows,
        gold_answers=answers,
        drawn=drawn,
        predictions=None if scores.metric.needs == "numbers" else read_row_predictions(rows),
        labels=None if cells is not None else read_arriving_labels(rows, scores.metric, statistics.shape[1]),
        drawn_members=None if cells is None else _find_drawn(count, rows, slices, codes_of),
        on_draw=None
        if cells is None
        else partial(
            count_rows, source.drawn, target.drawn, rules, model=model, metric=metric, need_slices=need_slices
        ),
    )


def stay_in_tables(source: Sample, target: Sample) -> bool:
    """Tell whether rows of either sample stay in a table."""
    return source.table is not None or target.table is not None


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
    here = count_cells(source, slices, models, source.label, metric)
    return here, count_cells(target, slices, models, source.label, metric, here.classes)


def check_countable(source: Sample, target: Sample, slices: Sequence[Slice]) -> None:
    """Refuse slices that know rows in memory alone, where rows stay in a table."""
    if not stay_in_tables(source, target):
        return
    for rule in slices:
        if any(leaf.learns for leaf in rule.leaves):
            raise SliceError(
                Sentence(
                    "Slice {name!r} learned from rows in memory and knows no others, and the rows of {sample} stay in "
                    "a table. Write its score into a column, and use kind 'threshold'.",
                    name=rule.name,
                    sample=(source if source.table is not None else target).name,
                )
            )
        if rule.audit is not None:
            raise SliceError(
                Sentence(
                    "Slice {name!r} has answers about single rows, which are looked for among rows in memory; here "
                    "rows stay in a table. Measure its corrections on a gold column, or state them.",
                    name=rule.name,
                )
            )


class _Codes(NamedTuple):
    """Hold the codes of both samples' rows or cells, the gold answers of those scored, and the rows of each cell."""

    here: Codes
    there: Codes
    answers: dict[str, Codes]
    n_here: Floats | None = None
    n_there: Floats | None = None


def _read_codes(
    source: Sample,
    target: Sample,
    slices: Sequence[Slice],
    known: NDArray[np.bool_],
    codes_of: CodesOf,
    cells: SampleCells | None,
) -> _Codes:
    """Evaluate slices on rows in memory, or take what was counted in tables."""
    golden = [rule for rule in slices if rule.gold is not None]
    if cells is None:
        here, there = (_codes(sample, slices, codes_of) for sample in (source, target))
        return _Codes(here, there, {rule.name: gold_codes(source, rule)[known] for rule in golden})
    here, there = (side.code(slices) for side in cells)
    answers = {rule.name: cells[0].gold(rule)[known] for rule in golden}
    return _Codes(here, there, answers, cells[0].rows[known], cells[1].rows)


def _codes(sample: Sample, slices: Sequence[Slice], codes_of: CodesOf) -> Codes:
    return codes_of(sample, slices) if slices else np.zeros((sample.n_rows, 0), dtype=np.int8)


def _rows(
    source: Sample, target: Sample, model: Model | None, metric: MetricSettings, scores: Scores, *, in_tables: bool
) -> Rows:
    """Take the rows in memory; of a draw, find out which of them are scored."""
    if not in_tables:
        return Rows(source, target, model, metric, scores.known, read=scores.labels)
    drawn = score_rows(metric, source, label=source.label, model=model, known=scores.classes, whole=False)
    return Rows(source, target, model, metric, drawn.known)


def _find_drawn(count: Count, rows: Rows, slices: Sequence[Slice], codes_of: CodesOf) -> Membership:
    """Find the patterns of rows that were drawn."""
    here = _codes(rows.source, slices, codes_of)[rows.scored]
    there = _codes(rows.target, slices, codes_of)
    source, target = (find_patterns(count.patterns.codes, side) for side in (here, there))
    if (source < 0).any() or (target < 0).any():
        raise DataError("The data changed between drawing rows and counting them. Run it again.")
    n = len(source)
    return Membership(source, target, np.zeros(n, np.int8), np.zeros((n, 0)), one_each(n), one_each(len(target)))


def _about_slices(slices: Sequence[Slice], origins: dict[str, str]) -> Iterator[Finding]:
    """Say what to know about slices, once for a family."""
    seen = set()
    for rule in slices:
        if origins[rule.name] not in seen:
            seen.add(origins[rule.name])
            yield from (finding for leaf in rule.leaves for finding in leaf.findings)


def _truth(
    target: Sample,
    source: Sample,
    model: Model | None,
    settings: MetricSettings,
    classes: tuple[str, ...],
    cells: SampleCells | None,
) -> float | None:
    """Score the target's own labels, where it has them; they are used for nothing else."""
    needed = settings.column if settings.column is not None else source.label
    if needed is None or needed not in target.columns or target.series(needed).is_null().any():
        return None
    if cells is None:
        scores = score_rows(settings, target, label=needed, model=model, known=classes)
        rows = one_each(len(scores.statistics))
    else:
        scores, rows = cells[1].score(settings, model, classes), cells[1].rows
    if not scores.known.all():  # a truth with gaps would be the truth of another population
        return None
    return evaluate(scores.metric, scores.statistics, rows / rows.sum()).value


def _truth_or_why(
    target: Sample,
    source: Sample,
    model: Model | None,
    settings: MetricSettings,
    classes: tuple[str, ...],
    cells: SampleCells | None,
) -> tuple[float | None, tuple[Finding, ...]]:
    """Score the target's own labels; where the metric is not defined on them, say why instead."""
    try:
        return _truth(target, source, model, settings, classes, cells), ()
    except MandolineError as error:
        return None, (TRUTH_NOT_DEFINED.found("info", why=error.sentence),)


def _unscored(scores: Scores, source: Sample, rows: Floats | None) -> tuple[Finding, ...]:
    counts = one_each(len(scores.known)) if rows is None else rows
    missing, n = round(counts[~scores.known].sum()), round(counts.sum())
    if not missing:
        return ()
    severity: Severity = "warning" if missing > 0.01 * n else "info"
    return (ROWS_WITHOUT_SCORE.found(severity, missing=missing, n=n, name=source.name),)


def _beyond(drawn: DrawnColumns) -> tuple[Finding, ...]:
    """Say how many columns were not looked at, where there are very many."""
    n = drawn.n_beyond
    return (COLUMNS_BEYOND.found("info", most=MOST_COLUMNS, n=n),) if n else ()


def _binned(scores: Scores) -> tuple[Finding, ...]:
    """Say how finely scores are told apart, where a metric ranks rows that stay in a table."""
    if not scores.metric.ranked:
        return ()
    return (SCORES_BINNED.found("info", bins=bins_of(scores.statistics.shape[1] // 2), metric=scores.metric.name),)


def _on_a_share(source: Sample, target: Sample, cells: SampleCells) -> Iterator[Finding]:
    """Say which sample's counts rest on a share of its rows."""
    for sample, side in zip((source, target), cells, strict=True):
        if side.share < 1:
            yield ON_A_SHARE.found("warning", name=sample.name, share=side.share)
