"""Figures show the report's own numbers, say what to see, and never let a name become markup."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import mandoline_core as md
from mandoline_core import Ablation, AblationPoint, ModelReport, SliceRow
from mandoline_core.report import charts
from mandoline_core.report.charts.style import DARK, LIGHT, TITLE_WIDTH, label, safe, shorten, wrap

REVIEWS = Path(__file__).parents[4] / "sample_data" / "reviews" / "project.toml"
HOSTILE = ("<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "<a href='x'>y</a> & $x$ %{y}", "n" * 300)
WITHOUT_Y_TITLE = ("estimate_strip", "slice_graph", "row_map")  # one axis; no axes at all; axes without a meaning


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS), reveal=True).first


@pytest.fixture(scope="module")
def curves(report: ModelReport) -> Ablation:
    return md.ablation(report.fit, md.load_project(REVIEWS).estimator)


@pytest.fixture(scope="module")
def rows(report: ModelReport) -> tuple[SliceRow, ...]:
    return md.slice_table(report.fit)


def named_codes(names: tuple[str, ...], *, seed: int = 0, **settings: object) -> ModelReport:
    """Report on random slices with the given names."""
    rng = np.random.default_rng(seed)
    source = np.where(rng.random((400, len(names))) < 0.4, 1, -1)
    target = np.where(rng.random((300, len(names))) < 0.5, 1, -1)
    return md.estimate_from_codes(source, rng.random(400) < 0.8, target, names=names, **settings).first


def made_ablation(names: tuple[str, ...]) -> Ablation:
    """Make a falling curve without gaps."""
    values = [0.9 - 0.01 * i for i in range(len(names) + 1)]
    points = [AblationPoint(None, values[0], (0.85, 0.95), 100.0)]
    points += [AblationPoint(name, v, (v - 0.05, v + 0.05), 90.0) for name, v in zip(names, values[1:], strict=True)]
    left_out = [replace(point, estimate=values[-1] + 0.01 * i) for i, point in enumerate(points[1:])]
    return Ablation(tuple(points), tuple(left_out))


def made_map(names: tuple[str, ...], shade: charts.Shade | None = None, *, dark: bool = False) -> go.Figure:
    """Draw a map of one labelled row for each name and of three new rows."""
    n = len(names)
    found = md.RowMap(np.arange(2.0 * n).reshape(n, 2), np.ones((3, 2)), np.arange(n), np.arange(3), n, 9, names, {})
    hover = charts.hover_lines([[(name, name), ("n", "1")] for name in names])
    return charts.row_map(found, (hover, ["new"] * 3), shade=shade, selected=((0,), (1, 2)), dark=dark)


@cache
def every_chart(names: tuple[str, ...], *, dark: bool = False) -> dict[str, go.Figure]:
    """Draw every figure with the given slice names."""
    report, curves = named_codes(names), made_ablation(names)
    pairs = list(pairwise(names))
    return {
        "estimate_strip": charts.estimate_strip(report, reveal=False, dark=dark),
        "weight_histogram": charts.weight_histogram(report, dark=dark),
        "ablation_curve": charts.ablation_curve(curves, truth=0.8, dark=dark),
        "leave_one_out": charts.leave_one_out(curves, full=0.8, dark=dark),
        "histogram_with_cut": charts.histogram_with_cut(
            [1.0, 2.0, np.nan], [2.0, 3.0], column=names[0], bounds={"above": 1.5}, dark=dark
        ),
        "slice_graph": charts.slice_graph(names, pairs[:1], [(*pair, 4.0) for pair in pairs[1:2]], dark=dark),
        "pair_gaps": charts.pair_gaps(pairs, [0.1] * len(pairs), [0.01] * len(pairs), dark=dark),
        "balance": charts.balance(names, [0.5] * len(names), [0.2] * len(names), [False] * len(names), dark=dark),
        "row_map": made_map(names, dark=dark),
        "class_balance": charts.class_balance({name: 1 / len(names) for name in names}, None, dark=dark),
    }


ALL = sorted(every_chart(("a", "b")))


def trace(figure: go.Figure, name: str) -> go.Figure:
    return next(trace for trace in figure.data if trace.name == name)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("n_slices", [1, 3, 30])
@pytest.mark.parametrize("name", ALL)
def test_every_figure_has_a_title_axis_titles_and_the_template_of_its_theme(name, n_slices, dark):
    figure = every_chart(tuple(f"slice {i}" for i in range(n_slices)), dark=dark)[name]
    assert figure.layout.title.text
    assert figure.layout.xaxis.title.text
    assert bool(figure.layout.yaxis.title.text) == (name not in WITHOUT_Y_TITLE)
    assert figure.layout.height > 100
    assert figure.layout.template.layout.font.color == (DARK if dark else LIGHT).ink
    assert json.loads(figure.to_json())["data"]


@pytest.mark.parametrize("name", ALL)
def test_names_never_become_markup(name):
    figure = every_chart(HOSTILE)[name]
    written = json.loads(figure.to_json())
    del written["layout"]["template"]
    text = json.dumps(written, ensure_ascii=False)
    for markup in ("<img", "<a ", "%{", "$x$"):
        assert markup not in text
    assert "n" * 81 not in text


@pytest.mark.parametrize("name", ALL)
def test_titles_fit_a_phone(name):
    lines = every_chart(("n" * 300, "two words"))[name].layout.title.text.split("<br>")
    assert max(len(line) for line in lines) <= TITLE_WIDTH


def test_escaping_keeps_the_text_readable():
    assert safe(HOSTILE[0]) == "&lt;img src=x onerror=alert(1)&gt;"
    assert safe(HOSTILE[1]) == HOSTILE[1]
    assert safe("&lt;") == "&amp;lt;"
    assert safe("a\u202eb\nc") == "ab c"
    assert safe("  ") == "(no name)"
    assert label("<" * 30, 5) == "&lt;" * 4 + "…"


def test_wide_characters_count_twice():
    assert shorten("長い名前です", 6) == "長い…"
    assert shorten("plain!", 6) == "plain!"


def test_wrapping_breaks_before_it_escapes():
    assert wrap("aaa <<< bbb", 7) == "aaa &lt;&lt;&lt;<br>bbb"


def test_the_strip_shows_source_estimate_and_their_intervals(report):
    figure = charts.estimate_strip(report, reveal=False)
    marks = {mark.name: mark for mark in figure.data}
    assert list(marks) == ["labelled data", "sampling error alone", "new data (estimate)"]
    assert marks["sampling error alone"].x == report.sampling_interval
    for mark, value, interval in (
        (marks["labelled data"], report.source, report.source_interval),
        (marks["new data (estimate)"], report.estimate, report.interval),
    ):
        assert mark.x == (value,)
        assert value - mark.error_x.arrayminus[0] == pytest.approx(interval[0])
        assert value + mark.error_x.array[0] == pytest.approx(interval[1])
    assert len({marks[name].marker.symbol for name in ("labelled data", "new data (estimate)")}) == 2
    assert "79.4% (76.5 to 82.0)" in figure.layout.yaxis.ticktext[1]
    assert "9.0 points lower" in figure.layout.title.text


def test_the_strip_shows_the_truth_only_when_revealed_and_known(report):
    revealed = charts.estimate_strip(report, reveal=True)
    assert trace(revealed, "true value").x == (report.truth,)
    assert len(charts.estimate_strip(report, reveal=False).data) == 3
    assert len(charts.estimate_strip(replace(report, truth=None), reveal=True).data) == 3


def test_the_strip_of_a_failed_fit_shows_no_estimate(report):
    figure = charts.estimate_strip(replace(report, converged=False), reveal=False)
    assert [mark.name for mark in figure.data] == ["labelled data"]
    assert figure.layout.title.text.startswith("There is no estimate")


def test_zoomed_axes_say_so(report):
    assert "does not start at 0" in charts.estimate_strip(report, reveal=False).layout.xaxis.title.text.replace(
        "<br>", " "
    )


@pytest.mark.parametrize("log_counts", [False, True])
def test_the_weights_add_up_to_the_source_rows(report, log_counts):
    figure = charts.weight_histogram(report, log_counts=log_counts)
    assert sum(figure.data[0].y) == report.n_source
    assert len(set(figure.data[0].x)) == len(figure.data[0].x)
    assert figure.layout.yaxis.type == ("log" if log_counts else None)
    assert "weighs 10x" in figure.layout.title.text


def test_each_row_is_counted_in_the_bar_of_its_ratio(report):
    bars = charts.weight_histogram(report).data[0]
    table = report.problem.patterns
    for place, rows in zip(bars.x, bars.y, strict=True):
        with np.errstate(divide="ignore"):
            near = np.abs(np.log2(report.ratios) - place) <= 0.25
        assert rows == table.source[near].sum()


def test_hovering_a_bar_names_its_patterns(report):
    words = charts.weight_histogram(report).data[0].hovertext
    assert any("negation" in word and "short" in word for word in words)
    assert any("more combinations" in word for word in words)


def test_rows_that_count_for_nothing_have_a_bar_of_their_own():
    source = [[1, -1]] * 30 + [[-1, 1]] * 40 + [[-1, -1]] * 50
    target = [[1, -1]] * 20 + [[-1, -1]] * 20
    report = md.estimate_from_codes(source, [1.0] * 120, target, names=("a", "b"), estimator="simple").first
    figure = charts.weight_histogram(report)
    at = figure.layout.xaxis.ticktext.index("0x")
    zero = figure.layout.xaxis.tickvals[at]
    assert at == 0
    assert zero < min(x for x in figure.data[0].x if x != zero)
    assert figure.data[0].y[list(figure.data[0].x).index(zero)] == 40
    assert sum(figure.data[0].y) == 120


def test_equal_weights_share_the_bar_at_one():
    figure = charts.weight_histogram(named_codes(("a", "b"), estimator="source"))
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([0.0], [400.0])


def test_extreme_weights_still_have_few_bars_and_ticks(report):
    ratios = np.geomspace(1e-30, 5e5, len(report.ratios))
    figure = charts.weight_histogram(replace(report, ratios=ratios))
    assert sum(figure.data[0].y) == report.n_source
    assert len(figure.data[0].x) <= 26
    assert len(figure.layout.xaxis.tickvals) <= 8


def test_the_curve_shows_the_ablation(curves, report):
    figure = charts.ablation_curve(curves, truth=report.truth)
    line = trace(figure, "estimate")
    assert list(line.y) == [point.estimate for point in curves.cumulative]
    assert line.y[0] == report.source
    assert line.y[-1] == pytest.approx(report.estimate)
    band = trace(figure, "interval")
    ends = [point.interval for point in curves.cumulative]
    assert list(band.y) == [high for _, high in ends] + [low for low, _ in reversed(ends)]
    assert set(trace(figure, "true value").y) == {report.truth}
    assert trace(figure, "true value").line.dash == "dash"
    assert figure.layout.xaxis.ticktext[:2] == ("no slices", "negation")
    assert figure.layout.title.text == "Slices move the estimate down 9.0 points"


def test_a_curve_without_truth_shows_none(curves):
    assert "true value" not in [line.name for line in charts.ablation_curve(curves, truth=None).data]


def test_missing_points_are_gaps_that_say_why(curves):
    points = list(curves.cumulative)
    points[2] = AblationPoint("short", None, None, None, "The <weights> could not be fitted.")
    figure = charts.ablation_curve(replace(curves, cumulative=tuple(points)), truth=None)
    assert trace(figure, "estimate").y[2] is None
    assert not trace(figure, "estimate").connectgaps
    gap = trace(figure, "no estimate")
    assert list(gap.x) == [2]
    assert "The &lt;weights&gt; could not be fitted." in gap.hovertext[0]
    assert [line.name for line in figure.data].count("interval") == 2


def test_a_curve_that_ends_in_a_gap_claims_nothing(curves):
    points = (*curves.cumulative[:-1], AblationPoint("last", None, None, None, "No."))
    figure = charts.ablation_curve(replace(curves, cumulative=points), truth=None)
    assert figure.layout.title.text == "No estimate with all slices"


@pytest.mark.parametrize("share", [True, False])
def test_leaving_out_shows_signed_differences_sorted(share):
    curves = made_ablation(("a", "b", "c"))
    full = curves.leave_one_out[1].estimate - 0.021
    bars = charts.leave_one_out(curves, full=full, share=share).data[0]
    expected = [point.estimate - full for point in reversed(curves.leave_one_out)]
    assert list(bars.x) == pytest.approx([change * (100 if share else 1) for change in expected])
    assert bars.text[1] == ("+2.1" if share else "+0.021")


def test_leaving_out_matches_the_ablation(curves, report):
    figure = charts.leave_one_out(curves, full=report.estimate)
    shown = dict(zip(figure.layout.yaxis.ticktext, figure.data[0].x, strict=True))
    for point in curves.leave_one_out:
        assert shown[point.slice] == pytest.approx(100 * (point.estimate - report.estimate))
    assert figure.layout.title.text.startswith("Without negation the estimate is 1.0")


def test_leaving_out_says_where_there_is_no_estimate():
    curves = Ablation((), (AblationPoint("a", None, None, None, "Because."), AblationPoint("b", 0.5, None, 10.0)))
    bars = charts.leave_one_out(curves, full=0.4).data[0]
    assert list(bars.text) == ["+10.0", "no estimate"]
    assert "Because." in bars.hovertext[1]


def test_class_balance_shows_both_shares_from_zero():
    figure = charts.class_balance({"long": 0.88, "short": 0.12}, {"long": 0.4, "short": 0.6})
    source, target = trace(figure, "labelled"), trace(figure, "new")
    assert list(source.x) == [88.0, 12.0]
    assert list(target.x) == [40.0, 60.0]
    assert (source.marker.color, target.marker.color) == (charts.SOURCE, charts.TARGET)
    assert source.marker.pattern.shape != target.marker.pattern.shape
    assert figure.layout.xaxis.range[0] == 0
    assert "shifts most: 88.0% of labelled data, 40.0%" in figure.layout.title.text.replace("<br>", " ")


def test_classes_that_are_as_frequent_keep_one_order():
    shares = dict.fromkeys("badc", 0.25)
    assert charts.class_balance(shares, None).layout.yaxis.ticktext == ("a", "b", "c", "d")


def test_no_slices_is_a_figure_too():
    assert charts.pair_gaps([], [], []).layout.title.text == "Pairs need two slices"
    assert charts.slice_graph([], [], []).layout.title.text == "No two slices move together"


def test_rare_classes_are_put_together():
    shares = {f"class {i}": 1 / 30 for i in range(30)}
    figure = charts.class_balance(shares, shares)
    assert len(figure.data[0].x) == 21
    assert sum(figure.data[0].x) == pytest.approx(100)
    assert figure.layout.yaxis.ticktext[-1] == "10 others"


@pytest.mark.parametrize(
    ("target", "title"),
    [
        (0.5, "No class shifts by more than 1 point"),
        (0.496, "No class shifts by more than 1 point"),
        (0.49, "No class shifts by more than 1 point"),
        (0.489, "yes shifts most: 50.0% of labelled data, 48.9% of new data"),
        (0.3, "yes shifts most: 50.0% of labelled data, 30.0% of new data"),
    ],
)
def test_class_balance_names_a_shift_only_where_there_is_one(target, title):
    others = (1 - target) / 2
    figure = charts.class_balance(
        {"yes": 0.5, "no": 0.25, "maybe": 0.25}, {"yes": target, "no": others, "maybe": others}
    )
    assert figure.layout.title.text.replace("<br>", " ") == title


def test_an_unknown_target_has_no_bars():
    figure = charts.class_balance({"yes": 0.7, "no": 0.3}, None)
    assert [bars.name for bars in figure.data] == ["labelled"]
    assert list(figure.data[0].x) == [70.0, 30.0]


@pytest.mark.parametrize(
    ("bounds", "shares"),
    [
        ({"above": 2.0}, [(0.5, 0.0), (0.25, 1.0)]),
        ({"at_least": 2.0}, [(0.25, 0.0), (0.5, 1.0)]),
        ({"below": 2.0}, [(0.25, 0.0), (0.5, 1.0)]),
        ({"at_most": 2.0}, [(0.5, 0.0), (0.25, 1.0)]),
        ({"above": 3.0, "below": 2.0}, [(0.25, 0.0), (0.5, 0.5), (0.0, 0.5)]),
        ({"at_least": 3.0, "below": 2.0}, [(0.25, 0.0), (0.25, 0.0), (0.25, 1.0)]),
    ],
)
def test_the_shares_on_either_side_of_a_cut_are_printed(bounds, shares):
    figure = charts.histogram_with_cut([1, 2, 3, np.nan], [3, 4], column="n", bounds=bounds)
    blocks = [note.text for note in figure.layout.annotations]
    assert len(blocks) == len(shares)
    for block, (source, target) in zip(blocks, shares, strict=True):
        assert f"labelled {source:.1%}" in block
        assert f"new {target:.1%}" in block
    assert len(figure.layout.shapes) == len(bounds)
    assert "missing: 25.0%" in figure.layout.xaxis.title.text.replace("<br>", " ")


def test_the_mean_score_of_every_bin_with_enough_rows_is_drawn_below():
    """On an axis of its own, from 0 to 1; bins with few rows have none."""
    values = np.repeat([1.0, 2.0, 3.0], [20, 40, 3])
    scores = charts.ScoresByValue(
        values, np.concatenate([np.ones(20), np.tile([1.0, 0.0], 20), np.ones(3)]), "accuracy", share=True
    )
    figure = charts.histogram_with_cut(values, values, column="n", bounds={"above": 1.5}, scores=scores)
    drawn = trace(figure, "accuracy")
    assert (drawn.yaxis, list(drawn.x), list(drawn.y)) == ("y2", [1.0, 2.0], [1.0, 0.5])
    assert drawn.hovertext[1] == "accuracy 50.0%, 1.5 to 2.5 (40 labelled rows)"
    assert tuple(figure.layout.yaxis2.range) == (0, 1)
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]
    few = charts.ScoresByValue(values[-3:], np.ones(3), "accuracy", share=True)
    plain = charts.histogram_with_cut(values, values, column="n", bounds={"above": 1.5}, scores=few)
    assert [one.name for one in plain.data] == ["labelled data", "new data"]


def test_densities_add_up_to_the_known_rows_however_far_they_reach():
    rng = np.random.default_rng(0)
    source, target = rng.normal(size=5000), np.append(rng.normal(1, 1, 4999), 1e9)
    figure = charts.histogram_with_cut(source, target, column="x", bounds={})
    assert sum(trace(figure, "labelled data").y) == pytest.approx(100)
    assert sum(trace(figure, "new data").y[:-1]) == pytest.approx(100)
    assert "all values beyond" in figure.layout.xaxis.title.text.replace("<br>", " ")


@pytest.mark.parametrize("values", [[], [np.nan], [5.0], [5.0, 5.0], [0.1, 0.1], [np.inf, 1.0]])
def test_a_column_with_hardly_any_values_can_be_shown(values):
    figure = charts.histogram_with_cut(values, values, column="x", bounds={"above": 3.0})
    assert sum(trace(figure, "labelled data").y) == pytest.approx(100 * np.mean([v == v for v in values] or [0]))


@pytest.mark.parametrize("dark", [False, True])
def test_the_matrix_shows_its_numbers_in_colours_that_can_be_read(dark):
    html = charts.correction_matrix(0.95, 0.02, 0.4, title="Labelled data", dark=dark)
    cells = re.findall(r"background-color:rgb\((\d+),\d+,\d+\);color:(#\w+);[^>]*>([\d.]+)%</td>", html)
    assert [float(cell) for _, _, cell in cells] == [95, 2, 40, 5, 98, 60]  # truly in, then truly out
    for shade, ink, _ in cells:
        assert (int(shade) > 140) == (ink == "#16191D")  # dark letters on what is light, light ones on what is dark
    assert re.findall(r'scope="col"[^>]*>(\w+)<', html) == ["yes", "no", "abstains"]
    assert len(re.findall(r'scope="col"', charts.correction_matrix(1, 0, None, title="t"))) == 2


def test_the_matrix_shows_every_digit_and_escapes_its_title():
    html = charts.correction_matrix(0.525, 0.005, 1 / 3, title="<b>x")
    assert all(f">{number}%<" in html for number in ("52.5", "0.5", "33.3", "47.5", "99.5", "66.7"))
    assert "<b>x" not in html


@pytest.mark.parametrize("dark", [False, True])
def test_tables_and_bars_of_pairs_escape_what_people_wrote(dark):
    line = charts.pair_line(0.25, "<b>x</b> agree", "79.4% → 79.1%", dark=dark)
    assert "width:25.0%" in line
    assert "&lt;b&gt;x" in line
    table = charts.rate_table({"<i>a": ["4.0%", "9.0% → 8.0%"]}, ["labelled data", "new data"])
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", table) == [
        *("", "labelled data", "new data"),
        *("&lt;i&gt;a", "4.0%", "9.0% → 8.0%"),
    ]
    assert charts.side_by_side([line, table]).count("flex:1") == 2


def test_suggested_edges_are_dashed_and_wider_the_stronger():
    names = ("a", "b", "c", "d")
    figure = charts.slice_graph(names, [("a", "b")], [("a", "c", 3.0), ("b", "c", -9.0)])
    weak, strong = (line for line in figure.data if line.name == "suggested")
    assert weak.line.dash == strong.line.dash == "dash"
    assert strong.line.width > weak.line.width
    assert trace(figure, "edge").line.dash == "solid"
    assert figure.layout.title.text == "Worth joining: b and c, and 1 more"


def test_every_slice_has_a_place_of_its_own_on_the_circle():
    nodes = trace(charts.slice_graph([f"s{i}" for i in range(charts.MOST_NODES)], [], []), "slices")
    assert len(set(zip(nodes.x, nodes.y, strict=True))) == charts.MOST_NODES
    assert np.allclose(np.hypot(nodes.x, nodes.y), 1)


def test_pairs_are_sorted_by_what_remains_and_shown_in_points():
    figure = charts.pair_gaps([("a", "b"), ("a", "c"), ("b", "c")], [0.2, 0.1, 0.3], [0.01, -0.05, 0.0])
    assert list(trace(figure, "after").x) == pytest.approx([-5.0, 1.0, 0.0])
    assert list(trace(figure, "before").x) == pytest.approx([10.0, 20.0, 30.0])
    assert figure.layout.yaxis.ticktext == ("a + c", "a + b", "b + c")
    assert trace(figure, "before").marker.symbol == "circle-open"


def test_many_pairs_are_cut_and_the_figure_says_so():
    pairs = [(f"a{i}", f"b{i}") for i in range(435)]
    figure = charts.pair_gaps(pairs, [0.1] * 435, [0.01] * 435)
    assert len(trace(figure, "after").x) == 20
    assert "20 of 435 pairs" in figure.layout.xaxis.title.text.replace("<br>", " ")


def test_balance_greys_what_matches_by_construction():
    figure = charts.balance(["n", "negation", "m"], [0.5, 0.4, 0.1], [0.3, 0.0, float("nan")], [False, True, False])
    after = trace(figure, "after")
    assert list(after.x)[:2] == [0.3, 0.0]
    assert after.marker.color == (LIGHT.ink, LIGHT.muted, LIGHT.ink)
    assert LIGHT.muted in figure.layout.yaxis.ticktext[1]
    assert "grey: slices" in figure.layout.xaxis.title.text.replace("<br>", " ")
    assert figure.layout.title.text.replace("<br>", " ") == "After weighting, n is off by 0.30 standard deviations"


def test_figures_are_saved_under_their_names():
    config = charts.chart_config("reviews-curve", "png")
    assert config["toImageButtonOptions"] == {"format": "png", "filename": "reviews-curve", "scale": 2}
    assert config["modeBarButtons"] == [["toImage"]]


def test_the_map_tells_the_samples_apart_by_colour_and_shape_and_says_how_many_it_shows():
    labelled, new = made_map(("a", "b")).data
    assert (labelled.marker.color, new.marker.color) == (charts.SOURCE, charts.TARGET)
    assert labelled.marker.symbol != new.marker.symbol
    assert (labelled.selectedpoints, new.selectedpoints) == ((0,), (1, 2))
    (key,) = made_map(("a", "b")).layout.annotations
    assert "2 labelled" in key.text
    assert "3 of 9 new" in key.text


def test_the_map_is_coloured_by_answers_scores_or_weights():
    right = charts.score_shade(np.array([1.0, 0.0, np.nan, 1.0]), "accuracy")
    assert right.ticks == {0.0: "wrong", 1.0: "right"}
    assert "33.3% of labelled rows" in right.title
    some = charts.score_shade(np.array([0.0, 2.0, 4.0]), "mean")
    assert list(some.ticks) == pytest.approx([0.08, 3.92])
    weights = charts.weight_shade(np.array([0.0, 1.0, 3.0]))
    assert weights.ticks == {-3.0: "1/8x", 0.0: "1x", 3.0: "8x"}
    assert weights.values.tolist() == [-3.0, 0.0, pytest.approx(np.log2(3))]
    labelled, new = made_map(("a", "b", "c", "d"), right).data
    assert labelled.marker.color.tolist() == [1.0, 0.0, 0.5, 1.0]
    assert labelled.marker.opacity.tolist() == [0.85, 0.85, 0.1, 0.85]  # what has no score is hardly seen
    assert new.marker.color not in (charts.SOURCE, charts.TARGET)
