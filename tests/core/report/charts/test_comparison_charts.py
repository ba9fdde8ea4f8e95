"""Figures that compare methods and models: the numbers they are given, in groups, on an axis no outlier can break."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from mandoline_core.comparison.results import Comparison, Entry, ModelComparison, summarise
from mandoline_core.estimators.baselines import Source
from mandoline_core.estimators.registry import ESTIMATORS
from mandoline_core.metrics.registry import get_metric
from mandoline_core.report import charts
from mandoline_core.report.charts.comparison import LATER, PAPER, WITHOUT, axis_span, order_words
from mandoline_core.report.charts.style import DARK, LIGHT, SOURCE, TITLE_WIDTH, TRUTH

HOSTILE = "<img src=x onerror=alert(1)> $x$ %{y}"


class Later(Source):
    """Stand for a method that is younger than the paper."""

    name, title, later, assumes = "younger", "A younger method", True, HOSTILE


@pytest.fixture(autouse=True)
def younger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ESTIMATORS, "younger", Later())


def entry(name: str, value: float, half: float = 0.02) -> Entry:
    return Entry(name, available=True, estimate=value, interval=(value - half, value + half), pieces=(np.zeros(2),))


def compared(values: dict[str, float], *, model: str = "lr", truth: float | None = None, **more: Entry):
    entries = {name: entry(name, value) for name, value in values.items()} | more
    return ModelComparison(model, get_metric("accuracy"), 0.884, (0.875, 0.892), truth, 6000, 1000, entries)


ABSENT = Entry("denoised", available=False, reason=f"Because {HOSTILE}")
SOME = compared({"source": 0.884, "younger": 0.82, "simple": 0.78, "mandoline": 0.794}, denoised=ABSENT)


def marks(figure: go.Figure) -> dict[str, go.Scatter]:
    return {trace.name: trace for trace in figure.data}


def notes(figure: go.Figure) -> dict[str, float]:
    return {note.text.replace("<b>", "").replace("</b>", ""): note.y for note in figure.layout.annotations}


@pytest.mark.parametrize("dark", [False, True])
def test_the_figure_says_what_to_see_and_names_its_axis(dark: bool) -> None:
    figure = charts.method_dots(SOME, chosen="mandoline", waiting=["kmm_slices"], dark=dark)
    title = figure.layout.title.text
    assert title.replace("<br>", " ") == "3 methods say 78.0% to 82.0%; labelled data: 88.4%"
    assert max(len(line) for line in title.split("<br>")) <= TITLE_WIDTH
    assert "accuracy (share of rows; axis" in figure.layout.xaxis.title.text.replace("<br>", " ")
    assert figure.layout.template.layout.font.color == (DARK if dark else LIGHT).ink


def test_dots_and_intervals_are_the_entries() -> None:
    dots = marks(charts.method_dots(SOME, chosen="mandoline"))
    for name in ("simple", "mandoline", "younger"):
        low, high = SOME.entries[name].interval
        assert dots[name].x[0] == SOME.entries[name].estimate
        assert dots[name].x[0] - dots[name].error_x.arrayminus[0] == pytest.approx(low)
        assert dots[name].x[0] + dots[name].error_x.array[0] == pytest.approx(high)


def test_groups_come_in_order_and_what_does_not_apply_is_last() -> None:
    figure = charts.method_dots(SOME, chosen="mandoline", waiting=["kmm_slices"])
    places = notes(figure)
    assert places[PAPER] > places[LATER] > places[WITHOUT] > places["does not apply"] > places["not run yet"]
    dots = marks(figure)
    assert places[PAPER] > dots["simple"].y[0] > places[LATER] > dots["younger"].y[0] > places[WITHOUT]
    assert list(figure.layout.yaxis.tickvals) == sorted(figure.layout.yaxis.tickvals, reverse=True)


def test_the_reason_shows_when_hovering_and_no_text_becomes_markup() -> None:
    figure = charts.method_dots(SOME, chosen="mandoline")
    (said,) = [note.hovertext for note in figure.layout.annotations if note.text == "does not apply"]
    assert "Because &lt;img" in said
    written = json.loads(figure.to_json())
    del written["layout"]["template"]
    text = json.dumps(written)
    assert not [markup for markup in ("<img", "%{", "$x$") if markup in text]


def test_the_projects_own_method_differs_in_shape_size_and_name() -> None:
    figure = charts.method_dots(SOME, chosen="simple")
    dots = marks(figure)
    assert dots["simple"].marker.symbol != dots["mandoline"].marker.symbol
    assert dots["simple"].marker.size > dots["mandoline"].marker.size
    assert [tick for tick in figure.layout.yaxis.ticktext if "◆" in tick] == [
        "<b>◆ Post-stratification on<br>slices</b><br><b>78.0% (76.0 to 80.0)</b>"
    ]


def test_the_truth_is_a_dashed_line_only_when_it_is_given() -> None:
    assert "true value" not in marks(charts.method_dots(SOME, chosen="mandoline"))
    shown = marks(charts.method_dots(replace(SOME, truth=0.79), chosen="mandoline"))
    assert (shown["true value"].x, shown["true value"].line.color, shown["true value"].line.dash) == (
        (0.79, 0.79),
        TRUTH,
        "dash",
    )
    assert (shown["labelled data"].x, shown["labelled data"].line.color) == ((0.884, 0.884), SOURCE)


def test_an_estimate_far_from_all_others_does_not_break_the_axis() -> None:
    """It becomes an arrow at the edge, with its number beside it; the others keep their room."""
    values = {"simple": 0.78, "mandoline": 0.79, "cbiw_slices": 0.8, "kmm_slices": 0.795, "younger": 0.3}
    found = compared(values)
    low, high = axis_span(found, "mandoline")
    assert low > 0.6
    figure = charts.method_dots(found, chosen="mandoline")
    arrow = marks(figure)["younger"]
    assert arrow.marker.symbol == "triangle-left"
    assert low <= arrow.x[0] <= high
    assert "30.0% (28.0 to 32.0) (beyond the axis)" in arrow.hovertext
    assert "30.0% (28.0 to 32.0)" in figure.layout.yaxis.ticktext[-1]
    own = axis_span(found, "younger")
    assert own[0] < 0.3, "the project's own estimate is always on the axis"


def test_numbers_that_are_no_shares_are_written_plainly() -> None:
    found = replace(compared({"simple": 12.5, "mandoline": 14.0}), metric=get_metric("mean"), source=11.0)
    figure = charts.method_dots(found, chosen="mandoline")
    assert "2 methods say 12.5 to 14;" in figure.layout.title.text.replace("<br>", " ")
    assert "%" not in "".join(figure.layout.yaxis.ticktext)


def test_no_method_at_all_is_a_figure_too() -> None:
    figure = charts.method_dots(compared({"source": 0.884}, denoised=ABSENT), chosen="denoised")
    assert figure.layout.title.text.startswith("No method applies")


def ranked(truth: bool) -> Comparison:
    models = {
        name: compared(values, model=name, truth=0.8 + i / 100 if truth else None)
        for i, (name, values) in enumerate(
            {
                "lr": {"simple": 0.78, "mandoline": 0.79},
                "nb": {"simple": 0.8, "mandoline": 0.78},
                HOSTILE: {"simple": 0.7},
            }.items()
        )
    }
    return summarise("x", models, 0.95)


def test_every_model_has_a_colour_and_a_shape_of_its_own_and_a_dot_a_method() -> None:
    figure = charts.model_dots(ranked(truth=False), chosen="mandoline")
    assert list(figure.data[0].x) == [0.78, 0.79]
    assert list(figure.data[2].x) == [0.7, None]
    assert len({mark.y[0] for mark in figure.data}) == 3, "none hides another"
    assert len({(mark.marker.symbol, mark.marker.color) for mark in figure.data}) == 3
    assert len({mark.marker.symbol for mark in figure.data}) == 3
    assert any("nb" in line.text for line in figure.layout.annotations)
    assert figure.layout.yaxis.ticktext[1] == "<b>◆ Mandoline</b><br>lr, nb"
    assert figure.layout.title.text == "1 of 2 methods rank lr first"


def test_the_truth_of_every_model_is_the_first_line() -> None:
    figure = charts.model_dots(ranked(truth=True), chosen="mandoline", dark=True)
    assert "true value" in figure.layout.yaxis.ticktext[0]
    assert [mark.x[0] for mark in figure.data] == pytest.approx([0.8, 0.81, 0.82])
    assert figure.layout.template.layout.font.color == DARK.ink


def test_models_names_never_become_markup() -> None:
    written = json.loads(charts.model_dots(ranked(truth=True), chosen="mandoline").to_json())
    del written["layout"]["template"]
    text = json.dumps(written)
    assert not [markup for markup in ("<img", "%{", "$x$") if markup in text]


def test_an_order_is_written_as_far_as_it_fits() -> None:
    assert order_words(("nb",)) == "nb"
    assert order_words([f"model {i}" for i in range(30)]).endswith(", …")
    assert order_words(("<b>", "lr")) == "&lt;b&gt;, lr"
