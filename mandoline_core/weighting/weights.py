"""Fit the weights where source and target overlap; leave out or refuse the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.errors import OverlapError
from mandoline_core.formatting import listed, show_percent
from mandoline_core.patterns import Patterns
from mandoline_core.weighting.components import Edges
from mandoline_core.weighting.corrections import Corrections
from mandoline_core.weighting.kliep import KliepSolution, solve, varying_directions
from mandoline_core.weighting.potentials import Tilt, build_tilt, expected_potentials
from mandoline_core.weighting.reach import find_beyond, restrict_to_face, rule_out_empty

NOT_FITTED = "The weights could not be fitted."  # what a method says that did not converge
# A source pattern that is left with less than this ratio hints that the target lies on the edge of the reach.
_SUSPICIOUS_RATIO = 1e-8
# Below this share a part of the target that the source reaches is no basis for an estimate.
_TOO_LITTLE = 1e-9


@dataclass(frozen=True, eq=False)
class WeightFit:
    """Hold fitted weights on patterns, and what they do not cover.

    Parameters
    ----------
    solution : KliepSolution
        On the patterns in `rows`.
    rows : array of int, shape (n_source_patterns,)
        Patterns with source rows in any fold.
    target_rows : array of int
        Patterns whose target rows are kept.
    target_potentials : array of float, shape (n_target_patterns, n_potentials)
        E_t[phi(g) | codes] for those patterns.
    target_shares : array of float, shape (n_target_patterns,)
        Their shares of the target rows kept.
    target_slopes : array of float, shape (n_target_patterns, n_potentials)
        How far a target row more of each pattern moves the mean of the potentials, times the rows kept.
    kept : array of float, shape (n_patterns,)
        The share of each pattern's target rows that is kept; 0 for patterns that are left out.
    beyond : tuple of str
        Slices (edges as "a*b") in the directions where the source does not reach.
    unused : array of bool, shape (n_patterns,)
        Source patterns that the target has no use for: weight zero.
    """

    solution: KliepSolution
    tilt: Tilt
    rows: NDArray[np.intp]
    target_rows: NDArray[np.intp]
    target_potentials: Floats
    target_shares: Floats
    target_slopes: Floats
    kept: Floats
    beyond: tuple[str, ...]
    unused: NDArray[np.bool_]

    @property
    def target_mean(self) -> Floats:
        """Average the target's potentials (mu_t)."""
        return self.target_shares @ self.target_potentials


def potential_names(names: tuple[str, ...], edges: Edges) -> tuple[str, ...]:
    """Name the potentials: slices by name, edges as 'a*b'.

    >>> potential_names(("a", "b"), ((0, 1),))
    ('a', 'b', 'a*b')
    """
    return (*names, *(f"{names[i]}*{names[j]}" for i, j in edges))


def fit(
    patterns: Patterns,
    edges: Edges,
    corrections: Corrections,
    *,
    ridge: float = 0.0,
    overlap: str = "trim",
    start: Floats | None = None,
    fit_counts: Floats | None = None,
    kept: Floats | None = None,
    whole_patterns: bool = False,
    near_enough: bool = False,
) -> WeightFit:
    """Fit noise-aware LL-KLIEP on patterns, never reporting a diverging solution as success.

    Parameters
    ----------
    overlap : {"trim", "strict"}
        Leave out the target rows that no source row matches, or refuse.
    start : array of float, optional
        Warm start.
    fit_counts : array of float, shape (n_patterns,), optional
        Source rows to fit on, when not all of them.
    kept : array of float, shape (n_patterns,), optional
        Shares of patterns' target rows that are left, if some were left out before.
    whole_patterns : bool
        Leave out whole patterns only, though more than necessary: for folds, which must agree, and for methods
        that look at single target rows.
    near_enough : bool
        Take weights that match the target for a limit that they only approach: the same to eight digits, without the
        linear programmes that find the limit and name the rows without use.
    """
    rows = np.flatnonzero(patterns.source > 0)
    kept = np.ones(len(patterns)) if kept is None else kept.copy()
    counts = (patterns.source if fit_counts is None else fit_counts)[rows]
    whole = build_tilt(patterns.codes[rows], corrections.source, edges, patterns.names)
    names = potential_names(patterns.names, edges)
    beyond: list[str] = []
    unused = np.zeros(len(patterns), dtype=bool)
    while True:
        target = patterns.target * kept
        target_rows = np.flatnonzero(target > 0)
        potentials = expected_potentials(patterns.codes[target_rows], corrections.target, edges)
        shares = target[target_rows] / target.sum()
        mean = shares @ potentials
        # A side of a slice that the target lacks is the commonest way to the edge of the reach: seen without a solver.
        tilt, used = (whole, counts) if ridge > 0 else _on_shown_side(whole, counts, potentials)
        basis = None if ridge > 0 else varying_directions(tilt, used > 0)
        solution = solve(tilt, used, mean, ridge=ridge, start=start, basis=basis)
        if start is not None and not solution.converged:  # the start may have been too far off
            solution = solve(tilt, used, mean, ridge=ridge, basis=basis)
        sound = solution.converged if near_enough else is_sound(solution, used)
        if basis is None or (sound and is_level(tilt, used, basis, mean)):
            unused[rows[(counts > 0) & (used == 0)]] = True
            break
        # No weighting has a use for the source rows that were left out: whether all is within reach shows without them.
        within, direction = find_beyond(tilt, used > 0, potentials, shares)
        if (within < 1).any() and (used < counts).any():
            within, direction = find_beyond(whole, counts > 0, potentials, shares)
        lost = within < 1
        if not lost.any():  # on the edge: the best weights are a limit, found on the face that holds the target
            tilt, usable = restrict_to_face(tilt, used > 0, mean)
            unused[rows[(counts > 0) & ~usable]] = True
            counts = np.where(usable, counts, 0.0)
            basis = varying_directions(tilt, counts > 0)
            solution = solve(tilt, counts, mean, basis=basis)
            break
        beyond.extend(_named(direction, potentials[lost], whole, counts, names))
        if overlap == "strict":
            share = float(shares @ (1 - within))
            raise OverlapError(
                f"{show_percent(share)} of the new data ({round(share * patterns.n_target):,} rows) match no labelled "
                f'row (slices {listed(beyond)}), and overlap = "strict". '
                'Use overlap = "trim" to leave them out, add a ridge, or merge these slices.'
            )
        kept[target_rows] *= np.floor(within) if whole_patterns else within
        if patterns.target @ kept <= _TOO_LITTLE * patterns.n_target:
            raise OverlapError(
                f"No new row matches a labelled row (slices {listed(list(dict.fromkeys(beyond)))}). "
                "Label some new rows, or remove or merge these slices."
            )
    return WeightFit(
        solution=solution,
        tilt=tilt,
        rows=rows,
        target_rows=target_rows,
        target_potentials=potentials,
        target_shares=shares,
        target_slopes=_mean_slopes(potentials, mean, kept[target_rows], basis),
        kept=kept,
        beyond=tuple(dict.fromkeys(beyond)),
        unused=unused,
    )


def _on_shown_side(tilt: Tilt, counts: Floats, potentials: Floats) -> tuple[Tilt, Floats]:
    """Leave out the source rows on a side of a slice that no target row is on, unless nothing would remain."""
    face, usable = rule_out_empty(tilt, potentials)
    return (face, np.where(usable, counts, 0.0)) if usable[counts > 0].any() else (tilt, counts)


def _mean_slopes(potentials: Floats, mean: Floats, kept: Floats, basis: Floats | None) -> Floats:
    """Say how far one row more of each pattern moves the mean, times the rows kept.

    What is kept of a pattern in part follows from the others: all that is kept must stay within reach, on the face that
    `basis` spans. A row more in a whole pattern changes how much of the others is kept; in a part, nothing.

    Parameters
    ----------
    potentials : array of float, shape (n_target_patterns, n_potentials)
    kept : array of float, shape (n_target_patterns,)
    """
    apart, part = potentials - mean, kept < 1
    if basis is None or not part.any():
        return apart
    off = apart - (apart @ basis) @ basis.T
    slopes = apart - off @ np.linalg.pinv(off[part], rcond=1e-9) @ apart[part]
    return np.where(part[:, None], 0.0, slopes)


def is_sound(solution: KliepSolution, counts: Floats) -> bool:
    """Tell whether a solution shows no sign of divergence, in patterns or in the truth of noisy slices."""
    # A truth that the fit all but rules out has a ratio of exp(-2 |delta|) to the other, in every pattern.
    largest = float(np.abs(solution.delta).max(initial=0.0))
    return (
        solution.converged
        and bool((solution.ratios[counts > 0] > _SUSPICIOUS_RATIO).all())
        and np.exp(-2 * largest) > _SUSPICIOUS_RATIO
    )


def is_level(tilt: Tilt, counts: Floats, basis: Floats, mean: Floats) -> bool:
    """Tell whether the target agrees with the source where the source does not vary at all."""
    even = tilt.evaluate(np.zeros(len(mean)))
    gap = mean - (counts / counts.sum()) @ even.mean
    return bool(np.abs(gap - basis @ (basis.T @ gap)).max(initial=0.0) < 1e-9)


def _named(direction: Floats, values: Floats, tilt: Tilt, counts: Floats, names: tuple[str, ...]) -> list[str]:
    """Name the slices that put target rows beyond the source: those that do so alone, else the combination.

    Parameters
    ----------
    direction : array of float, shape (n_potentials,)
        In which they are.
    values : array of float, shape (n_beyond, n_potentials)
        Of the target patterns beyond the source.
    """
    certain = tilt.fixed[counts > 0]
    low, high = certain.min(axis=0), certain.max(axis=0)
    uncertain = np.concatenate([tilt.lone, *(component.potentials for component in tilt.components)])
    low[uncertain], high[uncertain] = -1.0, 1.0
    alone = ((values < low - 1e-9) | (values > high + 1e-9)).any(axis=0)
    if alone.any():
        return [name for name, is_alone in zip(names, alone, strict=True) if is_alone]
    size = np.abs(direction)
    return [names[i] for i in np.argsort(-size, kind="stable") if size[i] > 1e-6 * size.max()]
