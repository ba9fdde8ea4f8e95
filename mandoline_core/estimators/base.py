"""The contract every estimator keeps: a problem on patterns in, an outcome with its influence out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mandoline_core.corrections import CorrectionRule, Corrections
from mandoline_core.findings import Finding
from mandoline_core.intervals import Influence
from mandoline_core.metrics import Metric
from mandoline_core.patterns import Floats, Patterns
from mandoline_core.potentials import Edges


@dataclass(frozen=True, eq=False)
class Problem:
    """State what is to be estimated, from what.

    Parameters
    ----------
    patterns : Patterns
        Of all rows.
    metric : Metric
    rule : CorrectionRule
    edges : tuple of pairs of slice numbers
    ridge : float
    overlap : {"trim", "strict"}
    groups : tuple of Patterns
        Disjoint groups of source rows; a single one when the source is not split.
    folds : tuple of pairs
        Group to fit on, group to evaluate on; the estimate is the average over folds.
    start : array of float, optional
        Parameters of an earlier solution, to start from.
    """

    patterns: Patterns
    metric: Metric
    rule: CorrectionRule
    edges: Edges = ()
    ridge: float = 0.0
    overlap: str = "trim"
    groups: tuple[Patterns, ...] = ()
    folds: tuple[tuple[int, int], ...] = ((0, 0),)
    start: Floats | None = None

    def __post_init__(self) -> None:
        """Make the whole source the only group when no split was given."""
        if not self.groups:
            object.__setattr__(self, "groups", (self.patterns,))

    def corrections(self) -> Corrections:
        """Compute the corrections at the samples' rates."""
        return self.rule.at(self.patterns.rates("source"), self.patterns.rates("target"))

    def select(self, slices: list[int]) -> Problem:
        """Keep some slices, and the edges between them."""
        position = {slice_: i for i, slice_ in enumerate(slices)}
        edges = tuple((position[i], position[j]) for i, j in self.edges if i in position and j in position)
        return replace(
            self,
            patterns=self.patterns.select(slices),
            rule=self.rule.select(slices),
            edges=edges,
            groups=tuple(group.select(slices) for group in self.groups),
            start=None,
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """Hold an estimate, how each row moves it, and what it does not cover.

    Parameters
    ----------
    value : float
        The metric's estimate on the target.
    means : array of float, shape (n_statistics,)
        Estimated means of the metric's statistics on the target.
    influence : Influence
    row_weights : array of float, shape (n_groups, n_patterns)
        The weight of one row of a pattern, by group of source rows; all rows' weights sum to 1.
    delta : array of float, shape (n_potentials,), optional
        Fitted parameters, averaged over folds.
    kept : array of bool, shape (n_patterns,)
        False for patterns whose target rows are set aside.
    beyond : tuple of str
        Slices that put target rows beyond the source's reach.
    unused : array of bool, shape (n_patterns,)
        Source patterns that get no weight because the target has nothing like them.
    converged : bool
    findings : tuple of Finding
    """

    value: float
    means: Floats
    influence: Influence
    row_weights: Floats
    kept: NDArray[np.bool_]
    delta: Floats | None = None
    beyond: tuple[str, ...] = ()
    unused: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    converged: bool = True
    findings: tuple[Finding, ...] = ()


class Estimator(Protocol):
    """Describe a method and run it."""

    name: str
    title: str
    assumes: str

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        ...

    def means(self, problem: Problem) -> Floats:
        """Estimate the statistics' means only, as fast as possible: what resampling repeats."""
        ...
