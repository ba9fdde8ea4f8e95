"""Let a report's intervals allow for the choice of slices: other plausible ones move the estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mandoline_core.checks import ModelReport
from mandoline_core.discovery import Spread, spread_of_fits
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding
from mandoline_core.pipeline import Progress
from mandoline_core.report.report import Report


def with_spreads(
    report: Report, spreads: Mapping[str, Spread] | None = None, *, progress: Progress | None = None
) -> Report:
    """Widen the intervals of a report whose method uses slices, before labels of new rows join it.

    Parameters
    ----------
    spreads : mapping of str to Spread, optional
        How far other plausible slices move the estimate, by model; found when left out.
    """
    if spreads is None:
        if report.request is None or not get_estimator(report.settings.name).uses_slices:
            return report
        try:
            spreads = find_spreads(report, progress)
        except MandolineError as error:
            return replace(report, models={name: _unknown(one, error) for name, one in report.models.items()})
    models = {
        name: model.allow_for_choice(spreads[name].moved) if name in spreads and model.converged else model
        for name, model in report.models.items()
    }
    shown = {  # the search itself uses intervals by influence
        name: replace(spreads[name], interval=model.interval, sampling=model.sampling_interval)
        for name, model in models.items()
        if model.sampling_interval is not None
    }
    return replace(report, models=models, spreads=shown)


def find_spreads(report: Report, progress: Progress | None = None) -> dict[str, Spread]:
    """Measure how far other plausible slices move the estimate of each model."""
    fits = [report.draw(model) or model.fit for model in report.models.values()]
    return spread_of_fits(report.asked, fits, progress=progress)


def _unknown(model: ModelReport, error: MandolineError) -> ModelReport:
    text = "Other plausible slices could not be tried, so the interval is for sampling error alone."
    unknown = Finding("choice", "spread_unknown", "info", text, detail=str(error))
    return replace(model, findings=(*model.findings, unknown))
