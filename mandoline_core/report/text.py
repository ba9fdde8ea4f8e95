"""A report as text for a terminal, and as an HTML fragment for a notebook: the same facts in the same order."""

from __future__ import annotations

from html import escape

from mandoline_core.checks import ModelReport
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted, html_table, show_times, show_value, table, wrapped
from mandoline_core.pipeline import is_share
from mandoline_core.report.report import Report
from mandoline_core.report.words import facts

_MARK = {"serious": "!!", "warning": "! ", "info": "- "}


def render_text(report: Report) -> str:
    """Write a report for a terminal."""
    rows = _rows(report)
    sentences = (*_verdicts(report), *_declared(report), *_second_opinions(report), *_spreads(report), _basis(report))
    parts = [
        _title(report),
        "",
        table(rows, "<" * len(rows[0])),
        "",
        *(wrapped(sentence, "") for sentence in (*sentences, *_edges(report))),
    ]
    for name, finding in _all_findings(report):
        who = f"{name}: " if name else ""
        parts.append("\n" + wrapped(f"{who}{finding.message} {finding.remedy}", f"{_MARK[finding.severity]} "))
    return "\n".join(parts)


def render_html(report: Report) -> str:
    """Write a report as an HTML fragment; every name in it is escaped."""
    sentences = (*_declared(report), *_second_opinions(report), _basis(report), *_edges(report))
    findings = "".join(
        f"<li><strong>{escape(finding.severity + (f', {name}' if name else ''))}:</strong> {escape(finding.message)} "
        f"<em>{escape(finding.remedy)}</em></li>"
        for name, finding in _all_findings(report)
    )
    return (
        f"<div><h3>{escape(_title(report))}</h3>{html_table(_rows(report))}"
        + "".join(f"<p><strong>{escape(verdict)}</strong></p>" for verdict in _verdicts(report))
        + "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
        + (f"<ul>{findings}</ul>" if findings else "")
        + "</div>"
    )


def _title(report: Report) -> str:
    return f"{report.name}: {report.first.metric} on the target, estimated without its labels"


def _rows(report: Report) -> list[list[str]]:
    """List the models with their numbers, under a line of names."""
    has_truth = any(model.truth is not None for model in report.models.values())
    return [["model", "on the target", "on the source", *(["truth"] if has_truth else [])]] + [
        [name, facts.number(model), facts.labelled(model), *([_truth(model)] if has_truth else [])]
        for name, model in report.models.items()
    ]


def _truth(model: ModelReport) -> str:
    return "-" if model.truth is None else show_value(model.truth, share=is_share(model))


def _verdicts(report: Report) -> list[str]:
    """Say each model's verdict, or one for all where they are the same."""
    lights = {name: f"{m.verdict.level.upper()}. {m.verdict.message}" for name, m in report.models.items() if m.verdict}
    if len(set(lights.values())) == 1:
        return [next(iter(lights.values()))]
    return [f"{name}: {light}" for name, light in lights.items()]


def _declared(report: Report) -> tuple[str, ...]:
    """Say what a person declared, which every model's verdict rests on."""
    return report.verdict.declared if report.verdict else ()


def _second_opinions(report: Report) -> list[str]:
    """Say each model's second opinion, where there is one."""
    opinions = report.second_opinions
    several = len(opinions) > 1
    return [f"{name}: {other.message}" if several else other.message for name, other in opinions.items() if other]


def _spreads(report: Report) -> list[str]:
    """Say how much hangs on the choice of slices, for each model, where that was asked for."""
    sentences = {name: str(facts.spread_sentence(spread)) for name, spread in report.spreads.items()}
    return [f"{name}: {sentence}" if len(sentences) > 1 else sentence for name, sentence in sentences.items()]


def _basis(report: Report) -> str:
    model = report.first
    return (
        f"{counted(model.n_source, 'labelled row')}, {counted(model.n_target, 'new row')}, "
        f"{counted(model.n_patterns, 'slice pattern')}. "
        f"The estimate rests on {counted(model.effective_sample_size, 'effective row')}; "
        f"the heaviest row counts {show_times(model.largest_ratio)}."
    )


def _edges(report: Report) -> list[str]:
    pairs = facts.edge_pairs(report.first)
    return [f"Slices that move together: {', '.join(pairs)}."] if pairs else []


def _all_findings(report: Report) -> list[tuple[str, Finding]]:
    """List every model's findings with their names, those that all models share only once and without."""
    models: dict[Finding, list[str]] = {}
    for name, model in report.models.items():
        for finding in model.findings:
            models.setdefault(finding, []).append(name)
    order = {"serious": 0, "warning": 1, "info": 2}
    everyone = len(report.models)
    findings = [("" if len(names) == everyone else ", ".join(names), finding) for finding, names in models.items()]
    return sorted(findings, key=lambda pair: order[pair[1].severity])
