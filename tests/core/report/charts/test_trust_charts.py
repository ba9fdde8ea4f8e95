"""Figures of the checks: the numbers they are given, titles that say what to see, hostile names as text."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from mandoline_core.checks.drift import SliceCalibration
from mandoline_core.checks.sensitivity import SensitivityPoint, SliceStrength
from mandoline_core.checks.theory import Term, TheoremBound
from mandoline_core.checks.trimming import Trimming
from mandoline_core.comparison.backtests.results import ModelBacktest, Trial, judge
from mandoline_core.metrics.registry import get_metric
from mandoline_core.pipeline import MeanShift
from mandoline_core.pipeline.attribution import Attribution, AttributionPart
from mandoline_core.pipeline.elasticity import CorrectionSlope
from mandoline_core.report import charts
from mandoline_core.report.charts.backtest import coverage, method_order
from mandoline_core.report.charts.corrections import effect
from mandoline_core.report.charts.sensitivity import MOST_SLICES
from mandoline_core.report.charts.style import SOURCE, TARGET, TITLE_WIDTH

HOSTILE = "<img src=x onerror=alert(1)> $x$ %{y}"


def trace(figure: go.Figure, name: str) -> go.Scatter:
    return next(one for one in figure.data if one.name == name)


def title(figure: go.Figure) -> str:
    return str(figure.layout.title.text).replace("<br>", " ")


def trimmed(cap: float, estimate: float) -> Trimming:
    return Trimming(cap, estimate, (estimate - 0.02, estimate + 0.02), estimate - 0.79, 900.0, 12, 0.1, 0.3, HOSTILE)


def attribution(*parts: tuple[str, float]) -> Attribution:
    found = tuple(AttributionPart(name, value, (value - 0.01, value + 0.01)) for name, value in parts)
    total = sum(value for _, value in parts)
    return Attribution(total, (total - 0.01, total + 0.01), found)


STRENGTHS = (
    SliceStrength(HOSTILE, 1.4, 1.2),
    SliceStrength("strong", math.inf, 3.0),
    SliceStrength("none", None, None, "no fit"),
)


def hidden(
    strengths: Sequence[SliceStrength] = STRENGTHS, threshold: float | None = 0.7, dark: bool = False
) -> go.Figure:
    point = SensitivityPoint(1.5, 0.65, 0.85, (0.6, 0.9))
    flat = SensitivityPoint(1.0, 0.79, 0.79, (0.77, 0.81))
    return charts.hidden_shift_curve(
        {1.0: (0.79, 0.79), 5.0: (0.2, 0.99)},
        [flat, point],
        point,
        strengths,
        metric="accuracy",
        share=True,
        threshold=threshold,
        crossing=None if threshold is None else 1.2,
        dark=dark,
    )


def bound(unknown: float = 0.1) -> TheoremBound:
    terms = (
        Term("hidden shift", unknown, known=False, words=HOSTILE),
        Term("corrections", 0.0, known=True, words=""),
        Term("sampling error", 0.2, known=True, words=""),
    )
    return TheoremBound(terms, unknown + 0.2, 4.0, 1000, "words")


def backtest() -> ModelBacktest:
    draws = [
        Trial(kind, "", number, method, 0.8, 0.9, 0.8 + off, (0.75, 0.85), covered=off < 0.05)
        for kind in ("slices", "held-out slice", "class", "column")
        for number in range(2)
        for method, off in (("source", 0.1), ("mandoline", 0.02))
    ]
    kinds = {kind: judge(d for d in draws if d.kind == kind) for kind in dict.fromkeys(d.kind for d in draws)}
    metric = get_metric("accuracy")
    return ModelBacktest("lr", metric, "mandoline", kinds, tuple(draws), {}, {}, 600, 100, 0.95, ("a", "b", "c"))


FIGURES = {
    "trimming": lambda dark: charts.trimming_curve(
        [trimmed(1.0, 0.88), trimmed(2.0, 0.84), trimmed(math.inf, 0.79)], 2.0, metric="accuracy", share=True, dark=dark
    ),
    "waterfall": lambda dark: charts.waterfall(
        attribution((HOSTILE, -0.06), ("b", 0.01)), 0.88, metric="accuracy", share=True, dark=dark
    ),
    "elasticity": lambda dark: charts.correction_effects(
        [CorrectionSlope(HOSTILE, "source", "inside", 0.9, 0.5, HOSTILE)], share=True, dark=dark
    ),
    "hidden": lambda dark: hidden(dark=dark),
    "theory": lambda dark: charts.bound_bars(bound(), half_interval=0.02, share=True, dark=dark),
    "predicted": lambda dark: charts.predicted_classes(
        [MeanShift(HOSTILE, 0.5, 0.4, 0.6, 0.1, 0.1, 5.0), MeanShift("b", 0.5, 0.6, 0.4, 0.1, 0.1, -5.0)], dark=dark
    ),
    "calibration": lambda dark: charts.calibration(
        [
            SliceCalibration(None, 100, 0.8, 0.8, 0.0, (-0.1, 0.1)),
            SliceCalibration(HOSTILE, 50, 0.8, 0.6, 0.2, (0.1, 0.3)),
        ],
        dark=dark,
    ),
    "backtest": lambda dark: charts.backtest_errors(backtest(), dark=dark),
    "labels": lambda dark: charts.interval_rows(
        [charts.IntervalRow(HOSTILE, 0.8, (0.7, 0.9), "square", TARGET)],
        title=HOSTILE,
        metric="accuracy",
        share=True,
        dark=dark,
    ),
}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_title_that_fits_a_phone_and_an_axis_with_a_name(name: str, dark: bool) -> None:
    figure = FIGURES[name](dark=dark)
    assert figure.layout.title.text
    assert max(len(line) for line in figure.layout.title.text.split("<br>")) <= TITLE_WIDTH + 20  # entities are longer
    assert figure.layout.xaxis.title.text
    assert figure.layout.height


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_names_never_become_markup(name: str) -> None:
    text = json.dumps(FIGURES[name](dark=False).to_plotly_json(), default=str)
    visible = text.replace('"name": "<img src=x onerror=alert(1)> $x$ %{y}"', "")  # a trace's name is not drawn
    assert "<img" not in visible
    assert "$x$" not in visible


def test_the_trimming_curve_marks_the_cap_and_keeps_every_number() -> None:
    figure = FIGURES["trimming"](dark=False)
    line = trace(figure, "estimate")
    assert list(line.y) == [0.88, 0.84, 0.79]
    assert list(line.marker.symbol) == ["circle", "diamond", "circle"]
    assert title(figure) == "With a cap at 2x the estimate is 5.0 points higher"
    assert list(figure.layout.xaxis.ticktext) == ["1x", "2x", "no cap"]


def test_many_caps_are_named_as_far_as_they_fit_a_phone() -> None:
    """The first and the last are always named; every cap keeps its dot."""
    caps = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, math.inf]
    figure = charts.trimming_curve([trimmed(cap, 0.8) for cap in caps], 1.0, metric="accuracy", share=True)
    assert list(figure.layout.xaxis.ticktext) == ["1x", "2x", "5x", "10x", "20x", "no cap"]
    assert list(figure.layout.xaxis.tickvals) == [0, 2, 4, 6, 8, 11]
    assert len(trace(figure, "estimate").y) == 12
    assert title(figure).startswith("With a cap at 1x the estimate is")


def test_the_waterfall_ends_where_the_parts_lead() -> None:
    figure = FIGURES["waterfall"](dark=False)
    bars = trace(figure, "parts")
    assert list(bars.base) == pytest.approx([0.88, 0.82])
    assert sum(bars.x) + 0.88 == pytest.approx(trace(figure, "estimate").x[0])
    assert trace(figure, "labelled data").marker.color == SOURCE


def test_many_parts_are_lumped_together_and_still_add_up() -> None:
    found = attribution(*((f"s{i}", 0.001 * (i + 1)) for i in range(20)))
    figure = charts.waterfall(found, 0.5, metric="accuracy", share=True)
    assert sum(trace(figure, "parts").x) == pytest.approx(found.total)
    assert "8 others" in figure.layout.yaxis.ticktext[-2]


def test_parts_that_are_nothing_share_a_line_and_one_alone_keeps_its_name() -> None:
    nothing = AttributionPart("idle", 0.0, (0.0, 0.0))
    doubtful = AttributionPart("doubtful", 0.0, (0.0, 0.02))
    found = attribution(("a", -0.06))
    some = replace(found, parts=(nothing, *found.parts, doubtful, replace(nothing, rule="idle too")))
    ticks = charts.waterfall(some, 0.88, metric="accuracy", share=True).layout.yaxis.ticktext
    assert [tick.split("<br>")[0] for tick in ticks] == ["labelled data", "a", "doubtful", "2 others", "estimate"]
    one = replace(found, parts=(nothing, *found.parts))
    ticks = charts.waterfall(one, 0.88, metric="accuracy", share=True).layout.yaxis.ticktext
    assert ticks[2].startswith("idle")


def test_the_waterfall_says_what_moves_most_and_where_all_lead() -> None:
    figure = charts.waterfall(attribution(("a", -0.099), ("b", 0.029)), 0.8, metric="accuracy", share=True)
    assert title(figure) == "a moves the score by -9.9 points, all slices by -7.0 points"


def test_corrections_that_do_nothing_are_counted_not_drawn() -> None:
    slopes = [
        CorrectionSlope("a", "source", "inside", 0.9, 0.5, ""),
        CorrectionSlope("b", "source", "inside", 0.9, 0.0001, ""),
    ]
    figure = charts.correction_effects(slopes, share=True)
    assert list(trace(figure, "effect").text) == ["-0.5"]
    assert "1 of 2 do less" in figure.layout.xaxis.title.text.replace("<br>", " ")
    assert list(trace(charts.correction_effects(slopes[1:], share=True), "effect").text) == ["0.0"]


def test_less_certainty_inside_is_a_lower_chance_and_outside_a_higher_one() -> None:
    assert effect(CorrectionSlope("a", "source", "inside", 0.9, 2.0, "")) == pytest.approx(-0.02)
    assert effect(CorrectionSlope("a", "source", "outside", 0.1, 2.0, "")) == pytest.approx(0.02)
    assert effect(CorrectionSlope("a", "source", "outside", 0.1, None, "")) is None


def test_hidden_change_marks_slices_the_threshold_and_where_it_is_crossed() -> None:
    figure = FIGURES["hidden"](dark=False)
    assert trace(figure, HOSTILE).x == (1.4,)
    assert trace(figure, "strong").x == (5.0,)
    assert trace(figure, "strong").marker.symbol == "triangle-right"
    assert "none" not in {one.name for one in figure.data}
    assert list(trace(figure, "threshold").y) == [0.7, 0.7]
    assert trace(figure, "crossing").x == (1.2,)
    assert figure.layout.xaxis.type == "log"
    assert title(figure) == "A hidden change of up to 1.5x puts the true value between 65.0% and 85.0%"


def test_the_strongest_slices_are_shown_the_strongest_first() -> None:
    strengths = [SliceStrength(f"s{i}", 1.0 + i, 1.0) for i in range(MOST_SLICES + 3)]
    figure = hidden(strengths)
    drawn = [one.name for one in figure.data if one.name.startswith("s")]
    assert drawn == [f"s{i}" for i in range(MOST_SLICES + 2, 2, -1)]


def test_without_a_crossing_or_slices_the_curve_still_shows() -> None:
    figure = hidden([], threshold=None)
    assert {"threshold", "crossing"}.isdisjoint(one.name for one in figure.data)
    assert figure.layout.yaxis.domain[0] == 0


def test_assumed_terms_are_hatched_and_the_bound_is_their_stack() -> None:
    figure = FIGURES["theory"](dark=False)
    assert trace(figure, "hidden shift").marker.pattern.shape == "/"
    assert trace(figure, "sampling error").marker.pattern.shape == ""
    ends = [one.base[1] + one.x[1] for one in figure.data if one.type == "bar"]
    assert max(ends) == pytest.approx(30.0)
    assert title(figure).endswith("at most 30.0 points")


def test_a_bound_beyond_the_scale_says_so() -> None:
    figure = charts.bound_bars(bound(unknown=1.5), half_interval=None, share=True)
    assert "wider than the whole scale" in title(figure)


def test_source_and_target_keep_their_colours_and_shapes_differ() -> None:
    figure = FIGURES["predicted"](dark=False)
    marks = {name: trace(figure, name).marker for name in ("labelled", "weighted", "new")}
    assert marks["labelled"].color == SOURCE
    assert marks["new"].color == TARGET
    assert len({mark.symbol for mark in marks.values()}) == 3


def test_a_small_difference_does_not_fill_the_axis() -> None:
    figure = charts.predicted_classes(
        [MeanShift("a", 0.498, 0.502, 0.5, 0.1, 0.1, 0.1), MeanShift("b", 0.502, 0.498, 0.5, 0.1, 0.1, 0.1)]
    )
    low, high = figure.layout.xaxis.range
    assert high - low == pytest.approx(0.1)


def test_calibration_keeps_all_rows_first() -> None:
    figure = FIGURES["calibration"](dark=False)
    assert figure.layout.yaxis.ticktext[0] == "all rows"
    assert "overconfident by 20.0 points" in title(figure)


def test_the_best_method_comes_first_with_error_and_coverage_beside_it() -> None:
    found = backtest()
    assert method_order(found) == ["mandoline", "source"]
    assert coverage(found, "mandoline") == 1.0
    assert coverage(found, "source") == 0.0
    figure = charts.backtest_errors(found)
    assert "2.0 points, covers 100.0%" in figure.layout.yaxis.ticktext[0]
    assert list(trace(figure, "slices").x) == pytest.approx([10.0, 2.0])
    assert len({trace(figure, kind).marker.symbol for kind in found.kinds}) == 4
    assert len({trace(figure, kind).y[0] for kind in found.kinds}) == 4, "none hides another"
