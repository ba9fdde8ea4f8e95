"""Honest axes for a metric's values: a dot plot may zoom in, and then says so."""

from __future__ import annotations

from collections.abc import Sequence

ZOOMED = "the axis is zoomed in"
TICK_FORMAT = {True: ".1~%", False: ".4~g"}


def value_range(values: Sequence[float], share: bool) -> list[float]:
    """Span the values with some room; a share stays a share.

    >>> value_range([0.5, 0.75], share=True)
    [0.47, 0.78]
    """
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or (0.02 if share else 0.05 * abs(high) or 1.0)
    # A marker on the very edge of the possible needs a sliver to be seen whole.
    return [max(low - room, -0.01), min(high + room, 1.01)] if share else [low - room, high + room]


def value_axis(metric: str, span: Sequence[float], share: bool) -> str:
    """Name the axis of a metric, and say so when it is zoomed in.

    >>> value_axis("accuracy", (0.7, 0.9), share=True)
    'accuracy (share of rows; the axis is zoomed in)'
    """
    whole = span[0] <= 0 and (not share or span[1] >= 1)
    unit = ["share of rows"] if share else []
    notes = unit + ([] if whole else [ZOOMED])
    return f"{metric} ({'; '.join(notes)})" if notes else metric
