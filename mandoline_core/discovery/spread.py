"""Spread: how sensitive the estimate is to the choice of slices, which the interval takes as given.

The estimate is made again with other plausible slices: each suggestion, random sets of them, and all together. The
interval is widened, both ways, by the largest change of the estimate. Choices that leave too few effective rows are
skipped. Leaving out slices of the project is not counted: on real cases that made the band wider and no truer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from mandoline_core.arrays import Bools, Interval
from mandoline_core.data import Sample
from mandoline_core.discovery.search_state import SearchState
from mandoline_core.discovery.selection import fewest_effective, try_rule
from mandoline_core.discovery.suggest import search, start_states
from mandoline_core.discovery.suggestions import Suggestion, Suggestions
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_ends, show_points
from mandoline_core.pipeline import Options, Progress, Request, estimate_with, steps, with_options
from mandoline_core.project import Project
from mandoline_core.results import Tabular, ends
from mandoline_core.slices import SliceLike

SUBSETS = 16
MUCH_WIDER = 2.0  # times the interval: then the choice of slices matters more than sampling error


@dataclass(frozen=True, repr=False)
class Spread(Tabular):
    """Hold how far one model's estimate moves with other plausible slices.

    Parameters
    ----------
    interval : pair of floats
        The interval, widened both ways by `moved`.
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
        ends = show_ends(self.interval, share=self.share)
        return Finding(
            "choice",
            "depends_on_slices",
            "warning",
            f"The estimate is sensitive to your slices: {self.choice} moves it by {moved}.",
            "Look at the suggestion that moves it most, and accept it if it is plausible.",
            f"With other plausible slices it is within {ends}.",
            numbers={"choice": self.choice, "moved": self.moved, "interval": self.interval},
        )

    @property
    def sentence(self) -> str:
        """What other slices would give."""
        if not self.tried:
            return "No other plausible slices were found that would change the estimate."
        return (
            f"With other plausible slices ({self.tried} tried), the estimate is within "
            f"{show_ends(self.interval, share=self.share)}. Largest change: {self.choice} "
            f"({show_points(self.moved, share=self.share, sign=False)})."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        finding = self.finding
        return {
            **asdict(self),
            "interval": list(self.interval),
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
    tell = progress or (lambda *_: None)
    request, states = start_states("spread", source, target, slices, **options)
    if suggestions is None:  # the states keep the codes of every slice that is tried
        suggestions = search(request, states, progress=lambda what, share: tell(what, 0.7 * share))
    offered, grown = suggestions.suggestions, states
    for suggestion in offered:
        grown = try_rule(grown, suggestion.rule) or grown
    # Random sets represent what a user might combine; all of them are too many to try.
    rng = np.random.default_rng(request.settings.seed)
    subsets = rng.random((SUBSETS, len(offered))) < 0.5
    spreads = Spreads()
    for number, (start, whole) in enumerate(zip(states, grown, strict=True)):
        tell("other choices of slices", 0.8 + 0.2 * number / len(states))
        spreads[start.fit.model] = _spread(start, list(_choices(start, whole, offered, subsets)))
    return spreads


def _spread(start: SearchState, choices: Sequence[tuple[str, float, float]]) -> Spread:
    report = start.report
    least = fewest_effective(start)
    estimates = [(words, estimate) for words, estimate, rows in choices if rows >= least]
    words, furthest = max(estimates, key=lambda pair: abs(pair[1] - report.estimate), default=("", report.estimate))
    moved = abs(furthest - report.estimate)
    low, high = report.interval
    bounds = start.fit.problem.metric.bounds or (-np.inf, np.inf)
    interval = max(low - moved, bounds[0]), min(high + moved, bounds[1])
    times = (interval[1] - interval[0]) / (high - low) if high > low else 1.0
    return Spread(interval, moved, words, len(estimates), times, start.share)


def _choices(
    start: SearchState, whole: SearchState, offered: Sequence[Suggestion], subsets: Bools
) -> Iterator[tuple[str, float, float]]:
    """List other choices: in words, with the estimate and the effective rows that each gives.

    Each suggestion alone was tried already; random sets and all of them are estimated on the patterns of all, so that
    no rows are read.
    """
    for suggestion in offered:
        trial = suggestion.trials[start.fit.model]
        yield suggestion.words, trial.estimate, trial.effective_sample_size
    own, able = list(steps(start.fit)), steps(whole.fit)
    words = {suggestion.name: suggestion.words for suggestion in offered if suggestion.name in able}
    drawn = [[suggestion.name for suggestion, taken in zip(offered, row, strict=True) if taken] for row in subsets]
    seen: set[tuple[str, ...]] = set()
    for names in [*drawn, list(words)]:
        added = tuple(name for name in names if name in words)
        if len(added) < 2 or added in seen:
            continue
        seen.add(added)
        point = estimate_with(whole.fit, start.request.settings, [*own, *added])
        if point.estimate is not None and point.effective_sample_size is not None:
            both = " and ".join(words[name] for name in added)
            shown = both if len(added) == 2 else f"{len(added)} suggestions together"
            yield shown, point.estimate, point.effective_sample_size
