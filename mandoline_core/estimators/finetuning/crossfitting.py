"""Cross-fitting: each row is scored by a fit that saw neither it nor the rows that calibrate the fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import expit

from mandoline_core.arrays import Floats, Index
from mandoline_core.domain_classifier import Design, Telling, fit_logistic

Score = Callable[[Index], Floats]
Fit = Callable[[int, Index, Floats], Score]
_FARTHEST = 30.0  # log odds: beyond them a chance is 1 in a float, and the row would count for ever


@dataclass(frozen=True, eq=False)
class RowChances:
    """Hold how new every row looks to a fit that did not see it.

    Parameters
    ----------
    source, target : array of float, shape (n_rows,)
        The chance of being from the target, were both samples as large; calibrated.
    """

    source: Floats
    target: Floats

    @property
    def auc(self) -> float:
        """How well they tell the samples apart: 0.5 not at all, 1 perfectly."""
        sizes = len(self.source), len(self.target)
        nothing = Design(csr_matrix((sizes[0], 0)), csr_matrix((sizes[1], 0)), ())
        return Telling(nothing, self.source, self.target, np.empty(0), sizes).auc()


def crossfit(n_source: int, n_target: int, fit: Fit, *, folds: int, seed: int) -> RowChances:
    """Score every row by a fit to other rows, and calibrate by others again.

    Of each sample, rows are put into folds at random. A fold is scored by a fit that left it out and the next one,
    too; that one tells how far the fit's answers are to be believed (Platt's scaling). So nothing about a row, not
    even its share in a calibration, goes into its own score.

    Parameters
    ----------
    fit : callable
        Takes the number of the fold, rows and whether each is from the target; returns what scores rows: in any unit,
        the higher the newer. Rows are numbered through, the source's first.
    folds : int
        Three or more.

    Examples
    --------
    What always knows the answer on rows that it saw, and on no others, knows nothing:

    >>> def memorise(number, rows, new):
    ...     known = dict(zip(rows, new))
    ...     return lambda asked: np.array([2 * known.get(row, 0.5) - 1 for row in asked])
    >>> crossfit(50, 50, memorise, folds=5, seed=0).auc
    0.5
    """
    rng = np.random.default_rng(seed)
    fold = np.concatenate([rng.permutation(n) % folds for n in (n_source, n_target)])
    new = np.repeat([0.0, 1.0], [n_source, n_target])
    chances = np.empty(len(new))
    for number in range(folds):
        scored = np.flatnonzero(fold == number)
        calibrating = np.flatnonzero(fold == (number + 1) % folds)
        learned = np.flatnonzero((fold != number) & (fold != (number + 1) % folds))
        score = fit(number, learned, new[learned])
        believe = calibrate(score(calibrating), new[calibrating])
        chances[scored] = believe(score(scored))
    return RowChances(chances[:n_source], chances[n_source:])


def calibrate(scores: Floats, new: Floats) -> Callable[[Floats], Floats]:
    """Fit the chance of being from the target to scores, both samples counting the same; return it as a function.

    A fit whose scores are higher for source rows knows nothing: then every chance is 1/2.

    Parameters
    ----------
    scores : array of float, shape (n_rows,)
    new : array of float, shape (n_rows,)
        1 for rows of the target, 0 for the source's.

    Examples
    --------
    >>> scores, new = np.repeat([-9.0, 9.0], 400), np.tile([0.0, 0.0, 0.0, 1.0], 200)
    >>> believe = calibrate(scores, np.where(scores > 0, 1 - new, new))
    >>> believe(np.array([-9.0, 9.0])).round(2).tolist()
    [0.25, 0.75]
    """
    centre, width = float(scores.mean()), float(scores.std())
    if width == 0:
        return lambda asked: np.full(len(asked), 0.5)
    n, n_new = len(new), float(new.sum())
    zeros, ones = (1 - new) * n / (2 * (n - n_new)), new * n / (2 * n_new)
    fitted = fit_logistic(((scores - centre) / width)[:, None], zeros, ones)
    slope = float(fitted.coefficients[0])

    def believe(asked: Floats) -> Floats:
        log_odds = fitted.intercept + slope * (asked - centre) / width if slope > 0 else np.zeros(len(asked))
        return expit(np.clip(log_odds, -_FARTHEST, _FARTHEST))

    return believe
