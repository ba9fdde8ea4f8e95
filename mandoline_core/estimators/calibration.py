"""Calibration of class probabilities by isotonic regression."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from mandoline_core.arrays import Floats, Index
from mandoline_core.metrics import ClassCodes
from mandoline_core.patterns import add_up

Calibrated = tuple[Floats, Index, Floats]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Hold an isotonic fit: blocks of neighbouring scores, each with the mean outcome of its rows.

    A score between two blocks belongs to the nearer one. A value moves only with its own block's rows.

    Parameters
    ----------
    edges : array of float, shape (n_blocks - 1,)
        Where the next block begins.
    weights : array of float, shape (n_blocks,)
        Total weight of the rows in each.
    values : array of float, shape (n_blocks,)
        Never falling, but for unpooled bins.
    bins : Blocks, optional
        Of which these were pooled, so that values never fall.
    """

    edges: Floats
    weights: Floats
    values: Floats
    bins: Blocks | None = None

    def place(self, scores: Floats) -> Index:
        """Find the block of each score.

        Examples
        --------
        >>> fit_blocks(np.array([0.2, 0.6]), np.array([0.0, 1.0]), np.ones(2)).place(np.array([0.39, 0.41])).tolist()
        [0, 1]
        """
        return np.searchsorted(self.edges, scores, side="right")


def fit_blocks(scores: Floats, outcomes: Floats, weights: Floats, *, least: float = 0.0) -> Blocks:
    """Fit an isotonic regression of outcomes on scores (pool adjacent violators).

    Parameters
    ----------
    scores, outcomes, weights : array of float, shape (n_rows,)
        Rows without weight are left out; at least one must have some.
    least : float
        Neighbouring scores are taken together to bins that weigh about so much. Without it the outermost blocks
        are often a few rows that happen to agree, and too extreme.

    Examples
    --------
    >>> scores, outcomes = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> blocks = fit_blocks(scores, outcomes, np.ones(4))
    >>> blocks.values.tolist(), blocks.edges.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.7])
    >>> fit_blocks(scores, outcomes, np.ones(4), least=2).values.tolist()
    [0.5]
    """
    used = weights > 0
    levels, index = np.unique(scores[used], return_inverse=True)  # rows with one score share a block
    mass = add_up(index, weights[used], len(levels))
    total = add_up(index, (weights * outcomes)[used], len(levels))
    first = _bins(mass, least)
    mass, total = np.add.reduceat(mass, first), np.add.reduceat(total, first)
    below, above = levels[first[1:] - 1], levels[first[1:]]
    middle = (below + above) / 2
    bins = Blocks(
        np.where(middle > below, middle, above), mass, total / mass
    )  # between neighbouring floats there is no middle
    starts = isotonic_regression(bins.values, weights=mass).blocks
    in_block = np.add.reduceat(mass, starts[:-1])
    return Blocks(
        edges=bins.edges[starts[1:-1] - 1],
        weights=in_block,
        values=np.add.reduceat(total, starts[:-1]) / in_block,
        bins=bins,
    )


def _bins(mass: Floats, least: float) -> Index:
    """Return where bins of neighbouring levels start, about as heavy as asked for, read from either end alike.

    Levels that are heavy on their own may leave a bin light; the outermost weigh at least half of what is asked.
    """
    if least <= mass.min():
        return np.arange(len(mass))
    so_far = np.cumsum(mass)
    n_bins = max(int(so_far[-1] / least * (1 + 1e-12)), 1)
    number = np.floor((so_far - mass / 2) * (n_bins / so_far[-1]))
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    while len(starts) > 1 and so_far[starts[1] - 1] < least / 2:
        starts = np.delete(starts, 1)
    while len(starts) > 1 and so_far[-1] - so_far[starts[-1] - 1] < least / 2:
        starts = starts[:-1]
    return starts


@dataclass(frozen=True, eq=False)
class Calibration:
    """Hold one isotonic fit per class; with two classes, of the second only.

    Parameters
    ----------
    columns : tuple of int
        The class of each.
    probabilities : array of float, shape (n_fitted, n_classes)
    truth : array of int, shape (n_fitted,)
    weights : array of float, shape (n_fitted,)
        Of the rows that the functions were fitted to.
    """

    fits: tuple[Blocks, ...]
    columns: tuple[int, ...]
    probabilities: Floats
    truth: ClassCodes
    weights: Floats

    def apply(self, probabilities: Floats) -> Calibrated:
        """Calibrate rows' probabilities, shape (n_rows, n_classes).

        Returns
        -------
        calibrated : array of float, shape (n_rows, n_classes)
            Rows sum to 1.
        blocks : array of int, shape (n_rows, n_fits)
            The block of each row in each step function.
        totals : array of float, shape (n_rows,)
            What a row's step values added up to before they were divided by it; 0 where they were all 0 and the
            probabilities were left as they are.

        Examples
        --------
        >>> given, truth = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]), np.array([0, 1, 0])
        >>> calibration = fit_calibration(np.repeat(given, 9, axis=0), np.repeat(truth, 9), np.ones(27))
        >>> calibration.apply(given)[0].tolist()
        [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]]
        """
        blocks = np.column_stack(
            [fit.place(probabilities[:, c]) for fit, c in zip(self.fits, self.columns, strict=True)]
        )
        raw = np.column_stack([fit.values[blocks[:, i]] for i, fit in enumerate(self.fits)])
        if len(self.fits) == 1:
            return np.column_stack([1 - raw, raw]), blocks, np.ones(len(raw))
        totals = raw.sum(axis=1)
        some = totals > 0
        calibrated = np.where(some[:, None], raw / np.where(some, totals, 1.0)[:, None], probabilities)
        return calibrated, blocks, totals

    def _step_slopes(self, calibrated: Floats, totals: Floats, slopes: Floats, shares: Floats) -> Floats:
        """Differentiate the mean by each row's own step values, shape (n_rows, n_fits)."""
        if len(self.fits) == 1:
            return (slopes[:, [1]] - slopes[:, [0]]) * shares[:, None]
        # A larger value of one class takes from the others, through the division by the total.
        level = np.einsum("ij,ij->i", calibrated, slopes)
        some = totals > 0
        by_step = np.where(some[:, None], slopes - level[:, None], 0.0)
        return by_step * (shares / np.where(some, totals, 1.0))[:, None]

    def influence(
        self, target: Floats, applied: Calibrated, slopes: Floats, shares: Floats | None = None
    ) -> tuple[Floats, float]:
        """Differentiate a mean over calibrated rows by the fitted rows' weights, and say how far pooling may pull it.

        The blocks are taken to stay as they are. Steps that may only go up turn noise into a slope. So a mean that
        weighs the scores of one block differently, such as accuracy where predictions change in it, varies less than
        over unpooled bins but is pulled to one side. Unpooled bins are not: they differ by the pull, and by noise
        whose spread is known. The difference squared, less this spread squared, estimates the pull squared; with the
        spread squared, for the noise that pooling hides, it makes the larger of the two.

        Parameters
        ----------
        target : array of float, shape (n_rows, n_classes)
            Probabilities of the rows that the mean is over.
        applied : tuple of arrays
            The same rows, calibrated, by `apply`.
        slopes : array of float, shape (n_rows, n_classes)
            How the mean moves with a row's probabilities, over the row's share.
        shares : array of float, shape (n_rows,), optional
            How much each row counts in the mean. By default, all the same.

        Returns
        -------
        by_weight : array of float, shape (n_fitted,)
            Weighted, they add up to 0: a block's value is its rows' mean.
        pooled : float
            How far off the mean may be because bins were pooled, beyond the sampling error of its blocks.
        """
        calibrated, blocks, totals = applied
        shares = np.full(len(slopes), 1 / len(slopes)) if shares is None else shares
        by_step = self._step_slopes(calibrated, totals, slopes, shares)
        # What a fitted row moves the mean by over bins, less what it does over blocks: what pooling hides.
        by_weight, hidden = np.zeros(len(self.truth)), np.zeros(len(self.truth))
        for i, (fit, column) in enumerate(zip(self.fits, self.columns, strict=True)):
            bins = fit.bins or fit
            block, bin_ = (part.place(self.probabilities[:, column]) for part in (fit, bins))
            by_block = add_up(blocks[:, i], by_step[:, i], len(fit.weights)) / fit.weights
            by_bin = add_up(bins.place(target[:, column]), by_step[:, i], len(bins.weights)) / bins.weights
            apart = (self.truth == column) - fit.values[block]
            by_weight += apart * by_block[block]
            hidden += self.weights * apart * (by_bin[bin_] - by_block[block])
        return by_weight, max(float(np.linalg.norm(hidden)), abs(float(hidden.sum())))


def fit_calibration(probabilities: Floats, truth: ClassCodes, weights: Floats) -> Calibration:
    """Fit an isotonic regression for each class.

    Scores are taken together in about as many bins as the square root of the number of rows, so that both the
    number of bins and of rows in them grow with the sample.

    Parameters
    ----------
    probabilities : array of float, shape (n_rows, n_classes)
    truth : array of int, shape (n_rows,)
    weights : array of float, shape (n_rows,)

    Examples
    --------
    >>> given, truth = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]), np.array([0, 1, 1])
    >>> fit_calibration(np.repeat(given, 9, axis=0), np.repeat(truth, 9), np.ones(27)).fits[0].values.tolist()
    [0.0, 1.0]
    """
    n_classes = probabilities.shape[1]
    columns = (1,) if n_classes == 2 else tuple(range(n_classes))
    total = float(weights.sum())
    effective = total**2 / float(weights @ weights)
    least = total / math.sqrt(effective)
    fits = tuple(fit_blocks(probabilities[:, c], (truth == c).astype(float), weights, least=least) for c in columns)
    return Calibration(fits, columns, probabilities, truth, weights)
