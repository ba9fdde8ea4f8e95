"""Balance: slice frequencies before and after weighting, and the rows with the largest weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.patterns import describe
from mandoline_core.pipeline.estimates import Estimate

# Where no two rows of a sample differ there is no standard deviation to measure a gap by. Such a gap counts as this:
# more than any column that varies is off, and finite, so that charts and JSON can hold it.
FARTHEST = 10.0
NO_VARIANCE = 1e-12  # of a share: one row in a trillion
_ROUNDING = 1e-9
# The slices that rows are in, in words; how many times each row counts; source and target rows; their share of all
# weight.
HeavyPattern = tuple[str, float, int, int, float]


@dataclass(frozen=True)
class MeanShift:
    """Hold a mean, or a share of rows, before and after weighting: of a slice, a word, a predicted class, confidence.

    Parameters
    ----------
    source, weighted, target : float
        In the source, the reweighted source and the target.
    before, after : float
        Target minus source, and target minus reweighted source, over the pooled standard deviation; `FARTHEST` if
        that is 0 and the two differ.
    z : float
        What remains over its standard error; 0 for a modelled slice, which matches by construction.
    """

    name: str
    source: float
    weighted: float
    target: float
    before: float
    after: float
    z: float = 0.0

    @property
    def gap(self) -> float:
        """What remains after weighting, as it is."""
        return self.target - self.weighted


def standardise(gap: Floats, deviation: Floats, size: Floats | float) -> Floats:
    """Divide differences of means by a standard deviation; if that is 0, use the largest value.

    Parameters
    ----------
    size : array of float
        How large the means are: what is a billionth of it is a rounding error.

    Examples
    --------
    >>> standardise(np.array([1.0, -1.0, 0.0]), np.array([0.5, 0.0, 0.0]), 1.0).tolist()
    [2.0, -10.0, 0.0]
    """
    varies = deviation > _ROUNDING * size
    constant = np.where(np.abs(gap) > _ROUNDING * size, FARTHEST * np.sign(gap), 0.0)
    return np.where(varies, gap / np.where(varies, deviation, 1.0), constant)


def slice_balance(report: Estimate) -> tuple[MeanShift, ...]:
    """Compare the share of rows inside each modelled slice, on the patterns.

    Slices match by construction, which proves nothing.
    """
    table = report.problem.patterns
    inside = (table.codes == 1).astype(float)
    kept = report.outcome.kept * table.target
    source, weighted, target = (
        counts @ inside / counts.sum() for counts in (table.source, table.source * report.ratios, kept)
    )
    # The share of a constant slice is off in the last digit, and so is its variance.
    variance = (source * (1 - source) + target * (1 - target)) / 2
    deviation = np.sqrt(np.where(variance > NO_VARIANCE, variance, 0.0))
    shifts = (standardise(target - side, deviation, np.maximum(source, target)) for side in (source, weighted))
    columns = (source, weighted, target, *shifts)
    return tuple(map(MeanShift, table.names, *(column.tolist() for column in columns)))


def heaviest_patterns(report: Estimate, most: int = 8) -> list[HeavyPattern]:
    """Describe the patterns whose source rows count most, heaviest first."""
    table, (source, target) = report.problem.patterns, report.problem.row_counts
    ratios = np.where(table.source > 0, report.ratios, -1.0)
    return [
        (
            describe(table.names, table.codes[pattern]),
            float(ratios[pattern]),
            round(source[pattern]),
            round(target[pattern]),
            float(ratios[pattern] * table.source[pattern] / table.n_source),
        )
        for pattern in np.argsort(-ratios, kind="stable")[:most]
        if table.source[pattern] > 0
    ]
