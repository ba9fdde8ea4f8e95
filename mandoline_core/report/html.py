"""A report as HTML: a fragment for a notebook, a self-contained page for a file. Every name in it is escaped."""

from __future__ import annotations

import html

from mandoline_core.report.report import Report
from mandoline_core.report.text import _all_findings, _basis, _edges, _has_truth, _labelled, _model_cells, _verdicts


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
