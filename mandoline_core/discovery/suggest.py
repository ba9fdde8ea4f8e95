"""Suggest: find slices worth trying, try them, and accept them one by one where that is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.checks import ModelReport, report_model
from mandoline_core.data import Sample
from mandoline_core.discovery.candidates import distinct
from mandoline_core.discovery.choosing import Choice, choose
from mandoline_core.discovery.crossfit import CrossFit, cross_fit
from mandoline_core.discovery.pool import Pool, make_pools
from mandoline_core.discovery.ranking import Ranking, rank
from mandoline_core.discovery.results import Accepted, Suggestion, Suggestions
from mandoline_core.discovery.standing import Edge, Standing, rule_key, stand
from mandoline_core.discovery.trying import try_candidate
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator, influence_interval
from mandoline_core.pipeline import AblationPoint, Asked, Progress, Request, state, state_problem
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.slices import Slice

WORTH_A_LOOK = 2.0  # |z|: what is below is hardly more than luck, however few are looked at


def suggest(
    source: Project | Sample,
    target: Sample | None = None,
    slices: Sequence[Slice] | None = None,
    *,
    most: int = 10,
    auto: bool = False,
    never: Collection[Slice | Edge | str] = (),
    estimator: str | EstimatorSettings = "mandoline",
    progress: Progress | None = None,
    **asked: Unpack[Asked],
) -> Suggestions:
    """Find slices worth trying, and try each; no target label is looked at.

    Candidates are words and short phrases, cuts of numbers, categories and groups of them, missing values, lengths of
    texts, months of dates, the models' own answers, conjunctions of two, and pairs of slices as edges. They are ranked
    by what remains off after weighting, times how the score differs there after weighting, over its standard error.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself.
    most : int
        Suggestions, at most.
    auto : bool
        Accept greedily: the most relevant, then the most relevant of what is left, and so on. It stops at eight, or
        when nothing stands out from luck, and passes over what leaves too few effective rows or sets rows aside.
        Intervals then allow for the choice.
    never : collection of Slice, pair of slice names, or str
        Rules, or names of rules, that are not to be suggested.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1; what it raises stops the search.
    **asked
        As in `estimate`. While slices are tried, intervals are influence-function intervals.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> place, right = ["a"] * 80 + ["b"] * 20, [1] * 80 + [1, 0] * 10
    >>> source = Sample(pd.DataFrame({"place": place, "y": 1, "p": right}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": ["a", "b"] * 50, "p": [1, 1] * 50}))
    >>> found = suggest(source, target, []).suggestions[0]
    >>> found.words, round(found.first.estimate, 3), round(found.first.gap, 3), round(found.first.difference, 3)
    ('place is b', 0.75, 0.3, -0.5)
    """
    wanted: object = most
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise MandolineError(f"most must be a whole number, 1 or above. Got {most!r}.")
    said = _silent if progress is None else progress
    request, standings = stand_for(
        "suggest", source, target, slices, estimator=estimator, progress=_part(said, 0.0, 0.2), **asked
    )
    prepared = [one.fit for one in standings]
    said("looking for slices", 0.2)
    pools = make_pools(prepared, request.slices)
    barred = {rule if isinstance(rule, str) else rule_key(_edge(rule)) for rule in never}
    said("looking for slices", 0.3)
    ranking = rank(standings, pools, barred)
    found = _try(standings, ranking, most, _part(said, 0.4, 0.6 if auto else 1.0))
    first = standings[0]
    drawn = prepared[0].cells.drawn
    return Suggestions(
        name=request.name,
        metric=first.fit.problem.metric.spoken,
        suggestions=found,
        start={one.fit.model: one.report.estimate for one in standings},
        share=first.share,
        note="" if drawn is None else drawn.note,
        accepted=_accept(request, standings, pools, barred, _part(said, 0.6, 1.0)) if auto else None,
    )


def stand_for(
    caller: str,
    source: Project | Sample,
    target: Sample | None,
    slices: Sequence[Slice] | None,
    *,
    estimator: str | EstimatorSettings,
    progress: Progress | None = None,
    **asked: Unpack[Asked],
) -> tuple[Request, tuple[Standing, ...]]:
    """State what is asked for, and count every model's rows."""
    request = state(caller, source, target, slices, estimator=estimator, **asked).in_memory
    _check_method(request)
    quick = replace(request, settings=replace(request.settings, interval="influence"))
    return request, stand(quick, [one for one, _ in request.each_model(progress)])


def _check_method(request: Request) -> None:
    name = request.settings.name
    if not get_estimator(name).uses_slices:
        raise MandolineError(
            f"Method {name!r} does not look at slices, so none would change its estimate. Use another."
        )


def _edge(rule: Slice | Edge) -> Slice | Edge:
    return rule if isinstance(rule, Slice) else (str(rule[0]), str(rule[1]))


def _silent(_what: str, _share: float) -> None:
    """Tell nobody."""


def _part(progress: Progress, start: float, end: float) -> Progress:
    """Report the progress of one part as progress of the whole."""
    return lambda what, share: progress(what, start + (end - start) * share)


def _within(progress: Progress, what: str) -> Callable[[float], None]:
    return lambda share: progress(what, share)


def _try(standings: Sequence[Standing], ranking: Ranking, most: int, progress: Progress) -> tuple[Suggestion, ...]:
    # What is off for sure is worth knowing, too, where it matters little: then nobody need wonder.
    worth = [one for one in ranking.candidates if abs(one.z) >= WORTH_A_LOOK or ranking.is_off(one)]
    found: list[Suggestion] = []
    tried = distinct(worth, most)
    for number, candidate in enumerate(tried):
        progress("trying slices", number / len(tried))
        others = ranking.by_model[candidate.key]
        one = try_candidate(standings, candidate, others, stands_out=ranking.stands_out(candidate))
        if one is not None:
            found.append(one)
    return tuple(found)


def _accept(
    request: Request, standings: Sequence[Standing], pools: Sequence[Pool], barred: set[object], progress: Progress
) -> Accepted:
    """Choose on all rows, and on halves to see what the choice hangs on."""
    choice = choose(standings, pools, barred, _within(_part(progress, 0.0, 0.3), "choosing slices"))
    rng = np.random.default_rng(request.settings.seed)
    told = _within(_part(progress, 0.3, 0.9), "choosing on halves")
    judged = cross_fit(standings, pools, barred, rng=rng, progress=told)
    reports = {one.fit.model: _report(request, one) for one in choice.standings}
    return Accepted(
        rules=tuple(one.rule for one in choice.accepted),
        reports=reports,
        intervals={name: _interval(report, judged[name]) for name, report in reports.items()},
        cross_fits=judged,
        curves={one.fit.model: _curve(choice, number) for number, one in enumerate(choice.standings)},
    )


def _report(request: Request, standing: Standing) -> ModelReport:
    """Report on a model with all that was accepted, as the project that holds it would."""
    if not standing.fit.problem.patterns.names:
        return report_model(standing.fit, replace(request.settings, name="source"))
    if not isinstance(request.edges, str):
        return report_model(standing.fit, request.settings)
    prepared = state_problem(
        standing.fit.cells,
        standing.rules,
        edges="auto",
        settings=request.settings,
        methods=request.methods,
        trust=request.trust,
    )
    return report_model(prepared, request.settings)


def _interval(report: ModelReport, judged: CrossFit) -> Interval:
    """Widen the interval by how far the estimate is from the one on rows that did not choose."""
    return influence_interval(
        report.estimate,
        math.hypot(max(report.standard_error, judged.standard_error), report.estimate - judged.estimate),
        confidence=report.settings.confidence,
        bounds=report.problem.metric.bounds,
        effective_rows=report.effective_sample_size,
        student=report.problem.metric.ranked,
    )


def _curve(choice: Choice, number: int) -> tuple[AblationPoint, ...]:
    names = [None, *(one.name for one in choice.accepted)]
    reports = [step[number].report for step in choice.steps]
    return tuple(
        AblationPoint(name, report.estimate, report.interval, report.effective_sample_size)
        for name, report in zip(names, reports, strict=True)
    )
