"""Impact: how far what weighting leaves off in a column could move the estimate.

If a slice made the mean of x match, the estimate would move, to first order, by

    (mean of x in the target - mean after weighting) * (slope of the score on x, after weighting),

where the slope is beyond what the modelled slices say of x and of the score (linearly). The slope is known within its
sampling error only, so what could move the estimate is the upper end of its interval. Held against half the length of
the estimate's own interval, this says whether the interval keeps its word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks.means import MeanGaps, ScoreSums, counted_by_pattern, regress_on_slices, weigh
from mandoline_core.estimators import get_estimator, normal_reach
from mandoline_core.metrics import evaluate
from mandoline_core.patterns import add_up
from mandoline_core.pipeline import ColumnTable, Estimate, ScoredColumns, interval_of, is_share, score_columns

# An estimate that would move by half the margin of its interval loses a good part of its coverage: 83% instead of 95%.
# One that could move by the whole length of its interval is not known to be anywhere near.
LOSES_COVERAGE, LEAVES = 0.5, 2.0  # margins
BIG = 0.05  # of the score's standard deviation: two points of an accuracy of 80%


class Impact(NamedTuple):
    """Say how far what remains of a column would move the estimate, and could; in the metric's units.

    Parameters
    ----------
    effect : float
        To first order.
    most : float
        Either way, at the upper end of the interval of the slope.
    margin : float
        Half the length of the estimate's interval.
    deviation : float
        The standard deviation of the score, beyond what the modelled slices say of it.
    share : bool
        Whether the metric is a share, to be written in points.
    """

    effect: float
    most: float
    margin: float
    deviation: float
    share: bool

    @property
    def times(self) -> float:
        """How much it matters: 1 where it would move the estimate by half a margin, or could by a whole one."""
        return max(abs(self.effect) / LOSES_COVERAGE, self.most) / self.margin

    @property
    def leaves(self) -> bool:
        """Whether the estimate could move by more than the length of its interval."""
        return self.most > LEAVES * self.margin

    @property
    def is_big(self) -> bool:
        """Whether it would move the estimate far, however short the interval is."""
        return abs(self.effect) > BIG * self.deviation


def score_sums(report: Estimate, table: ColumnTable) -> tuple[ScoreSums | None, ...]:
    """Add up what slopes of the score on the columns of a table follow from, for each of its tallies.

    None where no row has a score of its own, or the method weights no rows.
    """
    scored = _scored_columns(report, table)
    if scored is None:
        return (None,) * len(table.tallies)
    weights, cells = weigh(report, table.cells), table.cells
    drawn = report.fit.row_members.source_rows[table.drawn.source_rows]
    rows = add_up(cells.source, drawn, len(cells.first_source))
    weight, matched, inverse, _ = regress_on_slices(weights, rows)
    crossed = matched.T @ (weight * scored.totals)
    variance = float(weight @ scored.squares - crossed @ inverse @ crossed)
    return tuple(ScoreSums(tally, max(variance, 0.0)) for tally in scored.table.tallies)


def impact(gaps: Sequence[MeanGaps], threshold: float, report: Estimate, variance: float) -> Impact | None:
    """Take what of a column could move the estimate most, among all that is beyond sampling error.

    None where the slope cannot be told, or there is no interval to hold it against.

    Parameters
    ----------
    gaps : sequence of MeanGaps
        All that the column is compared by.
    threshold : float
        The |z| beyond which a comparison is significant.
    variance : float
        Of the score, as in `ScoreSums`.
    """
    low, high = _own_interval(report)
    found = [one for one in gaps if one.effects is not None]
    margin = (high - low) / 2
    if not found or not report.converged or not 0 < margin < np.inf:
        return None
    effects = np.hstack([one.effects for one in found if one.effects is not None])
    z = np.abs(np.hstack([one.z for one in found]))
    most = np.abs(effects[0]) + normal_reach(report.settings.confidence) * effects[1]
    told = np.isfinite(most)
    if not told.any():
        return None
    looked_at = told & (z > threshold) if (told & (z > threshold)).any() else told
    best = int(np.where(looked_at, most, -1.0).argmax())
    return Impact(float(effects[0, best]), float(most[best]), margin, math.sqrt(variance), is_share(report))


def _own_interval(report: Estimate) -> Interval:
    """Return the interval of the estimate itself; one that covers other methods too hides nothing."""
    outcome = report.outcome
    if not outcome.spanned:
        return report.interval
    return interval_of(report.problem, replace(outcome, spanned=()), report.settings.confidence, report.diagnostics)


def _scored_columns(report: Estimate, table: ColumnTable) -> ScoredColumns | None:
    """Take the products of columns and score from where they are kept, or make them for a metric of several means."""
    scores = None if not get_estimator(report.estimator).weights_rows else row_scores(report)
    if scores is None:
        return None
    cells, by_row = report.cells, report.outcome.scored_weights is not None
    counted = counted_by_pattern(report) and cells.columns is not None and cells.columns.tallies is table.tallies
    if counted and report.problem.metric.is_mean:
        return cells.scored_columns
    drawn = cells.drawn if counted and cells.drawn is not None else table.drawn  # all that was added up
    return score_columns(drawn, report.fit.row_members, table.n_patterns, scores, by_row=by_row)


def row_scores(report: Estimate) -> Floats | None:
    """Score each labelled row in memory in the direction of the metric's slope; None where rows have no score."""
    metric, members, outcome = report.problem.metric, report.fit.row_members, report.outcome
    if metric.whole is not None:
        return None
    if not metric.ranked:
        if members.statistics.shape[1] != len(outcome.means):
            return None
        return np.asarray(members.statistics @ metric.slope(outcome.means))
    return None if report.fit.in_table else evaluate(metric, members.statistics, outcome.weights(members)).slopes
