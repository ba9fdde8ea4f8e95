"""Kernel mean matching: weight rows so that both samples have the same mean in a kernel's feature space."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome
from mandoline_core.estimators.density.kernel_matching import KernelMatcher, Matching, kernel_matcher
from mandoline_core.estimators.density.kernels import Points, median_width
from mandoline_core.estimators.intervals import Redraws
from mandoline_core.estimators.on_features import FeatureRows, OnFeatures
from mandoline_core.estimators.on_patterns import why_not_slices
from mandoline_core.estimators.row_weights import evaluate_rows, row_outcome
from mandoline_core.findings import Finding
from mandoline_core.patterns import add_up
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

LARGE_GAP = 1e-3  # of the objective: beyond it the optimum was not found
NEAR_BOX = 1e-3
FEWEST_REDRAWS = 3  # on which the metric is defined; a quarter of them where that is more
MOST_REDRAWN = 1000  # rows of the larger sample in a redraw of points that are all different


class _Places(NamedTuple):
    """Hold where rows are: among all rows of their sample, and among the points that are matched."""

    source: Index  # (n_rows,) among the source's rows
    source_points: Index  # (n_rows,)
    target: Index  # (n_target_rows,) among the target's rows
    target_points: Index  # (n_target_rows,)


@dataclass(frozen=True, eq=False)
class _Redraw:
    """Hold one redraw of both samples: how often each scored row was drawn, and the ratios fitted to it."""

    counts: Floats  # (n_rows,)
    ratios: Floats  # (n_rows,)


@dataclass(frozen=True, eq=False)
class _MatchingRun:
    """Hold a matching and its redraws, by row; each redraw is of this share of the rows."""

    matching: Matching
    ratios: Floats
    redraws: tuple[_Redraw, ...]
    share: float


class KmmSlices(Estimator):
    """Match the slices' codes: on patterns, so exactly, whatever the number of rows."""

    name = "kmm_slices"
    title = "Kernel matching on slices"
    assumes = "Rows with alike slices are scored alike, and slices are never wrong."
    needs = ("slices",)

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return why_not_slices(problem)

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        table, members = problem.patterns, problem.members
        codes = table.codes.astype(float)
        in_source, in_target = np.flatnonzero(table.source), np.flatnonzero(table.target)
        source_points, target_points = np.cumsum(table.source > 0) - 1, np.cumsum(table.target > 0) - 1
        places = _Places(
            _among_all(problem, np.arange(len(members.source))),
            source_points[members.source],
            np.arange(len(members.target)),
            target_points[members.target],
        )
        counts = table.source[in_source], table.target[in_target]
        matched = _match(problem, (codes[in_source], codes[in_target]), places, counts)
        outcome = _outcome(problem, np.arange(len(members.source)), matched)
        by_pattern = np.zeros(len(table))
        by_pattern[in_source] = matched.matching.ratios
        by_pattern /= float(table.source @ by_pattern)
        return replace(outcome, row_weights=np.tile(by_pattern, (len(problem.groups), 1)), scored_weights=None)


class KmmFeatures(OnFeatures[_MatchingRun]):
    """Match the columns."""

    name = "kmm_features"
    title = "Kernel matching on columns"
    assumes = "Rows with alike columns are scored alike, and both samples overlap."

    def tuning(self, methods: MethodSettings) -> Hashable:
        """Name the settings that a fit depends on, those of the features aside."""
        return methods.width, methods.box, methods.tolerance, methods.redraws

    def fit(self, problem: Problem, seen: FeatureRows) -> _MatchingRun:
        """Match the rows of both samples."""
        n_source, n_target = seen.source.shape[0], seen.target.shape[0]
        places = _Places(
            _among_all(problem, seen.source_rows), np.arange(n_source), seen.target_rows, np.arange(n_target)
        )
        return _match(problem, (seen.source, seen.target), places, (np.ones(n_source), np.ones(n_target)))

    def evaluate(self, problem: Problem, seen: FeatureRows, fitted: _MatchingRun) -> Outcome:
        """Evaluate the metric with the matched rows' ratios, and on every redraw."""
        return _outcome(problem, seen.source_rows, fitted, seen.findings)


def _among_all(problem: Problem, rows: Index) -> Index:
    """Find scored rows among all rows of the source."""
    return rows if problem.rows is None else np.flatnonzero(problem.rows.scored)[rows]


def _match(
    problem: Problem, points: tuple[Points, Points], places: _Places, counts: tuple[Floats, Floats]
) -> _MatchingRun:
    """Match means, then again on redrawn rows.

    Parameters
    ----------
    points : pair of arrays or CSR matrices
        Of the source and of the target.
    counts : pair of arrays of float, shape (n_points,)
        Rows at each point.
    """
    methods, rng = problem.methods, np.random.default_rng(problem.seed)
    # One generator a redraw, and no draw that depends on the model: then all models have the same redraws.
    streams = rng.spawn(methods.redraws)
    width = methods.width or median_width(points[0], counts[0], points[1], counts[1], rng)
    matcher = kernel_matcher(*points, width=width, step=problem.step)
    matching = matcher.solve(*counts, box=methods.box, tolerance=methods.tolerance)
    if not matching.ratios.any():
        raise MandolineError(
            f"With kernel width {width:.3g} no labelled row is like any new row, so no row would count. "
            "Set a larger width in [methods]."
        )
    # Solving takes time by the points, so of many points fewer are drawn: m out of n, with the spread scaled back.
    share = min(1.0, MOST_REDRAWN / max(map(len, counts)))
    redraws = tuple(_redraw(problem, matcher, matching, places, share, stream) for stream in streams)
    return _MatchingRun(matching, matching.ratios[places.source_points], redraws, share)


def _redraw(
    problem: Problem,
    matcher: KernelMatcher,
    matching: Matching,
    places: _Places,
    share: float,
    rng: np.random.Generator,
) -> _Redraw:
    """Redraw rows of both samples with replacement and match again.

    All rows of a sample are drawn from, also those that this model has no score for.
    """
    rows, members = problem.rows, problem.members
    sizes = len(members.source) if rows is None else len(rows.scored), len(members.target)
    drawn = [np.bincount(rng.integers(0, n, max(2, round(share * n))), minlength=n).astype(float) for n in sizes]
    counts = drawn[0][places.source]
    by_point = [
        add_up(points, some, n)
        for points, some, n in (
            (places.source_points, counts, matcher.source.shape[0]),
            (places.target_points, drawn[1][places.target], matcher.target.shape[0]),
        )
    ]
    if not all(some.any() for some in by_point):
        return _Redraw(counts, np.zeros(len(counts)))
    ratios = matcher.resolve(*by_point, box=problem.methods.box, tolerance=problem.methods.tolerance, near=matching)
    return _Redraw(counts, ratios[places.source_points])


def _outcome(problem: Problem, rows: Index, matched: _MatchingRun, findings: tuple[Finding, ...] = ()) -> Outcome:
    found, weights = evaluate_rows(problem, rows, matched.ratios)
    spread = _evaluate_redraws(problem, rows, matched)
    return row_outcome(problem, found, rows, weights, spread, (*findings, *_about_gap(matched, problem.methods.box)))


def _evaluate_redraws(problem: Problem, rows: Index, matched: _MatchingRun) -> Redraws:
    """Evaluate the metric on every redraw, weighted and plain; the spread is scaled to the rows there are."""
    values = np.full((2, len(matched.redraws)), np.nan)
    for i, redraw in enumerate(matched.redraws):
        counted = redraw.counts * redraw.ratios
        drawn = np.flatnonzero(counted)
        if not len(drawn):
            continue
        with suppress(MandolineError):  # a redraw may lack a class that the metric needs
            value = evaluate_rows(problem, rows[drawn], counted[drawn])[0].value
            values[:, i] = value, evaluate_rows(problem, rows, redraw.counts)[0].value
    known = int(np.isfinite(values[0]).sum())
    if known < max(FEWEST_REDRAWS, len(matched.redraws) / 4):
        raise MandolineError(
            f"On {len(matched.redraws) - known} of {len(matched.redraws)} redraws of the rows the metric is not "
            "defined, so there is no interval. Label more rows."
        )
    return Redraws(*(np.sqrt(matched.share) * values))


def _about_gap(matched: _MatchingRun, box: float) -> list[Finding]:
    matching = matched.matching
    findings = [
        Finding(
            "optimality_gap",
            "warning" if matching.relative_gap > LARGE_GAP else "info",
            f"Kernel mean matching (kernel width {matching.width:.3g}) is within {matching.relative_gap:.1e} of its "
            "best objective, relatively.",
            "Nothing to do." if matching.relative_gap <= LARGE_GAP else "Use fewer rows, or another kernel width.",
        )
    ]
    # Of rows, many of which a point may stand for; as near to the box as the solver comes.
    at_box = float((matched.ratios >= box * (1 - NEAR_BOX)).mean())
    if at_box > 0.01:
        findings.append(
            Finding(
                "box_reached",
                "warning",
                f"{at_box:.0%} of the labelled rows count as much as box = {box:g} allows.",
                "Raise box in [methods], or leave out columns that set the samples apart.",
            )
        )
    return findings
