"""What a report is for, how to make it again, and what has changed since an earlier one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import listed, show_points, show_value
from mandoline_core.project import DecisionSettings
from mandoline_core.report import charts
from mandoline_core.report.html.figures import PageFigure, ReportPage
from mandoline_core.report.markup import Html, joined, paragraphs, section, table, tag
from mandoline_core.report.words import about, decide, methods, title_of


def decision(page: ReportPage) -> Html:
    """Say what the estimate is for, and whether it meets the threshold; nothing where nobody has said."""
    stated = _stated(page)
    answer = decide(page.first, stated.threshold)
    facts = [*about(stated), *([] if answer is None else [("Threshold", answer.rule)])]
    if not facts:
        return Html("")
    told = paragraphs(joined([tag("strong", f"{answer.title}. "), answer.words])) if answer else ""
    return section("decision", "Decision", told, table("What this report is for", ("field", "value"), facts))


def sign_off(page: ReportPage) -> Html:
    """Leave a line for everybody who signs."""
    roles = _stated(page).sign_off
    if not roles:
        return Html("")
    lines = [(role, "", "", "") for role in roles]
    return tag(
        "div", section("sign-off", "Sign-off", table("", ("role", "name", "date", "signature"), lines)), class_="sign"
    )


def since(page: ReportPage) -> Html:
    """Compare with an earlier report: the estimates, the verdicts, and whether data and slices are the same."""
    earlier = page.parts.earlier
    if earlier is None:
        return Html("")
    old, new = earlier.numbers, page.report.as_dict()
    rows = [
        line
        for name, model in new["models"].items()
        if isinstance(old["models"].get(name), dict)
        for line in _compared(name, old["models"][name], model, share=page.share)
    ]
    gone = [name for name in old["models"] if name not in new["models"]]
    come = [name for name in new["models"] if name not in old["models"]]
    said = [
        *_data(old, new),
        f"Models that are gone: {listed(gone)}." if gone else "",
        f"New models: {listed(come)}." if come else "",
    ]
    head = ("model", "what", "then", "now", "change")
    compared = table(f"This report and the one of {earlier.day}", head, rows) if rows else ""
    return section("since", "Change since the last report", compared, paragraphs(*said))


def _compared(name: str, old: Mapping[str, Any], new: Mapping[str, Any], *, share: bool) -> Iterator[tuple[str, ...]]:
    """Write a line for the estimate, for the rows it rests on, and for the verdict."""
    then, now = (_number(one, "estimate") for one in (old, new))
    change = "-" if then is None or now is None else show_points(now - then, share=share)
    yield name, "estimate", *("-" if one is None else show_value(one, share=share) for one in (then, now)), change
    rows = [_number(one, "effective_sample_size") for one in (old, new)]
    yield name, "effective rows", *("-" if n is None else f"{n:,.0f}" for n in rows), ""
    levels = [_level(one) for one in (old, new)]
    yield name, "verdict", *levels, "the same" if levels[0] == levels[1] else "changed"


def _number(model: Mapping[str, Any], key: str) -> float | None:
    """Read a number of a report, which somebody may have edited."""
    found = model.get(key)
    return float(found) if isinstance(found, (int, float)) else None


def _level(model: Mapping[str, Any]) -> str:
    """Name the verdict in words."""
    verdict = model.get("verdict")
    level = str(verdict.get("level", "-")) if isinstance(verdict, dict) else "-"
    return MEANINGS.get(level, level)


def _data(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Say which of the data, the slices and the settings differ."""
    before, now = (one["made"] if isinstance(one["made"], dict) else {} for one in (old, new))
    prints = [one.get("fingerprints") if isinstance(one.get("fingerprints"), dict) else {} for one in (before, now)]
    said = []
    for side, words in (("source", "labelled data"), ("target", "new data")):
        same = prints[0].get(side) == prints[1].get(side)
        said.append(f"The {words} {'are the same' if same else 'have changed'}.")
    slices = [set(one["delta"]) if isinstance(one.get("delta"), dict) else set() for one in (old, new)]
    for words, names in (("Slices added", slices[1] - slices[0]), ("Slices removed", slices[0] - slices[1])):
        if names:
            said.append(f"{words}: {listed(sorted(names))}.")
    if before.get("settings") != json.loads(json.dumps(now.get("settings"))):
        said.append("Settings have changed.")
    return said


def project_file(page: ReportPage) -> Html:
    """Hold the project file, with every rule in full, and the command that makes the report again."""
    text = page.parts.project_file
    if not text:
        return Html("")
    options = [
        *(["--reveal"] if page.first.truth is not None else []),
        *([] if page.report.settings.spread else ["--plain"]),
    ]
    command = " ".join(["mandoline report project.toml", *options])
    return joined(
        [
            tag("h3", "Make this report again"),
            paragraphs(
                "Save this project file as project.toml next to the data files. It holds every rule in full.",
                joined(["Then run: ", tag("code", command)]),
            ),
            tag("pre", text, id="project-file", tabindex=0),
        ]
    )


def backtest(page: ReportPage) -> Html:
    """Show how far methods were off on shifts that were made of the labelled data, where that was tried."""
    found = page.parts.backtest
    if found is None:
        return Html("")
    order = charts.method_order(found)
    figure = PageFigure(
        "backtest",
        "Error of every method where the truth is known",
        lambda dark: charts.backtest_errors(found, dark=dark),
        ("method", "average error"),
        [(title_of(name), _error(found.expected_error(name), share=found.metric.share)) for name in order],
    )
    return section(
        "backtest", "Backtest", paragraphs(methods.backtest(found, order[0]), *found.words[:3]), page.put(figure)
    )


def _error(error: float | None, *, share: bool) -> str:
    return "-" if error is None else show_points(error, share=share, sign=False)


def _stated(page: ReportPage) -> DecisionSettings:
    return DecisionSettings() if page.report.request is None else page.report.request.decision
