"""Trying: the estimate with a candidate in, for every model, what is unexplained then, and why it is proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mandoline_core.checks import NOTABLE, columns_of, unmodelled_balance
from mandoline_core.discovery.candidates import Candidate
from mandoline_core.discovery.choosing import try_rule
from mandoline_core.discovery.results import Suggestion, Trial, Unexplained
from mandoline_core.discovery.standing import Standing
from mandoline_core.formatting import Sentence, show_points
from mandoline_core.slices import Slice


def try_candidate(
    standings: Sequence[Standing], candidate: Candidate, by_model: Mapping[str, Candidate], *, stands_out: bool
) -> Suggestion | None:
    """Try a candidate on all rows; None where the weights cannot be fitted with it."""
    grown = try_rule(standings, candidate.rule)
    if grown is None:
        return None
    trials = {
        before.fit.model: _trial(before, after, by_model.get(before.fit.model))
        for before, after in zip(standings, grown, strict=True)
    }
    leading = next(one for one in grown if one.fit.model == candidate.model)
    source, target = _shares(leading, candidate)
    return Suggestion(
        rule=candidate.rule,
        source=source,
        target=target,
        model=candidate.model,
        trials=trials,
        unexplained=_unexplained(leading),
        reason=_reason(candidate, leading),
        stands_out=stands_out,
    )


def _trial(before: Standing, after: Standing, candidate: Candidate | None) -> Trial:
    report = after.report
    return Trial(
        estimate=report.estimate,
        interval=report.interval,
        effect=report.estimate - before.report.estimate,
        gap=0.0 if candidate is None else candidate.gap,
        difference=0.0 if candidate is None else candidate.difference,
        z=0.0 if candidate is None else candidate.z,
        effective_sample_size=report.effective_sample_size,
        set_aside=report.set_aside,
    )


def _shares(grown: Standing, candidate: Candidate) -> tuple[float, float]:
    """Count the rows inside a slice, all of them; of families and edges, go by the draw."""
    patterns = grown.fit.problem.patterns
    if not isinstance(candidate.rule, Slice) or candidate.rule.name not in patterns.names:
        return candidate.source, candidate.target
    number = patterns.names.index(candidate.rule.name)
    return float(patterns.rates("source")[number, 2]), float(patterns.rates("target")[number, 2])


def _unexplained(grown: Standing) -> Unexplained | None:
    table = columns_of(grown.report)
    if table is None:
        return None
    lines = unmodelled_balance(grown.report, table)
    off = [line for line in lines if line.stands_out and abs(line.after) > NOTABLE]
    worst = (off or list(lines))[:1]
    return Unexplained(len(off), worst[0].name if worst else "", worst[0].after if worst else 0.0)


def _reason(candidate: Candidate, grown: Standing) -> Sentence:
    """Say both factors: what is off after weighting, and how the score differs there."""
    share = grown.share
    more = candidate.gap > 0
    parts = {
        "words": candidate.rule.describe() if isinstance(candidate.rule, Slice) else candidate.name,
        "model": candidate.model,
        "there": candidate.target,
        "weighted": candidate.target - candidate.gap,
        "difference": show_points(abs(candidate.difference), share=share, sign=False),
        "way": "higher" if candidate.difference > 0 else "lower",
        "metric": grown.fit.problem.metric.spoken,
        "z": candidate.z,
    }
    what = "{words}:" if isinstance(candidate.rule, Slice) else "{words} agree on"
    return Sentence(
        f"{what} {{there:percent}} of the {{target}}, {'more' if more else 'less'} than the {{weighted:percent}} that "
        "weighting leaves in the {source}; there the {metric} of {model} is {difference} {way} than the slices say "
        "(z = {z:+.1f}).",
        **parts,
    )
