"""Spread: how sensitive the estimate is to the choice of slices, which the interval takes as given.

The estimate is made again with other plausible slices: each of the ten most relevant candidates of `suggest`, random
sets of them, and all together. The interval is widened, both ways, by the largest change of the estimate. Choices that
leave too few effective rows are skipped, and so are sets with a slice that does so alone. Leaving out slices of the
project is not counted: on real cases that made the band wider and no truer.

It is leaner than `suggest`: other choices get no interval and no checks, edges stay as they are, and weights that
approach a limit, on slices that only one sample has rows of, are taken as they are once they match the new data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack

import numpy as np

from mandoline_core.arrays import Bools, Interval
from mandoline_core.data import Sample
from mandoline_core.discovery.pool import make_pools
from mandoline_core.discovery.ranking import rank
from mandoline_core.discovery.search_state import Edge, SearchState, rule_name, rule_words, start_search
from mandoline_core.discovery.selection import fewest_effective
from mandoline_core.discovery.suggest import start_states, worth_trying
from mandoline_core.discovery.suggestions import Suggestions
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import PointEstimate, share_left_out
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_ends, show_points
from mandoline_core.pipeline import Fit, Options, Progress, Request, estimate_with, steps, widen, with_options
from mandoline_core.project import Project
from mandoline_core.results import Tabular, ends
from mandoline_core.slices import Slice, SliceLike

MOST_TRIED, SUBSETS = 10, 16
_ROUNDING = 1e-6  # of shares
MUCH_WIDER = 2.0  # times the interval: then the choice of slices matters more than sampling error


@dataclass(frozen=True, repr=False)
class Spread(Tabular):
    """Hold how far one model's estimate moves with other plausible slices.

    Parameters
    ----------
    interval : pair of floats
        The interval, widened both ways by `moved`.
    sampling : pair of floats
        The interval for sampling error alone.
    moved : float
        The largest change of the estimate.
    choice : str
        The slices behind it, in words; empty if there are no others.
    tried : int
        Other choices that gave an estimate.
    times : float
        Its width over the interval's.
    """

    interval: Interval
    sampling: Interval
    moved: float
    choice: str
    tried: int
    times: float
    share: bool = True

    @property
    def finding(self) -> Finding | None:
        """What to know if the choice of slices matters more than sampling error."""
        if self.times <= MUCH_WIDER:
            return None
        moved = show_points(self.moved, share=self.share, sign=False)
        return Finding(
            "choice",
            "depends_on_slices",
            "warning",
            f"The estimate is sensitive to your slices: {self.choice} moves it by {moved}.",
            "Look at the suggestion that moves it most, and accept it if it is plausible.",
            f"The interval allows for it. Sampling error alone: {show_ends(self.sampling, share=self.share)}.",
            numbers={"choice": self.choice, "moved": self.moved, "interval": self.interval},
        )

    @property
    def sentence(self) -> str:
        """What other slices would give."""
        if not self.tried:
            return "No other plausible slices were found, so the interval is for sampling error alone."
        return (
            f"The interval allows for other plausible slices ({self.tried} tried). Largest change: {self.choice} "
            f"({show_points(self.moved, share=self.share, sign=False)}). Sampling error alone gives "
            f"{show_ends(self.sampling, share=self.share)}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        finding = self.finding
        return {
            **asdict(self),
            "interval": list(self.interval),
            "sampling": list(self.sampling),
            "message": self.sentence,
            "finding": None if finding is None else finding.as_dict(),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return one line: where the estimate is with other slices."""
        return [{**ends(self.interval), "moved": self.moved, "choice": self.choice, "tried": self.tried}]


class Spreads(Tabular, dict[str, Spread]):
    """Hold how far the estimate of each model moves with other plausible slices."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {name: one.as_dict() for name, one in self.items()}

    def records(self) -> list[dict[str, Any]]:
        """Return a line for each model."""
        return [{"model": name, **line} for name, one in self.items() for line in one.records()]


@with_options
def spread(
    source: Project | Sample | Request,
    target: Sample | None = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    suggestions: Suggestions | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Spreads:
    """Measure how sensitive the estimate is to the choice of slices, by model.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself.
    suggestions : Suggestions, optional
        What could be chosen; found when left out.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1; what it raises stops the search.
    **options
        As in `estimate`.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> place, right = ["a"] * 800 + ["b"] * 200, [1] * 800 + [1, 0] * 100
    >>> source = Sample(pd.DataFrame({"place": place, "y": 1, "p": right}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": ["a", "b"] * 50, "p": [1, 1] * 50}))
    >>> found = spread(source, target, [])["model"]
    >>> round(found.moved, 3), found.tried
    (0.15, 1)
    """
    request, states = start_states("spread", source, target, slices, **options)
    return _spreads(request, states, progress, suggestions)


def spread_of_fits(request: Request, fits: Sequence[Fit], *, progress: Progress | None = None) -> Spreads:
    """Measure it for fits that were made already, of rows in memory."""
    quick = replace(request, settings=replace(request.settings, interval="influence")).in_memory
    return _spreads(quick, start_search(quick, fits), progress)


def _spreads(
    request: Request,
    states: Sequence[SearchState],
    progress: Progress | None,
    suggestions: Suggestions | None = None,
) -> Spreads:
    tell = progress or (lambda *_: None)
    if suggestions is None:
        tell("looking for slices", 0.2)
        pools = make_pools([one.fit for one in states], request.slices)
        tell("looking for slices", 0.4)
        rules = [candidate.rule for candidate in worth_trying(rank(states, pools, ()), MOST_TRIED)]
    else:
        rules = [suggestion.rule for suggestion in suggestions.suggestions]
    # Random sets represent what a user might combine; all of them are too many to try.
    rng = np.random.default_rng(request.settings.seed)
    subsets = rng.random((SUBSETS, len(rules))) < 0.5
    spreads = Spreads()
    for number, start in enumerate(states):
        tell("other choices of slices", 0.6 + 0.4 * number / len(states))
        spreads[start.fit.model] = _spread(start, list(_choices(start, rules, subsets)))
    return spreads


def _spread(start: SearchState, estimates: Sequence[tuple[str, float]]) -> Spread:
    report = start.report
    words, furthest = max(estimates, key=lambda pair: abs(pair[1] - report.estimate), default=("", report.estimate))
    moved = abs(furthest - report.estimate)
    low, high = report.interval
    interval = widen((low, high), moved, start.fit.problem.metric.bounds)
    times = (interval[1] - interval[0]) / (high - low) if high > low else 1.0
    return Spread(interval, (low, high), moved, words, len(estimates), times, start.share)


def _choices(start: SearchState, rules: Sequence[Slice | Edge], subsets: Bools) -> Iterator[tuple[str, float]]:
    """Estimate with other choices: each rule alone, random sets and all of them.

    Sets are of rules that alone leave enough effective rows, and every new row that the start keeps: without some of
    them, the estimate is of other rows. They are estimated on the patterns of all together, so that no rows are read.
    """
    least, whole, able = fewest_effective(start), start, dict[str, Slice | Edge]()
    left_out = share_left_out(start.fit.problem, start.report.outcome.kept)
    for rule in rules:
        try:
            alone, grown = start.add(rule), whole.add(rule)
        except MandolineError:
            continue
        point = _point(alone, list(steps(alone.fit)), least)
        if point is None:
            continue
        yield rule_words(rule), point.value
        if point.left_out <= left_out + _ROUNDING:
            whole, able[rule_name(rule)] = grown, rule
    own, seen = list(steps(start.fit)), set[tuple[str, ...]]()
    for row in [*subsets, np.ones(len(rules), dtype=bool)]:
        chosen = [rule for rule, taken in zip(rules, row, strict=True) if taken and isinstance(rule, Slice)]
        added = tuple(rule.name for rule in chosen if rule.name in able)
        if len(added) < 2 or added in seen:
            continue
        seen.add(added)
        point = _point(whole, [*own, *added], least)
        if point is not None:
            both = " and ".join(rule_words(able[name]) for name in added)
            yield both if len(added) == 2 else f"{len(added)} suggestions together", point.value


def _point(state: SearchState, names: Sequence[str], least: float) -> PointEstimate | None:
    """Estimate with some rules; None where the weights cannot be fitted, or leave too few effective rows."""
    point = estimate_with(state.fit, state.request.settings, names)
    return None if point is None or point.effective_rows < least else point
