"""The domain classifier: it distinguishes rows of two samples, and the fit that scores a row never saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack
from scipy.special import expit

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import SAMPLE_CACHE, Sample
from mandoline_core.domain_classifier.columns import EncodedColumn, default_columns, encode_column
from mandoline_core.domain_classifier.logistic import fit_logistic, one_thread
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

Points = tuple[csr_matrix, csr_matrix]  # of the source and of the target, shape (n_rows, n_features)
Feature = tuple[str, str | None]  # a column, and its word or level; a bin of numbers has no name
MISSING = "missing"
MOST_ROWS = 10_000  # a sample, to learn from
FEWEST_ROWS = 10  # a sample
FOLDS = 5
MOST_FEATURES, MOST_ITEMS = 3, 3  # columns that are named, and words or values of each
_LEAST_SHARE = 0.1  # of what distinguishes the samples, for a column to be named


class TopFeature(NamedTuple):
    """Hold a column that distinguishes the samples: its share of it, and the words or levels that do most."""

    column: str
    share: float
    items: tuple[str, ...]


def design_matrix(
    encoded: Mapping[str, EncodedColumn], rows: tuple[Index, Index] | None = None
) -> tuple[Points, tuple[Feature, ...]]:
    """Join encoded columns: bins of numbers, levels, frequent words, and whether a value is missing.

    Parameters
    ----------
    rows : pair of arrays of int, optional
        The encoded rows to use, of each sample. By default, all.
    """
    sides: tuple[list[csr_matrix], list[csr_matrix]] = ([], [])
    features: list[Feature] = []
    for column, values in encoded.items():
        n = len(values.known[0])
        indicators, names = values.indicators, list(values.items)
        if values.common is not None:
            words, names = values.common
            indicators = words[:n], words[n:]
        features += [(column, names[i] if names else None) for i in range(indicators[0].shape[1])]
        gaps = not all(known.all() for known in values.known)
        features += [(column, MISSING)] if gaps else []
        for number, side in enumerate(sides):
            some = slice(None) if rows is None else rows[number]
            side.append(csr_matrix(indicators[number][some]))
            if gaps:
                side.append(csr_matrix((~values.known[number][some]).astype(float)[:, None]))
    source, target = (csr_matrix(hstack(side, format="csr")) for side in sides)
    return (source, target), tuple(features)


@dataclass(frozen=True, eq=False)
class DomainClassifier:
    """Hold how new every row looks.

    Parameters
    ----------
    points, features
        What was fitted to, as `design_matrix` makes it.
    source, target : array of float, shape (n_rows,)
        Log odds of being new, if both samples were equally large; from fits that did not see the row.
    coefficients : array of float, shape (n_features,)
        The mean over the fits.
    trained : pair of int
        Rows of each sample that were fitted to.
    """

    points: Points
    features: tuple[Feature, ...]
    source: Floats
    target: Floats
    coefficients: Floats
    trained: tuple[int, int]

    def top_features(self, source: Floats | None = None, target: Floats | None = None) -> tuple[TopFeature, ...]:
        """Name the columns that distinguish the samples, the one that does most first.

        A column's share is its part of the gap between the mean log odds of both samples.

        Parameters
        ----------
        source, target : array of float, optional
            The weight of each row. By default, equal.
        """
        weights = (
            (np.ones(len(self.source)) if source is None else source),
            (np.ones(len(self.target)) if target is None else target),
        )
        means = [
            points.T @ weight / max(weight.sum(), 1e-300) for points, weight in zip(self.points, weights, strict=True)
        ]
        gaps = self.coefficients * (means[1] - means[0])
        by_column: dict[str, list[int]] = {}
        for number, (column, _) in enumerate(self.features):
            by_column.setdefault(column, []).append(number)
        parts = {column: max(float(gaps[some].sum()), 0.0) for column, some in by_column.items()}
        total = sum(parts.values()) or 1.0
        most = sorted((c for c in parts if parts[c] >= _LEAST_SHARE * total), key=lambda c: -parts[c])[:MOST_FEATURES]
        return tuple(TopFeature(c, parts[c] / total, self._items(by_column[c], gaps)) for c in most if parts[c])

    def _items(self, some: Sequence[int], gaps: Floats) -> tuple[str, ...]:
        order = sorted((i for i in some if gaps[i] > 0), key=lambda i: -gaps[i])
        names = (self.features[i][1] for i in order)
        return tuple(name for name in names if name is not None)[:MOST_ITEMS]


def auc(
    source: Floats, target: Floats, source_weights: Floats | None = None, target_weights: Floats | None = None
) -> float:
    """Compute the probability that a target row looks newer than a source row, drawn by weight; ties count half.

    Parameters
    ----------
    source, target : array of float, shape (n_rows,)
        How new each row looks.
    source_weights, target_weights : array of float, optional
        The weight of each row. By default, equal.

    Examples
    --------
    >>> source, target = np.array([0.0, 2.0]), np.array([1.0])
    >>> auc(source, target), auc(source, target, np.array([3.0, 1.0]))
    (0.5, 0.75)
    """
    source_weights = np.ones(len(source)) if source_weights is None else source_weights
    target_weights = np.ones(len(target)) if target_weights is None else target_weights
    # Sorted once, so that every source row finds the weight of the target rows above it by bisection.
    order = np.argsort(target, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(target_weights[order])])
    below, up_to = (np.searchsorted(target[order], source, side) for side in ("left", "right"))
    newer = total[-1] - (total[below] + total[up_to]) / 2
    weight = float(source_weights.sum() * total[-1])
    return min(float(source_weights @ newer / weight), 1.0) if weight > 0 else 0.5


def name_features(features: Sequence[TopFeature]) -> str:
    """Write what distinguishes samples, with its words or values.

    >>> name_features([TopFeature("text", 0.7, ("lol", "omg")), TopFeature("year", 0.3, ())])
    "'text' (lol, omg), 'year'"
    """
    return listed(f"{top.column!r} ({listed(top.items)})" if top.items else repr(top.column) for top in features)


def fit_domain_classifier(
    points: Points,
    features: tuple[Feature, ...],
    *,
    folds: int,
    most_rows: int,
    seed: int,
    clusters: Sequence[Index | None] = (None, None),
    weights: Sequence[Floats | None] = (None, None),
) -> DomainClassifier:
    """Learn to distinguish the samples, fold by fold: each row is scored by the fits to the other folds.

    Rows beyond `most_rows` of a sample are not used to fit, and are scored by the mean of all fits. Both samples have
    the same total weight.

    Parameters
    ----------
    most_rows : int
        Of each sample, drawn at random, to fit to.
    seed : int
        Of the draw and of the folds.
    clusters : pair of arrays of int, optional
        The cluster of each row of both samples: rows of one share a fold.
    weights : pair of arrays of float, optional
        How much each row of both samples counts. By default, 1.

    Examples
    --------
    >>> rows = csr_matrix(np.repeat([[1.0, 0.0], [0.0, 1.0]], 30, axis=0))
    >>> fitted = fit_domain_classifier(
    ...     (rows, rows[30:]), (("c", "a"), ("c", "b")), folds=2, most_rows=99, seed=0
    ... )
    >>> round(auc(fitted.source, fitted.target), 2), sorted(fitted.top_features()[0].items)
    (0.75, ['a', 'b'])
    """
    rng = np.random.default_rng(seed)
    both = csr_matrix(vstack(points, format="csr"))
    n_source, n_target = points[0].shape[0], points[1].shape[0]
    fold = np.concatenate(
        [_folds(n, folds, most_rows, rng, own) for n, own in zip((n_source, n_target), clusters, strict=True)]
    )
    new = np.repeat([0.0, 1.0], [n_source, n_target])
    each = np.concatenate(
        [np.ones(n) if own is None else own for n, own in zip((n_source, n_target), weights, strict=True)]
    )
    scores, drawn = np.zeros(len(new)), fold >= 0
    coefficients = np.zeros(both.shape[1])
    with one_thread():  # many small products: threads would wait for each other
        for number in range(folds):
            used = drawn & (fold != number)
            n_used, ones, zeros = int(used.sum()), (new * each)[used], ((1 - new) * each)[used]
            # Half of the weight is on each sample, so that the larger one does not decide the intercept.
            ones, zeros = (side * n_used / (2 * side.sum()) for side in (ones, zeros))
            fitted = fit_logistic(both[used], zeros, ones, exact=False)
            log_odds = np.asarray(both @ fitted.coefficients) + fitted.intercept
            scores = np.where(fold == number, log_odds, np.where(drawn, scores, scores + log_odds / folds))
            coefficients += fitted.coefficients / folds
    trained = int(drawn[:n_source].sum()), int(drawn[n_source:].sum())
    return DomainClassifier(points, features, scores[:n_source], scores[n_source:], coefficients, trained)


def _folds(n: int, folds: int, most_rows: int, rng: np.random.Generator, clusters: Index | None) -> Index:
    """Put a draw of rows into folds of one size, whole clusters of them; the others into none, which is -1."""
    numbers = np.full(n, -1)
    drawn = rng.permutation(n)[:most_rows]
    if clusters is not None:
        present, place = np.unique(clusters[drawn], return_inverse=True)
        numbers[drawn] = (rng.permutation(len(present)) % folds)[place]
        return numbers
    numbers[drawn] = np.arange(len(drawn)) % folds
    return numbers


@dataclass(frozen=True, eq=False)
class RowScores:
    """Hold how new every row looks.

    Parameters
    ----------
    source, target : array of float, shape (n_rows,)
        The probability of being new, if both samples were equally large; from fits that did not see the row.
    columns : tuple of str
        The columns that were used.
    auc : float
        How well the scores distinguish the samples: 0.5 not at all, 1 perfectly.
    top_features : tuple of TopFeature
        The columns that distinguish them most.
    trained : pair of int
        The number of rows of each sample that were fitted.
    """

    source: Floats
    target: Floats
    columns: tuple[str, ...]
    auc: float
    top_features: tuple[TopFeature, ...]
    trained: tuple[int, int]

    def cuts(self, n: int) -> tuple[float, ...]:
        """Cut the scores into n parts of about one size, both samples counting the same; ties make fewer."""
        scores = np.concatenate([self.source, self.target])
        weights = np.repeat([1 / len(self.source), 1 / len(self.target)], [len(self.source), len(self.target)])
        order = np.argsort(scores, kind="stable")
        shares = np.cumsum(weights[order]) / 2
        ends = np.searchsorted(shares, np.arange(1, n) / n)
        cuts = np.unique(scores[order][np.minimum(ends, len(scores) - 1)])
        return tuple(float(cut) for cut in cuts[cuts > scores.min()])


def score_samples(source: Sample, target: Sample, columns: Sequence[str] | None = None, seed: int = 0) -> RowScores:
    """Score every row of two samples by how new it looks; cached.

    Parameters
    ----------
    columns : sequence of str, optional
        By default, the columns of both samples without a role, except dates and identifiers.
    seed : int
        The random seed of the folds and of the rows to fit.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"place": ["a"] * 40 + ["b"] * 20}))
    >>> target = Sample(pd.DataFrame({"place": ["a"] * 20 + ["b"] * 40}))
    >>> scores = score_samples(source, target)
    >>> round(scores.auc, 2), scores.top_features[0].column, bool((scores.target[20:] > 0.5).all())
    (0.63, 'place', True)
    """
    chosen = None if columns is None else tuple(dict.fromkeys(columns))
    key = ("row scores", chosen, seed, None if chosen else (source.roles, target.roles))
    return SAMPLE_CACHE.of((source, target), key, lambda: _score(source, target, chosen, seed))


def _score(source: Sample, target: Sample, columns: tuple[str, ...] | None, seed: int) -> RowScores:
    for sample in (source, target):
        if sample.n_rows < FEWEST_ROWS:
            raise DataError(
                f"{sample.name} has {sample.n_rows} rows. The domain classifier needs at least {FEWEST_ROWS}."
            )
    tried, left_out = default_columns(source, target) if columns is None else (columns, {})
    rows = np.arange(source.n_rows), np.arange(target.n_rows)
    read = {column: encode_column(column, (source, target), rows) for column in tried}
    wrong = {column: why for column, why in read.items() if isinstance(why, str)}
    encoded = {column: values for column, values in read.items() if isinstance(values, EncodedColumn)}
    if not encoded or (columns is not None and wrong):
        reasons = listed((f"{column} ({why})" for column, why in {**left_out, **wrong}.items()), most=6)
        raise DataError(
            f"The domain classifier cannot use these columns: {reasons or 'no columns are left'}. Choose others."
        )
    fitted = fit_domain_classifier(
        *design_matrix(encoded),
        folds=FOLDS,
        most_rows=MOST_ROWS,
        seed=seed,
        clusters=(source.clusters, target.clusters),
        weights=(source.design_weights, target.design_weights),
    )
    return RowScores(
        source=expit(fitted.source),
        target=expit(fitted.target),
        columns=tuple(encoded),
        auc=auc(fitted.source, fitted.target, source.design_weights, target.design_weights),
        top_features=fitted.top_features(source.design_weights, target.design_weights),
        trained=fitted.trained,
    )
