"""What pages say in HTML of their own: the bar that stays in sight, and a slice in one row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.words.trust import LIGHTS
from mandoline_core import ModelReport, SliceRow
from mandoline_core.arrays import Interval
from mandoline_core.formatting import is_nothing, say, show_ends, show_interval, show_points, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.charts import SOURCE, TARGET, palette
from mandoline_core.report.words import PLAIN, TOOLTIPS

BAR_KEY = "live_summary"
_HEADER = "3.75rem"  # of the page, which lies over what scrolls
_COLOURS = {"green": ("#166534", "#86EFAC"), "amber": ("#92400E", "#FCD34D"), "red": ("#B91C1C", "#FCA5A5")}
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
    """Write the estimate, its interval, the verdict and what the last edit did."""
    share = is_share(report)
    source, rows = show_value(report.source, share=share), f"{report.effective_sample_size:,.0f}"
    number = "" if report.is_red else ' class="number"'  # no large number over "not to be trusted"
    if report.converged:
        value = f"<b{number}>{show_value(report.estimate, share=share)}</b> ({_ends(report)})"
    else:
        value = "<b>no estimate: the weights could not be fitted</b>"
    said = [f'<span title="{escape(TOOLTIPS["interval"])}">{value}</span>', _chip(report)]
    return _line(
        *(reversed(said) if report.is_red else said),
        f'<span class="more">{escape(change)}</span>' if change else "",
        f'<span class="more aside">{source} on your labelled data; {rows} effective rows</span>',
    )


def updating(last: tuple[float, Interval, bool] | None, *, stopped: bool) -> str:
    """Write the last estimate on all rows, greyed, and marked as such.

    Parameters
    ----------
    last : float, pair of floats and bool, optional
        With its interval, and whether it is a share.
    stopped : bool
        Whether nobody is counting.
    """
    parts = [f'<span class="updating">\u21bb {"not counted" if stopped else "updating"}</span>']
    if last is not None:
        estimate, interval, share = last
        value, ends = show_value(estimate, share=share), show_ends(interval, share=share)
        parts.insert(0, f'<span class="last"><b class="number">{value}</b> ({ends})</span>')
        parts.append('<span class="more">the number is of the state before</span>')
    return _line(*parts)


def on_draw(report: ModelReport, drawn: str) -> str:
    """Write what a draw of the rows gives.

    Parameters
    ----------
    drawn : str
        Which rows were drawn; nothing where they are all.
    """
    if not report.converged:
        return ""
    now = f"{show_value(report.estimate, share=is_share(report))} ({_ends(report)})"
    rows = f" on {drawn}, as is all below" if drawn else ""
    return f'<div class="more">Now {escape(now + rows)}.</div>'


def last_estimate(report: ModelReport, label: str) -> str:
    """Write the last estimate there was, greyed, and marked as such."""
    value = show_value(report.estimate, share=is_share(report))
    said = f"Last estimate: {value} ({_ends(report)}), before: {label}"
    return _line(f'<span class="more">{escape(said)}</span>')


def change_words(difference: float, label: str, *, share: bool) -> str:
    """Say what an edit did to the estimate.

    >>> change_words(-0.0104, "add slang", share=True), change_words(0.0001, "rename slang", share=True)
    ('-1.0 points by: add slang', 'unchanged by: rename slang')
    """
    if is_nothing(difference, share=share):
        return f"unchanged by: {label}"
    return f"{show_points(difference, share=share)} by: {label}"


def _line(*parts: str) -> str:
    return f'{BAR_STYLE}<div class="bar" role="status">{" ".join(parts)}</div>'


def _ends(report: ModelReport) -> str:
    return show_ends(report.interval, share=is_share(report))


def _chip(report: ModelReport) -> str:
    """Write the verdict: a dot and words, so that colour is never the only sign."""
    if report.verdict is None:
        return ""
    light, dark = _COLOURS[report.verdict.level]
    word = LIGHTS[report.verdict.level].word.capitalize()
    return f'<span style="color:light-dark({light},{dark})" title="{escape(TOOLTIPS["verdict"])}">\u25cf {word}</span>'


ROWS_KEY = "slice_list"
# Scoped to the one container: rows of a switch, a name and numbers, without a container for each, which would cost
# more than what is in it. What is open takes the whole width.
ROWS_STYLE = f"""<style>
.st-key-{ROWS_KEY} {{ display: grid; grid-template-columns: auto minmax(7rem, 1fr) minmax(15.5rem, 1.5fr);
  align-items: center; column-gap: 0.5rem; row-gap: 0.35rem; }}
.st-key-{ROWS_KEY} > div {{ width: auto; min-width: 0; }}
.st-key-{ROWS_KEY} > [data-testid=stLayoutWrapper] {{ grid-column: 1 / -1; }}
.st-key-{ROWS_KEY} > div > .stButton button {{ justify-content: flex-start; text-align: left; white-space: normal;
  padding: 0.2rem 0; min-height: 0; width: 100%; }}
.st-key-{ROWS_KEY} > div > .stButton button div {{ justify-content: flex-start; text-align: left; width: 100%; }}
.st-key-{ROWS_KEY} > div > .stButton button p {{ font-size: 0.875rem; line-height: 1.3; overflow-wrap: anywhere; }}
.st-key-{ROWS_KEY} > div > .stButton strong {{ display: block; font-size: 1rem; }}
.st-key-{ROWS_KEY} .slice {{ display: grid; grid-template-columns: 1fr 5.6rem 4.6rem; column-gap: 0.6rem;
  font-size: 0.8rem; line-height: 1.4; }}
.st-key-{ROWS_KEY} .slice .cover {{ white-space: nowrap; padding-bottom: 5px; margin-bottom: 2px; }}
.st-key-{ROWS_KEY} .slice small {{ opacity: 0.75; }}
@media (max-width: 640px) {{
  .st-key-{ROWS_KEY} {{ grid-template-columns: auto 1fr; }}
  .st-key-{ROWS_KEY} > div:has(> .stHtml) {{ grid-column: 1 / -1; border-bottom: 1px solid #8884;
    padding-bottom: 0.4rem; }}
}}
</style>"""


def slice_row(rows: Sequence[SliceRow], *, on: bool, effect: str, note: str, share: bool) -> str:
    """Write the numbers of a rule; a family shows the member that shifts most.

    Parameters
    ----------
    effect : str
        What it does to the estimate.
    note : str
        What the checks say of it; shown on hovering.
    """
    row = max(rows, key=lambda member: abs(member.shift), default=None)
    if row is None:
        return '<div class="slice"></div>'
    said = escape(say(note, PLAIN))
    warning = f' <span role="img" aria-label="note: {said}" title="{said}">\u26a0</span>' if note else ""
    family = f"<small>{len(rows)} slices; most: {escape(row.name)}</small>" if len(rows) > 1 else ""
    cells = (
        _cover("labelled", row.source, SOURCE) + _cover("new", row.target, TARGET, row.shift) + family,
        "<br>".join(
            _score(side, part.score, part.interval, part.n, share=share)
            for side, part in (("inside", row.inside), ("outside", row.outside))
        ),
        f'<small title="with this slice, less without it">effect</small>{warning}<br><b>{escape(effect)}</b>',
    )
    faded = "" if on else ' style="opacity:0.6"'
    return f'<div class="slice"{faded}>{"".join(f"<div>{cell}</div>" for cell in cells)}</div>'


def members(rows: Sequence[SliceRow]) -> str:
    """Write the members of a family, each with how much of both samples it covers."""
    lines = "".join(
        f'<div style="margin-bottom:0.4rem"><b>{escape(row.name)}</b> <small>{escape(row.rule)}</small>'
        f"{_cover('labelled', row.source, SOURCE)}{_cover('new', row.target, TARGET, row.shift)}</div>"
        for row in rows
    )
    return f'<div class="slice" style="display:block">{lines}</div>'


def effect_words(effect: float | None, *, share: bool) -> str:
    """Say what a slice does to the estimate.

    >>> effect_words(-0.021, share=True), effect_words(None, share=True)
    ('-2.1 points', 'none without it')
    """
    return "none without it" if effect is None else show_points(effect, share=share)


def _cover(side: str, share: float, colour: str, shift: float | None = None) -> str:
    """Write how much of a sample is inside, over a bar, and how many points more or less that is."""
    moved = ""
    if shift is not None:
        step = show_points(shift, share=True, unit=False)
        moved = f' <small title="{escape(TOOLTIPS["shift"])}">{step}</small>'
    bar = f"linear-gradient(to right,{colour} {100 * share:.1f}%,#8883 0) 0 100%/100% 4px no-repeat"
    return f'<div class="cover" style="background:{bar}"><small>{side}</small> {share:.1%}{moved}</div>'


def _score(side: str, score: float | None, interval: Interval | None, n: int, *, share: bool) -> str:
    if score is None or interval is None:
        return f"<small>{side}</small> no rows"
    said = f"{show_interval(score, interval, share=share)}, {n:,} labelled rows"
    return f'<span title="{said}"><small>{side}</small> {show_value(score, share=share)}</span>'
