"""The Gaussian kernel between points with counts of rows: in blocks, its width, and a low-rank factor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_matrix, issparse, vstack

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError

# Dense rows, or a SciPy CSR matrix: shape (n_points, n_features).
Points: TypeAlias = Any

_BLOCK_ENTRIES = 2**22  # 32 MB of doubles at a time
_PIVOTS_A_ROUND = 48
# Squared distances come as |x|^2 + |y|^2 - 2 x.y: below this share of the norms they are rounding, and mean zero.
_ROUNDING = 1e-12


def check_points(points: Points, counts: Floats, where: str) -> tuple[Points, Floats]:
    """Return points and their counts as arrays of float, or say what is wrong with them.

    Parameters
    ----------
    points : array or CSR matrix, shape (n_points, n_features)
    counts : array of float, shape (n_points,)
        Rows at each point; may be 0 or fractional.
    where : str
        The name of the sample, for the message.

    Examples
    --------
    >>> check_points([[1, 2]], [3], "source")
    (array([[1., 2.]]), array([3.]))
    """
    points = csr_matrix(points, dtype=float) if issparse(points) else np.asarray(points, dtype=float)
    counts = np.asarray(counts, dtype=float)
    if points.ndim != 2:
        raise MandolineError(f"The {where} points must have 2 dimensions (points, features). Got {points.ndim}.")
    if counts.shape != (points.shape[0],):
        raise MandolineError(
            f"The {where} counts must have one value per point ({points.shape[0]}). Got shape {counts.shape}."
        )
    if not np.isfinite(points.data if issparse(points) else points).all():
        raise MandolineError(f"A feature of the {where} is missing or infinite. Fill it in, or remove those rows.")
    if not np.isfinite(counts).all() or (counts < 0).any() or counts.sum() <= 0:
        raise MandolineError(f"The {where} counts must be finite, non-negative and not all 0.")
    return points, counts


def gaussian_kernel(x: Points, y: Points, width: float) -> Floats:
    """Return exp(-|x - y|^2 / (2 width^2)) for every pair of points.

    Parameters
    ----------
    x : array or CSR matrix, shape (n, n_features)
    y : array or CSR matrix, shape (m, n_features)

    Returns
    -------
    array of float, shape (n, m)

    Examples
    --------
    >>> gaussian_kernel(np.array([[0.0]]), np.array([[0.0], [2.0]]), 2.0).round(4).tolist()
    [[1.0, 0.6065]]
    """
    if issparse(x) or issparse(y):
        kernel = squared_distances(x, y)
        kernel *= -0.5 / width**2
        return np.exp(kernel, out=kernel)
    centre = y.mean(axis=0)  # distances do not change, and far from 0 they would lose digits
    x, y = (x - centre) / width, (y - centre) / width
    # With the norms as columns, one product gives the exponent x.y - |x|^2 / 2 - |y|^2 / 2.
    left = np.column_stack([x, -0.5 * _squared_norms(x), np.ones(len(x))])
    right = np.column_stack([y, np.ones(len(y)), -0.5 * _squared_norms(y)])
    kernel = left @ right.T
    np.minimum(kernel, 0.0, out=kernel)
    return np.exp(kernel, out=kernel)


def squared_distances(x: Points, y: Points) -> Floats:
    """Return |x - y|^2 for every pair of points, 0 where it is not more than rounding.

    >>> squared_distances(np.array([[0.0, 1.0]]), np.array([[3.0, 5.0], [0.0, 1.0]])).tolist()
    [[25.0, 0.0]]
    """
    if not issparse(x) and not issparse(y):
        centre = y.mean(axis=0)  # distances do not change, and far from 0 they would lose digits
        x, y = x - centre, y - centre
    products = x @ y.T
    distances: Floats = products.toarray() if issparse(products) else np.asarray(products)
    x_norms, y_norms = _squared_norms(x), _squared_norms(y)
    distances *= -2.0
    distances += x_norms[:, None]
    distances += y_norms
    largest = float(x_norms.max(initial=0.0) + y_norms.max(initial=0.0))
    distances[distances < _ROUNDING * largest] = 0.0
    return distances


def kernel_product(x: Points, y: Points, width: float, values: Floats) -> Floats:
    """Return the kernel between two sets of points times a vector, never holding the whole kernel.

    Parameters
    ----------
    x : array or CSR matrix, shape (n, n_features)
    y : array or CSR matrix, shape (m, n_features)
    values : array of float, shape (m,)

    Returns
    -------
    array of float, shape (n,)

    Examples
    --------
    >>> kernel_product(np.array([[0.0]]), np.array([[0.0], [2.0]]), 2.0, np.array([1.0, 2.0])).round(4).tolist()
    [2.2131]
    """
    used = np.flatnonzero(values)
    y, values = y[used], values[used]
    if not len(used):
        return np.zeros(x.shape[0])
    return np.concatenate([gaussian_kernel(x[rows], y, width) @ values for rows in _blocks(x.shape[0], len(used))])


def symmetric_product(x: Points, width: float, values: Floats) -> Floats:
    """Return the kernel of points with themselves times a vector, computing each pair once.

    >>> x = np.array([[0.0], [2.0]])
    >>> symmetric_product(x, 2.0, np.array([1.0, 0.0])).round(4).tolist()
    [1.0, 0.6065]
    """
    out = np.zeros(x.shape[0])
    for rows in _blocks(x.shape[0], x.shape[0]):
        kernel = gaussian_kernel(x[rows], x[rows.start :], width)
        out[rows] += kernel @ values[rows.start :]
        out[rows.stop :] += values[rows] @ kernel[:, rows.stop - rows.start :]
    return out


def median_width(
    source: Points,
    source_counts: Floats,
    target: Points,
    target_counts: Floats,
    rng: np.random.Generator,
    most: int = 1000,
) -> float:
    """Return the median distance between the rows of both samples, equal rows left out.

    Up to `most` points, all pairs of rows count; of more points, a sample of that size is drawn by their counts.

    Parameters
    ----------
    source, target : array or CSR matrix, shape (n_points, n_features)
    source_counts, target_counts : array of float, shape (n_points,)
    rng : Generator
        Used only when there are more than `most` points.

    Examples
    --------
    >>> one = np.ones(1)
    >>> median_width(np.array([[0.0]]), one, np.array([[3.0]]), one, np.random.default_rng(0))
    3.0
    """
    points, counts = stack(source, target), np.concatenate([source_counts, target_counts])
    if np.count_nonzero(counts) > most:
        counts = rng.multinomial(most, counts / counts.sum()).astype(float)
    used = np.flatnonzero(counts)
    points, counts = points[used], counts[used]
    first, second = np.triu_indices(len(used), 1)
    distances = squared_distances(points, points)[first, second]
    pairs = counts[first] * counts[second]
    apart = distances > 0
    if not apart.any():
        raise MandolineError("All rows have the same features. Choose features that vary.")
    return float(np.sqrt(_weighted_median(distances[apart], pairs[apart])))


def factorise(
    source: Points, target: Points, width: float, *, most: int = 500, tolerance: float = 1e-7
) -> tuple[Floats, Floats, Floats]:
    """Factorise the kernel of both samples' points by pivoted incomplete Cholesky: K is close to L L'.

    The kernel matrix is never formed: pivots are taken some at a time, from the points with the largest
    residual, and a candidate that the pivots before it already explain is passed over.

    Parameters
    ----------
    source, target : array or CSR matrix, shape (n_points, n_features)
    most : int
        Largest rank.
    tolerance : float
        Stop when the residual trace, divided by the number of points, is below this.

    Returns
    -------
    source, target : array of float, shape (n_points, rank)
        The rows of L.
    source_residual : array of float, shape (n_source_points,)
        The diagonal of K - L L' at the source points; never negative.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [3.0]])
    >>> source, target, _ = factorise(x[:2], x[2:], 1.0)
    >>> bool(np.allclose(source @ target.T, gaussian_kernel(x[:2], x[2:], 1.0)))
    True
    """
    points = stack(source, target)
    n = points.shape[0]
    factor = np.zeros((n, min(most, n)), order="F")
    residual = np.ones(n)
    rank = 0
    while rank < factor.shape[1] and residual.sum() > tolerance * n:
        pivots = _choose_pivots(points, width, factor[:, :rank], residual, min(_PIVOTS_A_ROUND, factor.shape[1] - rank))
        columns = gaussian_kernel(points, points[pivots], width)
        columns -= factor[:, :rank] @ factor[pivots, :rank].T
        corner = np.linalg.cholesky(columns[pivots] + 1e-14 * np.eye(len(pivots)))
        new = solve_triangular(corner, columns.T, lower=True).T
        factor[:, rank : rank + len(pivots)] = new
        rank += len(pivots)
        residual = np.maximum(residual - (new**2).sum(axis=1), 0.0)
        residual[pivots] = 0.0
    n_source = source.shape[0]
    source_rows, target_rows = (np.ascontiguousarray(rows) for rows in np.split(factor[:, :rank], [n_source]))
    return source_rows, target_rows, residual[:n_source].copy()


def _choose_pivots(points: Points, width: float, factor: Floats, residual: Floats, n: int) -> Index:
    """Choose up to n of the points with the largest residual, by pivoted Cholesky among the candidates alone."""
    n_candidates = min(4 * n, len(residual))
    # In the first round all are tied. A partition would break ties as the processor's instructions happen to.
    candidates = np.argsort(-residual, kind="stable")[:n_candidates]
    block = gaussian_kernel(points[candidates], points[candidates], width)
    block -= factor[candidates] @ factor[candidates].T
    left = np.diag(block).copy()
    # Half of the largest: lower than that, points outside the candidates may have become better pivots.
    enough = 0.5 * left.max()
    chosen: list[int] = []
    rows = np.zeros((n, n_candidates))
    for i in range(n):
        best = int(left.argmax())
        if left[best] <= 0 or (chosen and left[best] < enough):
            break
        rows[i] = (block[best] - rows[:i, best] @ rows[:i]) / np.sqrt(left[best])
        left -= rows[i] ** 2
        left[best] = 0.0
        chosen.append(best)
    return np.asarray(candidates[chosen], dtype=np.intp)


def stack(source: Points, target: Points) -> Points:
    """Stack the points of both samples.

    >>> stack(np.zeros((1, 2)), np.ones((1, 2))).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    if issparse(source) or issparse(target):
        return vstack([source, target], format="csr")
    return np.concatenate([source, target])


def _squared_norms(x: Points) -> Floats:
    if issparse(x):
        return np.asarray(x.multiply(x).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", x, x))


def _blocks(n: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _BLOCK_ENTRIES // max(n_columns, 1))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _weighted_median(values: Floats, weights: Floats) -> float:
    """Return the weighted median; the mean of the middle two when they differ."""
    order = np.argsort(values)
    values, cumulative = values[order], np.cumsum(weights[order])
    half = 0.5 * cumulative[-1]
    low = int(np.searchsorted(cumulative, half * (1 - 1e-12)))
    high = int(np.searchsorted(cumulative, half * (1 + 1e-12), side="right"))
    return float((np.sqrt(values[low]) + np.sqrt(values[min(high, len(values) - 1)])) ** 2 / 4)
