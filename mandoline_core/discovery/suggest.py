"""Suggest: find slices worth trying, try them, and accept them one by one on request."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.checks import ModelReport, columns_of, report_model, unmodelled_balance
from mandoline_core.data import Sample
from mandoline_core.discovery.pool import Pool, make_pools
from mandoline_core.discovery.ranking import Candidate, CandidateRanking, distinct, rank
from mandoline_core.discovery.search_state import Edge, SearchState, rule_key, start_search
from mandoline_core.discovery.selection import CrossFit, choose, cross_fit, try_rule
from mandoline_core.discovery.suggestions import (
    AcceptedSlices,
    RemainingShift,
    Suggestion,
    Suggestions,
    TrialEstimate,
)
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator, influence_interval
from mandoline_core.formatting import show_percent, show_points
from mandoline_core.pipeline import AblationPoint, Options, Progress, Request, state, with_options
from mandoline_core.pipeline import fit as fit_cells
from mandoline_core.project import Project
from mandoline_core.slices import Slice, SliceLike

WORTH_A_LOOK = 2.0  # |z|: what is below is hardly more than sampling error, however few are looked at


@with_options
def suggest(
    source: Project | Sample | Request,
    target: Sample | None = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    most: int = 10,
    auto: bool = False,
    never: Collection[Slice | Edge | str] = (),
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Suggestions:
    """Find slices worth trying, and try each; target labels are not used.

    Candidates are words and short phrases, cuts of numbers, categories and groups of them, missing values, lengths of
    texts, months and weekdays, cuts of dates, the models' predictions, conjunctions of two, and pairs of slices as
    edges. They are ranked by what still differs after weighting, times how the score differs there, over its standard
    error.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself.
    most : int
        Suggestions, at most.
    auto : bool
        Accept greedily: the most relevant, then the most relevant of what is left, and so on. It stops at eight, or
        when nothing is beyond sampling error, and skips what leaves too few effective rows or leaves rows out.
        Intervals then allow for the choice.
    never : collection of Slice, pair of slice names, or str
        Rules, or names of rules, that are not to be suggested.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1; what it raises stops the search.
    **options
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
        raise MandolineError(f"most must be a whole number, 1 or more. Got {most!r}.")
    tell = progress or (lambda _what, _share: None)
    request, states = start_states("suggest", source, target, slices, progress=_part(tell, 0.0, 0.2), **options)
    return search(request, states, most=most, auto=auto, never=never, progress=tell)


def search(
    request: Request,
    states: Sequence[SearchState],
    *,
    most: int = 10,
    auto: bool = False,
    never: Collection[Slice | Edge | str] = (),
    progress: Progress,
) -> Suggestions:
    """Suggest slices for samples that were counted."""
    tell, first = progress, states[0]
    tell("looking for slices", 0.2)
    pools = make_pools([one.fit for one in states], request.slices)
    barred = {rule if isinstance(rule, str) else rule_key(rule) for rule in never}
    tell("looking for slices", 0.3)
    ranking = rank(states, pools, barred)
    tried, trying = worth_trying(ranking, most), _part(tell, 0.4, 0.6 if auto else 1.0)
    suggestions = []
    for number, candidate in enumerate(tried):
        trying("trying slices", number / len(tried))
        by_model = ranking.by_model[candidate.key]
        suggestion = _try_candidate(states, candidate, by_model, stands_out=ranking.stands_out(candidate))
        if suggestion is not None:
            suggestions.append(suggestion)
    drawn = first.fit.cells.drawn
    return Suggestions(
        name=request.name,
        metric=first.fit.problem.metric.spoken,
        suggestions=tuple(suggestions),
        start={one.fit.model: one.report.estimate for one in states},
        share=first.share,
        note="" if drawn is None else drawn.note,
        accepted=_accept(request, states, pools, barred, _part(tell, 0.6, 1.0)) if auto else None,
    )


def worth_trying(ranking: CandidateRanking, most: int) -> list[Candidate]:
    """Take the most relevant candidates; what clearly differs is worth knowing even if it matters little."""
    worth = [one for one in ranking.candidates if abs(one.z) >= WORTH_A_LOOK or ranking.is_off(one)]
    return distinct(worth, most)


def start_states(
    caller: str,
    source: Project | Sample | Request,
    target: Sample | None,
    slices: Sequence[SliceLike] | None,
    *,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> tuple[Request, tuple[SearchState, ...]]:
    """Make the request, and count every model's rows."""
    request = state(caller, source, target, slices, **options).in_memory
    name = request.settings.name
    if not get_estimator(name).uses_slices:
        raise MandolineError(
            f"Method {name!r} does not use slices, so none can change its estimate. Use a method such as 'mandoline'."
        )
    # Hundreds of fits are made on the way: none waits for a bootstrap.
    quick = replace(request, settings=replace(request.settings, interval="influence"))
    return request, start_search(quick, [fit for fit, _ in request.each_model(progress)])


def _part(progress: Progress, start: float, end: float) -> Progress:
    """Report the progress of one part as progress of the whole."""
    return lambda what, share: progress(what, start + (end - start) * share)


def _accept(
    request: Request, states: Sequence[SearchState], pools: Sequence[Pool], barred: set[object], progress: Progress
) -> AcceptedSlices:
    """Choose on all rows, and on halves to see how stable the choice is."""
    accepted, steps = choose(states, pools, barred, lambda share: progress("choosing slices", 0.3 * share))
    judged = cross_fit(
        states,
        pools,
        barred,
        rng=np.random.default_rng(request.settings.seed),
        progress=lambda share: progress("choosing on halves", 0.3 + 0.6 * share),
    )
    reports = {one.fit.model: _report(request, one) for one in steps[-1]}
    names = [None, *(candidate.name for candidate in accepted)]
    curves = {
        one.fit.model: tuple(
            AblationPoint(name, report.estimate, report.interval, report.effective_sample_size)
            for name, report in zip(names, [step[number].report for step in steps], strict=True)
        )
        for number, one in enumerate(states)
    }
    return AcceptedSlices(
        rules=tuple(candidate.rule for candidate in accepted),
        reports=reports,
        intervals={name: _interval(report, judged[name]) for name, report in reports.items()},
        cross_fits=judged,
        errors={name: _choice_error(report, judged[name]) for name, report in reports.items()},
        curves=curves,
    )


def _report(request: Request, chosen: SearchState) -> ModelReport:
    """Report on a model with all that was accepted, as the project that holds it would."""
    fit, settings = chosen.fit, request.settings
    if not fit.problem.patterns.names:
        return report_model(fit, replace(settings, name="source"))
    if isinstance(request.edges, str):  # edges that are learned are learned again, with the added slices
        fit = fit_cells(
            fit.cells, chosen.rules, edges="auto", settings=settings, methods=request.methods, trust=request.trust
        )
    return report_model(fit, settings)


def _choice_error(report: ModelReport, judged: CrossFit) -> float:
    """Return how far the estimate is from the one on rows that did not choose, and how much surer it looks."""
    more = max(judged.standard_error**2 - report.standard_error**2, 0.0)
    return math.hypot(math.sqrt(more), report.estimate - judged.estimate)


def _interval(report: ModelReport, judged: CrossFit) -> Interval:
    """Widen the interval by what the choice, and earlier ones, add to the standard error."""
    return influence_interval(
        report.estimate,
        math.hypot(report.standard_error, _choice_error(report, judged), report.fit.choice_error),
        confidence=report.settings.confidence,
        bounds=report.problem.metric.bounds,
        effective_rows=report.effective_sample_size,
        student=report.problem.metric.ranked,
    )


def _try_candidate(
    states: Sequence[SearchState], candidate: Candidate, by_model: Mapping[str, Candidate], *, stands_out: bool
) -> Suggestion | None:
    """Try a candidate on all rows; None where the weights cannot be fitted with it."""
    grown = try_rule(states, candidate.rule)
    if grown is None:
        return None
    trials = {
        before.fit.model: _trial(before, after, by_model.get(before.fit.model))
        for before, after in zip(states, grown, strict=True)
    }
    leading = next(one for one in grown if one.fit.model == candidate.model)
    own = {one.fit.model: by_model[one.fit.model] for one in grown if one.fit.model in by_model}
    shares = {one.fit.model: _shares(own.get(one.fit.model, candidate), one) for one in grown}
    source, target = shares[candidate.model]
    return Suggestion(
        rule=candidate.rule,
        source=source,
        target=target,
        model=candidate.model,
        trials=trials,
        unexplained=_remaining_shift(leading),
        reason=_reason(candidate, leading),
        stands_out=stands_out,
        reasons={one.fit.model: _reason(own[one.fit.model], one) for one in grown if one.fit.model in own},
        shares=shares,
    )


def _trial(before: SearchState, after: SearchState, candidate: Candidate | None) -> TrialEstimate:
    report = after.report
    return TrialEstimate(
        estimate=report.estimate,
        interval=report.interval,
        effect=report.estimate - before.report.estimate,
        gap=0.0 if candidate is None else candidate.gap,
        difference=0.0 if candidate is None else candidate.difference,
        z=0.0 if candidate is None else candidate.z,
        effective_sample_size=report.effective_sample_size,
        set_aside=report.set_aside,
    )


def _remaining_shift(grown: SearchState) -> RemainingShift | None:
    table = columns_of(grown.report)
    if table is None:
        return None
    lines = unmodelled_balance(grown.report, table)
    off = [line for line in lines if line.severity is not None]
    worst = (off or list(lines))[:1]
    return RemainingShift(len(off), worst[0].name if worst else "", worst[0].after if worst else 0.0)


def _shares(candidate: Candidate, grown: SearchState) -> tuple[float, float]:
    """Return the shares of rows inside: of one slice all rows are counted; of families and edges the draw must do."""
    patterns = grown.fit.problem.patterns
    if not isinstance(candidate.rule, Slice) or candidate.rule.name not in patterns.names:
        return candidate.source, candidate.target
    number = patterns.names.index(candidate.rule.name)
    source, target = (float(patterns.rates(side)[number, 2]) for side in ("source", "target"))
    return source, target


def _reason(candidate: Candidate, grown: SearchState) -> str:
    """Say both factors: what differs after weighting, and how the score differs there."""
    _, target = _shares(candidate, grown)
    rule, weighted = candidate.rule, target - candidate.gap
    what = f"{rule.describe()}:" if isinstance(rule, Slice) else f"{candidate.name} agree on"
    difference = show_points(abs(candidate.difference), share=grown.share, sign=False)
    others = len(grown.rules) > 1  # the candidate is one of them
    after, than = (" after weighting", "the slices explain") if others else ("", "elsewhere")
    return (
        f"{what} {show_percent(target)} of new rows, {show_percent(weighted)} of labelled rows{after}. "
        f"There the {grown.fit.problem.metric.spoken} of {candidate.model} is {difference} "
        f"{'higher' if candidate.difference > 0 else 'lower'} than {than} (z = {abs(candidate.z):.1f})."
    )
