"""The sections with the evidence: the effect of each slice, weights, columns, other methods, hidden change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mandoline_core.comparison import ModelComparison
from mandoline_core.estimators import ESTIMATORS, get_estimator
from mandoline_core.formatting import (
    listed,
    show_effect,
    show_interval,
    show_percent,
    show_points,
    show_times,
    show_value,
)
from mandoline_core.pipeline import Ablation, AblationPoint, Attribution, heaviest_patterns
from mandoline_core.report import charts
from mandoline_core.report.gathering import HiddenChange
from mandoline_core.report.html.figures import PageFigure, ReportPage
from mandoline_core.report.markup import Html, paragraphs, section, table
from mandoline_core.report.words import TOOLTIPS, methods, title_of
from mandoline_core.report.words import evidence as words

MOST_BALANCE = 20
MOST_PATTERNS = 6
_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # weights


def curve(page: ReportPage) -> Html:
    """Show the effect of each slice, and the estimate as slices are added."""
    effects, curves, share, first = page.parts.effects, page.parts.curves, page.share, page.first
    shown: list[Html] = []
    if isinstance(effects, Attribution):
        figure = PageFigure(
            "effects",
            "Effect of each slice",
            lambda dark: charts.waterfall(
                effects, first.source, metric=first.problem.metric.spoken, share=share, dark=dark
            ),
            ("slice", "effect"),
            [(part.rule, show_effect(part.value, part.interval, share=share)) for part in effects.parts],
        )
        said = words.attribution(effects, first.source, share=share)
        shown += [paragraphs(said, TOOLTIPS["attribution"]), page.put(figure)]
    else:
        shown.append(paragraphs(effects))
    if isinstance(curves, Ablation):
        figure = PageFigure(
            "curve",
            "Estimate as slices are added in your order",
            lambda dark: charts.ablation_curve(curves, truth=first.truth, share=share, dark=dark),
            ("slices", "estimate", "effective rows"),
            [
                _point(point, "no slices" if point.slice is None else f"+ {point.slice}", share)
                for point in curves.cumulative
            ],
        )
        shown.append(page.put(figure))
    else:
        shown.append(paragraphs("The curve cannot be drawn.", curves))
    return section("curve", "Effect of each slice", *shown)


def _point(point: AblationPoint, name: str, share: bool) -> tuple[object, ...]:
    if point.estimate is None or point.interval is None:
        return name, f"no estimate. {point.reason or ''}", "-"
    rows = "-" if point.effective_sample_size is None else f"{point.effective_sample_size:,.0f}"
    return name, show_interval(point.estimate, point.interval, share=share), rows


def weights(page: ReportPage) -> Html:
    """Show the weights of the labelled rows."""
    report = page.first
    figure = PageFigure(
        "weights",
        "Weights of the labelled rows",
        lambda dark: charts.weight_histogram(report, dark=dark),
        ("weight", "labelled rows"),
        _counts(report.ratios, report.problem.patterns.source),
    )
    heavy = [
        (slices, show_times(ratio), f"{source:,}", f"{target:,}", show_percent(weight))
        for slices, ratio, source, target, weight in heaviest_patterns(report, MOST_PATTERNS)
    ]
    return section(
        "weights",
        "Weights",
        page.put(figure),
        table(
            "The heaviest labelled rows, by their slices",
            ("in slices", "weight of each", "labelled rows", "new rows", "share of all weight"),
            heavy,
        ),
    )


def _counts(ratios: np.ndarray, rows: np.ndarray) -> list[tuple[str, str]]:
    """Count rows by their weights."""
    ratios = np.round(ratios, 9)  # a ratio of 1 that is off in the last digit is 1
    edges = [-np.inf, 0.0, *_STEPS, np.inf]
    names = ["0x", f"up to {show_times(_STEPS[0])}", *(show_times(*step) for step in pairwise(_STEPS))]
    names.append(f"more than {show_times(_STEPS[-1])}")
    counts = [rows[(ratios > low) & (ratios <= high)].sum() for low, high in pairwise(edges)]
    return [(name, f"{count:,.0f}") for name, count in zip(names, counts, strict=True) if count]


def balance(page: ReportPage) -> Html:
    """Show the columns that no slice covers, before and after weighting."""
    evidence, title = page.first.evidence, "Changes that no slice covers"
    if not evidence.columns:
        return section("balance", title, paragraphs("There is no other column to compare."))
    lines = evidence.columns[:MOST_BALANCE]
    figure = PageFigure(
        "balance",
        "Columns before and after weighting",
        lambda dark: charts.balance(
            [line.name for line in lines],
            [line.before for line in lines],
            [line.after for line in lines],
            [False] * len(lines),
            dark=dark,
        ),
        (
            "column",
            "labelled data",
            "after weighting",
            "new data",
            "shift before",
            "shift after",
            "significant",
            "could move",
        ),
        [
            (
                line.name,
                line.show(line.source),
                line.show(line.weighted),
                line.show(line.target),
                f"{line.before:+.2f}",
                f"{line.after:+.2f}",
                "yes" if line.stands_out else "no",
                "unknown"
                if line.measured is None
                else show_points(line.measured.most, share=line.measured.share, sign=False),
            )
            for line in lines
        ],
    )
    lead = (
        "Weighting makes the slices match the new data. A column that stays far from 0 is a change that the estimate "
        "does not account for. Shifts are in standard deviations. 'could move' says by how much it could move the "
        "estimate."
    )
    more = len(evidence.columns) - len(lines)
    rest = f"{more} more columns matter less." if more > 0 else ""
    return section("balance", title, paragraphs(lead), page.put(figure), paragraphs(rest, evidence.note))


def comparison(page: ReportPage) -> Html:
    """Show the estimates of the quick methods."""
    compared, title = page.parts.comparison, "Other methods"
    if not isinstance(compared, ModelComparison):
        return section("comparison", title, paragraphs("The methods cannot be compared.", compared))
    left = [title_of(name) for name, method in ESTIMATORS.items() if not method.is_quick(page.first.problem)]
    quick = f"Only quick methods run in a report. Not run: {listed(left)}."
    figure = PageFigure(
        "methods",
        "Estimates of the quick methods",
        lambda dark: charts.method_dots(compared, chosen=page.first.estimator, dark=dark),
        ("method", "estimate", "change", "self-test", "assumes"),
        [
            (
                title_of(name),
                f"does not apply: {entry.reason or ''}"
                if entry.estimate is None or entry.interval is None
                else show_interval(entry.estimate, entry.interval, share=compared.metric.share),
                methods.entry_change(entry, share=compared.metric.share),
                methods.self_tested(entry, share=compared.metric.share),
                " ".join(filter(None, (get_estimator(name).assumes, entry.interval_note))),
            )
            for name, entry in compared.entries.items()
        ],
    )
    return section("comparison", title, paragraphs(methods.agreement(compared)[0], quick), page.put(figure))


def sensitivity(page: ReportPage) -> Html:
    """Show how far a hidden change could move the number."""
    change, title = page.parts.hidden, "What if there is a hidden change?"
    if not isinstance(change, HiddenChange):
        return section("sensitivity", title, paragraphs("This cannot be computed here.", change))
    share = page.share
    drawn = (change.bounds, change.points, change.chosen, change.strengths)
    figure = PageFigure(
        "hidden-change",
        "True value by strength of a hidden change",
        lambda dark: charts.hidden_shift_curve(*drawn, metric=page.first.problem.metric.spoken, share=share, dark=dark),
        ("weights change by up to", "lowest", "highest", "with sampling error"),
        [
            (
                show_times(point.gamma),
                show_value(point.low, share=share),
                show_value(point.high, share=share),
                " to ".join(show_value(end, share=share) for end in point.interval),
            )
            for point in change.points
        ],
    )
    strengths = [(one.name, show_times(one.largest or 1.0)) for one in words.strongest(change.strengths)]
    own = change.report is page.first
    return section(
        "sensitivity",
        title,
        paragraphs(
            TOOLTIPS["hidden change"],
            "" if own else words.instead(page.first.estimator, change.report.estimate, share=share),
        ),
        page.put(figure),
        table("Strength of the hidden change that leaving out each slice would make", ("slice", "strength"), strengths)
        if strengths
        else "",
    )
