"""The pipeline as a whole: one function, `report`, behind the library, the command line and the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mandoline_core.checks import ModelReport, report_model
from mandoline_core.data import Model, Sample, current_progress, progress_to
from mandoline_core.errors import DataError, SliceError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import FindingKind, worst_first
from mandoline_core.formatting import listed
from mandoline_core.metrics import check_finite, get_metric
from mandoline_core.patterns import count_patterns
from mandoline_core.pipeline import (
    Cells,
    Fit,
    Memo,
    Progress,
    Request,
    make_problem,
    no_memo,
    part_of,
    score_truth,
    state,
)
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.report.report import Report
from mandoline_core.slices import Slice
from mandoline_core.weighting import CorrectionRule, check_edges, fixed_rule

OVERRIDDEN = FindingKind(
    "fit",
    "settings_overridden",
    "This estimate was asked for with other settings than the project's: {names}",
    "Nothing to do, if that is what you meant.",
)


def estimate(
    source: Project | Sample,
    target: Sample | None = None,
    slices: Sequence[Slice] | None = None,
    *,
    reveal: bool = False,
    progress: Progress | None = None,
    **asked: Any,
) -> Report:
    """Estimate how well each model does on the target.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself. What is asked for beside it takes the place of its own settings, and a
        finding of the report says so.
    reveal : bool
        Read the project's file of target labels, to show the truth beside the estimate.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1.
    **asked
        estimator (a name in the registry, "mandoline" when left out), edges, metric ("accuracy" when left out), methods
        (what methods look at that do not work on slices), harmless, and fields of EstimatorSettings.

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
    request = state("estimate", source, target, slices, **asked)
    labelled = source.reveal(request.target) if reveal and isinstance(source, Project) else request.target
    return report(request, labelled=labelled, progress=progress)


def report(
    request: Request,
    memo: Memo = no_memo,
    *,
    models: Sequence[Model | None] | None = None,
    labelled: Sample | None = None,
    progress: Progress | None = None,
) -> Report:
    """Walk all steps for every model: the one function behind the library, the command line and the app.

    Parameters
    ----------
    memo : callable
        The caller's hook: what was made before is not made again.
    models : sequence of Model, optional
        Some of the request's; all when left out.
    labelled : Sample, optional
        The target with its labels, to score the truth by.
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
        reports[checked.model] = checked if labelled is None else with_truth(checked, labelled)
    return Report(request.name, reports, request.settings, request)


def report_of(
    request: Request, model: Model | None, memo: Memo = no_memo, *, progress: Progress | None = None
) -> ModelReport:
    """Walk the steps for one model: read samples are coded, counted, fitted, estimated and checked."""

    def make() -> ModelReport:
        fit = request.fit(model, memo, need_slices=True)
        on_rows = fit.in_table and not get_estimator(request.settings.name).on_patterns
        draw = request.fit_of_draw(fit, memo) if on_rows else None
        checked = report_model(fit, request.settings, progress, draw=draw)
        if not request.overrides:
            return checked
        names = ", ".join(request.overrides)
        return replace(checked, findings=(*checked.findings, OVERRIDDEN.found("info", names=names)))

    return memo(request.report_key(model), make)


def with_truth(checked: ModelReport, labelled: Sample) -> ModelReport:
    """Put the truth beside a report; nothing is counted, fitted or checked again for it."""
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
    """Estimate the mean score on the target from slice codes that someone already has.

    Parameters
    ----------
    source_codes, target_codes : array of -1, 0, 1, shape (n_rows, n_slices)
    scores : array of float, shape (n_source_rows,)
    noise : pair of arrays, each of shape (n_slices, 3), optional
        Source and target p(g = 1 | code) for the codes -1, 0, 1. None takes slices at their word.
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
        raise DataError(f"There are {len(source)} source rows and {len(values)} scores. Expected one score a row.")
    check_finite(values, "scores")
    n_slices = source.shape[1]
    labels = [f"{i}" for i in range(n_slices)] if names is None else [str(name) for name in names]
    if len(labels) != n_slices:
        raise SliceError(f"There are {n_slices} slices and {len(labels)} names. Expected one name a slice.")
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
        raise DataError(
            f"{what} must have a row for each example and a column for each slice. Got shape {array.shape}."
        )
    if array.dtype.kind == "i" and array.min(initial=0) >= -1 and array.max(initial=0) <= 1:
        return array.astype(np.int8, copy=False)
    wrong = array[~np.isin(array, (-1, 0, 1))]
    if wrong.size:
        raise DataError(f"{what} must be 1 (inside), -1 (outside) or 0 (abstained). Got {listed(np.unique(wrong), 5)}.")
    return array.astype(np.int8)


def _check_noise(noise: tuple[ArrayLike, ArrayLike], n_slices: int) -> CorrectionRule:
    if len(noise) != 2:
        raise DataError("noise must be a pair: the source's corrections and the target's.")
    tables = [np.asarray(table, dtype=float) for table in noise]
    for table, side in zip(tables, ("source", "target"), strict=True):
        if table.shape != (n_slices, 3):
            raise DataError(f"The {side}'s noise must have shape ({n_slices}, 3). Got {table.shape}.")
        if not ((table >= 0) & (table <= 1)).all():
            raise DataError(f"The {side}'s noise must hold probabilities between 0 and 1.")
    return fixed_rule(tables[0], tables[1])
