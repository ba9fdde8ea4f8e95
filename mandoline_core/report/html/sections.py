"""The sections around the evidence: verdict, data and slices before it; models, assumptions and terms after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mandoline_core.checks import BalanceLine, blind_spot
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Check
from mandoline_core.formatting import listed, show_ends, show_interval, show_percent, show_points, show_value
from mandoline_core.pipeline import SlicePart, SliceRow
from mandoline_core.report import charts
from mandoline_core.report.html import record
from mandoline_core.report.html.figures import PageFigure, ReportPage
from mandoline_core.report.html.summary import ICONS, level_of, summary_picture, verdict_of
from mandoline_core.report.markup import Html, bullets, joined, paragraphs, section, table, tag
from mandoline_core.report.words import TOOLTIPS, facts, headline

MOST_COLUMNS = 12
LONGEST_RULE = 400  # characters: a longer one is in the project file alone
SMALL_SHIFT = 0.1  # standard deviations
GLOSSARY = (
    "labelled data",
    "new data",
    "interval",
    "weight",
    "effective rows",
    "left out",
    "rows without a match",
    "shift",
    "standardised shift",
    "reliability",
    "slices that move together",
    "leave-one-out",
    "hidden change",
    "strength of a hidden change",
    "drift",
)
_SIDES = {"source": "labelled data", "target": "new data"}
_LEVELS = {"passed": "green", "doubtful": "amber", "failed": "red", "not run": "none"}


def summary(page: ReportPage) -> Html:
    """Show one picture for a slide."""
    picture = summary_picture(page.report.name, page.first, page.rows)
    return tag("section", picture, id="summary", aria_label="Summary")


def verdict(page: ReportPage) -> Html:
    """Show the number as its verdict allows, and every check in a line."""
    report = page.first
    spread = page.report.spreads.get(report.model)
    opinion = page.report.second_opinions[report.model]
    judged, level, said = report.verdict, level_of(report), headline(report)
    opening = [tag("p", said.sentence, class_="quiet" if level == "red" else "loud"), banner(level, verdict_of(report))]
    known = page.report.experiences[report.model]
    checks = [] if judged is None else [_checks(judged.checks), paragraphs(*judged.declared)]
    figure = PageFigure(
        "estimate",
        "Estimate and score on labelled data",
        lambda dark: charts.estimate_strip(report, reveal=report.truth is not None, dark=dark),
        ("data", "score"),
        [
            (facts.LABELLED, facts.labelled(report)),
            (facts.ESTIMATE, facts.number(report)),
            *([(facts.WITHOUT, facts.number(report.without))] if report.without and report.rests_on_labels else []),
            *([] if spread is None else [(charts.SAMPLING, show_ends(spread.sampling, share=page.share))]),
            *([] if report.truth is None else [(facts.TRUE_VALUE, show_value(report.truth, share=page.share))]),
        ],
    )
    return section(
        "verdict",
        "Estimate and verdict",
        *(opening[::-1] if level == "red" else opening),
        paragraphs(
            known and known.message,
            blind_spot(report),
            facts.without_labels(report),
            facts.new_rows({report.model: report}) if report.truth is None else facts.truth(report),
            opinion and opinion.message,
            f"{facts.basis(report)}.",
            facts.left_out(report),
            spread and facts.spread(spread),
        ),
        page.put(figure),
        *checks,
    )


def banner(level: str, words: str) -> Html:
    """Write what a light says, in its colour and with its icon."""
    return tag("p", _icon(level), tag("strong", words), class_=f"banner {level}")


def _icon(level: str) -> Html:
    return Html(
        f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/>'
        f'<path d="{ICONS[level]}"/></svg>'
    )


def _checks(checks: Sequence[Check]) -> Html:
    """Write a line a check: its question, its state and, unless it passed, what was found."""
    rows = [
        (
            joined([check.question, "" if check.state == "passed" else tag("small", check.words)]),
            tag("span", _icon(_LEVELS[check.state]), facts.STATES[check.state], class_=_LEVELS[check.state]),
        )
        for check in checks
    ]
    return table("All checks", ("check", "result"), rows)


def changes(page: ReportPage) -> Html:
    """Show what changed in the data: slices first, then columns."""
    rows = [
        (
            row.name,
            _bars(row),
            show_percent(row.source),
            show_percent(row.target),
            show_points(row.shift, share=True, unit=False),
        )
        for row in sorted(page.rows, key=lambda row: -abs(row.shift))
    ]
    slices = table(
        "Share of rows in each slice; shift in points",
        ("slice", "both", "labelled data", "new data", "shift"),
        rows,
    )
    return section("changes", "What changed in the data", slices, _columns(page))


def _bars(row: SliceRow) -> Html:
    return joined(
        Html(f'<span class="bar {side}" style="width:{max(100 * share, 0.5):.1f}%"></span>')
        for side, share in (("old", row.source), ("new", row.target))
    )


def _columns(page: ReportPage) -> Html:
    evidence = page.first.evidence
    if evidence.columns is None:
        return paragraphs("Columns cannot be compared: there are only slice codes.")
    furthest: dict[str, BalanceLine] = {}
    for line in sorted(evidence.columns, key=lambda line: -abs(line.before)):
        furthest.setdefault(line.column, line)
    moved = [line for line in furthest.values() if abs(line.before) >= SMALL_SHIFT]
    if not moved:
        return paragraphs("No column changed by 0.1 standard deviations or more.")
    columns = table(
        "Columns that changed, most first; shift in standard deviations",
        ("column", "labelled data", "new data", "shift"),
        [
            (line.name, line.show(line.source), line.show(line.target), f"{line.before:+.2f}")
            for line in moved[:MOST_COLUMNS]
        ],
    )
    more = len(moved) - MOST_COLUMNS
    return joined([columns, paragraphs(f"{more} more changed less." if more > 0 else "", evidence.note)])


def slices(page: ReportPage) -> Html:
    """Describe every slice: its rule, the score in it and elsewhere, and its reliability."""
    report = page.report
    origins = page.first.cells.origins
    rows = [
        (
            row.name,
            joined([row.rule, tag("code", row.full_rule, class_="rule") if len(row.full_rule) <= LONGEST_RULE else ""]),
            _part(row.inside, page.share),
            _part(row.outside, page.share),
        )
        for row in page.rows
    ]
    notes: dict[str, str] = {}
    for row in page.rows:
        rule = origins.get(row.name, row.name)
        if rule in report.slice_notes:
            notes[rule] = report.slice_notes[rule]
    return section(
        "slices",
        "Slices",
        tag("p", tag("strong", "Note. "), report.note) if report.note else "",
        table(
            "Each slice, and the score on labelled rows in it and elsewhere (number of rows)",
            ("slice", "rule", "score in slice", "score elsewhere"),
            rows,
        ),
        bullets(joined([tag("strong", f"{name}: "), note]) for name, note in notes.items()),
        tag("h3", "Reliability of the slices"),
        bullets(_corrections(page)),
        paragraphs(facts.edges(page.first) or "No two slices are marked as moving together."),
    )


def _part(part: SlicePart, share: bool) -> str:
    if part.score is None or part.interval is None:
        return f"- ({part.n:,})"
    return f"{show_interval(part.score, part.interval, share=share)} ({part.n:,})"


def _corrections(page: ReportPage) -> list[Html]:
    """Say how often each rule is right; rules that are taken as exact in one line."""
    problem = page.first.problem
    corrections, patterns = problem.corrections(), problem.patterns
    silent = (patterns.rates("source")[:, 1] + patterns.rates("target")[:, 1]) > 0
    items: list[Html] = []
    exact: list[str] = []
    for i, row in enumerate(page.rows):
        sides = corrections.source[i], corrections.target[i]
        is_exact = all(side[0] == 0 and side[2] == 1 for side in sides)
        cases = ([] if is_exact else [("yes", 2), ("no", 0)]) + ([("nothing", 1)] if silent[i] else [])
        if not cases:
            exact.append(row.name)
            continue
        rates = [f"where the rule says {word}, {_in_slice(sides, code)} are in the slice" for word, code in cases]
        items.append(joined([tag("strong", f"{row.name}: "), f"{', '.join(rates)}.{_gold(row)}"]))
    if exact:
        items.append(joined([tag("strong", "Taken as exact: "), listed(exact, len(exact)), "."]))
    return items


def _in_slice(sides: tuple[np.ndarray, np.ndarray], code: int) -> str:
    source, target = (show_percent(float(side[code])) for side in sides)
    return f"{source} of labelled and {target} of new rows"


def _gold(row: SliceRow) -> str:
    if row.gold is None or row.gold.precision is None or row.gold.recall is None:
        return ""
    agrees = f"precision {show_percent(row.gold.precision)}, recall {show_percent(row.gold.recall)}"
    return f" Against gold labels of {row.gold.n:,} labelled rows: {agrees}."


def models(page: ReportPage) -> Html:
    """List every model's numbers."""
    models = page.report.models
    head, *rows = facts.model_rows(models)
    more = [
        (
            f"{model.effective_sample_size:,.0f}",
            show_percent(model.set_aside),
            "-" if model.verdict is None else model.verdict.meaning,
        )
        for model in models.values()
    ]
    caption = f"{page.first.problem.metric.spoken} of every model, with {_confidence(page)} intervals"
    lines = [(*row, *others) for row, others in zip(rows, more, strict=True)]
    head = [*head, "effective rows", "new rows left out", "verdict"]
    return section("models", "All models", table(caption[:1].upper() + caption[1:], head, lines))


def _confidence(page: ReportPage) -> str:
    return f"{100 * page.report.settings.confidence:g}%"


def assumptions(page: ReportPage) -> Html:
    """Say what must hold for the number to be right, and what no check can see."""
    method, verdict = get_estimator(page.first.estimator), page.first.verdict
    sentences = (
        *(() if verdict is None else verdict.declared),
        f"{method.title}. {method.does}",
        f"It assumes: {method.assumes}",
        facts.covers(page.first),
        *page.first.evidence.drift.words,
    )
    return section("assumptions", "Assumptions", bullets(sentences))


def making(page: ReportPage) -> Html:
    """Say how the report was made: enough to reproduce it."""
    report, made = page.report, page.report.made
    files = [
        (
            _SIDES[side],
            sample.name,
            f"{sample.n_rows:,}",
            tag("code", made["fingerprints"][side]),
        )
        for side, sample in report.samples.items()
    ]
    day = page.parts.made_on.isoformat()
    settings = {"metric": page.first.problem.metric.name, **made["settings"]}
    return section(
        "making",
        "How this report was made",
        paragraphs(joined(["Made on ", tag("time", day, datetime=day), f" from project {report.name!r}."])),
        table("Data files and their fingerprints", ("data", "file", "rows", "fingerprint"), files) if files else "",
        paragraphs(
            _named("Settings", settings),
            _named("Versions", made["versions"]),
            "This file also contains all estimates and checks as JSON, in full precision.",
        ),
        record.project_file(page),
    )


def _named(title: str, values: Mapping[str, object]) -> Html:
    listing = ", ".join(f"{key} {value}" for key, value in values.items())
    return joined([tag("strong", f"{title}: "), listing, "."])


def glossary(_page: ReportPage) -> Html:
    """Explain the terms."""
    terms = joined(joined([tag("dt", term), tag("dd", TOOLTIPS[term])]) for term in GLOSSARY)
    return section("glossary", "Terms", tag("dl", terms))
