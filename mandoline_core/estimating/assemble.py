"""From two samples and slices to a problem on patterns: the last step that touches rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Codes, Floats
from mandoline_core.errors import DataError, MandolineError, ProjectError, SliceError, did_you_mean
from mandoline_core.estimating.answers import AnswerTally, RowAnswers, read_row_answers, tally_answers
from mandoline_core.estimating.choosing import choose_edges
from mandoline_core.estimating.columns.table import GOLD, ColumnTable, DrawnColumns, column_table, draw_columns
from mandoline_core.estimating.labels import TargetLabels, read_arriving_labels
from mandoline_core.estimating.truths import Truths, known_truths, measured_noise, no_truths
from mandoline_core.findings import Finding, FindingKind, Severity
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import Metric, Scores, evaluate, find_sums_off, score_rows
from mandoline_core.patterns import Count, Membership, count_patterns, restrict_source
from mandoline_core.project import TESTS, EstimatorSettings, MethodSettings, MetricSettings, TrustSettings
from mandoline_core.samples import Model, Sample
from mandoline_core.slices import Side, Slice, codes, gold_codes, resolve_with_origins
from mandoline_core.weighting import (
    GoldTable,
    LearnedEdges,
    Problem,
    Rows,
    correction_rule,
    edges_by_name,
    gold_table,
)

EdgeNames = Sequence[Sequence[str]]
CodesOf = Callable[[Sample, Sequence[Slice]], Codes]

TRUTH_NOT_DEFINED = FindingKind(
    "labels",
    "truth_not_defined",
    "The {target}'s own labels give no truth to compare with",
    "Nothing to do: the estimate does not use them.",
    ": {why}",
)
ROWS_WITHOUT_SCORE = FindingKind(
    "rows",
    "rows_without_score",
    "{missing:,} of {n:,} rows of {name} lack a label or prediction and are left out",
    "Fill in what is missing if these rows differ from the others.",
)


@dataclass(frozen=True, eq=False)
class ModelCount:
    """Hold what was read off the rows for one model: nothing in it depends on corrections, edges or settings.

    Parameters
    ----------
    slices : tuple of Slice
        Resolved for this model.
    origins : dict of str to str
        The rule each slice comes from.
    count : Count
        Patterns of the source rows that have a score, and of all target rows.
    statistics : array of float, shape (n_scored, n_statistics)
    scored : array of bool, shape (n_source_rows,)
        Source rows with a label and a prediction.
    gold : dict of str to GoldTable
        For slices with a gold column.
    truth : float or None
        The metric on the target, where the target's labels are known.
    rows : Rows or None
        For methods that look beyond slices; None where only codes are known.
    gold_answers : dict of str to array of int8, shape (n_scored,)
        The gold columns themselves: who moves a measured correction, and how far.
    drawn : DrawnColumns or None
        Every other column of a draw of rows.
    said : RowAnswers or None
        What the model says of each row; None where it predicts no classes.
    labels : TargetLabels or None
        The labels that the target has for some of its rows.
    """

    model: str
    slices: tuple[Slice, ...]
    origins: dict[str, str]
    metric: Metric
    count: Count
    statistics: Floats
    scored: NDArray[np.bool_]
    gold: dict[str, GoldTable]
    truth: float | None
    findings: tuple[Finding, ...]
    rows: Rows | None = None
    gold_answers: dict[str, Codes] = field(default_factory=dict)
    drawn: DrawnColumns | None = None
    said: RowAnswers | None = None
    labels: TargetLabels | None = None

    @property
    def members(self) -> Membership:
        """The pattern and the statistics of every row, not split."""
        whole = np.zeros(len(self.statistics), dtype=np.int8)
        return Membership(self.count.source_index, self.count.target_index, whole, self.statistics)

    @cached_property
    def columns(self) -> ColumnTable | None:
        """The other columns, added up by pattern once; None where there are only codes."""
        return None if self.drawn is None else column_table(self.drawn, self.members, len(self.count.patterns))

    @cached_property
    def answers(self) -> AnswerTally | None:
        """The model's answers, added up by pattern once."""
        return None if self.said is None else tally_answers(self.said, self.members, len(self.count.patterns))


@dataclass(frozen=True, eq=False)
class ModelProblem:
    """Hold a problem on patterns with what was counted for it; solving it touches no rows.

    Parameters
    ----------
    learned : LearnedEdges or None
        When edges were learned by tests.
    truths : dict of str to Truths
        What is known of the truth behind the slices, by sample.
    trust : TrustSettings
        What a person declares; the verdict rests on it.
    """

    counted: ModelCount
    problem: Problem
    learned: LearnedEdges | None = None
    truths: dict[Side, Truths] = field(default_factory=no_truths)
    trust: TrustSettings = field(default_factory=TrustSettings)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.counted.model


Prepared = ModelProblem  # its public name


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
) -> ModelProblem:
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
    )
    return state_problem(counted, rules, edges=edges, settings=settings, methods=methods, trust=trust)


def count_rows(
    source: Sample,
    target: Sample,
    rules: Sequence[Slice],
    *,
    model: Model | None,
    metric: MetricSettings | None = None,
    codes_of: CodesOf = codes,
    revealed: Sample | None = None,
    need_slices: bool = True,
    scores: Scores | None = None,
) -> ModelCount:
    """Read everything off the rows, once: slices, scores, other columns, the model's answers; and count patterns.

    Parameters
    ----------
    scores : Scores, optional
        Of the source's rows, which do not depend on slices, where they are known already.
    """
    metric = metric or MetricSettings()
    slices, origins = resolve_with_origins(rules, source, target, model)
    if not slices and need_slices:
        raise SliceError("There are no slices, so there is nothing to reweight by. Add or enable at least one.")
    scores = scores or score_rows(metric, source, label=source.label, model=model)
    if not scores.known.any():
        raise DataError(
            f"No row of {source.name} has both a label and a prediction, so nothing can be scored. "
            "Fill in labels where there are predictions."
        )
    source_codes, target_codes = (
        codes_of(sample, slices) if slices else np.zeros((sample.n_rows, 0), dtype=np.int8)
        for sample in (source, target)
    )
    statistics = scores.statistics
    if not scores.known.all():
        source_codes, statistics = source_codes[scores.known], statistics[scores.known]
    answers = {rule.name: gold_codes(source, rule)[scores.known] for rule in slices if rule.gold is not None}
    gold = {
        rule.name: gold_table(source_codes[:, i], answers[rule.name], statistics[:, 0])
        for i, rule in enumerate(slices)
        if rule.name in answers
    }
    truth, why = _truth_or_why(revealed or target, source, model, metric, scores.classes)
    rows = Rows(source, target, model, metric, scores.known, read=scores.answers)
    drawn = draw_columns(rows).without({rule.gold for rule in slices if rule.gold is not None}, GOLD)
    return ModelCount(
        model=model.name if model is not None else metric.column or "score",
        slices=slices,
        origins=origins,
        metric=scores.metric,
        count=count_patterns(source_codes, target_codes, statistics, [rule.name for rule in slices]),
        statistics=statistics,
        scored=scores.known,
        gold=gold,
        truth=truth,
        findings=(
            *_unscored(scores, source),
            *find_sums_off(slices, source, target),
            *why,
            *_about_slices(slices, origins),
        ),
        rows=rows,
        gold_answers=answers,
        drawn=drawn,
        said=None if scores.metric.needs == "numbers" else read_row_answers(rows),
        labels=read_arriving_labels(rows, scores.metric, statistics.shape[1]),
    )


def state_problem(
    counted: ModelCount,
    rules: Sequence[Slice],
    *,
    edges: EdgeNames | str = (),
    settings: EstimatorSettings | None = None,
    methods: MethodSettings | None = None,
    trust: TrustSettings | None = None,
) -> ModelProblem:
    """State the problem on counted patterns: corrections, edges and settings come in here.

    Parameters
    ----------
    rules : sequence of Slice
        The rules that were counted; only their corrections and audits are read.
    """
    settings = settings or EstimatorSettings()
    problem = make_problem(counted.count, counted.statistics, counted.metric, settings)
    problem = replace(problem, rows=counted.rows, methods=methods or MethodSettings())
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
    if isinstance(edges, str):
        chosen = choose_edges(problem, edges)
        learned = chosen if edges == TESTS else None
        return _declare(ModelProblem(counted, replace(problem, edges=chosen.edges), learned, truths), trust)
    used = [pair for pair in edges if not any(_is_off(name, rules) for name in pair)]
    return _declare(ModelProblem(counted, replace(problem, edges=edges_by_name(used, names)), None, truths), trust)


def _declare(prepared: ModelProblem, trust: TrustSettings | None) -> ModelProblem:
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
    drawn, trust = prepared.counted.drawn, trust or TrustSettings()
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


def split_halves(n: int, split: str, rng: np.random.Generator) -> NDArray[np.int8]:
    """Put rows into groups: all into one, or at random into two halves."""
    groups = np.zeros(n, dtype=np.int8)
    if split != "none":
        groups[rng.permutation(n)[n // 2 :]] = 1
    return groups


def make_problem(count: Count, statistics: Floats, metric: Metric, settings: EstimatorSettings) -> Problem:
    """State the problem on patterns, split as the settings say; corrections are identity."""
    if len(count.source_index) < 2:
        raise DataError(
            Sentence(
                "The {source} has 1 row with a score, and one row cannot say how sure an estimate is. Label more rows."
            )
        )
    halves = split_halves(len(statistics), settings.split, np.random.default_rng(settings.seed))
    folds = {"none": ((0, 0),), "half": ((0, 1),), "crossfit": ((0, 1), (1, 0))}[settings.split]
    groups = (
        (count.patterns,)
        if settings.split == "none"
        else tuple(restrict_source(count, statistics, halves == i) for i in range(2))
    )
    return Problem(
        patterns=count.patterns,
        metric=metric,
        rule=correction_rule([None] * len(count.patterns.names)),
        ridge=settings.ridge,
        overlap=settings.overlap,
        groups=groups,
        folds=folds,
        membership=Membership(count.source_index, count.target_index, halves, statistics),
        seed=settings.seed,
    )


def _about_slices(slices: Sequence[Slice], origins: dict[str, str]) -> Iterator[Finding]:
    """Say what to know about slices, once for a family."""
    seen = set()
    for rule in slices:
        if origins[rule.name] not in seen:
            seen.add(origins[rule.name])
            yield from (finding for leaf in rule.leaves for finding in leaf.findings)


def _is_off(name: str, rules: Sequence[Slice]) -> bool:
    """Tell whether a slice is switched off; its edges rest until it is switched on again."""
    return any(
        not rule.enabled and (name == rule.name or (rule.is_family and name.startswith(f"{rule.name}_")))
        for rule in rules
    )


def _truth(
    target: Sample, source: Sample, model: Model | None, settings: MetricSettings, classes: tuple[str, ...]
) -> float | None:
    """Score the target's own labels, where it has them; they are used for nothing else."""
    needed = settings.column if settings.column is not None else source.label
    if needed is None or needed not in target.columns or target.series(needed).is_null().any():
        return None
    scores = score_rows(settings, target, label=needed, model=model, known=classes)
    if not scores.known.all():  # a truth with gaps would be the truth of another population
        return None
    n = len(scores.statistics)
    return evaluate(scores.metric, scores.statistics, np.full(n, 1 / n)).value


def _truth_or_why(
    target: Sample, source: Sample, model: Model | None, settings: MetricSettings, classes: tuple[str, ...]
) -> tuple[float | None, tuple[Finding, ...]]:
    """Score the target's own labels; where the metric is not defined on them, say why instead."""
    try:
        return _truth(target, source, model, settings, classes), ()
    except MandolineError as error:
        return None, (TRUTH_NOT_DEFINED.found("info", why=error.sentence),)


def _unscored(scores: Scores, source: Sample) -> tuple[Finding, ...]:
    missing = int((~scores.known).sum())
    if not missing:
        return ()
    n = len(scores.known)
    severity: Severity = "warning" if missing > 0.01 * n else "info"
    return (ROWS_WITHOUT_SCORE.found(severity, missing=missing, n=n, name=source.name),)
