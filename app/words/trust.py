"""What the checks of an estimate say, in sentences: data in, Markdown out. Names in them are escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import pandas as pd

from app.words.tables import shift_columns
from app.words.wording import plain, tell
from mandoline_core.checks import (
    FINITE_MEAN,
    FINITE_VARIANCE,
    USABLE,
    BalanceLine,
    DomainTest,
    ModelReport,
    Support,
    Tail,
    Trimming,
)
from mandoline_core.formatting import counted, is_nothing, show_interval, show_points, show_times, show_value
from mandoline_core.pipeline import Attribution, CorrectionSlope, is_share
from mandoline_core.report.charts import EFFECT_DIGITS, effect, show_capped
from mandoline_core.report.words import title_of

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
        f"Your method ({plain(title_of(method))}) is not a mean of weighted rows, so this part is about the "
        f"paper's weights on the same slices, which give {value}."
    )


def slices_instead_sentence(method: str, found: Attribution, report: ModelReport) -> str:
    """Say that the paper's weights stand in for a method whose weights do not build up slice by slice."""
    value = show_value(report.source + found.total, share=is_share(report))
    return (
        f"Your method ({plain(title_of(method))}) does not build weights up slice by slice, so this part is "
        f"about the paper's weights on the same slices, which give {value}."
    )


def heaviest_sentence(report: ModelReport, tail: Tail) -> str:
    """Say how much the weights cost, and whether the heaviest rows are too heavy."""
    rows = report.effective_sample_size
    if show_times(report.largest_ratio) == show_times(1.0):
        return "Every labelled row counts once, so no row decides."
    return f"{report.n_source:,} labelled rows tell as much as {rows:,.0f} that all count the same. {_tail(tail)}"


def _tail(tail: Tail) -> str:
    if tail.k is None:
        return "Rows count by a few steps only, so there is no tail of ever heavier rows."
    if tail.k < FINITE_VARIANCE:
        return "Heavy rows thin out fast, so the interval can be taken at its word."
    if tail.k < USABLE:
        return "Heavy rows thin out slowly: the estimate is still usable, but more rows help little."
    if tail.k < FINITE_MEAN:
        return "**A few rows decide**, and the interval is likely too short. Drop the slice that shifts most, or cap."
    return (
        "**A few rows decide, and not even the estimate settles** as rows are added. Do not quote it: drop the slice "
        "that shifts most, or cap how much a row may count."
    )


def trimming_sentence(found: Trimming, free: Trimming, *, share: bool) -> str:
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
        f"**At most {show_capped(found.cap)}:** {before} becomes **{after}**. "
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
        "as far as the slices tell. The most frequent of them are in these slices:"
    )


def bounds_sentence(found: Support, report: ModelReport) -> str:
    """Say what the rows like no labelled row leave open, or why that cannot be said."""
    if found.bounds is None:
        return tell(found.assumes)
    share = is_share(report)
    low, high = (show_value(end, share=share) for end in found.bounds)
    return (
        f"Whatever happens in the rows that are like no labelled row, the {plain(report.problem.metric.spoken)} on all "
        f"new rows lies between **{low}** and **{high}**, if the others do as well as the labelled rows they resemble. "
        "The luck of the draw comes on top."
    )


def attribution_sentence(found: Attribution, report: ModelReport) -> str:
    """Say how far weighting moves the score, and whether luck explains it."""
    share = is_share(report)
    moved = f"Weighting moves the score by **{show_points(found.total, share=share)}**"
    ends = f"from {show_value(report.source, share=share)} to {show_value(report.source + found.total, share=share)}"
    if found.total_interval is None:
        return f"{moved}, {ends}."
    low, high = found.total_interval
    written = " to ".join(show_points(end, share=share, unit=False) for end in (low, high))
    by_chance = "; luck alone could do that" if low <= 0 <= high else ""
    return f"{moved} ({written}), {ends}{by_chance}."


def domain_sentence(found: DomainTest) -> str:
    """Say how well all columns together tell labelled rows from new ones, before and after weighting.

    >>> print(domain_sentence(DomainTest(0.72, 0.51, 0.02, (), 2000, 1000)))
    By all columns together a classifier tells labelled rows from new ones with an AUC of 0.72 before weighting and 0.51
    after, on 2,000 labelled and 1,000 new rows. 0.5 is chance, 1 is perfect.
    """
    after = f" before weighting and {found.after:.2f} after" if found.weighted else ""
    return (
        "By all columns together a classifier tells labelled rows from new ones with an AUC of "
        f"{found.before:.2f}{after}, on {found.n_source:,} labelled and {found.n_target:,} new rows. "
        "0.5 is chance, 1 is perfect."
    )


def unmodelled_sentence(line: BalanceLine, *, weighted: bool = True) -> str:
    """Say how far something that nobody modelled is off, and whether luck explains it."""
    by_chance = "more than luck would do" if line.stands_out else "no more than luck would do"
    if line.kind == "pair":
        first = f"**{plain(line.column)}** agree on"
        rows = f"{line.show(line.source)} of the labelled rows"
    else:
        first = f"**{plain(line.name)}**{' on average' if line.detail == 'mean' else ''}:"
        rows = f"{line.show(line.source)} in the labelled data"
    after = f", {line.show(line.weighted)} after weighting" if weighted else ""
    far = (
        "no weights can change that" if line.constant else f"{abs(line.after):.2f} standard deviations off, {by_chance}"
    )
    return f"{first} {rows}{after}, {line.show(line.target)} in the new data ({far})."


def unmodelled_table(lines: Sequence[BalanceLine]) -> pd.DataFrame:
    """List everything compared, at full precision."""
    return pd.DataFrame(
        [
            {
                "what": line.name,
                "kind": line.kind,
                **shift_columns(line),
                "z": line.z,
                "stands out": line.stands_out,
            }
            for line in lines
        ]
    )


def heaviest_table(table: pd.DataFrame) -> pd.DataFrame:
    """Write the heaviest patterns as people read them; names are escaped."""
    return pd.DataFrame(
        {
            "in slices": table["in slices"].map(plain),
            "each counts": table["each counts"],
            "labelled rows": table["labelled"].map("{:,.0f}".format),
            "new rows": table["new"].map("{:,.0f}".format),
            "of all weight": table["share"].map("{:.1%}".format),
        }
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


def telling_slopes(slopes: Sequence[CorrectionSlope], *, share: bool, most: int = 4) -> list[CorrectionSlope]:
    """List the corrections worth a sentence: those that decide what can be estimated, then those that move it most."""
    worth = [
        slope
        for slope in slopes
        if (value := effect(slope)) is None or not is_nothing(value, share=share, digits=EFFECT_DIGITS)
    ]
    return sorted(worth, key=lambda slope: -abs(effect(slope) or math.inf))[:most]
