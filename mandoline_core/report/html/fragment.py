"""A report as an HTML fragment, for a notebook."""

from __future__ import annotations

import html

from mandoline_core.report.report import Report
from mandoline_core.report.text import (
    _all_findings,
    _basis,
    _declared,
    _edges,
    _has_truth,
    _labelled,
    _model_cells,
    _second_opinions,
    _verdicts,
)


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
        + "".join(
            f"<p>{html.escape(said)}</p>" for said in (*_declared(report), *_second_opinions(report), _basis(first))
        )
        + edges
        + (f"<ul>{findings}</ul>" if findings else "")
        + "</div>"
    )
