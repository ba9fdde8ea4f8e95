"""The bar that stays in sight: the estimate in one line of HTML, and the style that makes it stay."""

from __future__ import annotations

from html import escape
from typing import Protocol

from app.words.trust import LIGHTS
from mandoline_core import ModelReport
from mandoline_core.formatting import is_nothing, show_ends, show_points, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.charts import palette
from mandoline_core.report.words import TOOLTIPS

KEY = "live_summary"
_HEADER = "3.75rem"  # of the page, which lies over what scrolls
_COLOURS = {"green": ("#166534", "#86EFAC"), "amber": ("#92400E", "#FCD34D"), "red": ("#B91C1C", "#FCA5A5")}
_LIGHT, _DARK = palette(dark=False), palette(dark=True)
_PAPER, _GRID = f"light-dark({_LIGHT.paper},{_DARK.paper})", f"light-dark({_LIGHT.grid},{_DARK.grid})"
# Scoped to the one container: it sticks below the header, above what scrolls and below menus and dialogs.
STYLE = f"""<style>
div:has(> .st-key-{KEY}) {{ position: sticky; top: {_HEADER}; z-index: 90; }}
.st-key-{KEY} {{ background: {_PAPER}; border-bottom: 1px solid {_GRID}; padding: 0.35rem 0; gap: 0.25rem; }}
.st-key-{KEY} .bar {{ display: flex; align-items: baseline; column-gap: 0.9rem; line-height: 1.35; }}
.st-key-{KEY} .bar span {{ white-space: nowrap; flex: none; }}
.st-key-{KEY} .bar .more {{ flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; }}
.st-key-{KEY} .number {{ font-size: 1.5rem; font-weight: 650; }}
.st-key-{KEY} .last {{ opacity: 0.6; }}
.st-key-{KEY} .updating {{ font-weight: 650; color: light-dark(#92400E,#FCD34D); }}
.st-key-{KEY} .more {{ font-size: 0.875rem; opacity: 0.8; }}
@media (max-width: 640px) {{
  .st-key-{KEY} .bar {{ flex-wrap: wrap; }}
  .st-key-{KEY} .aside {{ display: none; }}
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


def updating(last: _Summary | None, *, stopped: bool) -> str:
    """Write the last estimate on all rows, greyed, and marked as such.

    Parameters
    ----------
    last : summary, optional
        With estimate, interval and share.
    stopped : bool
        Whether nobody is counting.
    """
    parts = [f'<span class="updating">\u21bb {"not counted" if stopped else "updating"}</span>']
    if last is not None and last.estimate is not None:
        value, ends = show_value(last.estimate, share=last.share), show_ends(last.interval, share=last.share)
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


class _Summary(Protocol):
    """What was estimated in some state."""

    @property
    def estimate(self) -> float | None: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def share(self) -> bool: ...


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
    return f'{STYLE}<div class="bar" role="status">{" ".join(parts)}</div>'


def _ends(report: ModelReport) -> str:
    return show_ends(report.interval, share=is_share(report))


def _chip(report: ModelReport) -> str:
    """Write the verdict: a dot and words, so that colour is never the only sign."""
    if report.verdict is None:
        return ""
    light, dark = _COLOURS[report.verdict.level]
    word = LIGHTS[report.verdict.level].word.capitalize()
    return f'<span style="color:light-dark({light},{dark})" title="{escape(TOOLTIPS["verdict"])}">\u25cf {word}</span>'
