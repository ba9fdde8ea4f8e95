"""The whole pipeline: one function, `report`, behind the library, the command line and the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mandoline_core.checks import ModelReport, add_labels, report_model
from mandoline_core.data import Model, Sample, current_progress, progress_to
from mandoline_core.errors import DataError, SliceError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.formatting import listed
from mandoline_core.labels import SomeLabels, some_labels
from mandoline_core.metrics import check_finite, get_metric
from mandoline_core.patterns import count_patterns
from mandoline_core.pipeline import (
    Cells,
    Fit,
    Memo,
    Options,
    Progress,
    Request,
    make_problem,
    no_memo,
    part_of,
    revealed,
    score_truth,
    state,
    with_options,
)
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.report.report import Report
from mandoline_core.report.spreads import with_spreads
from mandoline_core.slices import SliceLike
from mandoline_core.weighting import CorrectionRule, check_edges, fixed_rule


@with_options
def estimate(
    source: Project | Sample | Request,
    target: Sample | None = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    reveal: bool = False,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Report:
    """Estimate how well each model does on the new data.

    Parameters
    ----------
    source : Project or Sample
        A project needs no further arguments. Those given replace its settings, and a finding lists them.
    slices : sequence of Slice, str or callable
        A text is a rule such as "hour >= 17", with or without a name ("late: hour >= 17"). A function takes the frame
        and answers for every row.
    reveal : bool
        Show the true value with the estimate, from the new data's labels: a project's file of them, or their column.
        A sample's own label column is always shown. Labels of some new rows need not be revealed: they join the
        estimate, and the headline is the combined one.
    progress : callable, optional
        Called with the current step and the share done, between 0 and 1.
    **options
        estimator (the name of a method, "mandoline" by default), edges, metric ("accuracy" by default), methods (what
        methods use that do not work on slices), harmless, and fields of EstimatorSettings.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> report = estimate(
    ...     Sample(source, label="y", prediction="p"), Sample(target), [Category("b", column="place", values=("b",))]
    ... )
    >>> round(report.source, 3), round(report.estimate, 3)
    (0.9, 0.75)
    """
    request = state("estimate", source, target, slices, **options)
    column = request.metric.column or request.source.label
    some = some_labels(source if isinstance(source, Project) else None, request.target, column)
    made = report(request, progress=progress)
    if request.settings.spread:
        made = with_spreads(made, progress=progress)
    labelled = revealed(source, request, reveal=reveal)
    return made if some is None and labelled is None else complete(made, some=some, labelled=labelled)


def report(
    request: Request,
    memo: Memo = no_memo,
    *,
    models: Sequence[Model | None] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run all steps for every model: the function behind the library, the command line and the app.

    Parameters
    ----------
    memo : callable
        Caches what was computed before.
    models : sequence of Model, optional
        Some of the request's models; all by default.
    """
    get_estimator(request.settings.name)  # refuse an unknown name before any work
    chosen = request.models if models is None else models
    reports = {}
    for i, model in enumerate(chosen):
        if progress is not None:
            progress(f"model {model.name}" if model else "score", i / len(chosen))
        own = part_of(progress, i, len(chosen))
        with progress_to(own or current_progress()):
            checked = report_of(request, model, memo, progress=own)
        reports[checked.model] = checked
    return Report(request.name, reports, request.settings, request)


def complete(made: Report, *, some: SomeLabels | None, labelled: Sample | None) -> Report:
    """Add what labels of new rows say to a report.

    Parameters
    ----------
    some : SomeLabels or None
        Labels of some of the new rows, which join the estimate.
    labelled : Sample or None
        The new data with their labels, for the true value.
    """
    models = dict(made.models)
    if some is not None:
        models = {name: add_labels(one, *some) for name, one in models.items()}
    if labelled is not None:
        models = {name: with_truth(one, labelled) for name, one in models.items()}
    return replace(made, models=models)


def report_of(
    request: Request, model: Model | None, memo: Memo = no_memo, *, progress: Progress | None = None
) -> ModelReport:
    """Run the steps for one model: the samples are coded, counted, fitted, estimated and checked."""

    def make() -> ModelReport:
        fit = request.fit(model, memo, need_slices=True)
        on_rows = fit.in_table and not get_estimator(request.settings.name).on_patterns
        draw = request.fit_of_draw(fit, memo) if on_rows else None
        checked = report_model(fit, request.settings, progress, draw=draw)
        if not request.overrides:
            return checked
        names = ", ".join(request.overrides)
        text = f"These settings differ from the project's: {names}."
        remedy = "Nothing to do if you meant that."
        other = Finding("fit", "settings_overridden", "info", text, remedy, numbers={"names": names})
        return replace(checked, findings=(*checked.findings, other))

    return memo(request.report_key(model), make)


def with_truth(checked: ModelReport, labelled: Sample) -> ModelReport:
    """Add the true value to a report, without computing anything else again."""
    truth, findings = score_truth(checked.cells, labelled)
    return replace(checked, truth=truth, findings=worst_first([*checked.findings, *findings]))


def estimate_from_codes(
    source_codes: ArrayLike,
    scores: ArrayLike,
    target_codes: ArrayLike,
    *,
    edges: Sequence[Sequence[int]] = (),
    noise: tuple[ArrayLike, ArrayLike] | None = None,
    estimator: str = "mandoline",
    ridge: float = 0.0,
    names: Sequence[str] | None = None,
    **settings: Any,
) -> Report:
    """Estimate the mean score on the new data from slice codes.

    Parameters
    ----------
    source_codes, target_codes : array of -1, 0, 1, shape (n_rows, n_slices)
    scores : array of float, shape (n_source_rows,)
    noise : pair of arrays, each of shape (n_slices, 3), optional
        p(g = 1 | code) for the codes -1, 0, 1, of the source and the target. None: slices are exact.
    **settings
        Further fields of EstimatorSettings.

    Examples
    --------
    >>> report = estimate_from_codes([[1], [-1], [-1], [-1]], [0.0, 1.0, 1.0, 1.0], [[1], [-1]])
    >>> round(report.estimate, 6)
    0.5
    """
    how = EstimatorSettings(name=estimator, ridge=ridge, **settings)
    source, target = _check_codes(source_codes, "source_codes"), _check_codes(target_codes, "target_codes")
    values = np.asarray(scores, dtype=float).reshape(-1)
    if len(values) != len(source):
        raise DataError(f"There are {len(source)} labelled rows and {len(values)} scores. Expected one score per row.")
    check_finite(values, "scores")
    n_slices = source.shape[1]
    labels = [f"{i}" for i in range(n_slices)] if names is None else [str(name) for name in names]
    if len(labels) != n_slices:
        raise SliceError(f"There are {n_slices} slices and {len(labels)} names. Expected one name per slice.")
    inside_unit = bool(((values >= 0) & (values <= 1)).all())
    metric = get_metric("mean")
    if inside_unit:
        metric = replace(metric, bounds=(0.0, 1.0), unit="percent")
    count = count_patterns(source, target, values[:, None], labels)
    problem = make_problem(count, values[:, None], metric, how)
    problem = replace(problem, edges=check_edges(edges, n_slices))
    if noise is not None:
        problem = replace(problem, rule=_check_noise(noise, n_slices))
    scored = np.ones(len(values), dtype=bool)
    cells = Cells("score", (), {}, metric, count, values[:, None], scored, (), {}, ())
    return Report("codes", {"score": report_model(Fit(cells, problem), how)}, how)


def _check_codes(given: ArrayLike, what: str) -> np.ndarray:
    array = np.asarray(given)
    if array.ndim != 2 or not len(array):
        raise DataError(f"{what} must have one row per example and one column per slice. Got shape {array.shape}.")
    if array.dtype.kind == "i" and array.min(initial=0) >= -1 and array.max(initial=0) <= 1:
        return array.astype(np.int8, copy=False)
    wrong = array[~np.isin(array, (-1, 0, 1))]
    if wrong.size:
        raise DataError(f"{what} must be 1 (inside), -1 (outside) or 0 (abstained). Got {listed(np.unique(wrong), 5)}.")
    return array.astype(np.int8)


def _check_noise(noise: tuple[ArrayLike, ArrayLike], n_slices: int) -> CorrectionRule:
    if len(noise) != 2:
        raise DataError("noise must be a pair of tables: for source_codes and for target_codes.")
    tables = [np.asarray(table, dtype=float) for table in noise]
    for table, side in zip(tables, ("source", "target"), strict=True):
        if table.shape != (n_slices, 3):
            raise DataError(f"The {side}'s noise must have shape ({n_slices}, 3). Got {table.shape}.")
        if not ((table >= 0) & (table <= 1)).all():
            raise DataError(f"The {side}'s noise must contain probabilities between 0 and 1.")
    return fixed_rule(tables[0], tables[1])
