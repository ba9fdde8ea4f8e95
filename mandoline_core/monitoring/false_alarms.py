"""One promise for a whole run: a stable stream of batches ever alerts with at most a given probability.

Comparing every batch on its own breaks that promise: with 5% a batch, two of three stable streams of 52 weeks alert.
Two errors must be told apart, because batches share the labelled rows:

    excess_t = (true excess)_t + S_t + R_t        by how much the estimate on batch t is worse than allowed

- S_t comes from the labelled rows. All batches are weighted averages of the same rows, so this is one error, not one a
  batch: in a stable stream the same number every week. More batches never average it out, and it must not count as
  fresh evidence. With probability 1 - level / 2 it stays below c standard errors, c the normal quantile.
- R_t comes from the rows of batch t. Given the labelled rows, these are independent from batch to batch. So while
  S <= c standard errors and nothing is worse than allowed, for every g > 0

      L_t(g) = exp(g z_t - g^2 / 2),    z_t = (excess_t - c se(S_t)) / se(R_t)

  has a mean of at most 1, and products of them are a supermartingale. It keeps that property when averaged over g (how
  large a fall is) and over the batch k at which products start (when it began), with weights 1 / (k (k + 1)) that add
  up to 1. By Ville's inequality the average reaches 2 / level ever, in any number of batches, with probability at most
  level / 2: a confidence sequence for the fall, which may be looked at after every batch.

Together a stable stream alerts with probability at most `level`. What is approximate: errors are taken as normal, and
S_t / se(S_t) as common to all batches, which is exact to first order while the mix of slices stays and near it while
the mix wanders. A starting point that is averaged over finds a late fall as fast as an early one, up to log(k).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

_FALLS = np.array([0.5, 1.0, 2.0, 3.0, 4.0])  # g: falls to look for, in standard errors of one batch
_FARTHEST = 40.0  # standard errors: beyond, exponentials overflow
_TINY = 1e-12  # of a standard error: no row of the batch matters


class Excess(NamedTuple):
    """Hold by how much one estimate is worse than allowed.

    Parameters
    ----------
    excess : float
        Negative where it is better.
    source_error, target_error : float
        Standard errors: what the labelled rows add, and what the batch's own rows add.
    """

    excess: float
    source_error: float
    target_error: float


def margins(run: Iterable[Excess], level: float) -> Iterator[float]:
    """Yield, batch by batch, the largest excess without an alert.

    Parameters
    ----------
    run : iterable of Excess
        In order. A margin depends on the batches before, and on the standard errors of its own.
    level : float
        The probability that a stable stream ever alerts.

    Examples
    --------
    >>> week = Excess(0.0, 0.002, 0.005)
    >>> [round(margin, 4) for margin in margins([week] * 3, 0.05)]
    [0.02, 0.0217, 0.0227]
    >>> fallen = Excess(0.015, 0.002, 0.005)
    >>> [fallen.excess > margin for margin in margins([fallen] * 5, 0.05)]
    [False, False, True, True, True]
    """
    common = -float(ndtri(level / 2))
    products = np.full(len(_FALLS), -math.inf)  # logarithms, by g
    for k, (excess, source_error, target_error) in enumerate(run, start=1):
        before = np.logaddexp(products, -math.log(k * (k + 1)))
        # Starts that are yet to come count 1 each, with the weight that is left.
        needed = math.log(2 / level - 1 / (k + 1))
        unit = max(target_error, _TINY)
        # Evidence from earlier batches alone alerts on none that is as good as allowed.
        yield max(common * source_error + unit * _reach(before, needed), 0.0)
        z = min(max((excess - common * source_error) / unit, -_FARTHEST), _FARTHEST)
        products = before + _FALLS * z - _FALLS**2 / 2


def _reach(before: np.ndarray, needed: float) -> float:
    """Solve for the z at which the average over g reaches what is needed; it grows with z."""
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(60):
        z = (low + high) / 2
        reached = np.logaddexp.reduce(before + _FALLS * z - _FALLS**2 / 2) - math.log(len(_FALLS))
        low, high = (low, z) if reached >= needed else (z, high)
    return high
