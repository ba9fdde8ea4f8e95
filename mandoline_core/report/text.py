"""A report as text for a terminal, and as an HTML fragment for a notebook: the same facts in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape

from mandoline_core.checks import blind_spot
from mandoline_core.findings import Finding, worst_first
from mandoline_core.formatting import counted, html_table, table, wrapped
from mandoline_core.report.report import Report
from mandoline_core.report.words import decide, facts

_MARK = {"serious": "!!", "warning": "! ", "info": "- "}
_COLOURS = {"confirmed": "#1b5e20", "green": "#2e7d32", "amber": "#f9a825", "red": "#c62828"}


def render_text(report: Report) -> str:
    """Write a report for a terminal."""
    rows = facts.model_rows(report.models)
    verdicts = "\n".join(wrapped(verdict, "") for verdict in _verdicts(report))
    numbers = [table(rows, "<" * len(rows[0])), verdicts]
    parts = [_title(report), *(reversed(numbers) if report.first.is_red else numbers)]
    parts.append("\n".join(wrapped(sentence, "") for sentence in _sentences(report)))
    parts += [
        wrapped(f"{names}{finding.message} {finding.remedy}", f"{_MARK[finding.severity]} ")
        for finding, names in _findings(report).items()
    ]
    return "\n\n".join(filter(None, parts))


def render_short(report: Report) -> str:
    """Write the numbers and the verdict of a report, for a console: at most twelve lines."""
    rows = facts.model_rows(report.models)
    more = [f"and {len(rows) - 5} more: see .to_frame()"] if len(rows) > 5 else []
    verdict = "".join(wrapped(one, "") for one in _verdicts(report)[:1]).splitlines()
    if len(verdict) > 4:
        verdict = [*verdict[:3], "..."]
    shown = table(rows[:5], "<" * len(rows[0]))
    return "\n".join([_title(report), shown, *more, *verdict, "print() shows everything."])


def render_html(report: Report) -> str:
    """Write a report as an HTML fragment; every name in it is escaped."""
    findings = "".join(
        f"<li><strong>{finding.severity}:</strong> {escape(names + finding.message)} "
        f"<em>{escape(finding.remedy)}</em></li>"
        for finding, names in _findings(report).items()
    )
    colour = _COLOURS.get(report.verdict.level if report.verdict else "", "gray")
    edge = f"border-left: 6px solid {colour}; padding-left: 8px; font-weight: bold"
    return (
        f"<div><h3>{escape(_title(report))}</h3>{html_table(facts.model_rows(report.models))}"
        + "".join(f'<p style="{edge}">{escape(verdict)}</p>' for verdict in _verdicts(report))
        + "".join(f"<p>{escape(sentence)}</p>" for sentence in _sentences(report))
        + (f"<ul>{findings}</ul>" if findings else "")
        + "</div>"
    )


def _title(report: Report) -> str:
    return f"{report.name}: estimated {report.first.problem.metric.spoken} on new data"


def _verdicts(report: Report) -> list[str]:
    """Write the verdicts; those where every check is in the same state once."""
    judged = {name: model.verdict for name, model in report.models.items() if model.verdict is not None}
    lights = {name: f"{verdict.level.upper()}. {verdict.message}" for name, verdict in judged.items()}
    states = {name: (one.assumption, *(check.state for check in one.checks)) for name, one in judged.items()}
    return _by_model(report, lights, states)


def _sentences(report: Report) -> list[str]:
    first = report.first
    opinions = {name: opinion.message for name, opinion in report.second_opinions.items() if opinion}
    spreads = {name: facts.spread(found) for name, found in report.spreads.items()}
    basis = (
        f"{counted(first.n_source, 'labelled row')}, {counted(first.n_target, 'new row')}, "
        f"{counted(first.n_patterns, 'slice pattern')}. {facts.basis(first)}."
    )
    declared = report.verdict.declared if report.verdict else ()
    rows = facts.new_rows(report.models)
    records = {name: found.message for name, found in report.experiences.items() if found}
    unseen = {name: said for name, model in report.models.items() if (said := blind_spot(model))}
    threshold = None if report.request is None else report.request.decision.threshold
    decided = {
        name: f"Decision: {found.words}" for name, one in report.models.items() if (found := decide(one, threshold))
    }
    rest = (
        *_by_model(report, decided),
        *_by_model(report, records),
        *_by_model(report, unseen, dict.fromkeys(unseen, "")),
        *declared,
    )
    found = (*rest, *_by_model(report, opinions), *_by_model(report, spreads), rows, basis, facts.edges(first))
    return [sentence for sentence in found if sentence]


def _by_model(report: Report, sentences: Mapping[str, str], alike: Mapping[str, object] | None = None) -> list[str]:
    """Write the models' sentences; those that are the same, or alike, once."""
    groups: dict[object, dict[str, str]] = {}
    for name, sentence in sentences.items():
        groups.setdefault((alike or sentences)[name], {})[name] = sentence
    return [f"{_named(group, report)}{next(iter(group.values()))}" for group in groups.values()]


def _findings(report: Report) -> dict[Finding, str]:
    """List findings with the models they are about, worst first; those that differ only in numbers once."""
    groups: dict[object, dict[str, Finding]] = {}
    for name, model in report.models.items():
        seen: Counter[object] = Counter()  # a model may have several findings of one kind
        for finding in model.findings:
            names = tuple(value for value in finding.numbers.values() if isinstance(value, (str, tuple)))
            kind = finding.code, finding.severity, finding.slices, names
            groups.setdefault((kind, seen[kind]), {})[name] = finding
            seen[kind] += 1
    found = {next(iter(group.values())): _named(group, report) for group in groups.values()}
    return {finding: found[finding] for finding in worst_first(found)}


def _named(group: Mapping[str, object], report: Report) -> str:
    """Name the models that something is about; nothing where it is the same for all."""
    (first, one), *others = group.items()
    if all(other == one for _, other in others):
        return "" if len(group) == len(report.models) else f"{', '.join(group)}: "
    return f"{first} (similar for {', '.join(name for name, _ in others)}): "
