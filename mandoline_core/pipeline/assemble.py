"""From two samples and slices to a problem on patterns: the last step that touches rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import Model, Sample
from mandoline_core.errors import DataError, ProjectError, did_you_mean
from mandoline_core.estimators import Estimator
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import Metric
from mandoline_core.patterns import Count, Membership, Patterns, restrict_source
from mandoline_core.pipeline.choosing import choose_edges
from mandoline_core.pipeline.counting import Cells, CodesOf, SampleCells, count_rows
from mandoline_core.pipeline.splitting import split_cells
from mandoline_core.pipeline.truths import Truths, known_truths, measured_noise, no_truths
from mandoline_core.project import TESTS, EstimatorSettings, MethodSettings, MetricSettings, TrustSettings
from mandoline_core.slices import Side, Slice, codes
from mandoline_core.weighting import LearnedEdges, Problem, correction_rule, edges_by_name

EdgeNames = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Fit:
    """Hold a problem on patterns with what was counted for it; solving it touches no rows.

    Parameters
    ----------
    learned : LearnedEdges or None
        When edges were learned by tests.
    truths : dict of str to Truths
        What is known of the truth behind the slices, by sample.
    trust : TrustSettings
        What a person declares; the verdict rests on it.
    state_again : callable or None
        States the same problem on other counts.
    """

    cells: Cells
    problem: Problem
    learned: LearnedEdges | None = None
    truths: dict[Side, Truths] = field(default_factory=no_truths)
    trust: TrustSettings = field(default_factory=TrustSettings)
    state_again: Callable[[Cells], Fit] | None = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self.cells.model

    @property
    def in_table(self) -> bool:
        """Whether rows stay in a table, so that only a draw of them is in memory."""
        return self.cells.drawn_members is not None

    @property
    def row_members(self) -> Membership:
        """The pattern of every row in memory."""
        return self.cells.members if self.in_table else self.problem.members

    def for_method(self, estimator: Estimator) -> Fit:
        """Take the draw of rows in the place of all cells, for a method that looks at rows."""
        if not self.in_table or estimator.on_patterns:
            return self
        return replace(self._on_draw, problem=replace(self._on_draw.problem, verdict=self.problem.verdict))

    @cached_property
    def _on_draw(self) -> Fit:
        if self.cells.on_draw is None or self.state_again is None:
            raise ValueError("This problem was not counted in a table.")
        return self.state_again(self.cells.on_draw())


def prepare(
    source: Sample,
    target: Sample,
    rules: Sequence[Slice],
    *,
    model: Model | None,
    edges: EdgeNames | str = (),
    metric: MetricSettings | None = None,
    settings: EstimatorSettings | None = None,
    methods: MethodSettings | None = None,
    trust: TrustSettings | None = None,
    codes_of: CodesOf = codes,
    revealed: Sample | None = None,
    need_slices: bool = True,
    cells: SampleCells | None = None,
) -> Fit:
    """Evaluate slices and scores on the rows, count patterns and state the problem, for one model.

    Parameters
    ----------
    model : Model or None
        None only for the metric "mean".
    codes_of : callable
        Evaluates slices on a sample; a caller may put a cache here.
    revealed : Sample, optional
        The target with its labels, to score the truth; the target itself when left out.
    need_slices : bool
        Refuse a project without slices, as every method on slices must.
    cells : pair of Cells, optional
        Of both samples, where rows stay in a table and have been counted already.
    """
    counted = count_rows(
        source,
        target,
        rules,
        model=model,
        metric=metric,
        codes_of=codes_of,
        revealed=revealed,
        need_slices=need_slices,
        cells=cells,
    )
    return state_problem(counted, rules, edges=edges, settings=settings, methods=methods, trust=trust)


def state_problem(
    counted: Cells,
    rules: Sequence[Slice],
    *,
    edges: EdgeNames | str = (),
    settings: EstimatorSettings | None = None,
    methods: MethodSettings | None = None,
    trust: TrustSettings | None = None,
) -> Fit:
    """State the problem on counted patterns: corrections, edges and settings come in here.

    Parameters
    ----------
    rules : sequence of Slice
        The rules that were counted; only their corrections and audits are read.
    """
    settings = settings or EstimatorSettings()
    problem = make_problem(counted.count, counted.statistics, counted.metric, settings)
    problem = replace(
        problem,
        rows=None if counted.drawn_members is not None else counted.rows,
        methods=methods or MethodSettings(),
    )
    noises = {rule.name: rule.noise for rule in rules}
    asked = {rule.name: noises[counted.origins[rule.name]] for rule in counted.slices}
    truths = known_truths(counted, rules)
    names = [rule.name for rule in counted.slices]
    here, there = (
        [name for name in names if (noise := asked[name]) is not None and getattr(noise, measured)]
        for measured in ("measured", "target_measured")
    )
    problem = replace(
        problem,
        rule=correction_rule([measured_noise(name, asked[name], truths) for name in names]),
        audit=truths["source"].audit(here, names, truths["target"].audit(there, names)),
    )
    if problem.audit is not None and len(problem.members.source) > len(counted.statistics):  # cells were split
        problem = replace(problem, audit=problem.audit.repeat(2))
    learned = None
    if isinstance(edges, str):
        chosen = choose_edges(problem, edges)
        learned = chosen if edges == TESTS else None
        pairs = chosen.edges
    else:
        pairs = edges_by_name([pair for pair in edges if not any(_is_off(name, rules) for name in pair)], names)
    again = partial(
        state_problem,
        rules=rules,
        edges=[(names[i], names[j]) for i, j in pairs],
        settings=settings,
        methods=methods,
        trust=trust,
    )
    return _declare(Fit(counted, replace(problem, edges=pairs), learned, truths, state_again=again), trust)


def _declare(prepared: Fit, trust: TrustSettings | None) -> Fit:
    """Put what a person declares beside a problem; a column that is in neither sample is refused.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"year": [1, 2], "y": 1, "p": 1}), label="y", prediction="p")
    >>> counted = count_rows(source, Sample(source.frame), [], model=source.models[0], need_slices=False)
    >>> _declare(state_problem(counted, []), TrustSettings(harmless=["yaer"]))
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: harmless in [trust] names column 'yaer', which neither the source nor the target
    has. Columns: p, y, year. Did you mean 'year'?
    """
    drawn, trust = prepared.cells.drawn, trust or TrustSettings()
    known = () if drawn is None else (*drawn.encoded, *drawn.left_out)
    for column in trust.harmless:
        if known and column not in known:
            raise ProjectError(
                Sentence(
                    "harmless in [trust] names column {column!r}, which neither the {source} nor the {target} has. "
                    "Columns: {known:list}.{hint}",
                    column=column,
                    known=sorted(known),
                    hint=did_you_mean(column, known),
                )
            )
    return replace(prepared, trust=trust)


def make_problem(count: Count, statistics: Floats, metric: Metric, settings: EstimatorSettings) -> Problem:
    """State the problem on patterns, split as the settings say; corrections are identity."""
    if count.patterns.n_source < 2:
        raise DataError(
            Sentence(
                "The {source} has 1 row with a score, and one row cannot say how sure an estimate is. Label more rows."
            )
        )
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
