"""Weighted means: how far those of the weighted source are from the target's, beyond sampling error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.special import ndtri

from mandoline_core.arrays import Floats, Index
from mandoline_core.pipeline import Estimate, RowCells, SumTable, Tally

FALSE_ALARM_RATE = 0.05
# A shift of a quarter of a standard deviation is what balance checks usually call more than negligible. A test that
# would miss it more often than one time in five passes for want of rows, and that is no pass.
NOTABLE, POWER = 0.25, 0.8
LARGE = 0.8  # standard deviations; from here on, two samples hardly look like one population in that column
_LEAST_LEFT = 0.1  # of a row, after its own pull on the fit; without a floor a row that fits itself would count for all
_NOTHING_LEFT = 0.05  # of a variance beyond the modelled slices: then they say it already, and a slope would be noise
_MATCHED = 1e-6  # a slice whose weighted share is so close to the target's was matched on purpose


@dataclass(frozen=True, eq=False)
class CellWeights:
    """Hold how much one row counts, in every cell of source rows and of target rows.

    Parameters
    ----------
    source : array of float, shape (n_source_cells,)
        The weight of one row.
    target : array of float, shape (n_target_cells,)
        1 for patterns that the estimate covers, their share for those it covers in part, else 0.
    source_matched, target_matched : array of float, shape (n_source_cells, d) and (n_target_cells, d)
        The slices and edges that the weights match; d may be 0.
    source_spread, target_spread : array of float, shape (n_source_cells,) and (n_target_cells,), optional
        How many times as large design weights make the variance of a cell's rows; 1 when left out.
    """

    source: Floats
    target: Floats
    source_matched: Floats
    target_matched: Floats
    source_spread: Floats | float = 1.0
    target_spread: Floats | float = 1.0


@dataclass(frozen=True, eq=False)
class MeanGaps:
    """Hold m means in the source, the reweighted source and the target, with how far they are apart.

    Parameters
    ----------
    source, weighted, target : array of float, shape (m,)
    before, after : array of float, shape (m,)
        Target minus source, and minus reweighted source, over the pooled standard deviation of source and target; 0
        if that is 0, as of a level that all rows of one sample have and none of the other: other levels show it.
    z : array of float, shape (m,)
        What remains over its standard error.
    deviations : array of float, shape (3, m)
        Standard deviations in the three.
    effects : array of float, shape (2, m), optional
        How far a slice on each would move the estimate, to first order, and its standard error: what remains, times
        the slope of the score. NaN where no slope can be told.
    """

    source: Floats
    weighted: Floats
    target: Floats
    before: Floats
    after: Floats
    z: Floats
    deviations: Floats
    effects: Floats | None = None

    def take(self, some: slice) -> MeanGaps:
        """Keep some of the means."""
        return MeanGaps(**{name: values[..., some] for name, values in vars(self).items() if values is not None})

    def at(self, i: int) -> dict[str, Any]:
        """Return the numbers of one mean, by name; without its deviations and effects."""
        return {name: float(values[i]) for name, values in vars(self).items() if np.ndim(values) == 1}


def weigh(report: Estimate, cells: RowCells | None = None) -> CellWeights:
    """Read off a report how much the rows of every cell count.

    Parameters
    ----------
    cells : RowCells, optional
        The patterns when left out: methods that weight rows of one pattern differently are then represented by the
        pattern's average.

    Examples
    --------
    >>> import numpy as np
    >>> from mandoline_core import estimate_from_codes
    >>> source, target = np.array([[1], [-1], [-1], [-1]]), np.array([[1], [-1]])
    >>> found = weigh(estimate_from_codes(source, np.ones(4), target).first)
    >>> found.source.round(3).tolist(), found.target.tolist()
    ([0.167, 0.5], [1.0, 1.0])
    """
    problem, kept, table = report.problem, report.outcome.kept, report.problem.patterns
    potentials = table.codes.astype(float)
    if problem.edges:
        potentials = np.column_stack([potentials, *(potentials[:, i] * potentials[:, j] for i, j in problem.edges)])
    target = table.target * kept
    gaps = target @ potentials / target.sum() - (table.source * report.ratios) @ potentials / table.n_source
    close = np.abs(gaps) < _MATCHED
    matched = potentials if close.all() else potentials[:, close]
    spreads = problem.spreads
    if cells is None:
        return CellWeights(report.ratios / table.n_source, kept, matched, matched, *spreads)
    if report.outcome.scored_weights is not None:  # made for rows, not to match slices
        matched = matched[:, :0]
    members = report.fit.row_members
    at_source, at_target = members.source[cells.first_source], members.target[cells.first_target]
    weights = row_weights(report, cells.first_source)
    if report.outcome.scored_weights is not None:  # cells of one row each
        spreads = members.design[0].squares_of(members.source_rows), spreads[1]
    return CellWeights(
        weights, kept[at_target], matched[at_source], matched[at_target], spreads[0][at_source], spreads[1][at_target]
    )


def counted_by_pattern(report: Estimate) -> bool:
    """Tell whether what was added up by pattern while counting serves a report.

    Not where the slices are others by now, where the source is split, or where rows of a pattern differ in weight.
    """
    fit, problem = report.fit, report.problem
    same = fit.in_table or (problem.patterns is fit.cells.count.patterns and len(problem.groups) == 1)
    return same and report.outcome.scored_weights is None


def row_weights(report: Estimate, rows: Index) -> Floats:
    """Say how much some scored source rows in memory count, apart from their design weights.

    Up to a factor, and the other rows are not looked at.
    """
    outcome, members = report.outcome, report.fit.row_members
    if outcome.scored_weights is not None:
        return outcome.scored_weights[rows] / members.source_rows[rows]
    if report.fit.in_table:  # a drawn row is in no group
        return np.asarray(report.ratios[members.source[rows]])
    return np.asarray(outcome.row_weights[members.groups[rows], members.source[rows]])


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Hold what slopes of the score follow from.

    Parameters
    ----------
    tally : Tally
        The same quantities, with each source row times its score.
    variance : float
        Of the weighted rows' score, beyond what the modelled slices say of it.
    """

    tally: Tally
    variance: float


def compare_means(weights: CellWeights, tally: Tally, scored: ScoreSums | None = None) -> MeanGaps | None:
    """Compare means in the source, the reweighted source and the target; None where one of them has no row.

    The standard error counts sampling error in both samples, each source row by the square of its weight: by what the
    rows show, or by the target's spread over the effective sample size if that is more. Weights that match slices
    exactly follow the target's sampling error in those slices, so the part of each quantity that is linear in them is
    taken out first: without that, what remains would look like sampling error too often. That is not done for rows
    picked by something else, such as a value that is there, among which the slices need not match.

    Parameters
    ----------
    scored : ScoreSums, optional
        For the effects.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.empty((2, 0))
    >>> rows = np.array([50.0, 50.0])
    >>> weights = CellWeights(np.array([0.015, 0.005]), np.ones(2), none, none)
    >>> found = compare_means(weights, Tally(rows, rows, np.array([[40.0], [0.0]]), np.array([[40.0], [20.0]])))
    >>> found.source.round(3).tolist(), found.weighted.round(3).tolist(), found.target.round(3).tolist()
    ([0.4], [0.6], [0.6])
    """
    rows, n_target = tally.source_rows, float(tally.target_rows @ weights.target)
    if float(rows @ weights.source) <= 0 or n_target <= 0:
        return None
    weight, source, inverse, factor = regress_on_slices(weights, rows, complete=tally.complete)
    target = source  # by pattern, both samples have the same slices
    if weights.target_matched is not weights.source_matched:
        target = np.column_stack([np.ones(len(weights.target)), weights.target_matched[:, : source.shape[1] - 1]])
    share = weights.target / n_target
    factor = factor * weights.source_spread
    weighted, spread = cross_products(source, weight, tally.source), cross_products(source, factor, tally.source)
    new = cross_products(target, share, tally.target)
    plain = np.asarray(tally.source.sum(axis=0)).ravel() / rows.sum()
    if tally.above is not None:
        weighted, spread, new, plain = (np.asarray(sums @ tally.above) for sums in (weighted, spread, new, plain))
    means, own = np.vstack([plain, weighted[0], new[0]]), np.arange(len(plain))
    square = own if tally.squares is None else tally.squares
    squares = means[:, square]
    # The squares of a constant cancel up to the last digits only.
    variances = np.where(squares - means**2 > 1e-12 * np.abs(squares), squares - means**2, 0.0)
    pooled = np.sqrt((variances[0] + variances[2]) / 2)
    # What remains of each gap beyond the matched slices, and its variance in both samples.
    beta = inverse @ weighted
    gram = (target.T * (share * tally.target_rows)) @ target
    remaining = new[0] - gram[0] @ beta
    at_target = np.maximum(_residual_squares(squares[2], new, gram, beta) - remaining**2, 0.0)
    gram = (source.T * (factor * rows)) @ source
    at_source = _residual_squares(spread[0, square], spread, gram, beta)
    # A few heavy rows may agree by accident; without a shift they would vary as the target's rows do.
    effective = 1 / float(rows @ (weight**2 * weights.source_spread))
    n_target = n_target**2 / float(tally.target_rows @ (weights.target * weights.target_spread))
    error = np.sqrt(np.maximum(at_source, at_target / effective) + at_target / n_target)
    # Where every row agrees the rows show no sampling error at all: then one row of the smaller sample is taken for it.
    error = np.maximum(error, np.where(square == own, 1.0, pooled) / min(effective, n_target))
    z = np.divide(remaining, error, out=np.zeros_like(remaining), where=error > 0)
    scale = np.where(pooled > 1e-9 * np.abs(means).max(axis=0), pooled, np.inf)
    before, after = (means[2] - means[:2]) / scale
    effects = None
    if scored is not None:
        sums = scored.tally
        products = cross_products(source[:, :1], weight, sums.source)
        products = products if sums.above is None else np.asarray(products @ sums.above)
        line = inverse @ (source.T @ (weight * sums.source_rows))  # the score by the modelled slices
        left = squares[1] - (beta * weighted).sum(axis=0)
        told = (variances[1] > 0) & (left > _NOTHING_LEFT * variances[1])
        # By the score's variance everywhere: a few rows that all score alike do not show that others would.
        doubt = np.sqrt(scored.variance * np.maximum(at_source, 0.0))
        slopes = np.array([products[0] - line @ weighted, doubt])
        effects = np.divide((means[2] - means[1]) * slopes, left, out=np.full_like(slopes, np.nan), where=told)
        effects[1] = np.abs(effects[1])
    return MeanGaps(means[0], means[1], means[2], before, after, z, np.sqrt(variances), effects)


def regress_on_slices(weights: CellWeights, rows: Floats, *, complete: bool = True) -> tuple[Floats, ...]:
    """Prepare a weighted regression of any quantities of source rows on the slices that the weights match.

    Parameters
    ----------
    rows : array of float, shape (n_cells,)
        Rows that have a value.
    complete : bool
        Whether all have one; else the regression is on nothing, and its residuals are those of the mean.

    Returns
    -------
    weight : array of float, shape (n_cells,)
        Of one row; they sum to 1 over rows.
    matched : array of float, shape (n_cells, 1 + d)
        A one, and the matched slices: so the first of all products with them are sums of the quantities themselves.
    inverse : array of float, shape (1 + d, 1 + d)
        Pseudo-inverse of their weighted second moments: slices may say the same.
    factor : array of float, shape (n_cells,)
        How much the square of a row's residual counts in the variance of a weighted mean.
    """
    weight = weights.source / float(rows @ weights.source)
    d = weights.source_matched.shape[1] if complete else 0
    matched = np.column_stack([np.ones(len(rows)), weights.source_matched[:, :d]])
    inverse = np.linalg.pinv((matched.T * (rows * weight)) @ matched, rcond=1e-10, hermitian=True)
    # A row that counts for much pulls the fit to itself and so hides how far off it is; its leverage says how much.
    leverage = weight * np.einsum("ij,ij->i", matched @ inverse, matched)
    return weight, matched, np.asarray(inverse), (weight / np.maximum(1 - leverage, _LEAST_LEFT)) ** 2


def _residual_squares(squares: Floats, cross: Floats, gram: Floats, beta: Floats) -> Floats:
    """Add up factor * (x - matched . beta)**2 over rows, from x**2, x * matched and matched**2 added up likewise."""
    return np.asarray(squares - 2 * (beta * cross).sum(axis=0) + (beta * (gram @ beta)).sum(axis=0))


def cross_products(matched: Floats, factor: Floats, sums: SumTable) -> Floats:
    """Multiply matched slices by sums, each cell times a factor, which goes to the narrower of the two.

    >>> cross_products(np.ones((2, 1)), np.array([1.0, 3.0]), np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[10.0, 14.0]]
    """
    if issparse(sums) or sums.shape[1] >= matched.shape[1]:
        return np.asarray((sums.T @ (matched.T * factor).T).T)
    return np.asarray(matched.T @ (factor[:, None] * sums))


def sampling_threshold(n_tests: int) -> float:
    """Return the |z| beyond which one of n tests is significant (Bonferroni, 5% in all).

    >>> round(sampling_threshold(1), 2), round(sampling_threshold(100), 2)
    (1.96, 3.48)
    """
    return -float(ndtri(FALSE_ALARM_RATE / (2 * max(n_tests, 1))))


def would_show(effective: float, n_target: float, threshold: float) -> bool:
    """Tell whether enough rows are compared to detect a notable change four times in five.

    Parameters
    ----------
    effective : float
        Source rows, by how much they count.
    threshold : float
        The |z| beyond which a difference is significant.

    Examples
    --------
    >>> would_show(300, 300, sampling_threshold(1)), would_show(300, 300, sampling_threshold(100))
    (True, False)
    """
    error = (1 / effective + 1 / n_target) ** 0.5
    return (threshold + float(ndtri(POWER))) * error <= NOTABLE
