"""What estimators on columns share: when they apply, the rows they see, and fits that all models have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.data import SAMPLE_CACHE
from mandoline_core.domain_classifier import one_thread
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import (
    Estimator,
    Outcome,
    evaluate_rows,
    row_influence,
    row_outcome,
    rows_of,
    what_stops,
)
from mandoline_core.estimators.density.features import Features, Matrix, build_features
from mandoline_core.estimators.on_patterns import PointRatios
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

T = TypeVar("T")
ROWS_DRAWN = FindingKind(
    "rows",
    "rows_drawn",
    "For speed, features are looked at in {here:,} of {n_source:,} labelled rows and {there:,} of {n_target:,} new "
    "rows, drawn at random",
    "Raise max_rows in [methods] to use more.",
)


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Hold the rows that a method on features sees.

    Parameters
    ----------
    source, target : array of float or csr_matrix, shape (n_rows, n_features)
    source_rows : array of int
        Their places among the scored source rows.
    target_rows : array of int
        Their places among the target rows.
    findings : tuple of Finding
        What to know about the choice of rows and columns.
    """

    source: Matrix
    target: Matrix
    source_rows: Index
    target_rows: Index
    findings: tuple[Finding, ...]


class OnFeatures(Estimator, Generic[T]):
    """Run a method that weights rows by their columns; a subclass says how in `fit` and `evaluate`.

    A fit does not depend on the model, so it is made once for all models of the same samples.
    """

    needs: tuple[str, ...] = ("features",)

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        if problem.rows is None:
            return "Only slice codes are known here, and this method looks at the columns behind them."
        return what_stops(lambda: see_rows(problem))

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        seen = see_rows(problem)
        scored = rows_of(problem).scored
        # One set of scored source rows is told from another.
        which = b"" if scored.all() else np.packbits(scored).tobytes()
        key = (self.name, _features_key(problem), self.tuning(problem.methods), which)
        return self.evaluate(problem, seen, _remembered(problem, key, lambda: self.fit(problem, seen)))

    def tuning(self, methods: MethodSettings) -> Hashable:  # noqa: ARG002 - for subclasses with settings
        """Name the settings that a fit depends on, those of the features aside."""
        return ()

    @abstractmethod
    def fit(self, problem: Problem, seen: FeatureRows) -> T:
        """Fit what the weights are made of: by the columns alone, not by the model's scores."""

    @abstractmethod
    def evaluate(self, problem: Problem, seen: FeatureRows, fitted: T) -> Outcome:
        """Evaluate the metric with the fitted weights, with its spread."""


class OnFeatureRatios(OnFeatures[PointRatios]):
    """Weight rows by a ratio that is fitted to their columns; a subclass says how in `fit`."""

    def evaluate(self, problem: Problem, seen: FeatureRows, fitted: PointRatios) -> Outcome:
        """Evaluate the metric with the fitted ratio, with influence through the fit."""
        found, weights = evaluate_rows(problem, seen.source_rows, fitted.ratios)
        of_source, of_target = fitted.through_fit(found.slopes)
        spread = row_influence(
            problem,
            (seen.source_rows, weights * found.slopes + of_source / len(of_source)),
            (seen.target_rows, of_target / len(of_target)),
        )
        return row_outcome(problem, found, seen.source_rows, weights, spread, (*seen.findings, *fitted.findings))


def see_rows(problem: Problem) -> FeatureRows:
    """Find the features of both samples: of the scored source rows, at most so many as the settings say."""
    rows, methods = rows_of(problem), problem.methods
    found: Features = _remembered(
        problem,
        ("matrix", *_features_key(problem)),
        lambda: build_features(
            rows.source, rows.target, methods.features or None, max_rows=methods.max_rows, seed=problem.seed
        ),
    )
    scored = rows.scored[found.source_rows]
    if not scored.any():
        raise MandolineError(
            Sentence("None of the {source_rows} drawn for the features has a score. Raise max_rows in [methods].")
        )
    place = np.cumsum(rows.scored) - 1
    return FeatureRows(
        source=found.source[scored],
        target=found.target,
        source_rows=place[found.source_rows[scored]],
        target_rows=found.target_rows,
        findings=about_rows(problem, int(scored.sum()), len(found.target_rows)),
    )


def about_rows(problem: Problem, *used: int) -> tuple[Finding, ...]:
    """Say how many source rows and target rows are looked at, where that is not all."""
    n_source, n_target = len(problem.members.source), len(problem.members.target)
    if used == (n_source, n_target):
        return ()
    return (ROWS_DRAWN.found("info", here=used[0], n_source=n_source, there=used[1], n_target=n_target),)


def _remembered(problem: Problem, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Compute what does not depend on the model once for all models of the same samples.

    On one thread: these are many small products, which threads that wait for each other on a busy machine can
    slow down twentyfold.
    """

    def on_one_thread() -> T:
        with one_thread():
            return compute()

    rows = rows_of(problem)
    return SAMPLE_CACHE.of((rows.source, rows.target), ("features", *key), on_one_thread)


def _features_key(problem: Problem) -> tuple[Hashable, ...]:
    """Tell one choice of features from another."""
    return problem.methods.features, problem.methods.max_rows, problem.seed
