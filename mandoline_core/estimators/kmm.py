"""Kernel mean matching: weight rows so that both samples have the same mean in a kernel's feature space."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, evaluate_rows, row_outcome
from mandoline_core.estimators.features import Features, OnFeatures
from mandoline_core.estimators.intervals import Redraws
from mandoline_core.estimators.kernel_matching import KernelMatcher, Matching
from mandoline_core.estimators.kernels import Points, median_width
from mandoline_core.estimators.on_patterns import why_not_slices
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_percent
from mandoline_core.patterns import add_up
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

LARGE_GAP = 1e-3  # of the objective: beyond it the optimum was not found
NEAR_BOX = 1e-3
# Of columns, whose many points can be matched in many ways: without it the estimate is off three times as far, and its
# interval too short or too long by chance. Slices have few points, which the means tell apart.
RIDGE = 0.1
FEWEST_REDRAWS = 3  # with a defined metric; a quarter of all if that is more
MOST_REDRAWN = 1000  # rows of the larger sample in a redraw of points that are all different


class _Side(NamedTuple):
    """Hold the points of one sample that are matched, and where its rows are."""

    points: Points
    counts: Floats  # (n_points,) rows at each
    point_of: Index  # (n_rows,) the point of each row
    rows: Index  # (n_rows,) among all rows of the sample
    n_all: int

    def redraw(self, share: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw a share of all rows with replacement; count how often each row was drawn, and each point.

        All rows of a sample are drawn from, also those that this model has no score for.
        """
        drawn = rng.integers(0, self.n_all, max(2, round(share * self.n_all)))
        by_row = np.bincount(drawn, minlength=self.n_all).astype(float)[self.rows]
        return by_row, add_up(self.point_of, by_row, len(self.counts))


@dataclass(frozen=True, eq=False)
class _MatchingRun:
    """Hold a matching and its redraws, by row; each redraw is of this share of the rows.

    Of a redraw, how often each scored row was drawn, and the ratios fitted to it.
    """

    matching: Matching
    ratios: Floats
    redraws: list[tuple[Floats, Floats]]
    share: float


class KmmSlices(Estimator):
    """Match the slices' codes: on patterns, so exactly, whatever the number of rows."""

    name = "kmm_slices"
    title = "Kernel mean matching on slices (KMM)"
    does = "Weights labelled rows so that their kernel mean over the slices matches the new data."
    seconds = 1.0
    most_patterns = 500  # matching takes time by the pattern, once for each of its redraws
    assumes = "Covariate shift captured by the slices, a score that is smooth in them, and slices without errors."
    premise = "slices"
    needs = ("slices",)

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        return why_not_slices(problem)

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error."""
        table, members = problem.patterns, problem.members
        everyone = np.arange(len(members.source)), np.arange(len(members.target))

        def side(counts: Floats, pattern: Index, rows: Index, n_all: int) -> _Side:
            used = np.flatnonzero(counts)
            return _Side(
                table.codes[used].astype(float), counts[used], (np.cumsum(counts > 0) - 1)[pattern], rows, n_all
            )

        source = side(table.source, members.source, *_among_all(problem, everyone[0]))
        matched = _match(problem, source, side(table.target, members.target, everyone[1], len(everyone[1])))
        outcome = _outcome(problem, everyone[0], matched)
        return replace(outcome, scored_weights=None)  # rows of one pattern count the same


class KmmFeatures(OnFeatures):
    """Match the columns."""

    name = "kmm_features"
    title = "Kernel mean matching on columns (KMM)"
    does = "Weights labelled rows so that their kernel mean over the columns matches the new data."
    seconds = 120.0
    assumes = "Covariate shift in the columns, a score that is smooth in them, and overlap."

    def tuning(self, methods: MethodSettings) -> Hashable:
        """Name the settings that a fit depends on, those of the features aside."""
        return methods.width, methods.box, methods.tolerance, methods.redraws

    def fit(self, problem: Problem, seen: Features) -> _MatchingRun:
        """Match the rows of both samples."""
        n_source, n_target = seen.source.shape[0], seen.target.shape[0]
        rows, n_all = _among_all(problem, seen.source_rows)
        source = _Side(seen.source, np.ones(n_source), np.arange(n_source), rows, n_all)
        n_all = len(problem.members.target)
        target = _Side(seen.target, np.ones(n_target), np.arange(n_target), seen.target_rows, n_all)
        return _match(problem, source, target, ridge=RIDGE)

    def evaluate(self, problem: Problem, seen: Features, fitted: _MatchingRun) -> Outcome:
        """Evaluate the metric with the matched rows' ratios, and on every redraw."""
        return _outcome(problem, seen.source_rows, fitted, seen.findings)


def _among_all(problem: Problem, rows: Index) -> tuple[Index, int]:
    """Find scored rows among all rows of the source, and count those."""
    if problem.rows is None:
        return rows, len(problem.members.source)
    return np.flatnonzero(problem.rows.scored)[rows], len(problem.rows.scored)


def _match(problem: Problem, source: _Side, target: _Side, *, ridge: float = 0.0) -> _MatchingRun:
    """Match means, then again on redrawn rows."""
    methods, rng = problem.methods, np.random.default_rng(problem.seed)
    # One generator a redraw, and no draw that depends on the model: then all models have the same redraws.
    streams = rng.spawn(methods.redraws)
    width = methods.width or median_width(source.points, source.counts, target.points, target.counts, rng)
    matcher = KernelMatcher(source.points, target.points, width=width, ridge=ridge)
    matching = matcher.solve(source.counts, target.counts, box=methods.box, tolerance=methods.tolerance)
    if not matching.ratios.any():
        raise MandolineError(
            f"With kernel width {width:.3g}, no labelled row is similar to any new row. "
            "Set a larger width in [methods]."
        )
    # Solving takes time by the points, so of many points fewer are drawn: m out of n, with the spread scaled back.
    share = min(1.0, MOST_REDRAWN / max(len(source.counts), len(target.counts)))
    redraws = []
    for stream in streams:
        (counts, by_point), (_, by_target_point) = (side.redraw(share, stream) for side in (source, target))
        ratios = np.zeros(len(by_point))
        if by_point.any() and by_target_point.any():
            ratios = matcher.resolve(
                by_point, by_target_point, box=methods.box, tolerance=methods.tolerance, near=matching
            )
        redraws.append((counts, ratios[source.point_of]))
    return _MatchingRun(matching, matching.ratios[source.point_of], redraws, share)


def _outcome(problem: Problem, rows: Index, matched: _MatchingRun, findings: tuple[Finding, ...] = ()) -> Outcome:
    evaluation, weights = evaluate_rows(problem, rows, matched.ratios)
    redraws = _evaluate_redraws(problem, rows, matched)
    return row_outcome(
        problem, evaluation, rows, weights, redraws, (*findings, *_about_gap(matched, problem.methods.box))
    )


def _evaluate_redraws(problem: Problem, rows: Index, matched: _MatchingRun) -> Redraws:
    """Evaluate the metric on every redraw, weighted and plain; the spread is scaled to the rows there are."""
    values = np.full((2, len(matched.redraws)), np.nan)
    for i, (counts, ratios) in enumerate(matched.redraws):
        counted = counts * ratios
        drawn = np.flatnonzero(counted)
        if not len(drawn):
            continue
        with suppress(MandolineError):  # a redraw may lack a class that the metric needs
            value = evaluate_rows(problem, rows[drawn], counted[drawn])[0].value
            values[:, i] = value, evaluate_rows(problem, rows, counts)[0].value
    n_defined = int(np.isfinite(values[0]).sum())
    if n_defined < max(FEWEST_REDRAWS, len(matched.redraws) / 4):
        raise MandolineError(
            f"The metric is undefined on {len(matched.redraws) - n_defined} of {len(matched.redraws)} bootstrap "
            "samples, so there is no interval. Label more rows."
        )
    return Redraws(*(np.sqrt(matched.share) * values))


def _about_gap(matched: _MatchingRun, box: float) -> list[Finding]:
    matching = matched.matching
    large = matching.relative_gap > LARGE_GAP
    gap = f"Kernel mean matching (width {matching.width:.3g}) has a relative optimality gap of"
    findings = [
        Finding(
            "fit",
            "optimality_gap",
            "warning" if large else "info",
            f"{gap} {matching.relative_gap:.1e}.",
            "Use fewer rows, or another kernel width." if large else "",
            numbers={"width": matching.width, "gap": matching.relative_gap},
        )
    ]
    # Of rows, of which a point may hold many; as near to the box as the solver comes.
    at_box = float((matched.ratios >= box * (1 - NEAR_BOX)).mean())
    if at_box > 0.01:
        findings.append(
            Finding(
                "fit",
                "box_reached",
                "warning",
                f"{show_percent(at_box)} of the labelled rows have the largest weight allowed (box = {box:g}).",
                "Raise box in [methods], or leave out columns that separate labelled from new rows.",
                numbers={"share": at_box, "box": box},
            )
        )
    return findings
