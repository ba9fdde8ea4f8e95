"""A report as text for a terminal."""

from __future__ import annotations

from mandoline_core.checks import ModelReport
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted, show_interval, show_times, show_value, table, wrapped
from mandoline_core.pipeline import is_share
from mandoline_core.report.report import Report

_MARK = {"serious": "!!", "warning": "! ", "info": "- "}


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
        *(
            wrapped(said, "")
            for said in (*_verdicts(report), *_declared(report), *_second_opinions(report), *_spreads(report))
        ),
        wrapped(_basis(first), ""),
    ]
    if first.edges:
        parts.append(wrapped(f"Slices that move together: {_edges(first)}.", ""))
    parts.extend(_finding_text(finding, name) for name, finding in _all_findings(report))
    return "\n".join(parts)


def _verdicts(report: Report) -> list[str]:
    """Say each model's verdict, or one for all where they are the same."""
    said = {name: f"{m.verdict.level.upper()}. {m.verdict.message}" for name, m in report.models.items() if m.verdict}
    if len(set(said.values())) == 1:
        return [next(iter(said.values()))]
    return [f"{name}: {words}" for name, words in said.items()]


def _declared(report: Report) -> tuple[str, ...]:
    """Say what a person declared, which every model's verdict rests on."""
    return report.verdict.declared if report.verdict else ()


def _second_opinions(report: Report) -> list[str]:
    """Say each model's second opinion, where there is one."""
    found = {name: model.second_opinion for name, model in report.models.items()}
    return [f"{name}: {one.message}" if len(found) > 1 else one.message for name, one in found.items() if one]


def _spreads(report: Report) -> list[str]:
    """Say how much hangs on the choice of slices, for each model, where that was asked for."""
    said = {
        name: str((found.finding and found.finding.message) or found.sentence) for name, found in report.spreads.items()
    }
    return [f"{name}: {words}" if len(said) > 1 else words for name, words in said.items()]


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
