"""The input of an estimator: patterns, metric, settings and rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.data import Model, Sample
from mandoline_core.findings import Finding
from mandoline_core.metrics import ClassLabels, Metric, read_class_labels, read_probabilities
from mandoline_core.patterns import Membership, Patterns, add_up, total_statistics
from mandoline_core.project import MethodSettings, MetricSettings
from mandoline_core.weighting.components import Edges
from mandoline_core.weighting.corrections import CorrectionRule, Corrections
from mandoline_core.weighting.gold import Audit
from mandoline_core.weighting.weights import WeightFit, fit


@dataclass(frozen=True, eq=False)
class ClassProbabilities:
    """Hold a model's predictions on scored source rows and target rows, in common classes.

    Parameters
    ----------
    source, target : ClassLabels
        Of the scored source rows, with their labels; of all target rows, without.
    source_probabilities, target_probabilities : array of float, shape (n_rows, n_classes)
        NaN where missing.
    """

    source: ClassLabels
    target: ClassLabels
    source_probabilities: Floats
    target_probabilities: Floats
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Hold the rows of a problem, for methods that need more than slices.

    Parameters
    ----------
    scored : array of bool, shape (n_source_rows,)
        Source rows with a score: the ones a problem's statistics are of.
    read : ClassLabels, optional
        Labels and predictions of all source rows, where they have been read.
    """

    source: Sample
    target: Sample
    model: Model | None
    metric: MetricSettings
    scored: NDArray[np.bool_]
    read: ClassLabels | None = field(default=None, kw_only=True)

    def read_source(self) -> ClassLabels:
        """Return labels and predictions of all source rows, reading them where nobody has."""
        if self.read is not None:
            return self.read
        if self.model is None or self.model.prediction is None or self.source.label is None:
            raise ValueError("There is no model with predictions, or no label; an estimator must check that first.")
        return read_class_labels(
            self.source, label=self.source.label, prediction=self.model.prediction, merge=self.metric.merge
        )

    @cached_property
    def answers(self) -> tuple[ClassLabels, ClassLabels]:
        """Labels and predictions of the scored source rows, predictions of the target rows; in common classes."""
        source = self.read_source()
        prediction = str(self.model.prediction) if self.model is not None else ""
        target = read_class_labels(
            self.target, label=None, prediction=prediction, merge=self.metric.merge, known=source.classes
        )
        return replace(source, classes=target.classes).take(self.scored), target

    @cached_property
    def evidence(self) -> ClassProbabilities:
        """The same with class probabilities; raises `MandolineError` where they cannot be used."""
        if self.model is None:
            raise ValueError("There is no model; an estimator must check that first.")
        source, target = self.answers
        before, some = read_probabilities(self.source, self.model, self._whole(source), self.metric.merge)
        after, more = read_probabilities(self.target, self.model, target, self.metric.merge)
        return ClassProbabilities(source, target, before[self.scored], after, (*some, *more))

    def _whole(self, source: ClassLabels) -> ClassLabels:
        """Put the scored rows' predictions back among all rows of the sample."""
        predicted = np.full(self.source.n_rows, -1, dtype=np.int32)
        predicted[self.scored] = source.predicted
        return replace(source, predicted=predicted)


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Define an estimation problem: patterns, metric and settings.

    Parameters
    ----------
    patterns : Patterns
        Of all rows.
    overlap : {"trim", "strict"}
    groups : tuple of Patterns
        Disjoint groups of source rows; a single one when the source is not split.
    folds : tuple of pairs
        Group to fit on, group to evaluate on; the estimate is the average over folds.
    start : array of float, optional
        Parameters of an earlier solution, to start from.
    membership : Membership, optional
        The pattern and the statistics of every cell; what resampling patterns does without.
    rows : Rows, optional
        The rows themselves, for methods that look beyond slices; each of them is a cell. None where rows stay in a
        table.
    seed : int
        Where random numbers start.
    audit : Audit, optional
        The rows that corrections were measured on; its slices are the table's.
    whole_patterns : bool
        Whether only whole patterns of the target are left out, and not parts of them.
    near_enough : bool
        Whether weights that match the target are enough where the best are a limit: see `fit`.
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
    membership: Membership | None = None
    rows: Rows | None = None
    methods: MethodSettings = field(default_factory=MethodSettings)
    seed: int = 0
    audit: Audit | None = None
    whole_patterns: bool = False
    near_enough: bool = False

    def __post_init__(self) -> None:
        """Make the whole source the only group when no split was given."""
        if not self.groups:
            object.__setattr__(self, "groups", (self.patterns,))

    @property
    def members(self) -> Membership:
        """The pattern and the statistics of every row."""
        if self.membership is None:
            raise ValueError("This problem was stated on patterns alone.")
        return self.membership

    @property
    def designed(self) -> Membership | None:
        """The cells, where rows were drawn together or count differently; None under simple random sampling."""
        return None if self.membership is None or self.membership.is_simple else self.membership

    @cached_property
    def spreads(self) -> tuple[Floats, Floats]:
        """How many times as large design weights make the variance of each pattern's rows, in both samples."""
        if self.designed is None:
            return np.ones(len(self.patterns)), np.ones(len(self.patterns))
        return self.designed.spreads(len(self.patterns))

    @cached_property
    def row_counts(self) -> tuple[Floats, Floats]:
        """How many rows of both samples each pattern has, whatever they weigh."""
        table, cells = self.patterns, self.designed
        if cells is None or not cells.has_weights:
            return table.source, table.target
        source, target = cells.counts()
        return add_up(cells.source, source, len(table)), add_up(cells.target, target, len(table))

    @cached_property
    def alike_rows(self) -> tuple[float, float]:
        """How many rows of equal weight would be as informative as all rows of each sample."""
        cells = self.designed
        if cells is None or not cells.has_weights:
            return self.patterns.n_source, self.patterns.n_target
        sides = zip(cells.design, (cells.source_rows, cells.target_rows), strict=True)
        source, target = (float(rows.sum() ** 2 / max(side.squares_of(rows).sum(), 1e-300)) for side, rows in sides)
        return source, target

    def corrections(self) -> Corrections:
        """Return the corrections at the samples' rates, which are computed once."""
        return self._corrections

    @cached_property
    def fitted(self) -> WeightFit:
        """The weights of the whole source, split or not."""
        return fit(
            self.patterns,
            self.edges,
            self.corrections(),
            ridge=self.ridge,
            start=self.start,
            whole_patterns=self.whole_patterns,
            near_enough=self.near_enough,
        )

    @cached_property
    def _corrections(self) -> Corrections:
        return self.rule.at(self.patterns.rates("source"), self.patterns.rates("target"))

    @cached_property
    def rows_together(self) -> tuple[Floats, Floats]:
        """Count the rows in the four combinations of out and in of any two slices, shape (4, n_slices, n_slices)."""
        # With c a slice's codes, rows inside are (c**2 + c) / 2 and rows outside (c**2 - c) / 2: the four combinations
        # follow from the products of c and c**2. Where no slice abstains c**2 is 1, and one product is enough.
        codes = self.patterns.codes.astype(float)
        speaks = None if self.patterns.codes.all() else codes**2

        def together(rows: Floats) -> Floats:
            weighted = rows[:, None] * codes
            both = weighted.T @ codes
            if speaks is None:
                one, known = np.broadcast_to(weighted.sum(axis=0), both.shape), np.full(both.shape, rows.sum())
            else:
                one, known = speaks.T @ weighted, (rows[:, None] * speaks).T @ speaks
            return np.stack([known + i * one.T + j * one + i * j * both for i in (-1, 1) for j in (-1, 1)]) / 4

        return together(self.patterns.source), together(self.patterns.target)

    def redraw_rule(self, rng: np.random.Generator) -> CorrectionRule:
        """Redraw the rows that corrections were measured on, and measure these again; others stay."""
        rule = self.rule
        if self.audit is not None:
            measured = self.audit.redraw(rng)
            rule = rule.with_source(np.where(np.isnan(measured), rule.source, measured))
            if self.audit.target is not None:
                measured = self.audit.target.redraw(rng)
                rule = replace(rule, own_target=np.where(np.isnan(measured), rule.own_target, measured))
        return rule

    def select(self, slices: list[int]) -> Problem:
        """Keep some slices, and the edges between them."""
        position = {slice_: i for i, slice_ in enumerate(slices)}
        edges = tuple((position[i], position[j]) for i, j in self.edges if i in position and j in position)
        patterns, index = self.patterns.select(slices)
        known = self.membership
        if known is not None:
            known = known._replace(source=index[known.source], target=index[known.target])
        return replace(
            self,
            patterns=patterns,
            rule=self.rule.select(slices),
            edges=edges,
            groups=tuple(group.select(slices)[0] for group in self.groups),
            start=None,
            membership=known,
            audit=None if self.audit is None else self.audit.select(slices),
        )

    def with_statistics(self, statistics: Floats, metric: Metric) -> Problem:
        """Replace the metric's statistics, shape (n_scored, n_statistics); counts stay.

        Rows of patterns without source rows count for nothing, as before.
        """
        known = self.members

        def recount(table: Patterns, rows: NDArray[np.bool_]) -> Patterns:
            rows = rows & (table.source[known.source] > 0)
            sums, products = total_statistics(known.source[rows], statistics[rows], len(table), known.source_rows[rows])
            return replace(table, sums=sums, products=products)

        whole = recount(self.patterns, np.ones(len(known.source), dtype=bool))
        parts = tuple(recount(group, known.groups == i) for i, group in enumerate(self.groups))
        return replace(
            self,
            patterns=whole,
            groups=parts if len(self.groups) > 1 else (whole,),
            metric=metric,
            membership=known._replace(statistics=statistics),
        )
