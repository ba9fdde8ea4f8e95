"""The evidence behind an estimate, each fact worded by one function, in plain text: weights, columns, hidden change."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mandoline_core.checks import (
    FINITE_MEAN,
    FINITE_VARIANCE,
    USABLE,
    BalanceLine,
    DomainTest,
    ModelReport,
    SensitivityPoint,
    SliceStrength,
    Support,
    Tail,
    TheoremBound,
    Trimming,
)
from mandoline_core.formatting import (
    counted,
    listed,
    show_difference,
    show_effect,
    show_interval,
    show_percent,
    show_points,
    show_times,
    show_value,
)
from mandoline_core.pipeline import Attribution, is_share
from mandoline_core.report.words.vocabulary import title_of

SMALL_GAP = 0.1  # standard deviations: less is hardly worth a word
_MATTERS = 1.005  # times: leaving out a weaker slice changes nothing that is written
_MOST_NAMED = 3
TOO_WIDE = "The bound is too wide to be useful here. More labelled rows, or more even weights, make it narrower."


def instead(method: str, value: float, *, share: bool) -> str:
    """Say that the paper's weights replace a method that has none to change."""
    return (
        f"This part does not apply to {title_of(method)}. It uses Mandoline's weights on the same slices, which give "
        f"{show_value(value, share=share)}."
    )


def tail(found: Tail) -> str:
    """Say whether the heaviest rows are too heavy."""
    if found.k is None:
        return "The weights take few values, and none is extreme."
    if found.k < FINITE_VARIANCE:
        return "The weights have a light tail, so the interval is reliable."
    if found.k < USABLE:
        return "The weights have a heavy tail. The estimate is still usable, but more rows help little."
    cap = "Switch off the slice that shifts most, or cap the weights."
    if found.k < FINITE_MEAN:
        return f"A few rows decide the result, and the interval is probably too short. {cap}"
    return f"A few rows decide the result; it is unstable. Do not quote it. {cap}"


def show_cap(cap: float) -> str:
    """Write a cap on the weights.

    >>> show_cap(1.5), show_cap(math.inf)
    ('1.5x', 'no cap')
    """
    return "no cap" if math.isinf(cap) else show_times(cap)


def trimming(found: Trimming, free: Trimming, *, share: bool) -> str:
    """Say what a cap on the weights does, and what it costs."""
    before = show_interval(free.estimate, free.interval, share=share)
    if math.isinf(found.cap):
        return f"No cap: {before}, {free.effective_sample_size:,.0f} effective rows."
    after = show_interval(found.estimate, found.interval, share=share)
    gap = ""
    if found.gap_slice is not None and found.largest_gap is not None and abs(found.largest_gap) >= SMALL_GAP:
        off = f"{abs(found.largest_gap):.2f} standard deviations off"
        gap = f" {found.gap_slice} no longer matches the new data ({off})."
    return (
        f"Cap at {show_cap(found.cap)}: {before} becomes {after}. {counted(found.rows_capped, 'row')} capped, "
        f"{show_percent(found.weight_removed)} of the weight moved. Effective rows: {free.effective_sample_size:,.0f} "
        f"before, {found.effective_sample_size:,.0f} after.{gap}"
    )


def overlap(unseen: float, rare: float) -> str:
    """Say how many new rows match no labelled row, or few.

    >>> overlap(0.0, 0.0)
    'Every new row matches labelled rows on the slices.'
    >>> overlap(0.01, 0.0)
    'On the slices, 1.0% of the new rows match no labelled row. The most frequent combinations:'
    """
    if not unseen and not rare:
        return "Every new row matches labelled rows on the slices."
    found = {"no labelled row": unseen, "one to four labelled rows": rare}
    said = [f"{show_percent(share)} of the new rows match {what}" for what, share in found.items() if share]
    return f"On the slices, {', and '.join(said)}. The most frequent combinations:"


def bounds(found: Support, report: ModelReport) -> str:
    """Bound the score by what rows without a match could do, or say why that cannot be done."""
    if found.bounds is None:
        return found.assumes
    low, high = (show_value(end, share=is_share(report)) for end in found.bounds)
    return (
        f"Whatever the rows without a match do, {report.problem.metric.spoken} on all new rows is between {low} and "
        f"{high}, before sampling error. This assumes that the others score like the labelled rows they match."
    )


def attribution(found: Attribution, source: float, *, share: bool) -> str:
    """Say how far all slices move the score, which do most of it, and whether sampling error explains it.

    >>> from mandoline_core.pipeline import AttributionPart
    >>> parts = AttributionPart("short", -0.06, (-0.07, -0.05)), AttributionPart("slang", -0.03, (-0.04, -0.02))
    >>> attribution(Attribution(-0.09, (-0.11, -0.07), parts), 0.884, share=True)
    'Slices move the score by -9.0 points (-11.0 to -7.0), from 88.4% to 79.4%: short -6.0, slang -3.0.'
    """
    ends = f"from {_ends_of(source, source + found.total, share=share)}"
    moved = f"Slices move the score by {show_effect(found.total, found.total_interval, share=share)}"
    if found.total_interval[0] <= 0 <= found.total_interval[1]:
        return f"{moved}, {ends}. This is within sampling error."
    ranked = sorted(found.parts, key=lambda part: -round(abs(part.value), 12))  # twins stay in order
    most = [part for part in ranked if abs(part.value) > 0.25 * abs(ranked[0].value)][:3]
    listing = ", ".join(f"{part.rule} {show_points(part.value, share=share, unit=False)}" for part in most)
    return f"{moved}, {ends}{f': {listing}' if listing else ''}."


def _ends_of(first: float, last: float, *, share: bool) -> str:
    """Write two values; with a second digit where their difference would seem to be another than it is.

    >>> _ends_of(0.884, 0.794, share=True), _ends_of(0.93738, 0.83679, share=True)
    ('88.4% to 79.4%', '93.74% to 83.68%')
    """
    told = round(round(100 * last, 1) - round(100 * first, 1), 1)
    if share and told != round(100 * (last - first), 1):
        return f"{first:.2%} to {last:.2%}"
    return f"{show_value(first, share=share)} to {show_value(last, share=share)}"


def domain(found: DomainTest) -> str:
    """Say how well a classifier on all columns distinguishes labelled from new rows, before and after weighting.

    >>> domain(DomainTest(0.72, 0.51, 0.02, (), 2000, 1000))
    'A classifier can tell labelled rows from new rows: AUC 0.72, 0.51 after weighting (0.5: not at all).'
    """
    after = f", {found.after:.2f} after weighting" if found.weighted else ""
    return f"A classifier can tell labelled rows from new rows: AUC {found.before:.2f}{after} (0.5: not at all)."


def unmodelled(line: BalanceLine, *, weighted: bool = True) -> str:
    """Say how far something that no slice covers is off, and whether sampling error explains it."""
    what = f"{line.column} agree on" if line.kind == "pair" else f"{line.name}:"
    mean = " on average" if line.detail == "mean" else ""
    after = f", {line.show(line.weighted)} after weighting" if weighted else ""
    error = "beyond sampling error" if line.stands_out else "within sampling error"
    far = "no weights can change that" if line.constant else f"{abs(line.after):.2f} standard deviations off, {error}"
    if line.measured is not None:
        most = show_points(line.measured.most, share=line.measured.share, sign=False)
        far = f"{far}; could move the estimate by {most}"
    return (
        f"{what} {line.show(line.source)}{mean} in labelled data{after}, {line.show(line.target)} in new data ({far})."
    )


def hidden(point: SensitivityPoint, *, share: bool) -> str:
    """Say what a hidden change of one strength could do; no full stop."""
    low, high = (show_value(end, share=share) for end in (point.low, point.high))
    if point.gamma == 1.0:
        return f"With no hidden change the estimate is {low}"
    return f"A hidden change of up to {show_times(point.gamma)} puts the true value between {low} and {high}"


def strongest(strengths: Sequence[SliceStrength]) -> list[SliceStrength]:
    """List the slices whose strength is known, the strongest first."""
    known = [strength for strength in strengths if strength.largest is not None]
    return sorted(known, key=lambda strength: -(strength.largest or 0.0))


def crossing(report: ModelReport, threshold: float, at: float | None, strengths: Sequence[SliceStrength]) -> str:
    """Say how strong a hidden change must be to reach a threshold, compared with the slices.

    Parameters
    ----------
    at : float or None
        The strength that reaches it; None where no strength does.
    """
    way = "below" if threshold < report.estimate else "above"
    beyond = f"{way} {show_value(threshold, share=is_share(report))}"
    if at is None:
        return f"No hidden change could bring it {beyond}."
    known = [(one.largest or 1.0, one.name) for one in strongest(strengths)]
    weaker = [name for strength, name in known if _MATTERS < strength < at]
    stronger = [(name, strength) for strength, name in known if strength >= at]
    said = f"To bring it {beyond}, a hidden change must change weights by {show_times(at)}."
    if weaker:
        said += f" That is more than leaving out {listed(weaker[:_MOST_NAMED])} would."
    if stronger:
        said += f" One as strong as {stronger[-1][0]} ({show_times(stronger[-1][1])}) is enough."
    return said


def promise(bound: TheoremBound, report: ModelReport, failure: float) -> str:
    """Say what the paper's bound guarantees."""
    off = show_difference(bound.total, share=is_share(report))
    probability = f"{100 * (1 - failure):g}%"
    return f"Under these assumptions the estimate is within {off} of the true value, with probability {probability}."
