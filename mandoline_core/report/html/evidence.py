"""The sections that stand behind the number: what each slice did, how much rows count, what else was looked at."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mandoline_core.comparison import ModelComparison
from mandoline_core.estimators import ESTIMATORS, get_estimator
from mandoline_core.formatting import Sentence, listed, show_interval, show_points, show_times, show_value
from mandoline_core.pipeline import Ablation, AblationPoint, heaviest_patterns
from mandoline_core.report import charts
from mandoline_core.report.gathering import HiddenChange
from mandoline_core.report.html.figures import PageFigure, ReportPage
from mandoline_core.report.markup import Html, paragraphs, section, table
from mandoline_core.report.words import facts, title_of

MOST_BALANCE = 20
MOST_PATTERNS = 6
_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # times that a row counts


def curve(page: ReportPage) -> Html:
    """Show the estimate as slices are added, and without each."""
    curves, share = page.parts.curves, page.share
    title = "What each slice did to the number"
    if not isinstance(curves, Ablation):
        return section("curve", title, paragraphs("The curve could not be drawn.", curves))
    truth, full = page.first.truth, curves.cumulative[-1].estimate
    figures = [
        PageFigure(
            "curve",
            "The estimate as slices are added one by one",
            lambda dark: charts.ablation_curve(curves, truth=truth, share=share, dark=dark),
            ("slices", "estimate", "effective rows"),
            [
                _point(point, "no slices" if point.slice is None else f"+ {point.slice}", share)
                for point in curves.cumulative
            ],
        )
    ]
    if full is not None and curves.leave_one_out:
        figures.append(
            PageFigure(
                "without-each-slice",
                "The estimate without each slice",
                lambda dark: charts.leave_one_out(curves, full=full, share=share, dark=dark),
                ("without", "estimate", "effective rows", "change"),
                [
                    (
                        *_point(point, point.slice or "", share),
                        "-" if point.estimate is None else show_points(point.estimate - full, share=share),
                    )
                    for point in curves.leave_one_out
                ],
            )
        )
    return section("curve", title, *map(page.put, figures))


def _point(point: AblationPoint, name: str, share: bool) -> tuple[object, ...]:
    if point.estimate is None or point.interval is None:
        return name, Sentence("no estimate: {why}", why=point.reason or "it could not be computed."), "-"
    rows = "-" if point.effective_sample_size is None else f"{point.effective_sample_size:,.0f}"
    return name, show_interval(point.estimate, point.interval, share=share), rows


def weights(page: ReportPage) -> Html:
    """Show how much labelled rows count."""
    report = page.first
    figure = PageFigure(
        "weights",
        "How many labelled rows count how many times",
        lambda dark: charts.weight_histogram(report, dark=dark),
        ("a row counts", "labelled rows"),
        _counts(report.ratios, report.problem.patterns.source),
    )
    heavy = [
        (slices, show_times(ratio), f"{source:,}", f"{target:,}", f"{weight:.1%}")
        for slices, ratio, source, target, weight in heaviest_patterns(report, MOST_PATTERNS)
    ]
    return section(
        "weights",
        "How much rows count",
        page.put(figure),
        table(
            "The labelled rows that count most, by the slices they are in",
            ("in slices", "each counts", "labelled rows", "new rows", "of all weight"),
            heavy,
        ),
    )


def _counts(ratios: np.ndarray, rows: np.ndarray) -> list[tuple[str, str]]:
    """Count rows by how many times they count."""
    ratios = np.round(ratios, 9)  # a ratio of 1 that is off in the last digit counts once
    edges = [-np.inf, 0.0, *_STEPS, np.inf]
    names = ["0 times", f"up to {_STEPS[0]:g} times"]
    names += [f"{a:g} to {b:g} times" for a, b in pairwise(_STEPS)]
    names.append(f"more than {_STEPS[-1]:g} times")
    counts = [rows[(ratios > low) & (ratios <= high)].sum() for low, high in pairwise(edges)]
    return [(name, f"{count:,.0f}") for name, count in zip(names, counts, strict=True) if count]


def balance(page: ReportPage) -> Html:
    """Show what weighting leaves of changes that no slice stands for."""
    evidence, title = page.first.evidence, "What nobody modelled"
    if not evidence.columns:
        return section("balance", title, paragraphs("There is no other column that can be compared."))
    lines = evidence.columns[:MOST_BALANCE]
    figure = PageFigure(
        "balance",
        "Columns before and after weighting, against the new data",
        lambda dark: charts.balance(
            [line.name for line in lines],
            [line.before for line in lines],
            [line.after for line in lines],
            [False] * len(lines),
            dark=dark,
        ),
        ("column", "labelled data", "after weighting", "new data", "shift before", "shift after", "beyond luck"),
        [
            (
                line.name,
                line.show(line.source),
                line.show(line.weighted),
                line.show(line.target),
                f"{line.before:+.2f}",
                f"{line.after:+.2f}",
                "yes" if line.stands_out else "no",
            )
            for line in lines
        ],
    )
    lead = (
        "Slices match the new data by construction. Other columns need not: what stays far from 0 after weighting is "
        "a change that the estimate does not know of. Shifts are in standard deviations."
    )
    more = len(evidence.columns) - len(lines)
    rest = f"{more} more are less far off." if more > 0 else ""
    return section("balance", title, paragraphs(lead), page.put(figure), paragraphs(rest, evidence.note))


def comparison(page: ReportPage) -> Html:
    """Show what the quick methods say."""
    methods, title = page.parts.comparison, "What other methods say"
    if not isinstance(methods, ModelComparison):
        return section("comparison", title, paragraphs("The methods could not be compared.", methods))
    left = [title_of(name) for name, method in ESTIMATORS.items() if not method.is_quick(page.first.problem)]
    quick = f"Only quick methods are run for a report. Left to a comparison of its own: {listed(left)}."
    figure = PageFigure(
        "methods",
        "What every quick method says",
        lambda dark: charts.method_dots(methods, chosen=page.first.estimator, dark=dark),
        ("method", "estimate", "change", "assumes"),
        [
            (
                title_of(name),
                Sentence("does not apply: {why}", why=entry.reason or "")
                if entry.estimate is None or entry.interval is None
                else show_interval(entry.estimate, entry.interval, share=methods.metric.share),
                facts.entry_change(entry, share=methods.metric.share),
                get_estimator(name).assumes,
            )
            for name, entry in methods.entries.items()
        ],
    )
    return section("comparison", title, paragraphs(facts.agreement(methods), quick), page.put(figure))


def sensitivity(page: ReportPage) -> Html:
    """Show how far a change that no slice shows could move the number."""
    change, title = page.parts.hidden, "What if something hidden changed?"
    if not isinstance(change, HiddenChange):
        return section("sensitivity", title, paragraphs("This cannot be worked out here.", change))
    share = page.share
    drawn = (change.bounds, change.points, change.chosen, change.strengths)
    figure = PageFigure(
        "hidden-change",
        "Where the number could be, by the strength of a hidden change",
        lambda dark: charts.hidden_shift_curve(*drawn, metric=page.first.problem.metric.spoken, share=share, dark=dark),
        ("rows count up to", "lowest", "highest", "with sampling error"),
        [
            (
                f"{point.gamma:g} times more or less",
                show_value(point.low, share=share),
                show_value(point.high, share=share),
                " to ".join(show_value(end, share=share) for end in point.interval),
            )
            for point in change.points
        ],
    )
    strongest = charts.strongest(change.strengths)
    slices_ = [(strength.name, charts.show_strength(strength.largest or 1.0)) for strength in strongest]
    instead = (
        ""
        if change.report is page.first
        else (
            f"The method of this report is not a mean of weighted rows, so this is about the paper's weights on the "
            f"same slices, which give {facts.number(change.report)}."
        )
    )
    return section(
        "sensitivity",
        title,
        paragraphs(
            "Nothing in the data can rule out a change that no slice shows. But one can say how strong it would "
            "have to be, and compare it with the slices that are known.",
            instead,
            facts.hidden(change.chosen, share=share),
        ),
        page.put(figure),
        table(
            "How strong a hidden change each slice would have been, had nobody thought of it",
            ("slice", "strength"),
            slices_,
        )
        if slices_
        else "",
    )
