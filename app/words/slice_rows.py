"""A slice in one row: how much of both samples it covers, how far it shifts, and what it does, in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from mandoline_core import SliceRow
from mandoline_core.arrays import Interval
from mandoline_core.formatting import say, show_interval, show_points, show_value
from mandoline_core.report.charts import SOURCE, TARGET
from mandoline_core.report.words import PLAIN, TOOLTIPS

KEY = "slice_list"
# Scoped to the one container: rows of a switch, a name and numbers, without a container for each, which would cost
# more than what is in it. What is open takes the whole width.
STYLE = f"""<style>
.st-key-{KEY} {{ display: grid; grid-template-columns: auto minmax(7rem, 1fr) minmax(15.5rem, 1.5fr);
  align-items: center; column-gap: 0.5rem; row-gap: 0.35rem; }}
.st-key-{KEY} > div {{ width: auto; min-width: 0; }}
.st-key-{KEY} > [data-testid=stLayoutWrapper] {{ grid-column: 1 / -1; }}
.st-key-{KEY} > div > .stButton button {{ justify-content: flex-start; text-align: left; white-space: normal;
  padding: 0.2rem 0; min-height: 0; width: 100%; }}
.st-key-{KEY} > div > .stButton button div {{ justify-content: flex-start; text-align: left; width: 100%; }}
.st-key-{KEY} > div > .stButton button p {{ font-size: 0.875rem; line-height: 1.3; overflow-wrap: anywhere; }}
.st-key-{KEY} > div > .stButton strong {{ display: block; font-size: 1rem; }}
.st-key-{KEY} .slice {{ display: grid; grid-template-columns: 1fr 5.6rem 4.6rem; column-gap: 0.6rem;
  font-size: 0.8rem; line-height: 1.4; }}
.st-key-{KEY} .slice .cover {{ white-space: nowrap; padding-bottom: 5px; margin-bottom: 2px; }}
.st-key-{KEY} .slice small {{ opacity: 0.75; }}
@media (max-width: 640px) {{
  .st-key-{KEY} {{ grid-template-columns: auto 1fr; }}
  .st-key-{KEY} > div:has(> .stHtml) {{ grid-column: 1 / -1; border-bottom: 1px solid #8884; padding-bottom: 0.4rem; }}
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
