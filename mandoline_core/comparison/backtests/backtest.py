"""Backtest: the error of every method on simulated shifts of labelled rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.comparison.backtests.pseudo_samples import PseudoTarget, draw, most_rows
from mandoline_core.comparison.backtests.pseudo_targets import COLUMN, KINDS, pseudo_targets
from mandoline_core.comparison.backtests.results import Backtest, ModelBacktest, Trial, judge
from mandoline_core.comparison.backtests.text import say_what_it_proves
from mandoline_core.data import Sample
from mandoline_core.domain_classifier import one_thread
from mandoline_core.errors import MandolineError, ProjectError, did_you_mean
from mandoline_core.estimators import ESTIMATORS, Estimator, Outcome, get_estimator, normal_reach
from mandoline_core.formatting import listed
from mandoline_core.metrics import evaluate
from mandoline_core.pipeline import (
    Fit,
    Options,
    Progress,
    Request,
    interval_of,
    prediction_interval_of,
    read_predictions,
    state,
    with_options,
)
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.slices import SliceLike
from mandoline_core.weighting import NOT_FITTED, Problem

_LOOKS_AT_COLUMNS = "It uses columns and would need a new fit for every pseudo-target."
_TAKES_LONG = "It is slow. Name it in estimators to include it."


@with_options
def backtest(
    source: Project | Sample | Request,
    target: Sample | None = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    draws: int = 100,
    estimators: Sequence[str] | None = None,
    columns: Sequence[str] | None = (),
    kinds: Sequence[str] = KINDS,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Backtest:
    """Backtest every method on simulated shifts of the labelled data, for each model.

    Parameters
    ----------
    source : Project or Sample
        With a project, only `draws`, `estimators`, `columns`, `kinds`, `progress` and overrides may follow.
    draws : int
        Simulated targets of each kind.
    estimators : sequence of str, optional
        Names of methods. Default: all quick ones.
    columns : sequence of str, or None
        Columns to split the source by. Empty: time and group columns are detected. None: no split by column.
    kinds : sequence of str
        Of shift: "slices", "held-out slice", "class", "column".
    progress : callable, optional
        Called with the current step and the share done, from 0 to 1.
    **options
        edges, metric (default "accuracy"), methods, and fields of EstimatorSettings.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> tested = backtest(
    ...     Sample(source, label="y", prediction="p"), Sample(target), [Category("b", column="place", values=("b",))],
    ...     draws=20, estimators=["source", "mandoline"],
    ... ).models["model"]
    >>> tested.expected_error("mandoline") < tested.expected_error("source")
    True
    """
    _check(draws, kinds)
    for name in estimators or ():
        get_estimator(name)  # refuse an unknown name before any work
    stated = state("backtest", source, target, slices, **options).in_memory
    models = {
        fit.model: backtest_model(
            fit,
            stated.settings,
            draws=draws,
            estimators=estimators,
            columns=columns,
            kinds=kinds,
            progress=advance,
        )
        for fit, advance in stated.each_model(progress)
    }
    return Backtest(stated.name, models)


def _check(draws: object, kinds: Sequence[str]) -> None:
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ProjectError(f"draws must be a whole number, 1 or more. Got {draws!r}.")
    for kind in kinds:
        if kind not in KINDS:
            raise ProjectError(f"Unknown kind of shift {kind!r}. Kinds: {listed(KINDS)}.{did_you_mean(kind, KINDS)}")


def backtest_model(
    fit: Fit,
    settings: EstimatorSettings,
    *,
    draws: int = 100,
    estimators: Sequence[str] | None = None,
    columns: Sequence[str] | None = (),
    kinds: Sequence[str] = KINDS,
    progress: Progress | None = None,
) -> ModelBacktest:
    """Backtest every method on one model.

    Corrections and edges stay as they are, also those that were measured or learned; intervals are made without
    the bootstrap.

    Parameters
    ----------
    settings : EstimatorSettings
        Its method is shown first in the text.
    draws, estimators, columns, kinds
        As for `backtest`. Shifts of a kind take turns, each at least once; a split by a column is tried once.
    progress : callable, optional
        Called with what is being done and the share done; may raise to stop.
    """
    _check(draws, kinds)
    methods, left_out = _methods(fit.problem, estimators)
    rows, predictions = fit.cells.rows, None
    needs = {need for method in methods.values() for need in method.needs_for(fit.problem.metric)}
    if rows is not None and needs & {"predictions", "probabilities"}:
        predictions = read_predictions(rows, probabilities="probabilities" in needs)
    shifts, skipped = pseudo_targets(fit, columns=columns, kinds=kinds, seed=settings.seed)
    plan = [
        (kind, number, targets[number % len(targets)])
        for kind, targets in shifts.items()
        for number in range(len(targets) if kind == COLUMN else max(draws, len(targets)))
    ]
    trials: list[Trial] = []
    with one_thread():  # small matrices, many times: threads would mostly wait for each other
        for done, (kind, number, pseudo) in enumerate(plan):
            if progress is not None:
                progress(f"backtest of {fit.model}", done / len(plan))
            # What is drawn depends on its kind and number alone, not on how many others there are.
            rng = np.random.default_rng((settings.seed, KINDS.index(kind), number))
            problem, _, target = draw(pseudo, settings, rng, predictions)
            trials += _run(problem, pseudo, target, number, methods, settings.confidence)
    if progress is not None:
        progress(f"backtest of {fit.model}", 1.0)
    sizes, real = most_rows(fit.problem), (fit.problem.patterns.n_source, fit.problem.alike_rows[1])
    return ModelBacktest(
        model=fit.model,
        metric=fit.problem.metric,
        estimator=settings.name,
        kinds={kind: judge(trial for trial in trials if trial.kind == kind) for kind in shifts},
        draws=tuple(trials),
        left_out=left_out,
        skipped=skipped,
        n_source=sizes[0],
        n_target=sizes[1],
        confidence=settings.confidence,
        words=say_what_it_proves(
            list(shifts),
            sizes,
            capped=sizes != (round(real[0]), round(real[1])),
            noisy=not fit.problem.corrections().takes_codes_at_their_word,
        ),
    )


def _methods(problem: Problem, names: Sequence[str] | None) -> tuple[dict[str, Estimator], dict[str, str]]:
    """Choose the methods to try: those that apply to the real target; say why others are left out."""
    chosen: dict[str, Estimator] = {}
    left_out: dict[str, str] = {}
    for name in ESTIMATORS if names is None else names:
        method = get_estimator(name)
        if {"features", "scores"} & set(method.needs_for(problem.metric)):
            left_out[name] = _LOOKS_AT_COLUMNS
        elif method.seconds and names is None:  # many draws take many times as long
            left_out[name] = _TAKES_LONG
        else:
            try:
                method.check(problem)
                chosen[name] = method
            except MandolineError as error:
                left_out[name] = str(error)
    return chosen, left_out


def _run(
    problem: Problem,
    pseudo: PseudoTarget,
    target: Index,
    number: int,
    methods: Mapping[str, Estimator],
    confidence: float,
) -> list[Trial]:
    """Run every method on one drawn problem; what fails is a result like any other.

    What a person would see is the score of the new rows themselves, which the prediction interval is about. A metric
    that has none is compared with the score of their population.
    """
    statistics = pseudo.problem.members.statistics[target]
    rows = problem.members.target_rows
    own = evaluate(problem.metric, statistics, rows / rows.sum()).value
    plain = _try(get_estimator("source"), problem)
    source = None if isinstance(plain, str) else plain.value
    noise = math.inf if isinstance(plain, str) else plain.influence.standard_error()
    # The truth is exact, so that what may hide a change is the sampling error of the pseudo-source's own score.
    least = normal_reach(confidence) * noise
    trials = []
    for name, method in methods.items():
        outcome = _try(method, problem)
        if isinstance(outcome, str):
            trials.append(Trial(pseudo.kind, pseudo.detail, number, name, own, source, reason=outcome))
            continue
        exact = prediction_interval_of(problem, outcome, confidence)
        truth, interval = (own, exact) if exact else (pseudo.truth, interval_of(problem, outcome, confidence))
        right = None
        if source is not None and name != "source" and abs(truth - source) > least:
            right = (outcome.value - source) * (truth - source) > 0
        covered = interval[0] <= truth <= interval[1]
        start = pseudo.kind, pseudo.detail, number, name, truth, source
        trials.append(Trial(*start, outcome.value, interval, covered, right))
    return trials


def _try(method: Estimator, problem: Problem) -> Outcome | str:
    """Estimate, or say why not."""
    try:
        method.check(problem)
        outcome = method.estimate(problem)
    except MandolineError as error:
        return str(error)
    except np.linalg.LinAlgError as error:  # a draw may leave a matrix that no real sample would have
        return f"A matrix is singular: {error}."
    if not outcome.converged or not math.isfinite(outcome.value):
        return NOT_FITTED
    return outcome
