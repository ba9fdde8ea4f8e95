"""One column before and after weighting: what of it is furthest off, and the slice that would model it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mandoline_core.checks.unmodelled.ground import Gaps
from mandoline_core.checks.unmodelled.line import (
    KOLMOGOROV,
    TOTAL_VARIATION,
    WORD_GAP,
    BalanceLine,
    Edge,
    WordShift,
    show_day,
)
from mandoline_core.pipeline import ColumnTally, Quantity, cut_rule, item_rule, missing_rule
from mandoline_core.slices import Slice

MOST_SHOWN = 5  # words of a text column
MUCH_MORE = 3.0  # what stands out takes the place of what does, too, when it is further off by so much


def column_shift(column: ColumnTally, compared: Mapping[Quantity, Gaps], threshold: float) -> BalanceLine | None:
    """Compare one column before and after weighting; None where no row that counts has a value.

    A number is compared by its mean, unless its distribution or its missing values stand out and the mean does not,
    or far less; categories and texts by the value or the word that is furthest off after weighting.

    Parameters
    ----------
    compared : mapping of {"values", "counts", "missing"} to Gaps
        What it is compared by; nothing where no row that counts has a value.
    threshold : float
        The |z| beyond which a comparison stands out from luck.

    Examples
    --------
    >>> from mandoline_core.pipeline import Tally
    >>> from mandoline_core.checks.unmodelled.gaps import compare
    >>> from mandoline_core.checks.unmodelled.ground import Weighing
    >>> rows, none = np.array([50.0, 50.0]), np.empty((2, 0))
    >>> counts = Tally(rows, rows, np.array([[40.0, 10.0], [10.0, 40.0]]), np.array([[20.0, 30.0], [20.0, 30.0]]))
    >>> missing = Tally(rows, rows, np.zeros((2, 1)), np.zeros((2, 1)))
    >>> tally = ColumnTally("colour", "category", ("red", "blue"), np.empty(0), counts, missing)
    >>> weighing = Weighing(np.full(2, 0.01), np.ones(2), none, none)
    >>> line = column_shift(tally, {"counts": compare(weighing, counts)}, 1.96)
    >>> line.name, round(line.source, 6), line.target, line.suggestion.describe()
    ('colour = blue', 0.5, 0.6, 'colour is blue')
    """
    return (_items if column.values is None else _number)(column, compared, threshold)


def _number(column: ColumnTally, compared: Mapping[Quantity, Gaps], threshold: float) -> BalanceLine | None:
    """Compare a column of numbers: by its mean, unless its shape or its gaps say much more."""
    means, cuts = compared.get("values"), compared.get("counts")
    if means is None:
        return None
    here, weighted, there = (column.centre + column.unit * float(side[0]) for side in _three(means))
    spreads = [float(value) for value in means.deviations[:, 0]]
    line = BalanceLine(
        column=column.column,
        kind="date" if column.kind == "date" else "number",
        detail="mean",
        source=here,
        weighted=weighted,
        target=there,
        before=float(means.before[0]),
        after=float(means.after[0]),
        distance=KOLMOGOROV,
        distance_before=0.0 if cuts is None else float(np.abs(cuts.target - cuts.source).max()),
        distance_after=0.0 if cuts is None else float(np.abs(cuts.target - cuts.weighted).max()),
        z=float(means.z[0]),
        threshold=threshold,
        spread_before=spreads[2] / spreads[0] if spreads[0] > 0 else None,
        spread_after=spreads[2] / spreads[1] if spreads[1] > 0 else None,
    )
    if cuts is not None:
        best = int(np.round(np.abs(cuts.target - cuts.weighted), 12).argmax())
        cut = float(column.cuts[best])
        if column.kind == "number":
            line = replace(line, suggestion=_if_seen(cut_rule(column.column, cut), cuts, best))
        text = f"after {show_day(cut)}" if column.kind == "date" else f"above {cut:g}"
        line = _if_more(line, text, cuts, best, line.suggestion)
    return _or_missing(line, column, compared.get("missing"))


def _items(column: ColumnTally, compared: Mapping[Quantity, Gaps], threshold: float) -> BalanceLine | None:
    """Compare a column of levels or words by the one that is furthest off after weighting."""
    gaps = compared.get("counts")
    if gaps is None:
        return None
    order = sorted(
        range(len(column.items)),
        # Of two levels that are off by as much, the one that the target has more of.
        key=lambda i: (-round(abs(float(gaps.after[i])), 9), float(gaps.after[i]) < 0, column.items[i]),
    )
    if column.kind == "flag" and "true" in column.items:
        order = [column.items.index("true")]
    worst, text = order[0], column.kind == "text"
    item = column.items[worst]
    change = [np.abs(gaps.target - side) for side in (gaps.source, gaps.weighted)]
    distances = [float(side.max()) if text else float(side.sum()) / 2 for side in change]
    line = BalanceLine(
        column=column.column,
        kind=column.kind,
        detail=f"contains {item}" if text else "true" if column.kind == "flag" else f"= {item}",
        source=float(gaps.source[worst]),
        weighted=float(gaps.weighted[worst]),
        target=float(gaps.target[worst]),
        before=float(gaps.before[worst]),
        after=float(gaps.after[worst]),
        distance=WORD_GAP if text else TOTAL_VARIATION,
        distance_before=distances[0],
        distance_after=distances[1],
        z=float(gaps.z[worst]),
        threshold=threshold,
        words=tuple(_word(column.items[i], gaps, i) for i in order[:MOST_SHOWN]) if text else (),
        suggestion=_if_seen(item_rule(column.column, column.kind, item), gaps, worst),
    )
    return _or_missing(line, column, compared.get("missing"))


def _or_missing(line: BalanceLine, column: ColumnTally, gaps: Gaps | None) -> BalanceLine:
    """Show that values are missing, where that says much more than the values that are there."""
    if gaps is None:
        return line
    return _if_more(line, "missing", gaps, 0, _if_seen(missing_rule(column.column), gaps, 0))


def _if_seen(rule: Slice | None, gaps: Gaps, i: int) -> Slice | None:
    """Take a suggestion back where all source rows are on one side: no weights could make up for that."""
    return rule if 0 < gaps.source[i] < 1 else None


def _if_more(line: BalanceLine, detail: str, gaps: Gaps, i: int, rule: Slice | Edge | None) -> BalanceLine:
    """Put another comparison of the same column in the place of one that says less."""
    z, after = float(gaps.z[i]), float(gaps.after[i])
    if abs(z) <= line.threshold or (line.stands_out and abs(after) <= MUCH_MORE * abs(line.after)):
        return line
    return replace(
        line,
        detail=detail,
        source=float(gaps.source[i]),
        weighted=float(gaps.weighted[i]),
        target=float(gaps.target[i]),
        before=float(gaps.before[i]),
        after=after,
        z=z,
        suggestion=rule,
    )


def _word(word: str, gaps: Gaps, i: int) -> WordShift:
    shares = (float(side[i]) for side in (*_three(gaps), gaps.before, gaps.after, gaps.z))
    return WordShift(word, *shares)


def _three(gaps: Gaps) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return gaps.source, gaps.weighted, gaps.target
