"""The domain classifier test: how well a classifier tells weighted source rows from target rows, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.checks.means import row_weights
from mandoline_core.data import SAMPLE_CACHE
from mandoline_core.domain_classifier import DomainClassifier, TopFeature, auc, design_matrix, fit_domain_classifier
from mandoline_core.patterns import SampleDesign
from mandoline_core.pipeline import Estimate, draw_rows

MOST_ROWS = 2_000  # a sample
FEWEST_ROWS = 20  # a sample; with fewer, what a classifier learns is sampling error
FOLDS = 2  # a row is scored by the fit that did not see it; more folds cost time, and the AUC hardly moves
_SAME = 1e-9


@dataclass(frozen=True)
class DomainTest:
    """Hold how well all columns together distinguish the rows of both samples.

    Parameters
    ----------
    before, after : float
        The probability that a target row looks newer than a source row (AUC), and than a row of the reweighted source:
        0.5 if they cannot be distinguished, 1 if they always can.
    error : float
        The standard error of `after` if they cannot.
    top_features : tuple of TopFeature
        The columns that distinguish them after weighting.
    n_source, n_target : int
        Rows looked at, drawn at random where there are more.
    weighted : bool
        Whether any row counts more than another.
    """

    before: float
    after: float
    error: float
    top_features: tuple[TopFeature, ...]
    n_source: int
    n_target: int
    weighted: bool = True

    @property
    def z(self) -> float:
        """What remains over its standard error."""
        return (self.after - 0.5) / self.error


def domain_test(report: Estimate) -> DomainTest | None:
    """Tell the reweighted source from the target; None where there are no columns or too few rows.

    The scores of rows do not depend on weights: they are made once for two samples and their columns, and every
    solution only weighs them.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample, estimate
    >>> place, day = ["a"] * 80 + ["b"] * 20, [1, 2, 3, 4] * 25
    >>> source = Sample(pd.DataFrame({"place": place, "day": day, "y": 1, "p": 1}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": place[::-1], "day": 4, "p": 1}))
    >>> found = domain_test(estimate(source, target, [Category("b", column="place", values=("b",))]).first)
    >>> found.after > 0.8, [top.column for top in found.top_features]
    (True, ['day'])
    """
    cells, seed = report.cells, report.settings.seed
    rows, drawn = cells.rows, cells.drawn
    if rows is None or drawn is None or min(len(drawn.source_rows), len(drawn.target_rows)) < FEWEST_ROWS:
        return None
    encoded = drawn.compared(report.fit.trust.harmless).encoded
    if not encoded:
        return None

    own, members = rows.source.clusters, report.fit.row_members
    clusters = (None if own is None else own[rows.scored]), rows.target.clusters
    counted = members.source_rows, members.target_rows

    def fit() -> tuple[DomainClassifier, Index, Index]:
        rng = np.random.default_rng(seed)
        some = [draw_rows(len(side), MOST_ROWS, rng) for side in (drawn.source_rows, drawn.target_rows)]
        design = design_matrix(encoded, (some[0], some[1]))
        read = drawn.source_rows[some[0]], drawn.target_rows[some[1]]
        classifier = fit_domain_classifier(
            *design,
            folds=FOLDS,
            most_rows=MOST_ROWS,
            seed=seed,
            clusters=[None if own is None else own[places] for own, places in zip(clusters, read, strict=True)],
            weights=(counted[0][read[0]], counted[1][read[1]]),
        )
        return classifier, *read

    key = ("unmodelled", rows.source.group, rows.target.group, tuple(encoded), seed, np.packbits(rows.scored).tobytes())
    classifier, source_rows, target_rows = SAMPLE_CACHE.of((rows.source, rows.target), key, fit)
    target = report.outcome.kept[members.target[target_rows]].astype(float)
    source = row_weights(report, source_rows)
    weighted = bool(np.ptp(source) > _SAME * source.max()) or not target.all()
    plain = counted[0][source_rows], counted[1][target_rows]
    source, target = source * plain[0], target * plain[1]
    if not source.any() or not target.any():
        return None
    sizes = [
        SampleDesign(None if own is None else own[places]).effective(weights, np.ones(len(weights)))
        for own, places, weights in zip(clusters, (source_rows, target_rows), (source, target), strict=True)
    ]
    return DomainTest(
        before=auc(classifier.source, classifier.target, *plain),
        after=auc(classifier.source, classifier.target, source, target),
        # Of the Mann-Whitney statistic, where both samples are alike and weights make the source's rows fewer.
        # Rows that belong together count as one: at most, they are all alike.
        error=sqrt((1 / sizes[0] + 1 / sizes[1]) / 12),
        top_features=classifier.top_features(source, target),
        n_source=len(source_rows),
        n_target=len(target_rows),
        weighted=weighted,
    )
