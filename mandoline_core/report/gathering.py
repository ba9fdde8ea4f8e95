"""What the HTML report shows in addition to the estimates, computed before it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TypeVar

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.checks import (
    ModelReport,
    SensitivityPoint,
    SliceStrength,
    sensitivity_bounds,
    sensitivity_curve,
    slice_strengths,
    weights_can_change,
)
from mandoline_core.comparison import ModelComparison, compare_model
from mandoline_core.comparison.backtests import ModelBacktest
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import ESTIMATORS, Mandoline
from mandoline_core.pipeline import Ablation, Attribution, Estimate, Progress, ablation, attribute, estimate
from mandoline_core.project import public_text
from mandoline_core.report.earlier import EarlierReport
from mandoline_core.report.report import GAMMAS, Report

PAPER = Mandoline.name
CHOSEN = 1.25
_N_BOUNDS = 41
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class HiddenChange:
    """Hold how far a hidden change could move the estimate.

    Parameters
    ----------
    report : Estimate
        The estimate whose weights are changed: the project's or, where its method has none, Mandoline's.
    bounds : dict of float to pair of floats
        By strength, before sampling error.
    points : tuple of SensitivityPoint
        Some of them with sampling error.
    strengths : tuple of SliceStrength
        The hidden change that leaving out each slice would make; empty where slices cannot be left out.
    """

    report: Estimate
    bounds: dict[float, Interval]
    points: tuple[SensitivityPoint, ...]
    strengths: tuple[SliceStrength, ...]

    @property
    def chosen(self) -> SensitivityPoint:
        """The strength that is marked."""
        return next(point for point in self.points if point.gamma == CHOSEN)


@dataclass(frozen=True, eq=False)
class ReportParts:
    """Hold what the HTML report shows, of the first model unless of all.

    Parameters
    ----------
    report : Report
        With the true value only if it is to be shown.
    effects, curves, comparison, hidden
        Each as computed, or a sentence that says why it cannot be computed.
    made_on : date
        The date in the report.
    project_file : str
        The project, as the file that makes the report again; empty without one.
    backtest : ModelBacktest, optional
        Of the first model, where it was run.
    earlier : EarlierReport, optional
        What to compare with.
    """

    report: Report
    effects: Attribution | str
    curves: Ablation | str
    comparison: ModelComparison | str
    hidden: HiddenChange | str
    made_on: date
    project_file: str = ""
    backtest: ModelBacktest | None = None
    earlier: EarlierReport | None = None

    def to_html(self) -> str:
        """Write one self-contained HTML file."""
        from mandoline_core.report.html.page import render_page  # it needs Plotly, which an estimate does not

        return render_page(self)


def gather_parts(
    report: Report,
    *,
    curves: Ablation | None = None,
    made_on: date | None = None,
    names: Mapping[str, str] | None = None,
    backtest: ModelBacktest | None = None,
    earlier: EarlierReport | None = None,
    progress: Progress | None = None,
) -> ReportParts:
    """Compute what the HTML report shows in addition to the estimates.

    Parameters
    ----------
    curves : Ablation, optional
        Of the first model, if already known.
    made_on : date, optional
        Today by default.
    names : mapping of str to str, optional
        What the data files are called, by role. By default, as in the project.
    backtest : ModelBacktest, optional
        Of the first model, where it was run.
    earlier : EarlierReport, optional
        What to compare with.
    progress : callable, optional
        Called with the current step and the share done, between 0 and 1.
    """
    first, settings = report.first, report.settings
    tell = progress or (lambda *_: None)

    def said(share: float) -> None:
        tell("slices one by one", 0.4 * share)

    effects = _tried(partial(attribute, first.fit, settings))
    compute = partial(ablation, first.fit, settings, leave_one_out=False, progress=said)
    found = _tried(compute) if curves is None else curves
    quick = [name for name, method in ESTIMATORS.items() if method.is_quick(first.problem)]
    methods = partial(
        compare_model,
        first.fit,
        settings,
        quick,
        lambda what, share: tell(what, 0.4 + 0.4 * share),
        draw=report.draw(first),
    )
    comparison = _tried(methods)
    if isinstance(comparison, ModelComparison):
        comparison = replace(comparison, truth=first.truth)
    tell("hidden changes", 0.8)
    hidden = _tried(partial(hidden_change, first))
    text, day = _project_file(report, names), made_on or date.today()
    return ReportParts(report, effects, found, comparison, hidden, day, text, backtest, earlier)


def _project_file(report: Report, names: Mapping[str, str] | None) -> str:
    """Write the project that makes the report again: with what the caller overrode, and the first model first."""
    request = report.request
    project = None if request is None else request.project
    if request is None or project is None:
        return ""
    order = list(report.models)
    models = sorted(project.models, key=lambda one: order.index(one.name) if one.name in order else len(order))
    methods = request.methods if "methods" in request.overrides else project.methods
    stated = {"edges": request.edges, "metric": request.metric, "estimator": request.settings, "trust": request.trust}
    try:
        return public_text(replace(project, models=tuple(models), methods=methods, **stated), names)
    except MandolineError:  # a metric or an edge that only Python can say
        return ""


def hidden_change(report: ModelReport) -> HiddenChange:
    """Bound the estimate under hidden changes of every strength, and measure the slices on the same scale."""
    own: Estimate = report
    if not weights_can_change(report):
        own = estimate(report.fit, replace(report.settings, name=PAPER))
    gammas = np.geomspace(1.0, GAMMAS[-1], _N_BOUNDS).tolist()
    bounds = {gamma: sensitivity_bounds(own, gamma) for gamma in gammas}
    points = sensitivity_curve(own, GAMMAS, own.settings.confidence)
    strengths = _tried(partial(slice_strengths, own))
    return HiddenChange(own, bounds, points, strengths if isinstance(strengths, tuple) else ())


def _tried(compute: Callable[[], T]) -> T | str:
    """Compute something, or say why it cannot be computed."""
    try:
        return compute()
    except MandolineError as error:
        return str(error)
