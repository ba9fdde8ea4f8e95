"""Comparing: every method that applies, for every model of a project."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.checks import find_all, light_of_mandoline, method_for
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
from mandoline_core.estimators import ESTIMATORS, Outcome, Redraws, SecondOpinion, get_estimator
from mandoline_core.findings import worst_first
from mandoline_core.pipeline import (
    Fit,
    Options,
    Progress,
    Request,
    estimate,
    fit_for,
    hull,
    interval_of,
    revealed,
    score_truth,
    self_test,
    state,
    with_options,
)
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.slices import SliceLike
from mandoline_core.weighting import NOT_FITTED

ROUNDING = 1e-9  # of a score: a smaller change is none


@with_options
def compare(
    source: Project | Sample | Request,
    target: Sample | None = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    estimators: Sequence[str] | None = None,
    reveal: bool = False,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Estimate each model on the new data with every method that applies.

    Parameters
    ----------
    source : Project or Sample
        With a project, only `estimators`, `reveal`, `progress` and overrides may follow.
    slices : sequence of Slice, str or callable
        A text is a rule such as "hour >= 17"; a function takes the frame and answers for every row.
        May be empty: methods on slices then do not apply.
    estimators : sequence of str, optional
        Names of methods. Default: all.
    reveal : bool
        Read the labels of the target to compute the true score.
    progress : callable, optional
        Called with the current step and the share done, from 0 to 1.
    **options
        edges, metric (default "accuracy"), methods (settings of methods on columns), and fields of EstimatorSettings.

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
    request = state("compare", source, target, slices, **options)
    labelled = revealed(source, request, reveal=reveal)
    models = {}
    # A light takes all checks: only a ranking and the second opinion ask for it.
    judged = len(request.models) > 1 or SecondOpinion.name in names
    for fit, own in request.each_model(progress):
        light = _light(fit, request.settings) if judged else None
        found = compare_model(fit, request.settings, names, own, draw=request.fit_of_draw(fit), light=light)
        models[fit.model] = found if labelled is None else replace(found, truth=score_truth(fit.cells, labelled)[0])
    return summarise(request.name, models, request.settings.confidence)


def _light(fit: Fit, settings: EstimatorSettings) -> str | None:
    try:
        return light_of_mandoline(fit, settings)
    except MandolineError:  # the method says why
        return None


def compare_model(
    fit: Fit,
    settings: EstimatorSettings,
    names: Sequence[str],
    progress: Progress | None = None,
    *,
    draw: Fit | None = None,
    light: str | None = None,
) -> ModelComparison:
    """Run methods on one model's fit; progress may raise to cancel.

    Parameters
    ----------
    draw : Fit, optional
        Of the rows in memory, for methods that look at rows, where these stay in a table.
    light : str, optional
        The verdict on Mandoline's estimate.
    """
    entries = {}
    with one_thread():  # on small matrices threads would mostly wait for each other
        for number, name in enumerate(names):
            advance = _part(progress, f"{get_estimator(name).title} for {fit.model}", number, len(names))
            advance("", 0.0)
            with progress_to(advance):
                entries[name] = run_estimator(fit, name, settings, draw=draw, light=light)
    return gather(fit, settings, entries, light)


def _part(progress: Progress | None, title: str, number: int, n: int) -> Progress:
    """Report how far one method out of n is as progress of them all."""

    def advance(what: str, share: float) -> None:
        if progress is not None:
            progress(f"{title}, {what}" if what else title, (number + share) / n)

    return advance


def gather(
    fit: Fit, settings: EstimatorSettings, entries: Mapping[str, Entry], light: str | None = None
) -> ModelComparison:
    """Collect the results of methods for one model."""
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
        verdict=light,
    )


def run_estimator(
    fit: Fit,
    name: str,
    settings: EstimatorSettings,
    step: Callable[[], None] | None = None,
    *,
    draw: Fit | None = None,
    light: str | None = None,
) -> Entry:
    """Run one method and compare it with the source score; an error becomes its reason.

    Parameters
    ----------
    step : callable, optional
        Called between the steps of slow methods; may raise to stop.
    draw, light
        As for `compare_model`.
    """
    settings = replace(settings, name=name)
    try:
        with cancelled_by(step):
            method = method_for(fit, settings, draw, light=light)
            method.check(fit_for(method, fit, draw).problem)
            found = estimate(fit, settings, method=method, draw=draw)
    except MandolineError as error:
        return Entry(name, available=False, reason=str(error))
    outcome, problem = found.outcome, found.problem
    if not outcome.converged or not math.isfinite(outcome.value):
        return Entry(name, available=False, reason=NOT_FITTED)
    plain = get_estimator("source").estimate(problem)
    change_interval = hull(
        *(
            normal_interval(other.value - plain.value, _change_error(found.fit, other, plain), settings.confidence)
            for other in (outcome, *outcome.spanned)
        )
    )
    rounding = ROUNDING * max(1.0, abs(plain.value))
    direction = "up" if change_interval[0] > rounding else "down" if change_interval[1] < -rounding else "unchanged"
    tested = self_test(fit if draw is None else draw, get_estimator(name))
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
        interval_note=method.interval_note,
        self_test=None if isinstance(tested, str) else tested.judged(outcome.value, found.interval),
        not_self_tested=tested if isinstance(tested, str) else None,
        pieces=_pieces(found.fit, outcome),
    )


def _change_error(fit: Fit, outcome: Outcome, plain: Outcome) -> float:
    """Compute the standard error of estimate minus source score."""
    # Redraws of rows have the source score of each draw next to the estimate, so the two are paired already.
    if isinstance(outcome.influence, Redraws):
        return float(np.nanstd(outcome.influence.values - outcome.influence.plain, ddof=1))
    members = fit.problem.members
    return paired_error(*(members.together(one.influence.pieces(members)) for one in (outcome, plain)))


def _pieces(fit: Fit, outcome: Outcome) -> tuple[Floats, ...]:
    """Line sampling errors up with the rows of the samples: models with scores on different rows can be compared."""
    pieces = outcome.influence.pieces(fit.problem.members)
    if isinstance(outcome.influence, Redraws):
        return pieces
    pieces = fit.problem.members.together(pieces)
    if fit.problem.members.design[0].clusters is not None:  # whose numbers are those of all rows
        return pieces
    scored = fit.cells.scored
    if len(pieces[0]) > scored.sum():  # cells were split, and each is there twice
        scored = np.tile(scored, 2)
    source = np.zeros(len(scored))
    source[scored] = pieces[0]
    return source, *pieces[1:]
