"""How far every method was off where the truth was known, by kind of shift."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import plotly.graph_objects as go

from mandoline_core.comparison.backtests import EXPECTED_KINDS, MethodRecord, ModelBacktest
from mandoline_core.report.charts.comparison import short_title
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.ranking import beside
from mandoline_core.report.charts.template import finish, palette, safe
from mandoline_core.report.words import title_of

# Colours that people who see few of them tell apart, and a shape of its own for each.
KINDS = {
    "slices": ("circle", "#0072B2", "●"),
    "held-out slice": ("square", "#D55E00", "■"),
    "class": ("cross", "#CC79A7", "✚"),
    "column": ("triangle-up", "#009E73", "▲"),
}
_ROW = 54


def method_order(found: ModelBacktest) -> list[str]:
    """List the methods, the smallest error to expect first; those that never succeeded last."""
    methods = dict.fromkeys(name for judged in found.kinds.values() for name in judged)
    errors = {name: found.expected_error(name) for name in methods}
    return sorted(methods, key=lambda name: (errors[name] is None, errors[name] or 0.0))


def coverage(found: ModelBacktest, method: str) -> float | None:
    """Average how often a method's intervals held the truth over the kinds that tilt the source."""
    judged = [found.kinds[kind].get(method) for kind in EXPECTED_KINDS if kind in found.kinds]
    known = [one.coverage for one in judged if one is not None and one.coverage is not None]
    return statistics.fmean(known) if known else None


def backtest_errors(found: ModelBacktest, *, dark: bool = False) -> go.Figure:
    """Show every method's mean absolute error by kind of pseudo-target, the best to expect on top."""
    share, colours = found.metric.share, palette(dark)
    scale = 100.0 if share else 1.0
    methods = method_order(found)
    places = {name: -i for i, name in enumerate(methods)}
    figure = Drawing()
    values = [0.0]
    for number, (kind, judged) in enumerate(found.kinds.items()):
        symbol, colour, _ = KINDS.get(kind, ("x", colours.ink, "x"))
        known = [(name, one) for name, one in judged.items() if one.mean_absolute_error is not None]
        figure.add_scatter(
            x=[scale * (one.mean_absolute_error or 0.0) for _, one in known],
            y=[places[name] + beside(number, len(found.kinds)) for name, _ in known],
            name=kind,
            mode="markers",
            cliponaxis=False,
            marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 1, "color": colours.paper}},
            hovertext=[_words(name, kind, one, share) for name, one in known],
            hoverinfo="text",
        )
        values += [scale * (one.mean_absolute_error or 0.0) for _, one in known]
    if found.estimator in places:
        place = places[found.estimator]
        figure.add_hrect(y0=place - 0.48, y1=place + 0.48, fillcolor=colours.band, line={"width": 0}, layer="below")
    figure.update_yaxes(
        tickvals=list(places.values()),
        ticktext=[_tick(found, name) for name in methods],
        range=[0.6 - max(len(methods), 1), 0.6],
        showgrid=True,
    )
    figure.update_xaxes(range=[-0.02 * max(values), 1.06 * max(values) or 1.0], nticks=5, showgrid=True)
    keys = [f'<span style="color:{KINDS[k][1]}">{KINDS[k][2]}</span> {k}' for k in found.kinds if k in KINDS]
    for line, some in enumerate(_pairs(keys)):
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=1,
            yref="paper",
            yanchor="bottom",
            yshift=18 * (len(_pairs(keys)) - 1 - line),
            text="   ".join(some),
            showarrow=False,
        )
    return finish(
        figure,
        title=_title(found),
        x=f"mean absolute error ({'points' if share else 'in units of the metric'}); on grey: your method",
        y="",
        height=_ROW * max(len(methods), 1) + 60,
        head=18 * max(len(_pairs(keys)), 1) + 4,
        dark=dark,
    )


def _pairs(keys: Sequence[str]) -> list[list[str]]:
    """Break the key into lines that fit on a phone."""
    return [list(keys[i : i + 2]) for i in range(0, len(keys), 2)]


def _tick(found: ModelBacktest, name: str) -> str:
    title = short_title(name)
    error, held = found.expected_error(name), coverage(found, name)
    said = "failed" if error is None else _number(error, found.metric.share)
    covers = "" if held is None else f", held {held:.0%}"
    title = f"<b>{title}</b>" if name == found.estimator else title
    return f"{title}<br>{said}{covers}"


def _title(found: ModelBacktest) -> str:
    own, plain = found.expected_error(found.estimator), found.expected_error("source")
    if own is None:
        return "Where the truth was known, your method found no answer"
    said = f"Where the truth was known, your method was off by {_number(own, found.metric.share)}"
    if plain is not None and found.estimator != "source":
        said += f", the labelled data's score by {_number(plain, found.metric.share)}"
    return said


def _number(value: float, share: bool) -> str:
    return f"{100 * value:.1f} points" if share else f"{value:.3g}"


def _words(name: str, kind: str, one: MethodRecord, share: bool) -> str:
    held = "" if one.coverage is None else f"; intervals held the truth {one.coverage:.0%} of the time"
    off = _number(one.mean_absolute_error or 0.0, share)
    return f"<b>{safe(title_of(name))}</b>, {kind}<br>off by {off} on average{held}<br>{one.n} draws"
