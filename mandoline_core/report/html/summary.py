"""The summary: one picture of 16 to 9 for a slide, as SVG: it needs no script and scales with the page."""

from __future__ import annotations

import textwrap

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_ends, show_percent, show_value
from mandoline_core.pipeline import SliceRow, is_share
from mandoline_core.report import charts
from mandoline_core.report.charts import shorten
from mandoline_core.report.markup import Html, joined, tag
from mandoline_core.report.words import facts, headline

WIDTH, HEIGHT, LEFT = 1600, 900, 80
ICONS = {
    "confirmed": "M5.5 12.5l2.8 2.8L13.5 9M11.5 14.3l1 1L18.5 9",
    "green": "M8 12.5l2.8 2.8L16.5 9",
    "amber": "M12 7v6.2M12 16.6v.4",
    "red": "M8.5 8.5l7 7M15.5 8.5l-7 7",
    "none": "M8 12h8",
}
_AXIS, _ROW, _MANY_ROWS = (860, 1510), 58, 4  # from left to right; pixels a line of the strip, fewer for many
# The look of the picture alone; the page overrides colours where it is dark.
_STYLE = "".join(
    f"#summary-picture {rule}"
    for rule in (
        "text{font-family:system-ui,'Segoe UI',Roboto,sans-serif;fill:#22262B}",
        ".paper{fill:#fff}",
        ".rule{stroke:#E3E5E8}",
        ".grey,#summary-picture .pale,#summary-picture .none{fill:#5F6670}",
        ".green,#summary-picture .confirmed{fill:#1B7A43}",
        ".amber{fill:#8F5600}",
        ".red{fill:#B3261E}",
        ".bold{font-weight:650}",
        ".line{stroke:#22262B}",
        ".mark{fill:#22262B}",
        ".faint{stroke:#5F6670}",
    )
)


def summary_picture(name: str, report: ModelReport, rows: tuple[SliceRow, ...]) -> Html:
    """Draw the summary of one model's report.

    Parameters
    ----------
    name : str
        Of the project.
    rows : tuple of SliceRow
        The slices, of which the one that shifts most is named.
    """
    level = level_of(report)
    parts = [
        tag("style", Html(_STYLE)),
        Html(f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>'),
        _text(LEFT, 92, shorten(name, 54), 48, "bold"),
        _text(LEFT, 142, shorten(_about(report), 90), 30, "grey"),
        *_verdict(report, level),
        *(_warned(report) if level == "red" or not report.converged else _told(report)),
        *_strip(report, 612 if report.truth is None and not report.rests_on_labels else 584, grey=level == "red"),
        _level((LEFT, WIDTH - LEFT), 762, 2, class_="rule"),
        *_facts(report, rows),
    ]
    alt = f"{name}. {_meaning(report)}. {headline(report).sentence}"
    return tag(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=alt,
        id="summary-picture",
    )


def _about(report: ModelReport) -> str:
    metric = report.problem.metric.spoken
    of = f"{metric[:1].upper()}{metric[1:]} of {report.model}"
    return f"{of} on new data, estimated from {report.n_source:,} labelled rows"


def level_of(report: ModelReport) -> str:
    """Return the level of the verdict; "none" if absent."""
    return "none" if report.verdict is None else report.verdict.level


def verdict_of(report: ModelReport) -> str:
    """Write the verdict; in amber without its condition, which is part of the headline."""
    verdict = report.verdict
    if verdict is None:
        return facts.NO_VERDICT
    return f"{verdict.meaning}: {verdict.doubts}" if verdict.level == "amber" else verdict.message


def _meaning(report: ModelReport) -> str:
    return "No verdict" if report.verdict is None else report.verdict.meaning


def _reason(report: ModelReport) -> str:
    reason = facts.NO_VERDICT if report.verdict is None else report.verdict.reason
    return reason[:1].upper() + reason[1:]


def _verdict(report: ModelReport, level: str) -> list[Html]:
    icon = Html(
        f'<g transform="translate({LEFT} 178) scale(2.5)"><circle class="{level}" cx="12" cy="12" r="11"/>'
        f'<path d="{ICONS[level]}" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></g>'
    )
    return [icon, _text(LEFT + 78, 222, _meaning(report), 42, f"bold {level}")]


def _told(report: ModelReport) -> list[Html]:
    """Say the number, and what must hold for it."""
    share = is_share(report)
    value = tag("tspan", show_value(report.estimate, share=share), font_size=150, class_="bold")
    ends = tag("tspan", show_ends(report.interval, share=share), font_size=58, dx=36, class_="grey")
    text = tag("text", value, ends, x=LEFT - 6, y=386)
    return [text, *_lines(_reason(report), 448, 32, 84, 3, "")]


def _warned(report: ModelReport) -> list[Html]:
    """Say which checks failed, and the number small."""
    return [*_lines(_reason(report), 306, 40, 60, 4, "bold"), _text(LEFT, 524, headline(report).sentence, 30, "grey")]


def _lines(words: str, y: int, size: int, width: int, most: int, look: str) -> list[Html]:
    """Break text into lines of about the same length."""
    # The narrowest width that needs no more lines: a last line of one word looks like a mistake.
    n = len(textwrap.wrap(words, width))
    even = next(shorter for shorter in range(width // 2, width + 1) if len(textwrap.wrap(words, shorter)) <= n)
    lines = textwrap.wrap(words, even, max_lines=most, placeholder=" …")
    return [_text(LEFT, y + round(1.25 * size) * i, line, size, look) for i, line in enumerate(lines)]


def _strip(report: ModelReport, y: int, *, grey: bool) -> list[Html]:
    """Draw the score on the labelled data, the estimate and the true value, if known, on one axis."""
    rows = charts.strip_rows(report, reveal=True, ink="")
    ends = [end for row in rows for end in (row.value, *(row.interval or ()))]
    low, high = min(ends), max(ends)
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    across = charts.scale((low - room, high + room), *_AXIS)
    share, step = is_share(report), _ROW if len(rows) < _MANY_ROWS else _ROW - 12
    lines = enumerate(rows)
    return [part for i, row in lines for part in _line(row, y + step * i, across, share=share, grey=grey)]


def _line(row: charts.IntervalRow, y: int, across: charts.Scale, *, share: bool, grey: bool) -> list[Html]:
    """Draw a line of the strip; a mark without a colour of its own has that of the text, or is grey."""
    grey = grey and not row.colour
    name, number = f"{row.name[:1].upper()}{row.name[1:]}", row.number(share)
    look = "grey" if grey else "bold"
    parts = [
        _text(LEFT, y + 10, name, 30, "grey"),
        tag("text", number, x=_AXIS[0] - 60, y=y + 10, font_size=30, text_anchor="end", class_=look),
        _level(_AXIS, y, 2, class_="rule"),
    ]
    if row.interval is not None:
        stroke = {"stroke": row.colour} if row.colour else {"class_": "faint" if grey else "line"}
        parts.append(_level((across(row.interval[0]), across(row.interval[1])), y, 8, **stroke))
    fill = {"fill": row.colour} if row.colour else {"class_": "pale" if grey else "mark"}
    moved = f"translate({across(row.value):.1f} {y})"
    return [*parts, tag("path", **fill, transform=moved, d=_SHAPES[row.symbol])]


def _level(ends: tuple[float, float], y: int, width: int, **look: str) -> Html:
    return tag("line", **look, x1=round(ends[0], 1), x2=round(ends[1], 1), y1=y, y2=y, stroke_width=width)


_SHAPES = {
    "circle": "M-15 0a15 15 0 1 0 30 0a15 15 0 1 0-30 0z",
    "diamond": "M0-19L19 0L0 19L-19 0z",
    "diamond-open": "M0-19L19 0L0 19L-19 0zM0-12L-12 0L0 12L12 0z",
    "star": "M0-20L5-7L19-6L8 3L12 17L0 9L-12 17L-8 3L-19-6L-5-7z",
}


def _facts(report: ModelReport, rows: tuple[SliceRow, ...]) -> list[Html]:
    """Write three facts side by side: the largest shift, the effective rows, the new rows left out."""
    most = facts.moved_most(rows)
    columns = (
        (
            "Largest shift",
            "none" if most is None else shorten(most.name, 20),
            "" if most is None else facts.coverage(most),
        ),
        ("Effective rows", f"{report.effective_sample_size:,.0f}", f"of {report.n_source:,} labelled rows"),
        (
            "Left out",
            show_percent(report.set_aside) if report.set_aside else "none",
            f"of {report.n_target:,} new rows",
        ),
    )
    return [
        joined([_text(at, 800, label, 26, "grey"), _text(at, 842, value, 36, "bold"), _text(at, 876, more, 24, "grey")])
        for at, (label, value, more) in zip((LEFT, 640, 1120), columns, strict=True)
    ]


def _text(x: int, y: int, words: str, size: int, look: str) -> Html:
    return tag("text", words, x=x, y=y, font_size=size, class_=look or None)
