"""The check of groups: whether rows that share a value are alike, or copies, though nobody said they belong together.

Rows of one user are alike where users differ. Then there are fewer independent rows than rows, and an interval by row
is too narrow. What slices explain is no such likeness: what is compared is the influence of rows on the estimate. It is
the part of their score that slices leave over, times their weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, ndtr

from mandoline_core.arrays import Floats, Index
from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.estimators import Influence, SamplingError
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed
from mandoline_core.patterns import Membership, add_up
from mandoline_core.pipeline import MOST_GROUPED, SampleGroups

NARROW = 1.5  # times too narrow: from here on the interval is not to be quoted
LEAST_NARROW = 1.02  # below, it makes no difference
FALSE_ALARMS = (
    0.02  # of all columns together; where few groups carry the weight, both tests are too bold by as much again
)
_ROUNDING = 1e-12
FEWEST_WITHIN = 20  # rows beyond the first of their group; with fewer, likeness is not seen


@dataclass(frozen=True)
class Likeness:
    """Hold how alike the rows of groups are.

    Parameters
    ----------
    n_groups : int
    correlation : float
        Of the influence of two rows of one group (intra-class correlation).
    p : float
        The probability of this likeness if groups were random.
    excess : float
        How much larger the variance by groups is than that by rows.
    """

    n_groups: int
    correlation: float
    p: float
    excess: float


class GroupsCheck(CheckRule):
    """Ask whether rows are independent, or belong together only where the project says so."""

    name = "groups"
    question = "Are rows independent, or grouped?"

    def look(self, report: ModelReport) -> Iterator[Finding] | None:
        """Look for columns whose values rows share that are alike, and for copies of rows."""
        members, rows = report.problem.members, report.cells.rows
        if rows is None or report.cells.groups is None or report.fit.in_table:
            return None
        pieces, total = _pieces(report.outcome.influence, members, np.flatnonzero(rows.scored))
        if len(pieces) < 2 or not total:
            return None
        source, target = report.cells.groups
        sides = (
            _Side("labelled", source, np.flatnonzero(rows.scored), pieces[0]),
            _Side("new", target, None, pieces[1]),
        )
        return _findings(sides, total)


def _pieces(influence: SamplingError, members: Membership, scored: Index) -> tuple[tuple[Floats, ...], float]:
    """Return what each row adds to the estimate, and the variance of the estimate, as its interval has it.

    Only the first rows of a sample are numbered by group: where nothing links others to them, they are enough.
    """
    if isinstance(influence, Influence) and members.is_simple and influence.audit is influence.target_audit is None:
        first, some = slice(int(np.searchsorted(scored, MOST_GROUPED))), slice(MOST_GROUPED)
        members = members._replace(
            source=members.source[first],
            groups=members.groups[first],
            statistics=members.statistics[first],
            source_rows=members.source_rows[first],
            target=members.target[some],
            target_rows=members.target_rows[some],
        )
        return influence.pieces(members), influence.standard_error() ** 2
    pieces = influence.pieces(members)
    return pieces, sum(float(piece @ piece) for piece in members.together(pieces))


@dataclass(frozen=True, eq=False)
class _Side:
    """Hold what may group a sample's rows, those that count (all when None), and what each adds to the estimate."""

    data: str
    groups: SampleGroups
    rows: Index | None
    moved: Floats

    def alike(self, groups: Index, bins: Index | None = None) -> Likeness | None:
        """Compare the rows of groups of this sample, of which the first rows may be numbered."""
        if self.rows is not None:
            some = self.rows[self.rows < len(groups)]
            groups, bins = groups[some], None if bins is None else bins[some]
        return likeness(self.moved[: len(groups)], groups, bins)


def _findings(sides: Sequence[_Side], total: float) -> Iterator[Finding]:
    """Report the column whose groups make the interval most too narrow, and copies.

    Parameters
    ----------
    total : float
        The variance of the estimate, as its interval has it.
    """
    candidates = [(side, side.groups.columns) for side in sides]
    n_tests = sum(len(columns) for _, columns in candidates)
    found: dict[str, list[Likeness]] = {}
    for side, columns in candidates:
        for one in columns:
            seen = side.alike(one.groups, one.bins)
            if seen is not None and seen.p * n_tests <= FALSE_ALARMS:
                found.setdefault(one.name, []).append(seen)
    worst = sorted(found, key=lambda name: -sum(one.excess for one in found[name]))
    if worst and (times := _times(found[worst[0]], total)) >= LEAST_NARROW:
        column, seen = worst[0], max(found[worst[0]], key=lambda one: one.correlation)
        others = f" Rows that share {listed(map(repr, worst[1:]))} are alike, too." if worst[1:] else ""
        yield Finding(
            "groups",
            "rows_alike",
            "serious" if times >= NARROW else "warning",
            f"Rows that share {column!r} are alike; the interval is about {times:.1f} times too short.",
            f"Set group to {column!r}.",
            f"Scores of two rows that share it correlate by {seen.correlation:.2f}, beyond the slices.{others}",
            numbers={"column": column, "times": times, "correlation": seen.correlation, "groups": seen.n_groups},
        )
    for side in sides:
        yield from _copies(side, total)


def _copies(side: _Side, total: float) -> Iterator[Finding]:
    """Report rows that are copies of others."""
    groups, data = side.groups.copies, side.data
    if groups is None:
        return
    seen, n = side.alike(groups), len(groups) - len(np.unique(groups))
    times = 1.0 if seen is None else _times([seen], total)
    yield Finding(
        "groups",
        "copied_rows",
        "serious" if times >= NARROW else "warning" if times >= LEAST_NARROW else "info",
        f"{n:,} of {len(groups):,} {data} rows are copies of other rows; the interval is about {times:.1f} times too "
        "short."
        if times >= LEAST_NARROW
        else f"{n:,} of {len(groups):,} {data} rows are copies of other rows.",
        "Remove the copies, or set group to a column that says which rows belong together.",
        "They have the same value in every column.",
        numbers={"n": n, "rows": len(groups), "times": times, "side": data},
    )


def _times(seen: Sequence[Likeness], total: float) -> float:
    """Say how many times as wide an interval by group would be."""
    return math.sqrt(max(total + sum(one.excess for one in seen), 0.0) / total)


def likeness(moved: Floats, groups: Index, bins: Index | None = None) -> Likeness | None:
    """Measure how alike the rows of a group are, by one-way analysis of variance; None where too few share one.

    The F test supposes that rows vary alike, which rows of different weight do not. So likeness must also show in the
    products of the rows of each group, whose spread is known whatever the rows' own.

    Parameters
    ----------
    moved : array of float, shape (n_rows,)
    groups : array of int, shape (n_rows,)
    bins : array of int, shape (n_rows,), optional
        Rows whose means are taken out first.

    Examples
    --------
    >>> groups = np.repeat(np.arange(50), 4)
    >>> apart = np.random.default_rng(0).standard_normal(200)
    >>> alike = apart + np.random.default_rng(1).standard_normal(50)[groups]
    >>> [round(likeness(values, groups).p, 3) for values in (apart, alike)]
    [0.191, 0.0]
    """
    if not len(moved):
        return None
    bins = np.zeros(len(moved), dtype=np.intp) if bins is None else bins
    n_bins = int(bins.max()) + 1
    left = moved - (add_up(bins, moved, n_bins) / np.maximum(np.bincount(bins), 1))[bins]
    place = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(place).astype(float)
    n, n_groups = len(left), len(sizes)
    between, within = n_groups - n_bins, n - n_groups
    squares, sums = add_up(place, left**2, n_groups), add_up(place, left, n_groups)
    if between < 1 or within < FEWEST_WITHIN or not squares.sum():
        return None
    mean_between = float((sums**2 / sizes).sum()) / between
    mean_within = max(float((squares - sums**2 / sizes).sum()), 0.0) / within
    size = (n - float(sizes @ sizes) / n) / max(n_groups - 1, 1)
    if mean_between <= mean_within:
        return Likeness(n_groups, 0.0, 1.0, 0.0)
    by_f = float(
        betainc(within / 2, between / 2, within * mean_within / (within * mean_within + between * mean_between))
    )
    excess = float((sums**2 - squares).sum())
    products = 2 * float((squares**2 - add_up(place, left**4, n_groups)).sum())
    # Where one row a group carries all the weight there are no products, only rounding.
    has_products = products > _ROUNDING * float((squares**2).sum())
    by_products = float(ndtr(-excess / math.sqrt(products))) if has_products else 1.0
    correlation = (mean_between - mean_within) / (mean_between + (size - 1) * mean_within)
    return Likeness(n_groups, correlation, max(by_f, by_products), max(excess, 0.0))
