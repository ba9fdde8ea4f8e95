"""Scoring: how new every row of two samples looks to a classifier that never saw it, kept for as long as they live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import SAMPLE_CACHE, Sample
from mandoline_core.domain_classifier.choosing import default_columns
from mandoline_core.domain_classifier.classifier import Carrier, design_of, tell_apart
from mandoline_core.domain_classifier.encoding import EncodedColumn, encode_column
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

MOST_ROWS = 10_000  # a sample, to learn from
FEWEST_ROWS = 10  # a sample
FOLDS = 5


@dataclass(frozen=True, eq=False)
class RowScores:
    """Hold how new every row looks.

    Parameters
    ----------
    source, target : array of float, shape (n_rows,)
        The chance of being from the target, were both samples as large; from fits that did not see the row.
    columns : tuple of str
        The columns that were looked at.
    auc : float
        How well the scores tell the samples apart: 0.5 not at all, 1 perfectly.
    carriers : tuple of Carrier
        The columns that do it.
    trained : pair of int
        Rows of each sample that were learned from.
    """

    source: Floats
    target: Floats
    columns: tuple[str, ...]
    auc: float
    carriers: tuple[Carrier, ...]
    trained: tuple[int, int]

    def cuts(self, n: int) -> tuple[float, ...]:
        """Cut the scores into n parts of about one size, both samples counting the same; ties make fewer."""
        scores = np.concatenate([self.source, self.target])
        weights = np.repeat([1 / len(self.source), 1 / len(self.target)], [len(self.source), len(self.target)])
        order = np.argsort(scores, kind="stable")
        shares = np.cumsum(weights[order]) / 2
        places = np.searchsorted(shares, np.arange(1, n) / n)
        found = np.unique(scores[order][np.minimum(places, len(scores) - 1)])
        return tuple(float(cut) for cut in found[found > scores.min()])


def score_samples(source: Sample, target: Sample, columns: Sequence[str] | None = None, seed: int = 0) -> RowScores:
    """Score every row of two samples by how new it looks; once for the same samples, columns and seed.

    Parameters
    ----------
    columns : sequence of str, optional
        Those of both samples without a role, dates and identifiers left out, when not given.
    seed : int
        Of the folds, and of the draw of rows to learn from where there are many.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"place": ["a"] * 40 + ["b"] * 20}))
    >>> target = Sample(pd.DataFrame({"place": ["a"] * 20 + ["b"] * 40}))
    >>> found = score_samples(source, target)
    >>> round(found.auc, 2), found.carriers[0].column, bool((found.target[20:] > 0.5).all())
    (0.63, 'place', True)
    """
    chosen = None if columns is None else tuple(dict.fromkeys(columns))
    key = ("row scores", chosen, seed, None if chosen else (source.roles, target.roles))
    return SAMPLE_CACHE.of((source, target), key, lambda: _score(source, target, chosen, seed))


def _score(source: Sample, target: Sample, columns: tuple[str, ...] | None, seed: int) -> RowScores:
    for sample in (source, target):
        if sample.n_rows < FEWEST_ROWS:
            raise DataError(
                f"{sample.name} has {sample.n_rows} rows, too few to learn what tells the samples apart. Expected "
                f"{FEWEST_ROWS} or more."
            )
    tried, left_out = default_columns(source, target) if columns is None else (columns, {})
    rows = np.arange(source.n_rows), np.arange(target.n_rows)
    made = {column: encode_column(column, (source, target), rows) for column in tried}
    wrong = {column: why for column, why in made.items() if isinstance(why, str)}
    encoded = {column: one for column, one in made.items() if isinstance(one, EncodedColumn)}
    if not encoded or (columns is not None and wrong):
        reasons = listed((f"{column} ({why})" for column, why in {**left_out, **wrong}.items()), most=6)
        raise DataError(f"These columns cannot tell the samples apart: {reasons or 'there are none'}. Choose others.")
    telling = tell_apart(design_of(encoded), folds=FOLDS, most_rows=MOST_ROWS, seed=seed)
    return RowScores(
        source=_chance(telling.source),
        target=_chance(telling.target),
        columns=tuple(encoded),
        auc=telling.auc(),
        carriers=telling.carriers(),
        trained=telling.trained,
    )


def _chance(log_odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(log_odds, -500.0, 500.0)))
