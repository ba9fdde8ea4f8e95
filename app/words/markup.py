"""Parts of pages in HTML: the bar that stays in sight, and a slice in one row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from mandoline_core import ModelReport, SliceRow
from mandoline_core.arrays import Interval
from mandoline_core.formatting import (
    is_nothing,
    show_effect,
    show_ends,
    show_interval,
    show_percent,
    show_points,
    show_value,
)
from mandoline_core.pipeline import AttributionPart, is_share
from mandoline_core.report.charts import SOURCE, TARGET, palette
from mandoline_core.report.words import TOOLTIPS

BAR_KEY = "live_summary"
_HEADER = "3.75rem"  # of the page, which covers what scrolls
_COLOURS = {
    "confirmed": ("#166534", "#86EFAC"),
    "green": ("#166534", "#86EFAC"),
    "amber": ("#92400E", "#FCD34D"),
    "red": ("#B91C1C", "#FCA5A5"),
}
_MARKS = {"confirmed": "\u2714\u2714"}  # a shape of its own: its colour is that of green
_LIGHT, _DARK = palette(dark=False), palette(dark=True)
_PAPER, _GRID = f"light-dark({_LIGHT.paper},{_DARK.paper})", f"light-dark({_LIGHT.grid},{_DARK.grid})"
# Scoped to the one container: it sticks below the header, above what scrolls and below menus and dialogs.
BAR_STYLE = f"""<style>
div:has(> .st-key-{BAR_KEY}) {{ position: sticky; top: {_HEADER}; z-index: 90; }}
.st-key-{BAR_KEY} {{ background: {_PAPER}; border-bottom: 1px solid {_GRID}; padding: 0.35rem 0; gap: 0.25rem; }}
.st-key-{BAR_KEY} .bar {{ display: flex; align-items: baseline; column-gap: 0.9rem; line-height: 1.35; }}
.st-key-{BAR_KEY} .bar span {{ white-space: nowrap; flex: none; }}
.st-key-{BAR_KEY} .bar .more {{ flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; }}
.st-key-{BAR_KEY} .number {{ font-size: 1.5rem; font-weight: 650; }}
.st-key-{BAR_KEY} .last {{ opacity: 0.6; }}
.st-key-{BAR_KEY} .updating {{ font-weight: 650; color: light-dark(#92400E,#FCD34D); }}
.st-key-{BAR_KEY} .more {{ font-size: 0.875rem; opacity: 0.8; }}
@media (max-width: 640px) {{
  .st-key-{BAR_KEY} .bar {{ flex-wrap: wrap; }}
  .st-key-{BAR_KEY} .aside {{ display: none; }}
}}
</style>"""


def bar(report: ModelReport, change: str) -> str:
    """Write the estimate, its interval, the verdict and the effect of the last edit."""
    share = is_share(report)
    source, rows = show_value(report.source, share=share), f"{report.effective_sample_size:,.0f}"
    number = "" if report.is_red else ' class="number"'  # no large number that must not be quoted
    if report.converged:
        value = f"<b{number}>{show_value(report.estimate, share=share)}</b> ({_ends(report)})"
    else:
        value = "<b>No estimate: the weights could not be fitted</b>"
    said = [f'<span title="{escape(TOOLTIPS["interval"])}">{value}</span>', _chip(report)]
    return _line(
        *(reversed(said) if report.is_red else said),
        f'<span class="more">{escape(change)}</span>' if change else "",
        f'<span class="more aside">Labelled data {source}, {rows} effective rows</span>',
    )


def bare_change(change: str) -> str:
    """Write the effect of the last edit where the number is said elsewhere."""
    return _line(f'<span class="more">{escape(change)}</span>')


def updating(last: tuple[float, Interval, bool] | None, *, stopped: bool) -> str:
    """Write the last estimate on all rows, grey, and marked as such.

    Parameters
    ----------
    last : float, pair of floats and bool, optional
        With its interval, and whether it is a share.
    stopped : bool
        Whether counting was cancelled.
    """
    parts = [f'<span class="updating">\u21bb {"not updated" if stopped else "updating"}</span>']
    if last is not None:
        estimate, interval, share = last
        value, ends = show_value(estimate, share=share), show_ends(interval, share=share)
        parts.insert(0, f'<span class="last"><b class="number">{value}</b> ({ends})</span>')
        parts.append('<span class="more">before your last edit</span>')
    return _line(*parts)


def on_draw(report: ModelReport, drawn: str) -> str:
    """Write the estimate from a sample of the rows.

    Parameters
    ----------
    drawn : str
        Which rows were sampled; nothing where all are used.
    """
    if not report.converged:
        return ""
    now = f"{show_value(report.estimate, share=is_share(report))} ({_ends(report)})"
    rows = f" on {drawn}, like all numbers below" if drawn else ""
    return f'<div class="more">Now {escape(now + rows)}.</div>'


def last_estimate(report: ModelReport, label: str) -> str:
    """Write the last estimate, grey, and marked as such."""
    value = show_value(report.estimate, share=is_share(report))
    said = f"Last estimate: {value} ({_ends(report)}), before: {label}"
    return _line(f'<span class="more">{escape(said)}</span>')


def change_words(label: str, before: ModelReport, now: ModelReport) -> str:
    """Write what an edit did to the estimate, its interval, the rows it rests on, the rows left out, the verdict."""
    share = is_share(now)
    steps = [_step(f"{label}:", before.estimate, now.estimate, share=share)]
    halves = [_bare((one.interval[1] - one.interval[0]) / 2, share=share) for one in (before, now)]
    rows = [f"{one.effective_sample_size:,.0f}" for one in (before, now)]
    left_out = [show_percent(one.set_aside) for one in (before, now)]
    meanings = [one.verdict.meaning if one.verdict else "" for one in (before, now)]
    for words, (old, new) in {
        "\u00b1": halves, "effective rows": rows, "new rows left out": left_out, "verdict": meanings
    }.items():  # fmt: skip
        if old != new:
            steps.append(f"{words} {old} \u2192 {new}")
    return "; ".join(steps)


def _step(label: str, before: float, now: float, *, share: bool) -> str:
    """Write how far an edit moved the estimate, from where to where.

    >>> _step("add slang:", 0.804, 0.794, share=True), _step("rename slang:", 0.794, 0.7941, share=True)
    ('add slang: -1.0 points (80.4% \u2192 79.4%)', 'rename slang: no change')
    >>> _step("add slang:", 0.93744, 0.83656, share=True)
    'add slang: -10.0 points (93.7% \u2192 83.7%)'
    """
    old, new = show_value(before, share=share), show_value(now, share=share)
    if is_nothing(now - before, share=share) or old == new:
        return f"{label} no change"
    # Of the numbers as they are shown: 93.7 and 83.7 are 10.0 apart, whatever their next digits.
    step = round(now, 3) - round(before, 3) if share else now - before
    return f"{label} {show_points(step, share=share)} ({old} \u2192 {new})"


def _line(*parts: str) -> str:
    return f'{BAR_STYLE}<div class="bar" role="status">{" ".join(parts)}</div>'


def _ends(report: ModelReport) -> str:
    return show_ends(report.interval, share=is_share(report))


def _chip(report: ModelReport) -> str:
    """Write the verdict: a dot and words, so that colour is never the only sign."""
    if report.verdict is None:
        return ""
    light, dark = _COLOURS[report.verdict.level]
    word, mark = report.verdict.meaning, _MARKS.get(report.verdict.level, "\u25cf")
    return f'<span style="color:light-dark({light},{dark})" title="{escape(TOOLTIPS["verdict"])}">{mark} {word}</span>'


ROWS_KEY = "slice_list"
# Scoped to the one container: rows of a switch, a name and numbers, without a container for each, which would cost
# more than what is in it. What is open takes the whole width.
ROWS_STYLE = f"""<style>
.st-key-{ROWS_KEY} {{ display: grid; grid-template-columns: auto minmax(5rem, 1fr) 13.25rem;
  align-items: center; column-gap: 0.5rem; row-gap: 0.3rem; }}
.st-key-{ROWS_KEY} > div {{ width: auto; min-width: 0; }}
.st-key-{ROWS_KEY} > [data-testid=stLayoutWrapper],
.st-key-{ROWS_KEY} > div:has(.heads) {{ grid-column: 1 / -1; }}
.st-key-{ROWS_KEY} > div > .stButton button {{ justify-content: flex-start; text-align: left; padding: 0.1rem 0.3rem;
  min-height: 0; width: 100%; }}
.st-key-{ROWS_KEY} > div > .stButton button div {{ justify-content: flex-start; text-align: left; width: 100%;
  min-width: 0; }}
.st-key-{ROWS_KEY} > div > .stButton button p {{ font-size: 0.75rem; line-height: 1.25; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }}
.st-key-{ROWS_KEY} > div > .stButton strong {{ display: block; font-size: 0.9rem; overflow: hidden;
  text-overflow: ellipsis; }}
.st-key-{ROWS_KEY} .slice {{ display: grid; grid-template-columns: 4.6rem 3.6rem 4.2rem; column-gap: 0.4rem;
  font-size: 0.78rem; line-height: 1.3; align-items: center; }}
.st-key-{ROWS_KEY} .slice > div {{ white-space: nowrap; }}
.st-key-{ROWS_KEY} .slice small {{ opacity: 0.75; }}
.st-key-{ROWS_KEY} .heads {{ margin-left: auto; width: 13.25rem; opacity: 0.75; align-items: end; }}
.st-key-{ROWS_KEY} .heads > div {{ white-space: normal; font-size: 0.72rem; line-height: 1.15; }}
.st-key-{ROWS_KEY} .scale {{ position: relative; display: block; height: 4px; margin-top: 2px; background: #8882; }}
.st-key-{ROWS_KEY} .scale i {{ position: absolute; top: 0; bottom: 0; min-width: 2px; }}
</style>"""


def slice_heads(score: str) -> str:
    """Write what the columns of the list are.

    Parameters
    ----------
    score : str
        What the metric is called.
    """
    heads = (
        "labelled \u2192 new rows",
        f"{escape(score)} in | else",
        f'<span title="{escape(TOOLTIPS["attribution"])}">effect on estimate</span>',
    )
    return f'<div class="slice heads">{"".join(f"<div>{head}</div>" for head in heads)}</div>'


def slice_row(rows: Sequence[SliceRow], *, on: bool, effect: str, note: str, share: bool) -> str:
    """Write the numbers of a rule; a family shows the member that shifts most.

    Parameters
    ----------
    effect : str
        Its effect on the estimate, from `effect_bar`.
    note : str
        Findings about it; shown on hovering.
    """
    row = max(rows, key=lambda member: abs(member.shift), default=None)
    if row is None:
        return '<div class="slice"></div>'
    said = escape(note)
    warning = f' <span role="img" aria-label="note: {said}" title="{said}">\u26a0</span>' if note else ""
    cells = (_cover(row, len(rows)), _scores(row, share=share), f"{effect}{warning}")
    faded = "" if on else ' style="opacity:0.6"'
    return f'<div class="slice"{faded}>{"".join(f"<div>{cell}</div>" for cell in cells)}</div>'


def members(rows: Sequence[SliceRow]) -> str:
    """Write the members of a family, each with how much of both samples it matches."""
    lines = "".join(
        f'<div style="margin-bottom:0.4rem"><b>{escape(row.name)}</b> '
        f'<small title="{escape(row.full_rule)}">{escape(row.rule)}</small>{_cover(row, 1)}</div>'
        for row in rows
    )
    return f'<div class="slice" style="display:block">{lines}</div>'


def effect_bar(part: AttributionPart | None, place: tuple[float, float], *, share: bool) -> str:
    """Write the effect of a slice over a step of the waterfall from the labelled score to the estimate.

    Parameters
    ----------
    place : pair of float
        Where the step starts and ends, in shares of the way.
    """
    if part is None:
        return "\u2013"
    left, right = (100 * end for end in sorted(place))
    step = (
        f'<span class="scale"><i style="left:{left:.1f}%;width:{right - left:.1f}%;background:currentColor"></i></span>'
    )
    said = show_effect(part.value, part.interval, share=share)
    return f'<div title="{said}"><b>{show_points(part.value, share=share, unit=False)}</b>{step}</div>'


def _cover(row: SliceRow, n_members: int) -> str:
    """Write how much of both samples a slice matches, over a bar for each; of a family, the member that shifts most."""
    labelled, new, step = (
        show_percent(row.source), show_percent(row.target), show_points(row.shift, share=True, unit=False)
    )  # fmt: skip
    title = f"{labelled} of labelled rows, {new} of new rows ({step} points)"
    if n_members > 1:
        title = f"{n_members} slices. Most shifted, {row.name}: {title}"
    bars = "".join(
        f'<span class="scale"><i style="left:0;width:{100 * rate:.1f}%;background:{colour}"></i></span>'
        for rate, colour in ((row.source, SOURCE), (row.target, TARGET))
    )
    return f'<div title="{escape(title)}">{_bare(row.source, share=True)} \u2192 <b>{new}</b>{bars}</div>'


def _scores(row: SliceRow, *, share: bool) -> str:
    """Write the score in a slice and elsewhere, with intervals on hovering."""
    said, short = [], []
    for side, part in (("in slice", row.inside), ("elsewhere", row.outside)):
        if part.score is None or part.interval is None:
            said.append(f"{side}: no labelled rows")
            short.append("\u2013")
        else:
            said.append(f"{side} {show_interval(part.score, part.interval, share=share)}, {part.n:,} labelled rows")
            short.append(_bare(part.score, share=share))
    return f'<span title="{escape("; ".join(said))}">{" | ".join(short)}</span>'


def _bare(value: float, *, share: bool) -> str:
    """Write a number without its unit, where a column or the number next to it has one.

    >>> _bare(0.491, share=True), _bare(12.5, share=False)
    ('49.1', '12.5')
    """
    return show_points(value, share=share, sign=False, unit=False)
