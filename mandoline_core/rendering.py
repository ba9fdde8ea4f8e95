"""Reports as text for a terminal and as HTML for a notebook or a file."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mandoline_core.errors import counted
from mandoline_core.findings import Finding

if TYPE_CHECKING:
    from mandoline_core.intervals import Interval
    from mandoline_core.model_report import ModelReport
    from mandoline_core.report import Report

_MARK = {"serious": "!!", "warning": "! ", "info": "- "}
_WIDTH = 100


def show_value(value: float, *, share: bool) -> str:
    """Write a metric's value: shares as percentages.

    >>> show_value(0.7941, share=True), show_value(12.34567, share=False)
    ('79.4%', '12.35')
    """
    return f"{value:.1%}" if share else f"{value:.4g}"


def show_interval(value: float, interval: Interval, *, share: bool) -> str:
    """Write a value with its interval.

    >>> show_interval(0.7941, (0.776, 0.811), share=True)
    '79.4% (77.6 to 81.1)'
    """
    low, high = (show_value(end, share=share).rstrip("%") for end in interval)
    return f"{show_value(value, share=share)} ({low} to {high})"


def show_points(difference: float, *, share: bool) -> str:
    """Write a difference: of shares, in points.

    >>> show_points(-0.088, share=True), show_points(0.5, share=False)
    ('-8.8 points', '+0.5')
    """
    return f"{100 * difference:+.1f} points" if share else f"{difference:+.4g}"


def show_times(ratio: float) -> str:
    """Write how many times a row counts.

    >>> show_times(4.2), show_times(0.25)
    ('4.2 times', '0.25 times')
    """
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.2g} times"


def wrapped(text: str, indent: str) -> str:
    """Break text into lines for a terminal."""
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent))


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Lay rows out in columns; align has one of '<' and '>' for each.

    >>> print(table([["a", "1"], ["bb", "22"]], "<>"))
    a    1
    bb  22
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(align))]
    lines = [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)) for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def render_text(report: Report) -> str:
    """Write a report for a terminal."""
    first = report.first
    rows = [["model", "on the target", "on the source"] + (["truth"] if _has_truth(report) else [])]
    rows += [[name, *cells] for name, cells in _model_cells(report)]
    parts = [
        f"{report.name}: {first.metric} on the target, estimated without its labels",
        "",
        table(rows, "<" * len(rows[0])),
        "",
        *(wrapped(said, "") for said in _verdicts(report)),
        wrapped(_basis(first), ""),
    ]
    if first.edges:
        parts.append(wrapped(f"Slices that move together: {_edges(first)}.", ""))
    parts.extend(_finding_text(finding, name) for name, finding in _all_findings(report))
    return "\n".join(parts)


def render_html(report: Report) -> str:
    """Write a report as an HTML fragment; every name in it is escaped."""
    first = report.first
    head = ["model", "on the target", "on the source"] + (["truth"] if _has_truth(report) else [])
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in [name, *cells]) + "</tr>"
        for name, cells in _model_cells(report)
    )
    findings = "".join(
        f"<li><strong>{html.escape(_labelled(report, name, finding))}</strong> {html.escape(finding.message)} "
        f"<em>{html.escape(finding.remedy)}</em></li>"
        for name, finding in _all_findings(report)
    )
    edges = f"<p>Slices that move together: {html.escape(_edges(first))}.</p>" if first.edges else ""
    return (
        f"<div><h3>{html.escape(report.name)}: {html.escape(first.metric)} on the target, "
        "estimated without its labels</h3>"
        f"<table><thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead><tbody>{rows}</tbody></table>"
        + "".join(f"<p><strong>{html.escape(said)}</strong></p>" for said in _verdicts(report))
        + f"<p>{html.escape(_basis(first))}</p>{edges}"
        + (f"<ul>{findings}</ul>" if findings else "")
        + "</div>"
    )


def render_page(report: Report) -> str:
    """Write a report as a self-contained HTML page."""
    made = report.made.get("fingerprints", {})
    prints = "".join(f"<li>{html.escape(side)}: <code>{html.escape(value)}</code></li>" for side, value in made.items())
    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}"
        "table{border-collapse:collapse}td,th{padding:.3rem .8rem;border-bottom:1px solid #ccc;text-align:left}"
        "code{font-size:.85em;word-break:break-all}"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(report.name)}</title><style>{style}</style></head>\n"
        f"<body>{render_html(report)}<h4>Made from</h4><ul>{prints}</ul></body></html>\n"
    )


def _verdicts(report: Report) -> list[str]:
    """Say each model's verdict, or one for all where they are the same."""
    said = {name: f"{m.verdict.level.upper()}. {m.verdict.message}" for name, m in report.models.items() if m.verdict}
    if len(set(said.values())) == 1:
        return [next(iter(said.values()))]
    return [f"{name}: {words}" for name, words in said.items()]


def _has_truth(report: Report) -> bool:
    return any(model.truth is not None for model in report.models.values())


def _model_cells(report: Report) -> list[tuple[str, list[str]]]:
    found = []
    for name, model in report.models.items():
        share = is_share(model)
        cells = [
            show_interval(model.estimate, model.interval, share=share) if model.converged else "no estimate",
            show_interval(model.source, model.source_interval, share=share),
        ]
        if _has_truth(report):
            cells.append("-" if model.truth is None else show_value(model.truth, share=share))
        found.append((name, cells))
    return found


def is_share(model: ModelReport) -> bool:
    """Tell whether a model's metric is a share, to be written as a percentage."""
    return model.problem.metric.share


def _basis(model: ModelReport) -> str:
    return (
        f"{counted(model.n_source, 'labelled row')}, {counted(model.n_target, 'new row')}, "
        f"{counted(model.n_patterns, 'slice pattern')}. "
        f"The estimate rests on {counted(model.effective_sample_size, 'effective row')}; "
        f"the heaviest row counts {show_times(model.largest_ratio)}."
    )


def _edges(model: ModelReport) -> str:
    said = [f"{a} and {b}" for a, b in model.edges]
    if model.edge_z:
        said = [f"{pair} (z = {z:.1f})" for pair, z in zip(said, model.edge_z, strict=True)]
    return ", ".join(said)


def _all_findings(report: Report) -> list[tuple[str, Finding]]:
    """List every model's findings, those that all models share only once."""
    seen: dict[Finding, list[str]] = {}
    for name, model in report.models.items():
        for finding in model.findings:
            seen.setdefault(finding, []).append(name)
    order = {"serious": 0, "warning": 1, "info": 2}
    everyone = len(report.models)
    found = [("" if len(names) == everyone else ", ".join(names), finding) for finding, names in seen.items()]
    return sorted(found, key=lambda pair: order[pair[1].severity])


def _labelled(report: Report, name: str, finding: Finding) -> str:
    return f"{finding.severity}, {name}:" if name and len(report.models) > 1 else f"{finding.severity}:"


def _finding_text(finding: Finding, name: str) -> str:
    who = f"{name}: " if name else ""
    return "\n" + wrapped(f"{who}{finding.message} {finding.remedy}", f"{_MARK[finding.severity]} ")
