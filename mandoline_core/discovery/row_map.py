"""A map of rows: both samples as points in the plane, with similar rows near each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack
from scipy.spatial import cKDTree

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import Sample
from mandoline_core.domain_classifier import default_columns
from mandoline_core.errors import DataError
from mandoline_core.estimators import Features, build_features
from mandoline_core.formatting import listed
from mandoline_core.results import Tabular

MOST_ROWS = 3000  # of both samples together: more take long to lay out, and cover each other
FEWEST_ROWS = 5
_DIMENSIONS = 30  # that a wide column, such as text, is brought down to: distances among more say little
_NEIGHBOURS = 10
_APART = 0.5  # of the labelled neighbours that a well-mixed map would give
_STEPS, _ANGLE, _PERPLEXITY = 500, 0.8, 30.0


@dataclass(frozen=True, eq=False, repr=False)
class RowMap(Tabular):
    """Hold rows of two samples as points in the plane; the axes have no meaning, only nearness has.

    Parameters
    ----------
    source, target : array of float, shape (n_source_used, 2) and (n_target_used, 2)
    source_rows, target_rows : array of int, shape (n_source_used,) and (n_target_used,)
        The row of the sample that each point is; sorted.
    n_source, n_target : int
        How many rows there are.
    columns : tuple of str
        The columns used, with equal weight.
    left_out : mapping of str to str
        The columns not used, and why.
    """

    source: Floats
    target: Floats
    source_rows: Index
    target_rows: Index
    n_source: int
    n_target: int
    columns: tuple[str, ...]
    left_out: Mapping[str, str]

    @cached_property
    def apart(self) -> float:
        """The share of target rows on the map with few source rows around them."""
        tree = cKDTree(np.vstack([self.source, self.target]))
        n = len(self.source)
        k = min(_NEIGHBOURS, n + len(self.target) - 1)
        _, near = tree.query(self.target, k=k + 1)
        labelled = (near[:, 1:] < n).mean(axis=1)  # the nearest is the row itself
        return float((labelled < _APART * n / (n + len(self.target))).mean())

    def records(self) -> list[dict[str, Any]]:
        """List the points."""
        sides = (("source", self.source_rows, self.source), ("target", self.target_rows, self.target))
        return [
            {"sample": name, "row": row, "x": x, "y": y}
            for name, rows, points in sides
            for row, (x, y) in zip(rows.tolist(), points.tolist(), strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "points": self.records(),
            "n_source": self.n_source,
            "n_target": self.n_target,
            "columns": list(self.columns),
            "left_out": dict(self.left_out),
        }


def map_rows(
    source: Sample,
    target: Sample,
    columns: Sequence[str] | None = None,
    *,
    most_rows: int = MOST_ROWS,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> RowMap:
    """Place the rows of two samples in the plane, similar rows near each other (t-SNE).

    Text becomes TF-IDF brought down to a few dimensions (truncated SVD), categories 0/1 columns, numbers are
    standardised; each column is scaled to the same total variance.

    Parameters
    ----------
    columns : sequence of str, optional
        By default all but labels, predictions, identifiers and constants.
    most_rows : int
        Of both samples together; of larger samples rows are drawn, as many of each where both have enough.
    seed : int
        Of the draw and of the layout.
    step : callable
        Called between steps; may raise to stop.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"n": [1.0, 1.1, 1.2, 5.0], "place": list("aabb")}))
    >>> found = map_rows(source, Sample(pd.DataFrame({"n": [5.1, 5.2], "place": list("bb")})))
    >>> found.source.shape, found.target_rows.tolist(), found.columns
    ((4, 2), [0, 1], ('n', 'place'))
    """
    chosen, left_out = default_columns(source, target) if columns is None else (tuple(columns), {})
    most = max(most_rows // 2, most_rows - min(source.n_rows, target.n_rows))
    blocks: dict[str, Floats] = {}
    features: Features | None = None
    for column in chosen:
        step()
        try:
            features = build_features(source, target, [column], max_rows=most, seed=seed)
        except DataError as error:
            left_out[column] = str(error)
        else:
            blocks[column] = _block(features, seed)
    if features is None or not blocks:
        reasons = listed((f"{column} ({why})" for column, why in left_out.items()), most=6)
        raise DataError(f"There is no column to place the rows by{f': {reasons}' if reasons else ''}.")
    step()
    points = _flat(np.hstack(list(blocks.values())), seed)
    n = len(features.source_rows)
    return RowMap(
        points[:n],
        points[n:],
        features.source_rows,
        features.target_rows,
        source.n_rows,
        target.n_rows,
        tuple(blocks),
        left_out,
    )


def _block(features: Features, seed: int) -> Floats:
    """Bring one column down to a few dimensions with a total variance of 1."""
    from sklearn.utils.extmath import randomized_svd  # slow to import, as is what lays out

    stack = vstack if issparse(features.source) else np.vstack
    both = stack([features.source, features.target])
    if issparse(both) or both.shape[1] > _DIMENSIONS:
        left, sizes, _ = randomized_svd(both, min(_DIMENSIONS, *both.shape), random_state=seed)
        both = left * sizes
    centred = both - both.mean(axis=0)
    variance = float((centred**2).sum(axis=1).mean())
    return np.asarray(centred / np.sqrt(variance)) if variance > 0 else np.zeros_like(centred)


def _flat(points: Floats, seed: int) -> Floats:
    """Lay points out in the plane."""
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    n = len(points)
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(n)])
    # Rows that are the same would lie on one spot, under each other: spread them a little, as grains of sand.
    points = points + np.random.default_rng(seed).normal(scale=1e-3, size=points.shape)
    if n <= FEWEST_ROWS:
        return np.asarray(PCA(2, svd_solver="full").fit_transform(points)) if n > 1 else np.zeros((n, 2))
    start = PCA(2, svd_solver="full").fit_transform(points)
    start = 1e-4 * start / max(float(start[:, 0].std()), 1e-300)
    steps = "max_iter" if "max_iter" in TSNE().get_params() else "n_iter"  # before scikit-learn 1.5
    layout = TSNE(
        perplexity=min(_PERPLEXITY, (n - 1) / 3),
        init=start.astype(np.float32),
        learning_rate="auto",
        angle=_ANGLE,
        random_state=seed,
        n_jobs=1,
        **{steps: _STEPS},
    )
    return np.asarray(layout.fit_transform(points), dtype=float)
