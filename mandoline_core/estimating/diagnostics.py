"""Diagnostics: how far an estimate can be trusted, as numbers and as findings in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.estimators import Outcome, influence_interval
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted, listed, show_percent, show_value
from mandoline_core.metrics import smaller_class
from mandoline_core.patterns import Patterns
from mandoline_core.weighting import Problem

MOST_STANDARD_ERRORS = (
    1.96  # standard errors that a rate may lie beyond 0 or 1 before it speaks against the corrections
)
TINY = 5  # source rows on one side of a slice
FEW_EFFECTIVE_ROWS = 100
FEW_ROWS = 30
MUCH_UNSEEN = 0.05
MUCH_ABSTENTION = 0.5


@dataclass(frozen=True)
class Diagnostics:
    """Hold what the weights look like.

    Parameters
    ----------
    effective_sample_size : float
        1 / sum of squared weights: so many equally weighted rows would be as informative.
    design_effect : float
        Source rows evaluated, over the effective sample size.
    largest_ratio : float
        How many times the heaviest row counts.
    unseen : float
        Share of the target in patterns that no source row shows.
    set_aside : float
        Share of the target that the estimate does not speak of.
    bounds : pair of floats or None
        Where the metric on the whole target must lie whatever happens in the part set aside.
    """

    effective_sample_size: float
    design_effect: float
    largest_ratio: float
    unseen: float
    set_aside: float
    bounds: Interval | None


def diagnose(problem: Problem, outcome: Outcome) -> Diagnostics:
    """Compute the diagnostics of an outcome."""
    table = problem.patterns
    if outcome.scored_weights is not None:
        weights, counts = outcome.scored_weights[None, :], np.ones((1, len(outcome.scored_weights)))
    else:
        counts = np.array([group.source for group in problem.groups])
        weights = np.where(counts > 0, outcome.row_weights, 0.0)
    # Rows that only serve to fit have no weight and are not averaged over.
    n_evaluated = float(counts[weights.any(axis=1)].sum())
    effective = 1 / float((counts * weights**2).sum())
    n_target = max(table.n_target, 1.0)  # a part of the samples, such as a slice's rows, may have none
    set_aside = float(table.target[~outcome.kept].sum() / n_target)
    return Diagnostics(
        effective_sample_size=effective,
        design_effect=n_evaluated / effective,
        largest_ratio=float(weights.max()) * n_evaluated,
        unseen=float(table.target[table.source == 0].sum() / n_target),
        set_aside=set_aside,
        bounds=_bounds(problem, outcome.value, set_aside),
    )


def interval_of(problem: Problem, outcome: Outcome, confidence: float) -> Interval:
    """Put the influence-function interval around an outcome.

    A ratio such as recall rests on the rows below its line only. Where it is all or nothing, and the exact interval
    for a number of rows is used, those are the rows that count: a cell that moves the value by 1 / share a row is
    one of a share of the rows. A ranking rests on the smaller class.
    """
    effective = diagnose(problem, outcome).effective_sample_size
    if problem.metric.ranked:
        effective = smaller_class(problem.members.statistics, outcome.weights(problem.members))
    elif not problem.metric.is_mean:
        effective /= max(1.0, float(np.abs(problem.metric.slope(outcome.means)).max()))
    return influence_interval(
        outcome.value,
        outcome.influence.standard_error(),
        confidence=confidence,
        bounds=problem.metric.bounds,
        effective_rows=effective,
        student=problem.metric.ranked,
    )


def _bounds(problem: Problem, value: float, set_aside: float) -> Interval | None:
    if problem.metric.bounds is None or set_aside == 0 or not problem.metric.is_mean:
        return None
    low, high = problem.metric.bounds
    return (1 - set_aside) * value + set_aside * low, (1 - set_aside) * value + set_aside * high


def find(problem: Problem, outcome: Outcome, numbers: Diagnostics, *, uses_slices: bool = True) -> Iterator[Finding]:
    """Say what a person should know before quoting the estimate."""
    yield from outcome.findings
    yield from _about_convergence(problem, outcome)
    if uses_slices:
        yield from _about_overlap(problem, outcome, numbers)
    yield from _about_weights(problem, numbers)
    if uses_slices:
        yield from _about_slices(problem.patterns)
    if outcome.delta is not None:
        yield from _about_corrections(problem)


def _about_convergence(problem: Problem, outcome: Outcome) -> Iterator[Finding]:
    if not outcome.converged:
        yield Finding(
            "not_converged",
            "serious",
            "The weights could not be fitted: no solution was found. The number shown is not an estimate.",
            "Remove slices or edges that say nearly the same, or set a small ridge such as 0.01.",
        )
    if problem.ridge > 0:
        yield Finding(
            "ridge",
            "info",
            f"A ridge of {problem.ridge:g} holds the weights back: reweighted slices do not quite match the target.",
            "Set ridge = 0 to match them exactly.",
        )


def _about_overlap(problem: Problem, outcome: Outcome, numbers: Diagnostics) -> Iterator[Finding]:
    table = problem.patterns
    if numbers.set_aside > 0:
        rows = round(numbers.set_aside * table.n_target)
        why = f" (slices {listed(outcome.beyond, most=4)})" if outcome.beyond else ""
        whole = ""
        if numbers.bounds is not None:
            low, high = (show_value(end, share=problem.metric.share) for end in numbers.bounds)
            lies = f"lies between {low} and {high}" if np.isfinite(numbers.bounds[1]) else f"is {low} or more"
            whole = f" For the whole target the {problem.metric.name} {lies}, before sampling error."
        yield Finding(
            "set_aside",
            "serious" if numbers.set_aside > 0.2 else "warning",
            f"{show_percent(numbers.set_aside)} of the target ({rows:,} rows) resembles no labelled row{why} and is set "
            f"aside: this speaks of {show_percent(1 - numbers.set_aside)} of the target.{whole}",
            "Label a few of these rows, or drop or merge the slices named.",
        )
    elif numbers.unseen > MUCH_UNSEEN:
        yield Finding(
            "unseen_patterns",
            "warning",
            f"{show_percent(numbers.unseen)} of the target shows combinations of slices that no labelled row shows. "
            "There the estimate assumes that slices add up.",
            "Use fewer slices, or label some of these rows.",
        )
    unused = float(table.source[outcome.unused].sum()) if outcome.unused.any() else 0.0
    if unused:
        yield Finding(
            "unused_source_rows",
            "info",
            f"{unused:,.0f} of {table.n_source:,.0f} source rows count for nothing: the target has none like them.",
            "Nothing to do, unless the target sample is too small to show them.",
        )


def _about_weights(problem: Problem, numbers: Diagnostics) -> Iterator[Finding]:
    table = problem.patterns
    for side, n in (("source", table.n_source), ("target", table.n_target)):
        if n < FEW_ROWS:
            yield Finding(
                f"few_{side}_rows",
                "serious",
                f"The {side} has {counted(n, 'row')}. Intervals are meant for samples of {FEW_ROWS} rows and more.",
                "Collect more rows before quoting this number.",
            )
    effective = numbers.effective_sample_size
    very_few = effective < FEW_EFFECTIVE_ROWS / 4
    if effective < FEW_EFFECTIVE_ROWS <= table.n_source or (very_few and table.n_source >= FEW_ROWS):
        yield Finding(
            "few_effective_rows",
            "serious" if very_few else "warning",
            f"The estimate rests on {counted(effective, 'effective row')} out of {table.n_source:,.0f}: a few rows "
            f"count for very much (up to {numbers.largest_ratio:,.0f} times).",
            "Drop or merge the slice that shifts most, or label more rows like the target's.",
        )


def _about_slices(table: Patterns) -> Iterator[Finding]:
    source, target = table.rates("source"), table.rates("target")
    constant = ((source > 0) | (target > 0)).sum(axis=1) == 1
    for i in np.flatnonzero(constant):
        yield Finding(
            "constant_slice",
            "warning",
            f"Slice {table.names[i]!r} is the same for every row of both samples, so it carries no information.",
            "Remove it or change its rule.",
            (table.names[i],),
        )
    yield from _duplicates(table, constant)
    rows = source * table.n_source
    for number, name in enumerate(table.names):
        if constant[number]:
            continue
        inside, outside = round(rows[number, 2]), round(rows[number, 0])
        side, n = ("inside", inside) if inside <= outside else ("outside", outside)
        if n < TINY:
            yield Finding(
                "tiny_slice",
                "warning",
                f"Slice {name!r} has {n} source rows {side} it. What it says about the score there is mostly luck.",
                "Widen its rule, merge it with another slice, or label more such rows.",
                (name,),
            )
        worst = float(max(source[number, 1], target[number, 1]))
        if worst > MUCH_ABSTENTION:
            where = "source" if source[number, 1] >= target[number, 1] else "target"
            yield Finding(
                "much_abstention",
                "warning",
                f"Slice {name!r} abstains on {show_percent(worst)} of the {where}, where it is taken to say nothing.",
                "Fill in the missing values, or drop the slice.",
                (name,),
            )


def _duplicates(table: Patterns, constant: np.ndarray) -> Iterator[Finding]:
    seen: dict[bytes, str] = {}
    for i, name in enumerate(table.names):
        if constant[i]:
            continue
        column = table.codes[:, i]
        twin = seen.get(column.tobytes())
        if twin is not None:
            yield Finding(
                "duplicate_slice",
                "info",
                f"Slices {twin!r} and {name!r} say the same about every row.",
                "One of them is enough.",
                (twin, name),
            )
        seen.setdefault(column.tobytes(), name)


def _about_corrections(problem: Problem) -> Iterator[Finding]:
    table, corrections = problem.patterns, problem.corrections()
    luck = problem.rule.rate_errors(table.rates("source"), table.rates("target"), table.n_source, table.n_target)
    for i, name in enumerate(table.names):
        if corrections.underivable[i]:
            yield Finding(
                "corrections_not_derivable",
                "warning",
                f"The target's corrections of slice {name!r} cannot be derived from the source, which never shows "
                "one of its answers. The source's matrix is used as it stands.",
                "Set the target's corrections yourself.",
                (name,),
            )
        rate = corrections.target_rate[i]
        beyond = max(-rate, rate - 1) if np.isfinite(rate) else 0.0
        if beyond > 1e-9:
            by_chance = beyond <= MOST_STANDARD_ERRORS * luck[i]
            yield Finding(
                "derived_rate_outside",
                "info" if by_chance else "serious",
                f"With the error rates of slice {name!r} in the source, {show_percent(float(rate))} of the target would "
                f"have to be truly inside it, which cannot be; {show_percent(float(np.clip(rate, 0, 1)))} is used. "
                + (
                    "The luck of the samples alone can do that."
                    if by_chance
                    else "The corrections are off, or the slice errs differently on the target."
                ),
                "Nothing to do." if by_chance else "Measure the corrections again, or set the target's own.",
                (name,),
            )
