"""What is not modelled: columns, words and pairs of slices that weighting leaves off, and the slice that would help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np

from mandoline_core.checks.impact import Impact, impact, score_sums
from mandoline_core.checks.means import (
    LARGE,
    NOTABLE,
    MeanGaps,
    compare_means,
    counted_by_pattern,
    sampling_threshold,
    weigh,
)
from mandoline_core.domain_classifier import MOST_LEVELS, EncodedColumn
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import show_mean
from mandoline_core.pipeline import (
    FARTHEST,
    ColumnTable,
    Estimate,
    MeanShift,
    Quantity,
    column_table,
    cut_rule,
    item_rule,
    missing_rule,
    standardise,
)
from mandoline_core.slices import Slice, free_name

KOLMOGOROV = "largest gap between shares above a value (Kolmogorov-Smirnov)"
TOTAL_VARIATION = "share of rows to move to another value (total variation)"
WORD_GAP = "largest gap between shares of rows with a word"
MOST_SHOWN = 5  # words of a text column
MUCH_MORE = 3.0  # a significant comparison replaces another if it differs this many times as much

Edge = tuple[str, str]


@dataclass(frozen=True)
class BalanceLine:
    """Hold the difference of something that no slice covers, before and after weighting.

    Parameters
    ----------
    column : str
        A column, or a pair of slices as "a + b".
    kind : {"number", "date", "category", "flag", "text", "pair"}
    detail : str
        What is compared: "mean", "above 34.5", "missing", "= red", "true", "contains not", "agree".
    source, weighted, target : float
        The mean, or the share of rows, in the source, the reweighted source and the target. A date's mean is in
        days since 1970.
    before, after : float
        Target minus source, and target minus reweighted source, over the pooled standard deviation; plus or minus
        `FARTHEST` where the two differ and no two rows of a sample do.
    distance : str
        The name of the distance between distributions.
    spread_before, spread_after : float or None
        Of numbers: the target's standard deviation over that of the source, and of the reweighted source.
    z : float
        What remains over its standard error, from both samples and the weights.
    threshold : float
        The |z| beyond which a comparison is significant, corrected for the number of comparisons.
    words : tuple of MeanShift
        Of text: the words that are furthest off after weighting.
    suggestion : Slice, pair of slice names (an edge), or None
        What would cover it.
    read_by : tuple of str
        The slices that read the column, and cover only part of it.
    unseen : bool
        Whether all source rows are on one side of the cut, value or word that the samples differ in: no slice can help.
    impact : Impact or None
        How far what remains of the column could move the estimate; None where no slope of the score can be told.
    """

    column: str
    kind: Literal["number", "date", "category", "flag", "text", "pair"]
    detail: str
    source: float
    weighted: float
    target: float
    before: float
    after: float
    distance: str
    distance_before: float
    distance_after: float
    z: float
    threshold: float
    spread_before: float | None = None
    spread_after: float | None = None
    words: tuple[MeanShift, ...] = ()
    suggestion: Slice | Edge | None = None
    read_by: tuple[str, ...] = ()
    unseen: bool = False
    impact: Impact | None = None

    @property
    def stands_out(self) -> bool:
        """Whether what remains is beyond sampling error, corrected for the number of comparisons."""
        return abs(self.z) > self.threshold

    @property
    def constant(self) -> bool:
        """Whether no two rows of a sample differ in it, and the samples do: no weights can change that."""
        return abs(self.before) == FARTHEST

    @property
    def measured(self) -> Impact | None:
        """How far it could move the estimate; None where the labelled rows cannot tell, as they lack such values."""
        return None if self.unseen or self.constant else self.impact

    @property
    def times(self) -> float:
        """How much it matters: by how far it could move the estimate, against the estimate's interval.

        Where nobody can tell, by what remains, against a quarter of a standard deviation.
        """
        return times_by_size(self.after) if self.measured is None else self.measured.times

    @property
    def severity(self) -> Literal["warning", "serious"] | None:
        """What the columns check makes of it.

        Serious: it could move the estimate by more than the length of its interval, and is large, or moves it far.
        Where nobody can tell how far, it is enough that it is large. A text counts either way: one word represents
        others.
        """
        found = self.measured
        by_size = found is None or self.kind == "text"
        if not self.stands_out or (self.times <= 1 and not (by_size and abs(self.after) > NOTABLE)):
            return None
        large = abs(self.after) > LARGE
        far = found is not None and found.leaves and (large or found.is_big)
        return "serious" if far or (by_size and large) else "warning"

    @property
    def name(self) -> str:
        """What is compared, in a few words."""
        return self.column if self.detail in ("mean", "agree", "true") else f"{self.column} {self.detail}"

    def show(self, value: float) -> str:
        """Write a mean or a share."""
        if self.detail != "mean":
            return f"{value:.1%}"
        return show_day(value) if self.kind == "date" else show_mean(value)

    def as_dict(self) -> dict[str, Any]:
        """Return the line as plain data; a slice as its rule in words."""
        rule = self.suggestion
        plain = asdict(replace(self, suggestion=None))
        for word in plain["words"]:
            word["word"] = word.pop("name")
        words = rule.describe() if isinstance(rule, Slice) else rule
        return {**plain, "suggestion": words, "stands_out": self.stands_out}


def times_by_size(after: float) -> float:
    """Hold what remains, in standard deviations, against a quarter of one.

    >>> times_by_size(-0.5)
    2.0
    """
    return abs(after) / NOTABLE


def show_day(days: float) -> str:
    """Write days since 1970 as a date.

    >>> show_day(20000.4)
    '2024-10-04'
    """
    return str(date(1970, 1, 1) + timedelta(days=int(days // 1)))


def columns_of(report: Estimate) -> ColumnTable | None:
    """Add up the columns behind a report by cell; None where there are only codes.

    The table stays right when corrections, edges or a ridge change; with other slices it is another.
    """
    cells = report.cells
    if cells.drawn is None:
        return None
    harmless = report.fit.trust.harmless
    if counted_by_pattern(report) and cells.columns is not None:
        return cells.columns.compared(harmless)
    by_row, members = report.outcome.scored_weights is not None, report.fit.row_members
    return column_table(cells.drawn.compared(harmless), members, len(report.problem.patterns), by_row=by_row)


def unmodelled_balance(report: Estimate, table: ColumnTable) -> tuple[BalanceLine, ...]:
    """Compare every column before and after weighting, on the cells; what could move the estimate most comes first.

    Parameters
    ----------
    table : ColumnTable
        Of the same slices; whatever the weights.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample, estimate
    >>> place, age = ["a"] * 80 + ["b"] * 20, [30] * 80 + [60] * 20
    >>> source = Sample(pd.DataFrame({"place": place, "age": age, "y": 1, "p": 1}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": ["a", "b"], "age": [30, 60], "p": 1}))
    >>> report = estimate(source, target, [Category("b", column="place", values=("b",))]).first
    >>> line = unmodelled_balance(report, columns_of(report))[0]
    >>> line.name, round(line.source, 3), round(line.weighted, 3), line.target
    ('age', 36.0, 45.0, 45.0)
    """
    rows_and_patterns = len(report.fit.row_members.source), len(report.problem.patterns)
    if (table.drawn.n_source, table.n_patterns) != rows_and_patterns:
        raise MandolineError("The column table is of other slices or other rows. Compute it again with columns_of().")
    weights, threshold = weigh(report, table.cells), sampling_threshold(table.n_tests)
    sums = score_sums(report, table)
    gaps = [compare_means(weights, *both) for both in zip(table.tallies, sums, strict=True)]
    rules = report.cells.slices
    names, keys = {rule.name for rule in rules}, {rule.key for rule in rules}
    lines = []
    for name, column in table.drawn.encoded.items():
        parts = {
            quantity: compared.take(where)
            for quantity, (tally, where) in table.parts[name].items()
            if (compared := gaps[tally]) is not None
        }
        line = column_line(name, column, parts, threshold)
        if line is not None:
            rule = line.suggestion
            if isinstance(rule, Slice):  # none for a rule that is a slice already; else under a name that is free
                rule = None if rule.key in keys else replace(rule, name=free_name(rule.name, names))
            # Another rule on the same text, such as another word, is no reason to expect that this one matches.
            readers = tuple(other.name for other in rules if name in other.reads and line.kind != "text")
            moved = None if sums[0] is None else impact(list(parts.values()), threshold, report, sums[0].variance)
            lines.append(replace(line, suggestion=rule, read_by=readers, impact=moved))
    return worst_first(lines)


def worst_first(lines: Iterable[BalanceLine]) -> tuple[BalanceLine, ...]:
    """Sort by how far each could move the estimate; what sampling error explains comes last."""
    every = sorted(lines, key=lambda line: (-line.times, -round(abs(line.after), 12), line.column))
    return tuple(sorted(every, key=lambda line: not line.stands_out))


def column_line(
    name: str, column: EncodedColumn, parts: Mapping[Quantity, MeanGaps], threshold: float
) -> BalanceLine | None:
    """Compare one column before and after weighting; None where no row that counts has a value.

    A number is compared by its mean, unless its distribution or its missing values are significant and the mean is not,
    or far less; categories and texts by the value or the word that is furthest off after weighting.

    Parameters
    ----------
    parts : mapping of {"values", "counts", "missing"} to MeanGaps
        What it is compared by; nothing where no row that counts has a value.
    threshold : float
        The |z| beyond which a comparison is significant.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from mandoline_core import Sample
    >>> from mandoline_core.checks.means import CellWeights
    >>> from mandoline_core.domain_classifier import encode_column
    >>> from mandoline_core.pipeline import Tally
    >>> samples = [Sample(pa.table({"colour": ["red"] * n + ["blue"] * (10 - n)})) for n in (5, 4)]
    >>> column = encode_column("colour", samples, (np.arange(10), np.arange(10)))
    >>> weights, rows = CellWeights(np.full(1, 0.1), np.ones(1), np.empty((1, 0)), np.empty((1, 0))), np.array([10.0])
    >>> gaps = compare_means(weights, Tally(rows, rows, np.array([[5.0, 5.0]]), np.array([[6.0, 4.0]])))
    >>> line = column_line("colour", column, {"counts": gaps}, 1.96)
    >>> line.name, round(line.source, 6), round(line.target, 6), line.suggestion.describe()
    ('colour = blue', 0.5, 0.6, 'colour is blue')
    """
    own = parts.get("counts" if column.values is None else "values")
    if own is not None and not own.deviations[[0, 2]].any():
        parts = {quantity: _farthest_off(gaps) if quantity != "missing" else gaps for quantity, gaps in parts.items()}
    line = (_item_line if column.values is None else _number_line)(name, column, parts, threshold)
    missing = parts.get("missing")
    if line is None or missing is None:
        return line
    return _further_off(line, "missing", missing, 0, missing_rule(name))


def _number_line(
    name: str, column: EncodedColumn, parts: Mapping[Quantity, MeanGaps], threshold: float
) -> BalanceLine | None:
    """Compare a column of numbers: by its mean, unless its shape says much more."""
    means, cuts = parts.get("values"), parts.get("counts")
    if means is None:
        return None
    numbers = means.at(0)
    for side in ("source", "weighted", "target"):
        numbers[side] = column.centre + column.unit * numbers[side]
    spreads = means.deviations[:, 0].tolist()
    line = BalanceLine(
        column=name,
        kind="date" if column.kind == "date" else "number",
        detail="mean",
        **numbers,
        distance=KOLMOGOROV,
        distance_before=0.0 if cuts is None else float(np.abs(cuts.target - cuts.source).max()),
        distance_after=0.0 if cuts is None else float(np.abs(cuts.target - cuts.weighted).max()),
        threshold=threshold,
        spread_before=spreads[2] / spreads[0] if spreads[0] > 0 else None,
        spread_after=spreads[2] / spreads[1] if spreads[1] > 0 else None,
    )
    if cuts is None:
        return line
    best = int(np.round(np.abs(cuts.target - cuts.weighted), 12).argmax())
    cut = float(column.cuts[best])
    rule = cut_rule(name, cut) if column.kind == "number" else None
    line = replace(line, **_help(rule, cuts, best))
    return _further_off(line, f"after {show_day(cut)}" if column.kind == "date" else f"above {cut:g}", cuts, best, rule)


def _item_line(
    name: str, column: EncodedColumn, parts: Mapping[Quantity, MeanGaps], threshold: float
) -> BalanceLine | None:
    """Compare a column of levels or words by the one that is furthest off after weighting."""
    gaps, text = parts.get("counts"), column.kind == "text"
    if gaps is None:
        return None
    # The levels that are lumped together count in the distance, but no line is about them.
    order = sorted(
        range(len(column.items) if text else min(len(column.items), MOST_LEVELS)),
        # Of two levels that are off by as much, the one that the target has more of.
        key=lambda i: (-round(abs(float(gaps.after[i])), 9), float(gaps.after[i]) < 0, column.items[i]),
    )
    if column.kind == "flag" and "true" in column.items:
        order = [column.items.index("true")]
    worst = order[0]
    item = column.items[worst]
    change = [np.abs(gaps.target - side) for side in (gaps.source, gaps.weighted)]
    distances = [float(side.max()) if text else float(side.sum()) / 2 for side in change]
    return BalanceLine(
        column=name,
        kind=column.kind,
        detail=f"contains {item}" if text else "true" if column.kind == "flag" else f"= {item}",
        **gaps.at(worst),
        distance=WORD_GAP if text else TOTAL_VARIATION,
        distance_before=distances[0],
        distance_after=distances[1],
        threshold=threshold,
        words=tuple(MeanShift(column.items[i], **gaps.at(i)) for i in order[:MOST_SHOWN]) if text else (),
        **_help(item_rule(name, column.kind, item), gaps, worst),
    )


def _farthest_off(gaps: MeanGaps) -> MeanGaps:
    """Measure the gaps of a column that is one value in each sample, and so has no standard deviation."""
    size = np.maximum(np.abs(gaps.source), np.abs(gaps.target))
    shift = standardise(gaps.target - gaps.source, np.zeros_like(size), size)
    return replace(gaps, before=shift, after=shift)


def _help(rule: Slice | None, gaps: MeanGaps, i: int) -> dict[str, Any]:
    """Suggest a rule, unless all source rows are on one side: no weights could make up for that."""
    unseen = not 0 < gaps.source[i] < 1
    return {"suggestion": None if unseen else rule, "unseen": unseen}


def _further_off(line: BalanceLine, detail: str, gaps: MeanGaps, i: int, rule: Slice | None) -> BalanceLine:
    """Replace a comparison of a column by one that says more."""
    z, after = float(gaps.z[i]), float(gaps.after[i])
    if abs(z) <= line.threshold or (line.stands_out and abs(after) <= MUCH_MORE * abs(line.after)):
        return line
    return replace(line, detail=detail, **gaps.at(i), **_help(rule, gaps, i))
