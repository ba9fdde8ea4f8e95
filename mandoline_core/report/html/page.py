"""One file that holds the whole report: no network, no other file, and no script but Plotly's and our own.

Plotly's script and the figures are compressed, and unpacked by the browser. A policy in the page's head forbids every
request, and every script but Plotly's and our own, which it knows by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from mandoline_core.formatting import file_stem
from mandoline_core.report.gathering import ReportParts
from mandoline_core.report.html import evidence, record, sections
from mandoline_core.report.html.figures import PageFigure, ReportPage, packed, plotly_script, render_figure
from mandoline_core.report.markup import Html, joined, paragraphs, tag, text

SECTIONS = (
    sections.summary,
    sections.verdict,
    record.decision,
    record.since,
    sections.changes,
    sections.slices,
    evidence.curve,
    evidence.weights,
    evidence.balance,
    evidence.comparison,
    evidence.sensitivity,
    record.backtest,
    sections.models,
    sections.assumptions,
    sections.making,
    sections.glossary,
    record.sign_off,
)


def render_page(parts: ReportParts) -> str:
    """Write a report as one HTML file."""
    page, report = ReportPage(parts), parts.report
    body = joined(write(page) for write in SECTIONS)
    lead = "How well a model does on new data without labels"
    return _page(report.name, "report", lead, body, report.as_dict(), page.figures)


def figure_page(
    name: str,
    kind: str,
    lead: str,
    sentences: Sequence[str],
    numbers: Mapping[str, Any],
    figures: Sequence[PageFigure],
    *,
    banner: tuple[str, str] | None = None,
) -> str:
    """Write figures with their tables, and sentences above them, as one HTML file; every name in it is escaped.

    Parameters
    ----------
    kind : str
        What the page is, for its title.
    lead : str
        What it shows, under its heading.
    numbers : mapping
        Kept in the page as JSON.
    banner : pair of str, optional
        The level of a verdict, and what to say of it above all.
    """
    written = (render_figure(figure, file_stem(name)) for figure in figures)
    top = "" if banner is None else sections.banner(*banner)
    return _page(name, kind, lead, tag("section", top, paragraphs(*sentences), *written), numbers, figures)


def _page(
    name: str, kind: str, lead: str, main: Html, numbers: Mapping[str, Any], figures: Sequence[PageFigure]
) -> str:
    script, style = _asset("page.js"), _asset("page.css")
    library, library_packed = plotly_script()
    head = joined(
        [
            Html('<meta charset="utf-8">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{text(_policy(script, library))}">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html('<meta name="color-scheme" content="light dark">'),
            tag("title", f"{name}: {kind}"),
            tag("style", Html(style)),
        ]
    )
    body = joined(
        [
            tag(
                "header",
                tag("h1", name),
                tag("p", lead),
                tag("noscript", tag("p", "Scripts are off, so figures are shown as tables.")),
            ),
            tag("main", main),
            _data("numbers", "application/json", json_in_html(numbers)),
            _data("figures", "application/gzip", packed(figures)),
            _data("plotly", "application/gzip", library_packed),
            tag("script", Html(script)),
        ]
    )
    whole = tag("html", tag("head", head), tag("body", body, data_file=file_stem(name)), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _asset(name: str) -> str:
    return files("mandoline_core.report.html").joinpath(name).read_text(encoding="utf-8")


def _policy(*scripts: str) -> str:
    """Forbid every request, and every script that is not one of these."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:"


def _data(name: str, kind: str, content: str) -> Html:
    return Html(f'<script type="{kind}" id="{name}">{content}</script>\n')


def json_in_html(value: Mapping[str, Any]) -> str:
    r"""Write plain data as JSON that cannot end the element around it.

    >>> json_in_html({"a": "</script>"})
    '{"a": "\\u003c/script\\u003e"}'
    """
    # A name with "</script>" in it would end the element; JSON may write any character by its number.
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    for character in "<>&":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written
