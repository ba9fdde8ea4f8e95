"""Choosing: accept one slice after the other, as long as one stands out and the weights stay sane."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from mandoline_core.discovery.candidates import Candidate
from mandoline_core.discovery.pool import Pool
from mandoline_core.discovery.ranking import rank
from mandoline_core.discovery.standing import Edge, Standing
from mandoline_core.errors import MandolineError
from mandoline_core.slices import Slice

MOST_ACCEPTED = 8
FEWEST_EFFECTIVE = 100.0  # rows, unless there were fewer at the start
LEAST_LEFT = 0.25  # of the effective rows at the start
MOST_ASIDE = 0.02  # of the target, beyond what was set aside at the start
MOST_REFUSED = 5  # in a row


@dataclass(frozen=True, eq=False)
class Choice:
    """Hold what was accepted, and where that leads.

    Parameters
    ----------
    accepted : tuple of Candidate
        In order.
    steps : tuple of tuples of Standing
        Of each model: at the start, and after each acceptance.
    """

    accepted: tuple[Candidate, ...]
    steps: tuple[tuple[Standing, ...], ...]

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Each model with all that was accepted."""
        return self.steps[-1]


def choose(
    standings: Sequence[Standing],
    pools: Sequence[Pool],
    never: Collection[object],
    progress: Callable[[float], None] | None = None,
) -> Choice:
    """Accept the most relevant candidate, rank the others anew, and so on, until nothing stands out.

    At most eight are accepted. One that leaves fewer than 100 effective rows (or than a quarter of those at the
    start), or sets aside more than 2% of the target beyond what was, is passed over.
    """
    steps = [tuple(standings)]
    accepted: list[Candidate] = []
    refused = set(never)
    while len(accepted) < MOST_ACCEPTED:
        if progress is not None:
            progress(len(accepted) / MOST_ACCEPTED)
        step = _next(steps[-1], steps[0], pools, refused)
        if step is None:
            break
        accepted.append(step[0])
        steps.append(step[1])
    return Choice(tuple(accepted), tuple(steps))


def _next(
    now: tuple[Standing, ...], start: tuple[Standing, ...], pools: Sequence[Pool], refused: set[object]
) -> tuple[Candidate, tuple[Standing, ...]] | None:
    """Find the first candidate that stands out and keeps the weights sane; remember those that do not."""
    ranking = rank(now, pools, refused)
    outstanding = [one for one in ranking.candidates if ranking.stands_out(one)]
    for candidate in outstanding[:MOST_REFUSED]:
        grown = try_rule(now, candidate.rule)
        if grown is not None and all(is_sane(new, old) for new, old in zip(grown, start, strict=True)):
            return candidate, grown
        refused.add(candidate.key)
    return None


def try_rule(standings: Sequence[Standing], rule: Slice | Edge) -> tuple[Standing, ...] | None:
    """Add a rule for every model and solve; None where that cannot be done."""
    try:
        grown = tuple(standing.add(rule) for standing in standings)
        solved = all(standing.report.converged for standing in grown)
    except MandolineError:
        return None
    return grown if solved else None


def fewest_effective(start: Standing) -> float:
    """Say on how many effective rows another estimate must rest to be worth looking at."""
    rows = start.report.effective_sample_size
    return max(LEAST_LEFT * rows, min(FEWEST_EFFECTIVE, rows))


def is_sane(new: Standing, start: Standing) -> bool:
    """Tell whether enough rows carry the estimate, and it speaks of nearly as much of the target as at the start."""
    before, after = start.report, new.report
    return after.effective_sample_size >= fewest_effective(start) and after.set_aside <= before.set_aside + MOST_ASIDE
