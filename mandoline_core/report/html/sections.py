"""The sections around the evidence: verdict, data and slices before it; models, assumptions and words after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mandoline_core.checks import BalanceLine
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Check
from mandoline_core.formatting import Sentence, listed, show_ends, show_interval, show_percent, show_points, show_value
from mandoline_core.pipeline import SlicePart, SliceRow
from mandoline_core.report import charts
from mandoline_core.report.html.figures import PageFigure, ReportPage
from mandoline_core.report.html.summary import summary_picture
from mandoline_core.report.markup import Html, bullets, joined, paragraphs, section, table, tag
from mandoline_core.report.words import TOOLTIPS, facts, title_of

MOST_COLUMNS = 12
SMALL_SHIFT = 0.1  # standard deviations
GLOSSARY = (
    "interval",
    "effective rows",
    "how much each row counts",
    "largest ratio",
    "set aside",
    "rows unlike any labelled row",
    "shift",
    "standardised shift",
    "how sure you are of this slice",
    "slices that move together",
    "leave-one-out",
    "hidden shift",
    "gamma",
    "drift",
)
_SIDES = {"source": "labelled data", "target": "new data"}


def summary(page: ReportPage) -> Html:
    """Open with one picture for a slide."""
    picture = summary_picture(page.report.name, page.first, page.rows)
    return tag("section", picture, id="summary", aria_label="Summary")


def verdict(page: ReportPage) -> Html:
    """Say the number in the manner of its verdict, and every check in a line."""
    report = page.first
    spread = page.report.spreads.get(report.model)
    opinion = page.report.second_opinions[report.model]
    judged, level = report.verdict, facts.level_of(report)
    reason = facts.NO_VERDICT if judged is None else judged.message
    banner = tag("p", _icon(level), tag("strong", reason), class_=f"banner {level}")
    opening = [tag("p", facts.estimate_sentence(report), class_="quiet" if level == "red" else "loud"), banner]
    checks = [] if judged is None else [_checks(judged.checks), paragraphs(*judged.declared)]
    figure = PageFigure(
        "estimate",
        "The estimate with its interval beside the labelled data's score",
        lambda dark: charts.estimate_strip(
            report, reveal=report.truth is not None, spread=None if spread is None else spread.interval, dark=dark
        ),
        ("data", "score"),
        [
            ("labelled data", facts.labelled(report)),
            ("new data, estimated", facts.number(report)),
            *([] if spread is None else [(charts.SPREAD, show_ends(spread.interval, share=page.share))]),
            *([] if report.truth is None else [("new data, truth", show_value(report.truth, share=page.share))]),
        ],
    )
    return section(
        "verdict",
        "The number, and how far to believe it",
        *(opening[::-1] if level == "red" else opening),
        paragraphs(
            facts.change(report),
            facts.truth(report),
            opinion and opinion.message,
            facts.basis(report),
            facts.set_aside(report),
            spread and facts.spread_sentence(spread),
        ),
        page.put(figure),
        *checks,
    )


def _icon(level: str) -> Html:
    return Html(
        f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/>'
        f'<path d="{facts.ICONS[level]}"/></svg>'
    )


def _checks(checks: Sequence[Check]) -> Html:
    """Write a line a check: its question, what became of it and, unless it passed, what was found."""
    rows = [
        (
            joined([check.question, "" if check.state == "passed" else tag("small", check.words)]),
            tag(
                "span",
                _icon(facts.STATES[check.state]),
                facts.STATE_WORDS[check.state],
                class_=facts.STATES[check.state],
            ),
        )
        for check in checks
    ]
    return table("Every check that was made", ("check", "result"), rows)


def changes(page: ReportPage) -> Html:
    """Show what changed in the data: slices first, then columns."""
    rows = [
        (
            row.name,
            _bars(row),
            f"{row.source:.1%}",
            f"{row.target:.1%}",
            show_points(row.shift, share=True, unit=False),
        )
        for row in sorted(page.rows, key=lambda row: -abs(row.shift))
    ]
    slices = table(
        "Share of rows inside each slice; shift in points, where the slice speaks",
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
        return paragraphs("Columns cannot be compared: only slice codes are known.")
    furthest: dict[str, BalanceLine] = {}
    for line in sorted(evidence.columns, key=lambda line: -abs(line.before)):
        furthest.setdefault(line.column, line)
    moved = [line for line in furthest.values() if abs(line.before) >= SMALL_SHIFT]
    if not moved:
        return paragraphs("No column that can be compared changed by a tenth of a standard deviation or more.")
    columns = table(
        "Columns that changed, furthest first; shift in standard deviations",
        ("column", "labelled data", "new data", "shift"),
        [
            (line.name, line.show(line.source), line.show(line.target), f"{line.before:+.2f}")
            for line in moved[:MOST_COLUMNS]
        ],
    )
    more = len(moved) - MOST_COLUMNS
    return joined([columns, paragraphs(f"{more} more changed less." if more > 0 else "", evidence.note)])


def slices(page: ReportPage) -> Html:
    """Say every slice in words, how the model does inside it, and how far it is believed."""
    report = page.report
    origins = page.first.cells.origins
    rows = [(row.name, row.rule, _part(row.inside, page.share), _part(row.outside, page.share)) for row in page.rows]
    notes: dict[str, str] = {}
    for row in page.rows:
        rule = origins.get(row.name, row.name)
        if rule in report.slice_notes:
            notes[rule] = report.slice_notes[rule]
    pairs = facts.edge_pairs(page.first)
    return section(
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
        bullets(_corrections(page)),
        paragraphs(
            f"Slices that move together: {listed(pairs)}." if pairs else "No two slices are said to move together."
        ),
    )


def _part(part: SlicePart, share: bool) -> str:
    if part.score is None or part.interval is None:
        return f"- ({part.n:,})"
    return f"{show_interval(part.score, part.interval, share=share)} ({part.n:,})"


def _corrections(page: ReportPage) -> list[Html]:
    """Say how often a row is truly inside by what its slice says; slices taken at their word in one line."""
    corrections, problem = page.first.problem.corrections(), page.first.problem
    silent = (problem.patterns.rates("source")[:, 1] + problem.patterns.rates("target")[:, 1]) > 0
    items: list[Html] = []
    exact: list[str] = []
    halting: list[str] = []
    for i, row in enumerate(page.rows):
        probabilities = corrections.source[i], corrections.target[i]
        if all(side[0] == 0 and side[2] == 1 for side in probabilities):
            if silent[i]:
                halting.append(f"{row.name} ({_truly(probabilities, 1)})")
            else:
                exact.append(row.name)
        else:
            cases = [("in", 2), ("out", 0), *([("nothing", 1)] if silent[i] else [])]
            rates = "; ".join(f"where it says {word}, {_truly(probabilities, code)}" for word, code in cases)
            items.append(joined([tag("strong", f"{row.name}: "), f"{rates} are truly inside.{_gold(row)}"]))
    for title, names in (
        ("Taken at their word", exact),
        ("Taken at their word where they speak; where they do not, so many are taken to be inside", halting),
    ):
        if names:
            items.append(joined([tag("strong", f"{title}: "), listed(names, len(names)), "."]))
    return items


def _truly(probabilities: tuple[np.ndarray, np.ndarray], code: int) -> str:
    source, target = (show_percent(float(side[code])) for side in probabilities)
    return f"{source} of labelled and {target} of new rows"


def _gold(row: SliceRow) -> str:
    if row.gold is None or row.gold.precision is None or row.gold.recall is None:
        return ""
    agrees = f"precision {show_percent(row.gold.precision)}, recall {show_percent(row.gold.recall)}"
    return f" Against its gold column, on {row.gold.n:,} labelled rows: {agrees}."


def models(page: ReportPage) -> Html:
    """List every model's numbers."""
    report = page.report
    has_truth = any(model.truth is not None for model in report.models.values())
    head = ("model", "new data, estimated", "labelled data", "effective rows", "set aside", "verdict")
    rows = [
        (
            name,
            facts.number(model),
            facts.labelled(model),
            f"{model.effective_sample_size:,.0f}",
            show_percent(model.set_aside),
            "-" if model.verdict is None else model.verdict.meaning,
            *([] if not has_truth else ["-" if model.truth is None else show_value(model.truth, share=page.share)]),
        )
        for name, model in report.models.items()
    ]
    metric = page.first.problem.metric.spoken
    caption = f"The {metric} of every model, with {report.settings.confidence:.0%} intervals"
    return section("models", "All models", table(caption, (*head, *(["truth"] if has_truth else [])), rows))


def assumptions(page: ReportPage) -> Html:
    """Say what must hold for the number to be right, and what no check can see."""
    method = get_estimator(page.first.estimator)
    confidence = f"{page.report.settings.confidence:.0%}"
    verdict = page.first.verdict
    sentences = (
        *(() if verdict is None else verdict.declared),
        Sentence("{title}. {does}", title=title_of(method.name), does=method.does),
        Sentence("It assumes: {assumes}", assumes=method.assumes),
        f"Intervals cover the luck of the draw in both samples, {confidence} of the time.",
        "Intervals do not cover a change that no slice speaks of.",
        *page.first.evidence.drift.words,
    )
    return section("assumptions", "What is assumed", bullets(sentences))


def making(page: ReportPage) -> Html:
    """Say how the report was made: enough to make it again."""
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
        "How it was made",
        paragraphs(joined(["Made on ", tag("time", day, datetime=day), f" from project {report.name!r}."])),
        table("The data, and fingerprints of what is in it", ("data", "file", "rows", "fingerprint"), files)
        if files
        else "",
        paragraphs(
            _named("Settings", settings),
            _named("Versions", made["versions"]),
            "The estimates and the checks stand in this file once more, as JSON, in full precision.",
        ),
    )


def _named(title: str, values: Mapping[str, object]) -> Html:
    listing = ", ".join(f"{key} {value}" for key, value in values.items())
    return joined([tag("strong", f"{title}: "), listing, "."])


def glossary(_page: ReportPage) -> Html:
    """Say what the words mean."""
    terms = joined(joined([tag("dt", term), tag("dd", TOOLTIPS[term])]) for term in GLOSSARY)
    return section("glossary", "What the words mean", tag("dl", terms))
