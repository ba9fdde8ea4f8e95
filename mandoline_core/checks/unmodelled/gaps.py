"""Gaps: how far means of the reweighted source are from the target's, before and after, and what luck explains."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from mandoline_core.checks.unmodelled.ground import Gaps, Weighing, lay_ground
from mandoline_core.pipeline import Estimate, Tally

FALSE_ALARM_RATE = 0.05
# A shift of a quarter of a standard deviation is what balance checks usually call more than negligible. A test that
# would miss it more often than one time in five passes for want of rows, and that is no pass.
NOTABLE, POWER = 0.25, 0.8
_MATCHED = 1e-6  # a slice whose weighted share is so close to the target's was matched on purpose


def weigh(report: Estimate, n_groups: int = 1) -> Weighing:
    """Read off a report how much the rows of every pattern count, in each group of source rows.

    Methods that weight rows of one pattern differently are represented by the pattern's average.

    Parameters
    ----------
    n_groups : int
        Groups of source rows that the cells tell apart: 1, or as many as the problem has.

    Examples
    --------
    >>> import numpy as np
    >>> from mandoline_core import estimate_from_codes
    >>> source, target = np.array([[1], [-1], [-1], [-1]]), np.array([[1], [-1]])
    >>> found = weigh(estimate_from_codes(source, np.ones(4), target).first)
    >>> found.source.round(3).tolist(), found.target.tolist()
    ([0.167, 0.5], [1.0, 1.0])
    """
    problem, outcome = report.problem, report.outcome
    table = problem.patterns
    if n_groups == len(problem.groups) and outcome.scored_weights is None:
        by_group = np.where(np.array([group.source for group in problem.groups]) > 0, outcome.row_weights, 0.0)
    else:
        by_group = np.tile(report.ratios / table.n_source, (n_groups, 1))
    kept, potentials = outcome.kept, table.codes.astype(float)
    if problem.edges:
        potentials = np.column_stack([potentials, *(potentials[:, i] * potentials[:, j] for i, j in problem.edges)])
    there = table.target * kept
    gaps = there @ potentials / there.sum() - (table.source * report.ratios) @ potentials / table.n_source
    close = np.abs(gaps) < _MATCHED
    matched = potentials if close.all() else potentials[:, close]
    by_cell = matched if n_groups == 1 else np.tile(matched, (n_groups, 1))
    return Weighing(by_group.ravel(), kept, by_cell, matched)


def weigh_rows(report: Estimate) -> Weighing:
    """Give every scored source row a cell of its own, for methods that weight rows of one pattern differently."""
    members = report.problem.members
    plain = weigh(report)
    weights = report.outcome.weights(members)
    return Weighing(weights, plain.target, np.empty((len(weights), 0)), np.empty((len(plain.target), 0)))


def compare(weighing: Weighing, tally: Tally, *, project: bool = True) -> Gaps | None:
    """Compare means in the source, the reweighted source and the target; None where one of them has no row.

    The standard error counts luck in both samples, each source row by the square of its weight: by what the rows
    show, or by the target's spread over the effective sample size if that is more. Weights that match slices
    exactly follow the target's luck in those slices, so the part of each quantity that is linear in them is taken
    out first: without that, what remains would look like luck too often.

    Parameters
    ----------
    project : bool
        Take out what is linear in the matched slices; not for rows picked by something else, such as a value
        that is there, among which the slices need not match.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.empty((2, 0))
    >>> rows = np.array([50.0, 50.0])
    >>> weighing = Weighing(np.array([0.015, 0.005]), np.ones(2), none, none)
    >>> found = compare(weighing, Tally(rows, rows, np.array([[40.0], [0.0]]), np.array([[40.0], [20.0]])))
    >>> found.source.round(3).tolist(), found.weighted.round(3).tolist(), found.target.round(3).tolist()
    ([0.4], [0.6], [0.6])
    """
    ground = lay_ground(weighing, tally.source_rows, tally.target_rows, project=project)
    return None if ground is None else ground.compare(tally)


def sampling_threshold(n_tests: int) -> float:
    """Return the |z| beyond which one of so many tests stands out from luck (Bonferroni, 5% for all together).

    >>> round(sampling_threshold(1), 2), round(sampling_threshold(100), 2)
    (1.96, 3.48)
    """
    return -float(ndtri(FALSE_ALARM_RATE / (2 * max(n_tests, 1))))


def would_show(effective: float, n_target: float, threshold: float) -> bool:
    """Tell whether enough rows are compared for a notable change to stand out four times in five.

    Parameters
    ----------
    effective : float
        Source rows, by how much they count.
    threshold : float
        The |z| beyond which something stands out.

    Examples
    --------
    >>> would_show(300, 300, sampling_threshold(1)), would_show(300, 300, sampling_threshold(100))
    (True, False)
    """
    error = (1 / effective + 1 / n_target) ** 0.5
    return (threshold + float(ndtri(POWER))) * error <= NOTABLE
