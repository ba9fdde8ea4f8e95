"""What the checks of an estimate say, in sentences: data in, Markdown out. Names in them are escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import pandas as pd

from app.charts.elasticity import effect
from app.charts.trimming import show_cap
from app.wording import plain
from mandoline_core.elasticity import CorrectionSlope
from mandoline_core.errors import counted
from mandoline_core.estimators import get_estimator
from mandoline_core.model_report import ModelReport
from mandoline_core.rendering import is_share, show_interval, show_times, show_value
from mandoline_core.trimming import Trimmed
from mandoline_core.unmodelled.columns import Unmodelled

SMALL_GAP = 0.1  # standard deviations: less is hardly worth a word


class Light(NamedTuple):
    """Hold how a level or a state shows: a word, an icon and a colour, never the colour alone."""

    word: str
    icon: str
    colour: Literal["green", "orange", "red", "gray"]


LIGHTS = {
    "green": Light("usable", ":material/check_circle:", "green"),
    "amber": Light("usable with care", ":material/warning:", "orange"),
    "red": Light("not to be trusted", ":material/dangerous:", "red"),
}
STATES = {
    "passed": Light("passed", ":material/check:", "green"),
    "doubtful": Light("in doubt", ":material/warning:", "orange"),
    "failed": Light("failed", ":material/close:", "red"),
    "not run": Light("not run", ":material/remove:", "gray"),
}


def instead_sentence(method: str, report: ModelReport) -> str:
    """Say that the paper's weights stand in for a method that has no weights to change."""
    value = show_value(report.estimate, share=is_share(report))
    return (
        f"Your method ({plain(get_estimator(method).title)}) is not a mean of weighted rows, so this part is about the "
        f"paper's weights on the same slices, which give {value}."
    )


def heaviest_sentence(report: ModelReport) -> str:
    """Say how much the weights cost."""
    numbers = report.diagnostics
    return (
        f"{report.n_source:,} labelled rows count like {numbers.effective_sample_size:,.0f} that all weigh the same. "
        f"The heaviest row counts {show_times(numbers.largest_ratio)}."
    )


def trimming_sentence(found: Trimmed, free: Trimmed, *, share: bool) -> str:
    """Say what a cap does: before, after, what it buys and what it costs."""
    before = show_interval(free.estimate, free.interval, share=share)
    if math.isinf(found.cap):
        return f"**No cap:** the estimate is {before}, on {free.effective_sample_size:,.0f} effective rows."
    after = show_interval(found.estimate, found.interval, share=share)
    gap = ""
    if found.gap_slice is not None and found.largest_gap is not None:
        size = abs(found.largest_gap)
        gap = (
            " Every slice still matches the new data."
            if size < SMALL_GAP
            else f" *{plain(found.gap_slice)}* no longer matches the new data: {size:.2f} standard deviations off."
        )
    return (
        f"**At most {show_cap(found.cap)} times:** {before} becomes **{after}**. "
        f"{counted(found.rows_capped, 'row')} would have counted more; {found.weight_removed:.1%} of all weight moves "
        f"to other rows. Effective rows: {free.effective_sample_size:,.0f} before, "
        f"{found.effective_sample_size:,.0f} after.{gap}"
    )


def overlap_sentence(unseen: float, rare: float) -> str:
    """Say how many new rows are like no labelled row, or like very few.

    >>> overlap_sentence(0.0, 0.0)
    'Every new row has labelled rows like it, as far as the slices tell.'
    """
    if not unseen and not rare:
        return "Every new row has labelled rows like it, as far as the slices tell."
    return (
        f"**{unseen:.1%}** of the new rows are like no labelled row, and **{rare:.1%}** like fewer than five, "
        "as far as the slices tell."
    )


def unmodelled_sentence(line: Unmodelled) -> str:
    """Say how far something that nobody modelled is off, and whether luck explains it."""
    luck = "more than luck would do" if line.stands_out else "no more than luck would do"
    if line.kind == "pair":
        first = f"**{plain(line.column)}** agree on"
        rows = f"{line.show(line.source)} of the labelled rows"
    else:
        first = f"**{plain(line.name)}**:"
        rows = f"{line.show(line.source)} in the labelled data"
    return (
        f"{first} {rows}, {line.show(line.weighted)} after weighting, {line.show(line.target)} in the new data "
        f"({abs(line.after):.2f} standard deviations off, {luck})."
    )


def unmodelled_table(lines: Sequence[Unmodelled]) -> pd.DataFrame:
    """List everything compared, at full precision."""
    return pd.DataFrame(
        [
            {
                "what": line.name,
                "kind": line.kind,
                "labelled data": line.source,
                "reweighted": line.weighted,
                "new data": line.target,
                "shift before": line.before,
                "shift after": line.after,
                "z": line.z,
                "stands out": line.stands_out,
            }
            for line in lines
        ]
    )


def slope_table(slopes: Sequence[CorrectionSlope]) -> pd.DataFrame:
    """List how the estimate moves with every correction."""
    return pd.DataFrame(
        [
            {
                "slice": slope.slice,
                "where": {"source": "labelled data", "target": "new data"}[slope.side],
                "correction": slope.key,
                "now": slope.value,
                "one point less sure": effect(slope),
                "in words": slope.words,
            }
            for slope in slopes
        ]
    )
