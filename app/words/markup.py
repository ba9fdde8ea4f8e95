"""The bar that stays in sight, in HTML: the estimate, its verdict, and what the last edit did to them."""

from __future__ import annotations

from html import escape

from mandoline_core import ModelReport
from mandoline_core.arrays import Interval
from mandoline_core.formatting import is_nothing, show_ends, show_percent, show_points, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.charts import palette
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
  .st-key-{BAR_KEY} .bar {{ flex-wrap: wrap; row-gap: 0; }}
  .st-key-{BAR_KEY} .bar .more {{ display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
    white-space: normal; font-size: 0.78rem; }}
  .st-key-{BAR_KEY} .bar .aside {{ display: none; }}
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
    alone = report.sampling_interval is None and report.settings.spread and not report.rests_on_labels
    hint = f"{TOOLTIPS['interval']} {TOOLTIPS['sampling only']}" if alone else TOOLTIPS["interval"]
    said = [f'<span title="{escape(hint)}">{value}</span>', _chip(report)]
    basis = f"Labelled data {source}, {rows} effective rows{', interval for sampling error alone' if alone else ''}"
    return _line(
        *(reversed(said) if report.is_red else said),
        f'<span class="more">{escape(change)}</span>' if change else "",
        f'<span class="more aside">{basis}</span>',
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
    # Other plausible slices are tried later, if at all: what an edit did is compared without them.
    ends = [one.sampling_interval or one.interval for one in (before, now)]
    halves = [bare((high - low) / 2, share=share) for low, high in ends]
    rows = [f"{one.effective_sample_size:,.0f}" for one in (before, now)]
    left_out = [show_percent(one.set_aside) for one in (before, now)]
    meanings = [one.verdict.meaning if one.verdict else "" for one in (before, now)]
    for words, (old, new) in {
        "\u00b1": halves, "effective rows": rows, "new rows left out": left_out, "verdict": meanings
    }.items():  # fmt: skip
        if old != new:
            steps.append(f"{words} {old} \u2192 {new}")
    return "; ".join(steps)


def differs(before: ModelReport, now: ModelReport) -> bool:
    """Tell whether two reports differ in what is written of them."""
    return change_words("", before, now) != change_words("", now, now)


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


def bare(value: float, *, share: bool) -> str:
    """Write a number without its unit, where a column or the number next to it has one.

    >>> bare(0.491, share=True), bare(12.5, share=False)
    ('49.1', '12.5')
    """
    return show_points(value, share=share, sign=False, unit=False)
