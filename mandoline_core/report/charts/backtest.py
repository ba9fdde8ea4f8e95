"""The error of every method where the true value was known, by kind of shift."""

from __future__ import annotations

import statistics

import plotly.graph_objects as go

from mandoline_core.comparison.backtests import EXPECTED_KINDS, MethodRecord, ModelBacktest
from mandoline_core.formatting import show_difference, show_percent
from mandoline_core.report.charts.comparison import offset, short_title
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import safe, swatch
from mandoline_core.report.words import title_of

# Colours that colour-blind people can distinguish, and a shape of its own for each.
KINDS = {
    "slices": ("circle", "#0072B2"),
    "held-out slice": ("square", "#D55E00"),
    "class": ("cross", "#CC79A7"),
    "column": ("triangle-up", "#009E73"),
}
_ROW = 54


def method_order(backtest: ModelBacktest) -> list[str]:
    """List the methods, the smallest average error first; those that never succeeded last."""
    methods = dict.fromkeys(name for records in backtest.kinds.values() for name in records)
    errors = {name: backtest.expected_error(name) for name in methods}
    return sorted(methods, key=lambda name: (errors[name] is None, errors[name] or 0.0))


def coverage(backtest: ModelBacktest, method: str) -> float | None:
    """Average how often a method's intervals contained the true value, over the kinds that tilt the source."""
    records = [backtest.kinds[kind].get(method) for kind in EXPECTED_KINDS if kind in backtest.kinds]
    shares = [record.coverage for record in records if record is not None and record.coverage is not None]
    return statistics.fmean(shares) if shares else None


def backtest_errors(backtest: ModelBacktest, *, dark: bool = False) -> go.Figure:
    """Show every method's mean absolute error by kind of shift, the smallest average error on top."""
    share, figure = backtest.metric.share, Drawing(dark)
    scale, colours, methods = 100.0 if share else 1.0, figure.colours, method_order(backtest)
    heights = dict(zip(methods, figure.rows([_tick(backtest, name) for name in methods], grid=True), strict=True))
    furthest = 0.0
    for number, (kind, records) in enumerate(backtest.kinds.items()):
        symbol, colour = KINDS.get(kind, ("x", colours.ink))
        shown = {name: one for name, one in records.items() if one.mean_absolute_error is not None}
        errors = [scale * (record.mean_absolute_error or 0.0) for record in shown.values()]
        figure.points(
            errors,
            [heights[name] + offset(number, len(backtest.kinds)) for name in shown],
            kind,
            symbol=symbol,
            size=11,
            colour=colour,
            outline={"width": 1, "color": colours.paper},
            hover=[_words(name, kind, record, share) for name, record in shown.items()],
        )
        furthest = max([furthest, *errors])
    if backtest.estimator in heights:
        figure.highlight(heights[backtest.estimator])
    figure.x_axis = {"range": [-0.02 * furthest, 1.06 * furthest or 1.0], "nticks": 5, "showgrid": True}
    keys = [swatch(*KINDS[kind], kind) for kind in backtest.kinds if kind in KINDS]
    lines = ["   ".join(keys[i : i + 2]) for i in range(0, len(keys), 2)]  # two in a line fit on a phone
    figure.key(*lines)
    return figure.finish(
        title=_title(backtest),
        x=f"mean absolute error ({'points' if share else 'in units of the metric'}); grey: your method",
        height=_ROW * max(len(methods), 1) + 60,
        head=18 * max(len(lines), 1) + 4,
    )


def _tick(backtest: ModelBacktest, name: str) -> str:
    title, error, held = short_title(name), backtest.expected_error(name), coverage(backtest, name)
    written = "failed" if error is None else show_difference(error, share=backtest.metric.share)
    covers = "" if held is None else f", covers {show_percent(held)}"
    return f"{f'<b>{title}</b>' if name == backtest.estimator else title}<br>{written}{covers}"


def _title(backtest: ModelBacktest) -> str:
    own = backtest.expected_error(backtest.estimator)
    if own is None:
        return "Backtest: your method had no estimate"
    return f"Backtest: your method is off by {show_difference(own, share=backtest.metric.share)} on made shifts"


def _words(name: str, kind: str, record: MethodRecord, share: bool) -> str:
    held = "" if record.coverage is None else f"<br>{show_percent(record.coverage)} of intervals contain the true value"
    off = show_difference(record.mean_absolute_error or 0.0, share=share)
    return f"<b>{safe(title_of(name))}</b>, {kind}<br>off by {off} on average{held}<br>{record.n} samples"
