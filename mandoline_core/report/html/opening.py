"""The first sections of the page: the summary, the verdict, what changed in the data, and the slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mandoline_core.checks import BalanceLine
from mandoline_core.findings import Check
from mandoline_core.formatting import listed, show_ends, show_interval, show_percent, show_points, show_value
from mandoline_core.pipeline import SlicePart, SliceRow
from mandoline_core.report import charts
from mandoline_core.report.html import words
from mandoline_core.report.html.figures import Figure
from mandoline_core.report.html.ground import Ground, Section
from mandoline_core.report.html.summary import summary_picture
from mandoline_core.report.markup import Html, bullets, joined, paragraphs, section, table, tag

MOST_COLUMNS = 12
SMALL_SHIFT = 0.1  # standard deviations


def summary(ground: Ground) -> Section:
    """Open with one picture for a slide."""
    picture = summary_picture(ground.parts.report.name, ground.first, ground.rows)
    return Section(tag("section", picture, id="summary", aria_label="Summary"))


def verdict(ground: Ground) -> Section:
    """Say the number in the manner of its verdict, and every check in a line."""
    report = ground.first
    spread = ground.parts.report.spreads.get(report.model)
    found, level = report.verdict, words.level_of(report)
    reason = words.NO_VERDICT if found is None else found.message
    banner = tag("p", _icon(level), tag("strong", reason), class_=f"banner {level}")
    told = [tag("p", words.headline(report), class_="quiet" if level == "red" else "loud"), banner]
    checks = [] if found is None else [_checks(found.checks), paragraphs(*found.declared)]
    figure = Figure(
        "estimate",
        "The estimate with its interval beside the labelled data's score",
        lambda dark: charts.estimate_strip(
            report, reveal=report.truth is not None, spread=None if spread is None else spread.interval, dark=dark
        ),
        ("data", "score"),
        [
            ("labelled data", words.labelled(report)),
            ("new data, estimated", words.number(report)),
            *([] if spread is None else [(charts.SPREAD, show_ends(spread.interval, share=ground.share))]),
            *([] if report.truth is None else [("new data, truth", show_value(report.truth, share=ground.share))]),
        ],
    )
    return Section(
        section(
            "verdict",
            "The number, and how far to believe it",
            *(told[::-1] if level == "red" else told),
            paragraphs(
                words.change(report),
                words.truth(report),
                report.second_opinion and report.second_opinion.message,
                words.basis(report),
                words.set_aside(report),
                spread and ((spread.finding and spread.finding.message) or spread.sentence),
            ),
            ground.put(figure),
            *checks,
        ),
        (figure,),
    )


def _icon(level: str) -> Html:
    return Html(
        f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/>'
        f'<path d="{words.ICONS[level]}"/></svg>'
    )


def _checks(checks: Sequence[Check]) -> Html:
    """Write a line a check: its question, what became of it and, unless it passed, what was found."""
    rows = [
        (
            joined([check.question, "" if check.state == "passed" else tag("small", check.words)]),
            tag(
                "span",
                _icon(words.STATES[check.state]),
                words.STATE_WORDS[check.state],
                class_=words.STATES[check.state],
            ),
        )
        for check in checks
    ]
    return table("Every check that was made", ("check", "result"), rows)


def changes(ground: Ground) -> Section:
    """Show what changed in the data: slices first, then columns."""
    rows = [
        (
            row.name,
            _bars(row),
            f"{row.source:.1%}",
            f"{row.target:.1%}",
            show_points(row.shift, share=True, unit=False),
        )
        for row in sorted(ground.rows, key=lambda row: -abs(row.shift))
    ]
    slices = table(
        "Share of rows inside each slice; shift in points, where the slice speaks",
        ("slice", "both", "labelled data", "new data", "shift"),
        rows,
    )
    return Section(section("changes", "What changed in the data", slices, _columns(ground)))


def _bars(row: SliceRow) -> Html:
    return joined(
        Html(f'<span class="bar {side}" style="width:{max(100 * share, 0.5):.1f}%"></span>')
        for side, share in (("old", row.source), ("new", row.target))
    )


def _columns(ground: Ground) -> Html:
    evidence = ground.first.evidence
    if evidence.columns is None:
        return paragraphs("Columns cannot be compared: only slice codes are known.")
    furthest: dict[str, BalanceLine] = {}
    for line in sorted(evidence.columns, key=lambda line: -abs(line.before)):
        furthest.setdefault(line.column, line)
    moved = [line for line in furthest.values() if abs(line.before) >= SMALL_SHIFT]
    if not moved:
        return paragraphs("No column that can be compared changed by a tenth of a standard deviation or more.")
    said = table(
        "Columns that changed, furthest first; shift in standard deviations",
        ("column", "labelled data", "new data", "shift"),
        [
            (line.name, line.show(line.source), line.show(line.target), f"{line.before:+.2f}")
            for line in moved[:MOST_COLUMNS]
        ],
    )
    more = len(moved) - MOST_COLUMNS
    return joined([said, paragraphs(f"{more} more changed less." if more > 0 else "", evidence.note)])


def slices(ground: Ground) -> Section:
    """Say every slice in words, how the model does inside it, and how far it is believed."""
    report = ground.parts.report
    origins = ground.first.fit.cells.origins
    rows = [
        (row.name, row.rule, _part(row.inside, ground.share), _part(row.outside, ground.share)) for row in ground.rows
    ]
    notes: dict[str, str] = {}
    for row in ground.rows:
        rule = origins.get(row.name, row.name)
        if rule in report.slice_notes:
            notes[rule] = report.slice_notes[rule]
    edges = ground.first.edges
    z = ground.first.edge_z or (None,) * len(edges)
    pairs = [
        f"{a} and {b}{'' if value is None else f' (z = {value:.1f})'}" for (a, b), value in zip(edges, z, strict=True)
    ]
    return Section(
        section(
            "slices",
            "Slices and corrections",
            tag("p", tag("strong", "Note. "), report.note) if report.note else "",
            table(
                "Each slice in words, and the score on labelled rows inside and outside it (rows)",
                ("slice", "rule", "score inside", "score outside"),
                rows,
            ),
            bullets(joined([tag("strong", f"{name}: "), note]) for name, note in notes.items()),
            tag("h3", "How sure the slices are"),
            bullets(_corrections(ground)),
            paragraphs(
                f"Slices that move together: {listed(pairs)}." if pairs else "No two slices are said to move together."
            ),
        )
    )


def _part(part: SlicePart, share: bool) -> str:
    if part.score is None or part.interval is None:
        return f"- ({part.n:,})"
    return f"{show_interval(part.score, part.interval, share=share)} ({part.n:,})"


def _corrections(ground: Ground) -> list[Html]:
    """Say how often a row is truly inside by what its slice says; slices taken at their word in one line."""
    found, problem = ground.first.problem.corrections(), ground.first.problem
    silent = (problem.patterns.rates("source")[:, 1] + problem.patterns.rates("target")[:, 1]) > 0
    said: list[Html] = []
    exact: list[str] = []
    halting: list[str] = []
    for i, row in enumerate(ground.rows):
        chances = found.source[i], found.target[i]
        if all(side[0] == 0 and side[2] == 1 for side in chances):
            (halting if silent[i] else exact).append(f"{row.name} ({_truly(chances, 1)})" if silent[i] else row.name)
        else:
            cases = [("in", 2), ("out", 0), *([("nothing", 1)] if silent[i] else [])]
            told = "; ".join(f"where it says {word}, {_truly(chances, code)}" for word, code in cases)
            said.append(joined([tag("strong", f"{row.name}: "), f"{told} are truly inside.{_gold(row)}"]))
    for title, names in (
        ("Taken at their word", exact),
        ("Taken at their word where they speak; where they do not, so many are taken to be inside", halting),
    ):
        if names:
            said.append(joined([tag("strong", f"{title}: "), listed(names, len(names)), "."]))
    return said


def _truly(chances: tuple[np.ndarray, np.ndarray], code: int) -> str:
    here, there = (show_percent(float(side[code])) for side in chances)
    return f"{here} of labelled and {there} of new rows"


def _gold(row: SliceRow) -> str:
    if row.gold is None or row.gold.precision is None or row.gold.recall is None:
        return ""
    agrees = f"precision {show_percent(row.gold.precision)}, recall {show_percent(row.gold.recall)}"
    return f" Against its gold column, on {row.gold.n:,} labelled rows: {agrees}."
