"""The last sections of the page: all models, what is assumed, how it was made, and what the words mean."""

from __future__ import annotations

from collections.abc import Mapping

from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import Sentence, show_percent, show_value
from mandoline_core.report.html.figures import ReportPage
from mandoline_core.report.markup import Html, bullets, joined, paragraphs, section, table, tag
from mandoline_core.report.words import TOOLTIPS, facts, title_of

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


def models(page: ReportPage) -> Html:
    """List every model's numbers."""
    report = page.parts.report
    known = any(model.truth is not None for model in report.models.values())
    head = ("model", "new data, estimated", "labelled data", "effective rows", "set aside", "verdict")
    rows = [
        (
            name,
            facts.number(model),
            facts.labelled(model),
            f"{model.effective_sample_size:,.0f}",
            show_percent(model.set_aside),
            "-" if model.verdict is None else model.verdict.meaning,
            *([] if not known else ["-" if model.truth is None else show_value(model.truth, share=page.share)]),
        )
        for name, model in report.models.items()
    ]
    metric = page.first.problem.metric.spoken
    caption = f"The {metric} of every model, with {report.settings.confidence:.0%} intervals"
    return section("models", "All models", table(caption, (*head, *(["truth"] if known else [])), rows))


def assumptions(page: ReportPage) -> Html:
    """Say what must hold for the number to be right, and what no check can see."""
    method = get_estimator(page.first.estimator)
    confidence = f"{page.parts.report.settings.confidence:.0%}"
    verdict = page.first.verdict
    said = (
        *(() if verdict is None else verdict.declared),
        Sentence("{title}. {does}", title=title_of(method.name), does=method.does),
        Sentence("It assumes: {assumes}", assumes=method.assumes),
        f"Intervals cover the luck of the draw in both samples, {confidence} of the time.",
        "Intervals do not cover a change that no slice speaks of.",
        *page.first.evidence.drift.words,
    )
    return section("assumptions", "What is assumed", bullets(said))


def making(page: ReportPage) -> Html:
    """Say how the report was made: enough to make it again."""
    report, made = page.parts.report, page.parts.report.made
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
    said = ", ".join(f"{key} {value}" for key, value in values.items())
    return joined([tag("strong", f"{title}: "), said, "."])


def glossary(_page: ReportPage) -> Html:
    """Say what the words mean."""
    terms = joined(joined([tag("dt", term), tag("dd", TOOLTIPS[term])]) for term in GLOSSARY)
    return section("glossary", "What the words mean", tag("dl", terms))
