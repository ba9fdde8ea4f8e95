"""Theory: the paper's error bound (Theorem 1) for the project at hand, term by term."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mandoline_core.checks.trimming import weights_of
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import counted, show_difference, show_percent, show_times
from mandoline_core.pipeline import Estimate
from mandoline_core.weighting import ABSTAIN, IN, OUT, Problem

# c in the theorem: how far a score may carry an error in the weights. The paper leaves it open; in the
# proof it is the largest score, which is 1 there.
LARGEST_SCORE = 1.0


@dataclass(frozen=True)
class Term:
    """Hold one term of the bound.

    Parameters
    ----------
    name : {"hidden shift", "corrections", "sampling error"}
    value : float
        In the metric's units.
    known : bool
        Whether it is computed from the data; else it is an assumption.
    words : str
        What it is, and what is used for what is unknown.
    """

    name: str
    value: float
    known: bool
    words: str


@dataclass(frozen=True)
class TheoremBound:
    """Hold the bound on the estimate's error.

    Parameters
    ----------
    total : float
        The estimate is within this of the truth, except with the probability of failure.
    largest_ratio : float
        The theorem's M-hat: how many times the heaviest row counts.
    words : str
        What the total means.
    """

    terms: tuple[Term, ...]
    total: float
    largest_ratio: float
    n_source: int
    words: str


def theorem_bound(
    report: Estimate, *, correction_error: float = 0.0, unknown: float = 0.0, failure: float = 0.05
) -> TheoremBound:
    """Compute the paper's bound on the error of the estimate.

    With probability 1 - failure, the error is at most

        integral of |p_t(h | g) - p_s(h | g)| p_t(g)                                    hidden shift
        + r M sum over noisy slices of (eta_t / (1 - eta_t) + eta_s / (1 - eta_s))      corrections
        + M-hat (c + 1) sqrt(log(4 / failure) / n)                                      sampling error

    where M-hat is the largest ratio and n the number of source rows. The true largest ratio M and the factor r are not
    known, but the theorem says that M-hat tends to r M, so M-hat is used for it. c is not known either; 1, the
    largest score, is used. Noisy slices are those with corrections, and those that abstain in either sample; others
    are assumed to be right. All have the same relative error, in both samples.

    Parameters
    ----------
    report : ModelReport
        Of a metric that is the mean of bounded scores.
    correction_error : float
        eta: the relative error assumed in every correction of a noisy slice; 0 or above, below 1.
    unknown : float
        The first term as assumed, on a scale where scores are between 0 and 1; between 0 and 2, for it is twice the
        total-variation distance, given the slices, of what is not modelled.
    failure : float
        The probability that the bound does not hold.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1]] * 1000 + [[-1]] * 1000, [1.0, 0.0] * 1000, [[1], [-1]]).first
    >>> bound = theorem_bound(report, unknown=0.1)
    >>> [(term.name, round(term.value, 3)) for term in bound.terms]
    [('hidden shift', 0.1), ('corrections', 0.0), ('sampling error', 0.094)]
    >>> round(bound.total, 3)
    0.194
    """
    _check(correction_error, unknown, failure)
    scale = _range(report)
    ratio, n = _largest_weight(report), report.n_source
    noisy = len(noisy_slices(report.problem))
    correction = scale * ratio * noisy * 2 * correction_error / (1 - correction_error)
    sampling = scale * ratio * (LARGEST_SCORE + 1) * math.sqrt(math.log(4 / failure) / n)
    terms = (
        Term("hidden shift", scale * unknown, known=False, words=_HIDDEN),
        Term("corrections", correction, known=noisy == 0, words=_about_corrections(noisy, correction_error, ratio)),
        Term("sampling error", sampling, known=True, words=_about_sampling(report, ratio, n, failure)),
    )
    total = sum(term.value for term in terms)
    return TheoremBound(terms, total, ratio, n, _about_total(report, total, scale, failure))


def _largest_weight(report: Estimate) -> float:
    """Return the largest weight relative to equal weights, design weights and all."""
    cells = report.problem.designed
    if cells is None or not cells.has_weights:
        return report.largest_ratio
    # Of a cell of several rows, no more is known than what they weigh on average.
    squares, rows = cells.design[0].squares_of(cells.source_rows), cells.source_rows
    each = np.divide(squares, rows, out=np.zeros(len(rows)), where=rows > 0)
    per_weight = np.divide(report.outcome.weights(cells), rows, out=np.zeros(len(rows)), where=rows > 0)
    return float((per_weight * each).max()) * report.n_source


_HIDDEN = (
    "How much unobserved properties differ between labelled and new data, given the slices. The data cannot show it. "
    "The value is your assumption."
)


def _about_corrections(noisy: int, error: float, ratio: float) -> str:
    if not noisy:
        return "No slice is noisy, so the term is 0."
    return (
        f"Wrong corrections of {counted(noisy, 'noisy slice')}, if each is off by {show_percent(error)} as you assume. "
        f"The largest observed weight, {show_times(ratio)}, replaces the true one (r M)."
    )


def _about_sampling(report: Estimate, ratio: float, n: int, failure: float) -> str:
    same = " The theorem fits on one half of the rows and evaluates on the other. Here all rows do both."
    same = same if report.problem.folds == ((0, 0),) else ""
    return (
        f"Sampling error of {n:,} labelled rows with weights up to {show_times(ratio)}, exceeded with probability "
        f"{failure:.3g}. The theorem's constant c is unknown. Here it is {LARGEST_SCORE:g}, the largest score.{same}"
    )


def _about_total(report: Estimate, total: float, scale: float, failure: float) -> str:
    likely = "This is a worst case; the interval says what is likely."
    if total >= scale:
        return f"The bound is wider than the metric's range, so it says nothing here. {likely}"
    off = show_difference(total, share=report.problem.metric.share)
    return f"If this holds, the estimate is within {off} of the truth with probability {1 - failure:.3g}. {likely}"


def noisy_slices(problem: Problem) -> tuple[str, ...]:
    """Name the slices that have corrections or abstain.

    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1, 0], [-1, 1]], [1.0, 0.0], [[1, 1], [-1, 1]], names=["a", "b"]).first
    >>> noisy_slices(report.problem)
    ('b',)
    """
    corrections, table, word = problem.corrections(), problem.patterns, np.array([0.0, 1.0])
    source, target = ((side[:, [OUT, IN]] != word).any(axis=1) for side in (corrections.source, corrections.target))
    abstains = (table.rates("source")[:, ABSTAIN] + table.rates("target")[:, ABSTAIN]) > 0
    return tuple(name for name, noisy in zip(table.names, source | target | abstains, strict=True) if noisy)


def _range(report: Estimate) -> float:
    metric = report.problem.metric
    if report.outcome.delta is None:
        raise MandolineError(
            'The bound needs weights fitted to slices, and this method has none. Use estimator "mandoline".'
        )
    if not metric.is_mean or metric.bounds is None or math.isinf(metric.bounds[1]):
        raise MandolineError(
            "The bound needs a metric that is a mean of scores between two known limits, such as accuracy. "
            f"Got {metric.name!r}."
        )
    weights_of(report)  # refuses estimates that are not weighted means
    return float(metric.bounds[1] - metric.bounds[0])


def _check(correction_error: float, unknown: float, failure: float) -> None:
    if not 0 <= correction_error < 1:
        raise MandolineError(f"correction_error must be 0 or above and below 1. Got {correction_error!r}.")
    if not 0 <= unknown <= 2:
        raise MandolineError(f"unknown must be between 0 and 2. Got {unknown!r}.")
    if not 0 < failure < 1:
        raise MandolineError(f"failure must be between 0 and 1. Got {failure!r}.")
