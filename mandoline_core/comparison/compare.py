"""Comparing: every method that applies, for every model of a project."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.checks import NOT_CONVERGED, find_all, method_for
from mandoline_core.comparison.results import (
    Comparison,
    Entry,
    ModelComparison,
    normal_interval,
    paired_error,
    summarise,
)
from mandoline_core.data import Sample, cancelled_by, progress_to
from mandoline_core.domain_classifier import one_thread
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import ESTIMATORS, Outcome, Redraws, get_estimator
from mandoline_core.findings import worst_first
from mandoline_core.pipeline import Fit, Progress, estimate, fit_for, hull, interval_of, score_truth, state
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.slices import Slice

ROUNDING = 1e-9  # of a score: a smaller change is none


def compare(
    source: Project | Sample,
    target: Sample | None = None,
    slices: Sequence[Slice] | None = None,
    *,
    estimators: Sequence[str] | None = None,
    reveal: bool = False,
    progress: Progress | None = None,
    **asked: Any,
) -> Comparison:
    """Estimate each model on the target with every method that applies.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself; then only `estimators`, `reveal` and `progress` may follow.
    slices : sequence of Slice
        May be empty: methods on slices then do not apply.
    estimators : sequence of str, optional
        Names in the registry; all when left out.
    reveal : bool
        Read the project's file of target labels, to judge the methods by the truth.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1.
    **asked
        edges, metric ("accuracy" when left out), methods (what methods look at that do not work on slices), and fields
        of EstimatorSettings.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> comparison = compare(
    ...     Sample(source, label="y", prediction="p"), Sample(target), [Category("b", column="place", values=("b",))],
    ...     estimators=["source", "mandoline", "atc"],
    ... )
    >>> entries = comparison.models["model"].entries
    >>> round(entries["mandoline"].estimate, 3), entries["mandoline"].direction, entries["atc"].available
    (0.75, 'down', False)
    """
    names = list(ESTIMATORS if estimators is None else estimators)
    for name in names:
        get_estimator(name)  # refuse an unknown name before any work
    request = state("compare", source, target, slices, **asked)
    labelled = source.reveal(request.target) if reveal and isinstance(source, Project) else request.target
    models = {}
    for fit, own in request.each_model(progress):
        found = compare_model(fit, request.settings, names, own, draw=request.fit_of_draw(fit))
        models[fit.model] = replace(found, truth=score_truth(fit.cells, labelled)[0])
    return summarise(request.name, models, request.settings.confidence)


def compare_model(
    fit: Fit,
    settings: EstimatorSettings,
    names: Sequence[str],
    progress: Progress | None = None,
    *,
    draw: Fit | None = None,
) -> ModelComparison:
    """Run some methods on one model's fit, with progress, which may raise to stop.

    Parameters
    ----------
    draw : Fit, optional
        Of the rows in memory, for methods that look at rows, where these stay in a table.
    """
    entries = {}
    with one_thread():  # on small matrices threads would mostly wait for each other
        for number, name in enumerate(names):
            advance = _part(progress, f"{get_estimator(name).title} for {fit.model}", number, len(names))
            advance("", 0.0)
            with progress_to(advance):
                entries[name] = run_estimator(fit, name, settings, draw=draw)
    return gather(fit, settings, entries)


def _part(progress: Progress | None, title: str, number: int, n: int) -> Progress:
    """Report how far one method out of n is as progress of them all."""

    def advance(what: str, share: float) -> None:
        if progress is not None:
            progress(f"{title}, {what}" if what else title, (number + share) / n)

    return advance


def gather(fit: Fit, settings: EstimatorSettings, entries: Mapping[str, Entry]) -> ModelComparison:
    """Put what methods say of one model together with its source score."""
    plain = get_estimator("source").estimate(fit.problem)
    table = fit.problem.patterns
    return ModelComparison(
        model=fit.model,
        metric=fit.problem.metric,
        source=plain.value,
        source_interval=interval_of(fit.problem, plain, settings.confidence),
        truth=None,
        n_source=round(table.n_source),
        n_target=round(table.n_target),
        entries=dict(entries),
    )


def run_estimator(
    fit: Fit,
    name: str,
    settings: EstimatorSettings,
    step: Callable[[], None] | None = None,
    *,
    draw: Fit | None = None,
) -> Entry:
    """Run one method and put what it finds beside the source score; what stands in its way becomes its reason.

    Parameters
    ----------
    step : callable, optional
        Called between the steps of slow methods; may raise to stop.
    """
    settings = replace(settings, name=name)
    try:
        with cancelled_by(step):
            method = method_for(fit, settings)
            method.check(fit_for(method, fit, draw).problem)
            found = estimate(fit, settings, method=method, draw=draw)
    except MandolineError as error:
        return Entry(name, available=False, reason=error.sentence)
    outcome, problem = found.outcome, found.problem
    if not outcome.converged or not math.isfinite(outcome.value):
        return Entry(name, available=False, reason=NOT_CONVERGED.found("serious").headline)
    plain = get_estimator("source").estimate(problem)
    change_interval = hull(
        *(
            normal_interval(other.value - plain.value, _change_error(found.fit, other, plain), settings.confidence)
            for other in (outcome, *outcome.spanned)
        )
    )
    rounding = ROUNDING * max(1.0, abs(plain.value))
    direction = "up" if change_interval[0] > rounding else "down" if change_interval[1] < -rounding else "unchanged"
    of_cells = set(map(id, found.cells.findings))  # what is so whatever the method
    findings = [*(one for one in found.findings if id(one) not in of_cells), *find_all(found)]
    return Entry(
        name,
        available=True,
        estimate=outcome.value,
        interval=found.interval,
        standard_error=outcome.influence.standard_error(),
        change=outcome.value - plain.value,
        change_interval=change_interval,
        direction=direction,
        effective_sample_size=found.effective_sample_size,
        set_aside=found.set_aside,
        findings=worst_first([finding for finding in findings if not finding.slices]),
        pieces=_pieces(found.fit, outcome),
    )


def _change_error(fit: Fit, outcome: Outcome, plain: Outcome) -> float:
    """Compute the standard error of estimate minus source score."""
    # Redraws of rows have the source score of each draw beside the estimate, so that the two are paired already.
    if isinstance(outcome.influence, Redraws):
        return float(np.nanstd(outcome.influence.values - outcome.influence.plain, ddof=1))
    members = fit.problem.members
    return paired_error(outcome.influence.pieces(members), plain.influence.pieces(members))


def _pieces(fit: Fit, outcome: Outcome) -> tuple[Floats, ...]:
    """Line sampling errors up with the rows of the samples: models with scores on different rows can be compared."""
    pieces = outcome.influence.pieces(fit.problem.members)
    if isinstance(outcome.influence, Redraws):
        return pieces
    scored = fit.cells.scored
    if len(pieces[0]) > scored.sum():  # cells were split, and each is there twice
        scored = np.tile(scored, 2)
    source = np.zeros(len(scored))
    source[scored] = pieces[0]
    return source, *pieces[1:]
