"""The report's pictures by name: one function each, from a report to a Plotly figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.report import Report

if TYPE_CHECKING:
    import plotly.graph_objects as go

Plot = Callable[..., "go.Figure"]


def plot_estimate(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw the labelled score and the estimate with their intervals, and the true value where it is known."""
    return charts.estimate_strip(report.of(model), reveal=True, dark=dark)


def plot_weights(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw how many labelled rows weigh how much."""
    return charts.weight_histogram(report.of(model), dark=dark)


def plot_ablation(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw the estimate as slices are added one by one."""
    one = report.of(model)
    curves = report.ablation(model, leave_one_out=False)
    return charts.ablation_curve(curves, truth=one.truth, share=is_share(one), dark=dark)


def plot_leave_one_out(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw what the estimate loses without each slice."""
    one = report.of(model)
    full = (one.without or one).estimate
    return charts.leave_one_out(report.ablation(model), full=full, share=is_share(one), dark=dark)


def plot_attribution(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw the way from the labelled score to the estimate as a waterfall of slices."""
    one = report.of(model)
    parts, metric = report.attribution(model), one.problem.metric.spoken
    return charts.waterfall(parts, one.source, metric=metric, share=is_share(one), dark=dark)


def plot_balance(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw how far columns differ from the new data before and after weighting (love plot)."""
    lines = (report.of(model).evidence.columns or ())[:20]
    if not lines:
        raise MandolineError("No column outside the slices can be compared, so there is nothing to draw.")
    names, before, after = zip(*((line.name, line.before, line.after) for line in lines), strict=True)
    return charts.balance(names, before, after, [False] * len(lines), dark=dark)


def plot_methods(report: Report, model: str | None = None, *, dark: bool = False) -> go.Figure:
    """Draw what every method estimates."""
    one = report.of(model)
    return charts.method_dots(report.compare().models[one.model], chosen=one.estimator, dark=dark)


PLOTS: dict[str, Plot] = {
    "estimate": plot_estimate,
    "weights": plot_weights,
    "ablation": plot_ablation,
    "leave_one_out": plot_leave_one_out,
    "attribution": plot_attribution,
    "balance": plot_balance,
    "methods": plot_methods,
}


def plot(report: Report, what: str, model: str | None, *, dark: bool) -> go.Figure:
    """Draw one of the pictures by its name."""
    if what not in PLOTS:
        raise MandolineError(f"Unknown plot {what!r}. Plots: {listed(PLOTS)}.{did_you_mean(what, PLOTS)}")
    return PLOTS[what](report, model, dark=dark)
