"""uLSIF: weight by a ratio of densities that is fitted by least squares, its settings chosen by leave-one-out.

Kanamori et al. (2009) model the ratio as r(x) = sum_l alpha_l k(x, c_l), with Gaussian kernels at some of the target's
points, and minimise the squared error to the true ratio over the source: alpha = max(0, (H + ridge I)^-1 h), with H the
source's mean of phi phi' and h the target's mean of phi, phi_l(x) = k(x, c_l).

A width and a ridge are scored by 1 / (2 n_s) sum_i r_{-i}(x_i)^2 - 1 / n_t sum_j r_{-j}(y_j), where r_{-i} is the fit
without source row i and r_{-j} the fit without target row j: no row is paired with another, so row order is irrelevant.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import take_step
from mandoline_core.errors import MandolineError, OverlapError
from mandoline_core.estimators.features import Features, OnFeatures
from mandoline_core.estimators.kernels import Points, check_points, median_width, squared_distances
from mandoline_core.estimators.on_patterns import OnPatterns, PointRatios
from mandoline_core.findings import Finding
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

WIDTHS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
RIDGES = tuple(float(ridge) for ridge in np.logspace(-3, 1, 9))
MOST_CENTRES = 100
_NOTHING = 1e-8  # an average ratio below this is no ratio
_CLOSE = 1e-3  # to the best score: far more than single precision is off by


@dataclass(frozen=True, eq=False)
class RatioFit:
    """Hold a fitted ratio of densities, with what its influence function needs.

    Parameters
    ----------
    unclipped : array of float, shape (n_centres,)
        Coefficients before the negative ones became 0.
    centres : array or CSR matrix, shape (n_centres, n_features)
    width, ridge : float
        As chosen.
    score : float
        Their leave-one-out score; lower is better.
    ratios : array of float, shape (n_source_points,)
        The fitted ratio at the source points. The average over the source's rows is near 1, not 1 exactly.
    inverse : array of float, shape (n_centres, n_centres)
        (H + ridge I)^-1.
    source_features, target_features : array of float, shape (n_points, n_centres)
        phi at the points of each sample.
    target_mean : array of float, shape (n_centres,)
        h.
    """

    unclipped: Floats
    centres: Points
    width: float
    ridge: float
    score: float
    ratios: Floats
    inverse: Floats
    source_features: Floats
    target_features: Floats
    target_mean: Floats

    @property
    def alpha(self) -> Floats:
        """The coefficients, none negative, shape (n_centres,)."""
        return np.maximum(self.unclipped, 0.0)

    def alpha_influence(self) -> tuple[Floats, Floats]:
        """Return the influence of one row at each point on alpha, for fixed centres, width and ridge.

        The derivative of alpha by the count of a point is its influence divided by the sample's number of rows.
        Coefficients that were clipped stay 0, the others move as if nothing were: for the unclipped a,
        (H + ridge I) a = h gives da = (H + ridge I)^-1 (dh - dH a), with dH = phi phi' - H for a source row
        and dh = phi - h for a target row.

        Returns
        -------
        source : array of float, shape (n_source_points, n_centres)
        target : array of float, shape (n_target_points, n_centres)

        Examples
        --------
        >>> points, counts = np.array([[0.0], [1.0]]), np.array([2.0, 1.0])
        >>> fit = fit_ratio(points, counts, points, counts, rng=np.random.default_rng(0))
        >>> source, target = fit.alpha_influence()
        >>> bool(np.allclose(counts @ source, 0)), bool(np.allclose(counts @ target, 0))
        (True, True)
        """
        moved = self.target_mean - self.ridge * self.unclipped  # = H a
        fitted = self.source_features @ self.unclipped
        source = (moved - self.source_features * fitted[:, None]) @ self.inverse
        target = (self.target_features - self.target_mean) @ self.inverse
        active = self.unclipped > 0
        return source * active, target * active


def fit_ratio(
    source: Points,
    source_counts: Floats,
    target: Points,
    target_counts: Floats,
    *,
    rng: np.random.Generator,
    widths: tuple[float, ...] = WIDTHS,
    ridges: tuple[float, ...] = RIDGES,
    centres: Points | None = None,
) -> RatioFit:
    """Fit the ratio of the target's density to the source's.

    Parameters
    ----------
    source, target : array or CSR matrix, shape (n_points, n_features)
    source_counts, target_counts : array of float, shape (n_points,)
        Rows at each point.
    rng : Generator
        Draws the centres, and the points of the median width when there are many.
    widths : tuple of float
        Kernel widths to choose from, as multiples of the median distance.
    ridges : tuple of float
        Ridges to choose from.
    centres : array or CSR matrix, shape (n_centres, n_features), optional
        By default the target's points, or 100 of them drawn by their counts.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0]])
    >>> fit = fit_ratio(points, np.array([50.0, 50.0]), points, np.array([75.0, 25.0]), rng=np.random.default_rng(0))
    >>> fit.ratios.round(2).tolist()
    [1.47, 0.53]
    """
    source, source_counts = check_points(source, source_counts, "source")
    target, target_counts = check_points(target, target_counts, "target")
    _check_settings(source, source_counts, target, target_counts, widths, ridges)
    median = median_width(source, source_counts, target, target_counts, rng)
    if centres is None:
        centres = _draw_centres(target, target_counts, rng)
    distances = squared_distances(source, centres), squared_distances(target, centres)
    score, width, ridge = _choose(distances, source_counts, target_counts, median * np.array(widths), ridges)
    features, target_features = _features(distances, width)
    gram, mean = _moments(features, source_counts, target_features, target_counts)
    inverse = np.asarray(np.linalg.inv(gram + ridge * np.eye(len(gram))), dtype=float)
    unclipped = inverse @ mean
    ratios = features @ np.maximum(unclipped, 0.0)
    if source_counts @ ratios <= _NOTHING * source_counts.sum():
        raise OverlapError(
            "The density ratio is 0 at every labelled row: labelled and new rows do not overlap. "
            "Choose other columns, or a larger width in [methods]."
        )
    return RatioFit(
        unclipped=unclipped,
        centres=centres,
        width=width,
        ridge=ridge,
        score=score,
        ratios=ratios,
        inverse=inverse,
        source_features=features,
        target_features=target_features,
        target_mean=mean,
    )


def _choose(
    distances: tuple[Floats, Floats],
    source_counts: Floats,
    target_counts: Floats,
    widths: Floats,
    ridges: tuple[float, ...],
) -> tuple[float, float, float]:
    """Return the best score, with its width and ridge; of equal scores, the smoothest.

    All settings are scored in single precision, which takes half the time; those that come close to the best are
    then scored in double precision, which decides.
    """

    def score(width: float, some: tuple[float, ...], precision: type) -> Floats:
        take_step()
        source, target = _features(distances, width)
        return leave_one_out_scores(source, source_counts, target, target_counts, some, precision)

    rough = np.array([score(width, ridges, np.float32) for width in widths])
    close = ~(rough > rough.min() + _CLOSE * max(1.0, abs(rough.min())))
    candidates = []
    for width, chosen in zip(widths.tolist(), close, strict=True):
        some = tuple(ridge for ridge, is_close in zip(ridges, chosen, strict=True) if is_close)
        scores = score(width, some, np.float64) if some else ()
        candidates += [(float(value), -width, -ridge) for value, ridge in zip(scores, some, strict=True)]
    best, width, ridge = min(candidates)
    return best, -width, -ridge


def leave_one_out_scores(
    source_features: Floats,
    source_counts: Floats,
    target_features: Floats,
    target_counts: Floats,
    ridges: tuple[float, ...],
    precision: type = np.float64,
) -> Floats:
    """Return the leave-one-out score of each ridge.

    In closed form, because refitting without each row would take as many fits as there are rows, for each width and
    ridge. One eigendecomposition of H serves all ridges. Without source row i the matrix is n_s / (n_s - 1) times
    B - phi_i phi_i' / n_s, with B = H + ridge (n_s - 1) / n_s I: a rank-one update of the inverse. Without target
    row j, h is (n_t h - phi_j) / (n_t - 1).

    Parameters
    ----------
    source_features, target_features : array of float, shape (n_points, n_centres)
    source_counts, target_counts : array of float, shape (n_points,)
        The row left out is one of the point's rows.
    precision : type
        Of the products that take most of the time.

    Returns
    -------
    array of float, shape (n_ridges,)

    Examples
    --------
    >>> phi = np.ones((2, 1))
    >>> leave_one_out_scores(phi, np.ones(2), phi, np.ones(2), (1.0,)).round(12).tolist()
    [-0.375]
    """
    source_features, source_counts = _with_rows(source_features, source_counts)
    target_features, target_counts = _with_rows(target_features, target_counts)
    n_source, n_target = float(source_counts.sum()), float(target_counts.sum())
    gram, mean = _moments(source_features, source_counts, target_features, target_counts)
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    turned_mean = mean @ vectors
    source_features, target_features, vectors = (
        np.asarray(array, dtype=precision) for array in (source_features, target_features, vectors)
    )
    turned_source: Floats = source_features @ vectors
    turned_target: Floats = target_features @ vectors
    squares, scores = turned_source**2, []
    for ridge in ridges:
        scaled = (1.0 / (values + ridge * (n_source - 1) / n_source)).astype(precision)
        full = (scaled * turned_mean).astype(precision)  # B^-1 h, turned
        pull = (turned_source @ full) / (n_source - squares @ scaled).astype(precision)
        left = _clipped(turned_source * pull[:, None], scaled, vectors, full, source_features) * (1 - 1 / n_source)
        scaled = (1.0 / (values + ridge)).astype(precision)
        full = (n_target * scaled * turned_mean).astype(precision)
        right = _clipped(turned_target, -scaled, vectors, full, target_features) / (n_target - 1)
        scores.append(0.5 * float(source_counts @ left**2) / n_source - float(target_counts @ right) / n_target)
    return np.array(scores)


def _clipped(turned: Floats, scaled: Floats, vectors: Floats, full: Floats, features: Floats) -> Floats:
    """Evaluate each row's own fit at the row, negative coefficients set to 0; one row of `turned` a fit."""
    coefficients = turned @ (vectors * scaled).T
    coefficients += vectors @ full
    np.maximum(coefficients, 0.0, out=coefficients)
    return np.einsum("ij,ij->i", coefficients, features).astype(float)


def _features(distances: tuple[Floats, Floats], width: float) -> tuple[Floats, Floats]:
    """Return phi at the source and the target points."""
    source, target = (np.exp(side * (-0.5 / width**2)) for side in distances)
    return source, target


def _with_rows(features: Floats, counts: Floats) -> tuple[Floats, Floats]:
    used = counts > 0
    return (features, counts) if used.all() else (features[used], counts[used])


def _moments(
    source_features: Floats, source_counts: Floats, target_features: Floats, target_counts: Floats
) -> tuple[Floats, Floats]:
    """Return H and h."""
    shares = source_counts / source_counts.sum()
    rooted = source_features * np.sqrt(shares)[:, None]
    return rooted.T @ rooted, (target_counts / target_counts.sum()) @ target_features


def _draw_centres(target: Points, counts: Floats, rng: np.random.Generator) -> Points:
    used = np.flatnonzero(counts)
    if len(used) > MOST_CENTRES:
        shares = counts[used] / counts[used].sum()
        used = np.sort(rng.choice(used, MOST_CENTRES, replace=False, p=shares))
    return target[used]


def _check_settings(
    source: Points,
    source_counts: Floats,
    target: Points,
    target_counts: Floats,
    widths: tuple[float, ...],
    ridges: tuple[float, ...],
) -> None:
    if source.shape[1] != target.shape[1]:
        raise MandolineError(
            f"The labelled data has {source.shape[1]} features, the new data {target.shape[1]}. Use the same."
        )
    for name, values in (("widths", widths), ("ridges", ridges)):
        if not len(values) or not all(np.isfinite(value) and value > 0 for value in values):
            raise MandolineError(f"{name} must be one or more positive numbers. Got {tuple(values)}.")
    for where, counts in (("labelled data", source_counts), ("new data", target_counts)):
        if counts.sum() <= 1:
            raise MandolineError(f"Leave-one-out needs at least 2 rows. The {where} has {counts.sum():g}.")


class UlsifSlices(OnPatterns):
    """Fit the density ratio to slice patterns."""

    name = "ulsif_slices"
    title = "Density ratio on slices (uLSIF)"
    does = "Weights labelled rows by a density ratio, fitted by least squares on the slices."
    assumes = "Covariate shift with a density ratio that is smooth in the slices, and slices without errors."

    def fit(self, problem: Problem) -> PointRatios:
        """Fit the ratio to the patterns."""
        table, codes = problem.patterns, problem.patterns.codes.astype(float)
        return _fit(problem, codes, table.source, codes, table.target)


class UlsifFeatures(OnFeatures):
    """Fit the density ratio to columns."""

    name = "ulsif_features"
    title = "Density ratio on columns (uLSIF)"
    does = "Weights labelled rows by a density ratio, fitted by least squares on the columns."
    seconds = 8.0
    assumes = "Covariate shift with a density ratio that is smooth in the columns, and overlap."

    def tuning(self, methods: MethodSettings) -> Hashable:
        """Name the settings that a fit depends on, those of the features aside."""
        return methods.width

    def fit(self, problem: Problem, seen: Features) -> PointRatios:
        """Fit the ratio to the rows of both samples."""
        return _fit(problem, seen.source, np.ones(seen.source.shape[0]), seen.target, np.ones(seen.target.shape[0]))


def _fit(problem: Problem, source: Points, source_counts: Floats, target: Points, target_counts: Floats) -> PointRatios:
    widths: tuple[float, ...] = WIDTHS
    if problem.methods.width is not None:
        rng = np.random.default_rng(problem.seed)
        median = median_width(source, source_counts, target, target_counts, rng)
        widths = (problem.methods.width / median,)
    rng = np.random.default_rng(problem.seed)
    fitted = fit_ratio(source, source_counts, target, target_counts, rng=rng, widths=widths)
    total = float(source_counts @ fitted.ratios)

    def through_fit(slopes: Floats) -> tuple[Floats, Floats]:
        by_alpha = slopes @ fitted.source_features / total
        of_source, of_target = (moved @ by_alpha for moved in fitted.alpha_influence())
        return of_source, of_target

    finding = Finding(
        "fit",
        "ratio_fit",
        "info",
        f"Leave-one-out chose kernel width {fitted.width:.3g} and ridge {fitted.ridge:.3g} for the density ratio.",
        detail="The interval takes this choice as fixed.",
        numbers={"width": float(fitted.width), "ridge": float(fitted.ridge)},
    )
    return PointRatios(fitted.ratios * float(source_counts.sum()) / total, through_fit, findings=(finding,))
