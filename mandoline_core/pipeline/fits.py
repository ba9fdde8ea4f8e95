"""The fourth step, fit: corrections, edges and overlap are settled on counted cells, and the weights follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import DataError, MandolineError, ProjectError, did_you_mean
from mandoline_core.estimators import Mandoline
from mandoline_core.formatting import listed
from mandoline_core.metrics import Metric
from mandoline_core.patterns import Count, Membership, Patterns, SampleDesign, restrict_source
from mandoline_core.pipeline.cells import Cells
from mandoline_core.pipeline.gold import Truths, known_truths, measured_noise, no_truths
from mandoline_core.project import (
    GRAPHICAL_LASSO,
    INVERSE_COVARIANCE,
    TESTS,
    EstimatorSettings,
    MethodSettings,
    TrustSettings,
    read_edge_choice,
)
from mandoline_core.slices import Side, Slice
from mandoline_core.weighting import (
    LearnedEdges,
    Problem,
    correction_rule,
    edges_by_name,
    graphical_lasso_edges,
    inverse_covariance_edges,
    learn_edges,
)

EdgeNames = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Hold a fitted problem: counted cells with corrections, edges and overlap.

    Parameters
    ----------
    problem : Problem
        The input of every method; `problem.fitted` has the weights on patterns.
    learned : LearnedEdges or None
        If edges were learned by tests.
    truths : dict of str to Truths
        Gold labels of the slices, by sample.
    trust : TrustSettings
        Columns marked as irrelevant, which checks leave out; and what choosing the slices adds to errors.
    """

    kept_elsewhere: ClassVar[bool] = True  # where results are kept, fits have a key of their own

    cells: Cells
    problem: Problem
    learned: LearnedEdges | None = None
    truths: dict[Side, Truths] = field(default_factory=no_truths)
    trust: TrustSettings = field(default_factory=TrustSettings)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.cells.model

    @property
    def choice_error(self) -> float:
        """What choosing the slices by these labels adds to the standard error of an estimate with slices."""
        return self.trust.choice_error(self.model, {*self.cells.origins.values()})

    @property
    def in_table(self) -> bool:
        """Whether rows stay in a table, so that only a draw of them is in memory."""
        return self.cells.drawn_members is not None

    @property
    def row_members(self) -> Membership:
        """The pattern of every row in memory."""
        return self.cells.members if self.in_table else self.problem.members

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The pairs of slices that move together, by name."""
        names = self.problem.patterns.names
        return tuple((names[i], names[j]) for i, j in self.problem.edges)


def fit(
    cells: Cells,
    rules: Sequence[Slice],
    *,
    edges: EdgeNames | str = (),
    settings: EstimatorSettings | None = None,
    methods: MethodSettings | None = None,
    trust: TrustSettings | None = None,
) -> Fit:
    """Settle corrections and edges, and so the weights, on counted cells.

    Parameters
    ----------
    rules : sequence of Slice
        The rules that were counted; only their corrections and audits are read.
    edges : pairs of slice names, or str
        Given, or how they are chosen.
    """
    settings = settings or EstimatorSettings()
    names = [rule.name for rule in cells.slices]
    noises = {rule.name: rule.noise for rule in rules}
    stated = {name: noises[cells.origins[name]] for name in names}
    truths = known_truths(cells, rules)
    source_measured, target_measured = (
        [name for name in names if (noise := stated[name]) is not None and getattr(noise, measured)]
        for measured in ("measured", "target_measured")
    )
    rule = correction_rule([measured_noise(name, stated[name], truths) for name in names])
    audit = truths["source"].audit(source_measured, names, truths["target"].audit(target_measured, names))
    problem = make_problem(cells.count, cells.statistics, cells.metric, settings)
    if audit is not None and len(problem.members.source) > len(cells.statistics):  # cells were split
        audit = audit.repeat(2)
    problem = replace(
        problem,
        rows=None if cells.drawn_members is not None else cells.rows,
        methods=methods or MethodSettings(),
        rule=rule,
        audit=audit,
    )
    learned = None
    if isinstance(edges, str):
        chosen = choose_edges(problem, edges)
        learned = chosen if edges == TESTS else None
        pairs = chosen.edges
    else:
        pairs = edges_by_name([pair for pair in edges if not any(_is_off(name, rules) for name in pair)], names)
    trust = trust or TrustSettings()
    _check_harmless(cells, trust)
    return Fit(cells, replace(problem, edges=pairs), learned, truths, trust)


def _check_harmless(cells: Cells, trust: TrustSettings) -> None:
    """Refuse a declared column that is in neither sample.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample, Threshold, estimate
    >>> source = Sample(pd.DataFrame({"year": [1, 2], "y": 1, "p": 1}), label="y", prediction="p")
    >>> rules = [Threshold("late", column="year", above=1)]
    >>> estimate(source, Sample(source.frame), rules, harmless=["yaer"])
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: harmless in [trust] names an unknown column 'yaer'. Columns: p, y, year. Did you
    mean 'year'?
    """
    columns = () if cells.drawn is None else (*cells.drawn.encoded, *cells.drawn.left_out)
    for column in trust.harmless:
        if columns and column not in columns:
            raise ProjectError(
                f"harmless in [trust] names an unknown column {column!r}. "
                f"Columns: {listed(sorted(columns))}.{did_you_mean(column, columns)}"
            )


def make_problem(count: Count, statistics: Floats, metric: Metric, settings: EstimatorSettings) -> Problem:
    """State the problem on patterns, split as the settings say; corrections are identity."""
    if count.patterns.n_source < 2:
        raise DataError("An estimate needs at least 2 labelled rows with a score. Got 1. Label more rows.")
    folds = {"none": ((0, 0),), "half": ((0, 1),), "crossfit": ((0, 1), (1, 0))}[settings.split]
    groups: tuple[Patterns, ...] = (count.patterns,)
    members = count.members(statistics)
    if settings.split != "none":
        count, statistics, halves = split_cells(count, statistics, np.random.default_rng(settings.seed))
        groups = tuple(restrict_source(count, statistics, halves == i) for i in range(2))
        members = count.members(statistics, halves)
    return Problem(
        patterns=count.patterns,
        metric=metric,
        rule=correction_rule([None] * len(count.patterns.names)),
        ridge=settings.ridge,
        overlap=settings.overlap,
        groups=groups,
        folds=folds,
        membership=members,
        seed=settings.seed,
    )


def _is_off(name: str, rules: Sequence[Slice]) -> bool:
    """Tell whether a slice is switched off; its edges rest until it is switched on again."""
    return any(
        not rule.enabled and (name == rule.name or (rule.is_family and name.startswith(f"{rule.name}_")))
        for rule in rules
    )


# Of the standard error. Leaving out something of this size makes the error of the estimate 3% larger.
EFFECT_THAT_COUNTS = 0.25


def choose_edges(problem: Problem, how: str) -> LearnedEdges:
    """Choose edges for a problem that has none.

    Parameters
    ----------
    how : str
        As in the project file: "auto" for score tests, "inverse-covariance", perhaps with how many, or
        "graphical-lasso". Only tests give z-values.
    """
    choice, most = read_edge_choice(how)
    if choice == INVERSE_COVARIANCE:
        return LearnedEdges(inverse_covariance_edges(problem, most), ())
    if choice == GRAPHICAL_LASSO:
        return LearnedEdges(graphical_lasso_edges(problem, np.random.default_rng(problem.seed)), ())
    return learn_edges(problem, enough=_enough(problem))


def _enough(problem: Problem) -> float:
    """Say what a pair must do to the estimate to count; 0 where no effect is known, and tests alone decide."""
    if problem.metric.ranked:
        return 0.0
    try:
        return EFFECT_THAT_COUNTS * Mandoline().estimate(problem).influence.standard_error()
    except MandolineError:  # the estimate will report it
        return 0.0


_MOST_DRAWN = 10**9 - 1  # rows that NumPy's hypergeometric draw can choose among


def split_cells(count: Count, statistics: Floats, rng: np.random.Generator) -> tuple[Count, Floats, NDArray[np.int8]]:
    """Put half of the source rows into a group of their own; the rows of a cell may be divided among both.

    Returns
    -------
    count : Count
        Where cells have several rows, each is there twice: with its rows in the first group, and in the second.
    statistics : array of float, shape (n_cells, n_statistics)
    halves : array of int8, shape (n_cells,)

    Examples
    --------
    >>> from mandoline_core.patterns import count_patterns
    >>> codes, scores = np.array([[1], [-1]], dtype=np.int8), np.array([[1.0], [0.0]])
    >>> count = count_patterns(codes, codes, scores, source_rows=np.array([6.0, 4.0]))
    >>> split, _, halves = split_cells(count, scores, np.random.default_rng(0))
    >>> [float(split.source_rows[halves == half].sum()) for half in (0, 1)]
    [5.0, 5.0]
    """
    design, n = count.design[0], len(count.source_rows)
    rows = design.count_rows(count.source_rows)
    if design.clusters is not None:  # rows that belong together stay together
        return count, statistics, split_clusters(design.clusters, rng)
    if (rows == 1).all():
        halves = np.zeros(n, dtype=np.int8)
        halves[rng.permutation(n)[n // 2 :]] = 1
        return count, statistics, halves
    first = _draw_half(rows, rng)
    part = np.divide(first, rows, out=np.zeros(n), where=rows > 0)

    def divide(values: Floats) -> Floats:
        return np.concatenate([values * part, values * (1 - part)])

    divided = SampleDesign()
    if design.squares is not None:
        divided = SampleDesign(squares=divide(design.squares), counts=divide(rows))
    twice = count._replace(
        source_index=np.tile(count.source_index, 2),
        source_rows=np.concatenate([first, rows - first]) if divided.is_simple else divide(count.source_rows),
        design=(divided, count.design[1]),
    )
    return twice, np.tile(statistics, (2, 1)), np.repeat(np.array([0, 1], dtype=np.int8), n)


def split_clusters(clusters: Index, rng: np.random.Generator) -> NDArray[np.int8]:
    """Put half of the clusters into a group of their own, with all their rows.

    >>> split_clusters(np.array([0, 0, 1, 5]), np.random.default_rng(0)).tolist()
    [1, 1, 1, 0]
    """
    present, place = np.unique(clusters, return_inverse=True)
    halves = np.zeros(len(present), dtype=np.int8)
    halves[rng.permutation(len(present))[len(present) // 2 :]] = 1
    return np.asarray(halves[place])


def _draw_half(rows: Floats, rng: np.random.Generator) -> Floats:
    """Draw half of all rows without replacement, and count them by cell."""
    whole = np.floor(rows).astype(np.int64)
    if whole.sum() > _MOST_DRAWN or (whole != rows).any():
        # Cells that only match the moments of rows have no whole rows to draw; of very many, halves are as good.
        return rows / 2
    return rng.multivariate_hypergeometric(whole, int(whole.sum()) // 2, method="marginals").astype(float)
