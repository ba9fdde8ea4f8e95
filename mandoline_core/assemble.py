"""From two samples and slices to a problem on patterns: the last step that touches rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mandoline_core.corrections import correction_rule
from mandoline_core.data import Model, Sample
from mandoline_core.errors import DataError, SliceError
from mandoline_core.estimators import Problem
from mandoline_core.findings import Finding
from mandoline_core.gold import GoldTable, gold_table
from mandoline_core.graph import LearnedEdges, edges_by_name, learn_edges
from mandoline_core.metrics import Metric, Scores, get_metric, score_rows
from mandoline_core.noise import Noise
from mandoline_core.patterns import Codes, Count, Floats, count_patterns, restrict_source
from mandoline_core.settings import EstimatorSettings, MetricSettings
from mandoline_core.slices import Slice, codes, gold_codes, resolve_with_origins

EdgeNames = Sequence[Sequence[str]]
CodesOf = Callable[[Sample, Sequence[Slice]], Codes]


@dataclass(frozen=True, eq=False)
class Counted:
    """Hold what was read off the rows for one model: nothing in it depends on corrections, edges or settings.

    Parameters
    ----------
    model : str
    slices : tuple of Slice
        Resolved for this model.
    origins : dict of str to str
        The rule each slice comes from.
    metric : Metric
    count : Count
        Patterns of the source rows that have a score, and of all target rows.
    statistics : array of float, shape (n_scored, n_statistics)
    scored : array of bool, shape (n_source_rows,)
        Source rows with a label and a prediction.
    gold : dict of str to GoldTable
        For slices with a gold column.
    truth : float or None
        The metric on the target, where the target's labels are known.
    findings : tuple of Finding
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


@dataclass(frozen=True, eq=False)
class Prepared:
    """Hold a problem on patterns with what was counted for it; solving it touches no rows.

    Parameters
    ----------
    counted : Counted
    problem : Problem
    halves : array of int, shape (n_scored,)
        Group of each scored row.
    learned : LearnedEdges or None
        When edges were learned.
    """

    counted: Counted
    problem: Problem
    halves: NDArray[np.int8]
    learned: LearnedEdges | None = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self.counted.model


def prepare(
    source: Sample,
    target: Sample,
    rules: Sequence[Slice],
    *,
    model: Model | None,
    edges: EdgeNames | str = (),
    metric: MetricSettings | None = None,
    settings: EstimatorSettings | None = None,
    codes_of: CodesOf = codes,
    revealed: Sample | None = None,
) -> Prepared:
    """Evaluate slices and scores on the rows, count patterns and state the problem, for one model.

    Parameters
    ----------
    source, target : Sample
    rules : sequence of Slice
    model : Model or None
        None only for the metric "mean".
    edges : sequence of pairs of slice names, or "auto"
    metric : MetricSettings
    settings : EstimatorSettings
    codes_of : callable
        Evaluates slices on a sample; a caller may put a cache here.
    revealed : Sample, optional
        The target with its labels, to score the truth; the target itself when left out.
    """
    counted = count_rows(source, target, rules, model=model, metric=metric, codes_of=codes_of, revealed=revealed)
    return state_problem(counted, rules, edges=edges, settings=settings)


def count_rows(
    source: Sample,
    target: Sample,
    rules: Sequence[Slice],
    *,
    model: Model | None,
    metric: MetricSettings | None = None,
    codes_of: CodesOf = codes,
    revealed: Sample | None = None,
) -> Counted:
    """Evaluate slices and scores on the rows and count patterns: the only step that reads rows."""
    metric = metric or MetricSettings()
    kind = get_metric(metric.name)
    slices, origins = resolve_with_origins(rules, source, target, model)
    if not slices:
        raise SliceError("There are no slices, so there is nothing to reweight by. Add or enable at least one.")
    scores = score_rows(kind, source, label=source.label, model=model, column=metric.column, merge=metric.merge)
    if not scores.known.any():
        raise DataError(
            f"No row of {source.name} has both a label and a prediction, so nothing can be scored. "
            "Fill in labels where there are predictions."
        )
    source_codes, target_codes = codes_of(source, slices), codes_of(target, slices)
    statistics = scores.statistics
    if not scores.known.all():
        source_codes, statistics = source_codes[scores.known], statistics[scores.known]
    gold = {
        rule.name: gold_table(source_codes[:, i], gold_codes(source, rule)[scores.known], statistics[:, 0])
        for i, rule in enumerate(slices)
        if rule.gold is not None
    }
    return Counted(
        model=model.name if model is not None else metric.column or "score",
        slices=slices,
        origins=origins,
        metric=kind,
        count=count_patterns(source_codes, target_codes, statistics, [rule.name for rule in slices]),
        statistics=statistics,
        scored=scores.known,
        gold=gold,
        truth=_truth(kind, revealed or target, source, model, metric),
        findings=_unscored(scores, source),
    )


def state_problem(
    counted: Counted,
    rules: Sequence[Slice],
    *,
    edges: EdgeNames | str = (),
    settings: EstimatorSettings | None = None,
) -> Prepared:
    """State the problem on counted patterns: corrections, edges and settings come in here.

    Parameters
    ----------
    counted : Counted
    rules : sequence of Slice
        The rules that were counted; only their corrections are read.
    edges : sequence of pairs of slice names, or "auto"
    settings : EstimatorSettings
    """
    settings = settings or EstimatorSettings()
    n = len(counted.count.source_index)
    halves = split_halves(n, settings.split, np.random.default_rng(settings.seed))
    problem = make_problem(counted.count, counted.statistics, counted.metric, settings, halves)
    noises = {rule.name: rule.noise for rule in rules}
    stated = [_noise(rule, noises[counted.origins[rule.name]], counted.gold) for rule in counted.slices]
    problem = replace(problem, rule=correction_rule(stated))
    if isinstance(edges, str):
        learned = learn_edges(problem)
        return Prepared(counted, replace(problem, edges=learned.edges), halves, learned)
    names = [rule.name for rule in counted.slices]
    used = [pair for pair in edges if not any(_is_off(name, rules) for name in pair)]
    return Prepared(counted, replace(problem, edges=edges_by_name(used, names)), halves)


def split_halves(n: int, split: str, rng: np.random.Generator) -> NDArray[np.int8]:
    """Put rows into groups: all into one, or at random into two halves."""
    groups = np.zeros(n, dtype=np.int8)
    if split != "none":
        groups[rng.permutation(n)[n // 2 :]] = 1
    return groups


def make_problem(
    count: Count, statistics: Floats, metric: Metric, settings: EstimatorSettings, halves: NDArray[np.int8]
) -> Problem:
    """State the problem on patterns, split as the settings say; corrections are identity."""
    if len(count.source_index) < 2:
        raise DataError(
            "The source has 1 row with a score, and one row cannot say how sure an estimate is. Label more rows."
        )
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
    )


def _is_off(name: str, rules: Sequence[Slice]) -> bool:
    """Tell whether a slice is switched off; its edges rest until it is switched on again."""
    return any(
        not rule.enabled and (name == rule.name or (rule.is_family and name.startswith(f"{rule.name}_")))
        for rule in rules
    )


def _noise(rule: Slice, noise: Noise | None, gold: dict[str, GoldTable]) -> Noise | None:
    """Measure corrections that are to be measured."""
    if noise is None or not noise.measured:
        return noise
    if rule.name not in gold:
        raise SliceError(
            f"Corrections of slice {rule.name!r} are to be measured, but it names no gold column. Add gold."
        )
    return replace(noise, measured=False, source=gold[rule.name].measure(rule.name))


def _truth(
    metric: Metric, target: Sample, source: Sample, model: Model | None, settings: MetricSettings
) -> float | None:
    """Score the target's own labels, where it has them; they are used for nothing else."""
    needed = settings.column if metric.needs == "column" else source.label
    if needed is None or needed not in target.columns or target.series(needed).is_null().any():
        return None
    scores = score_rows(metric, target, label=needed, model=model, column=settings.column, merge=settings.merge)
    # A truth with gaps would be the truth of another population.
    return metric.combine(scores.statistics.mean(axis=0)) if scores.known.all() else None


def _unscored(scores: Scores, source: Sample) -> tuple[Finding, ...]:
    missing = int((~scores.known).sum())
    if not missing:
        return ()
    return (
        Finding(
            "rows_without_score",
            "warning" if missing > 0.01 * len(scores.known) else "info",
            f"{missing:,} of {len(scores.known):,} rows of {source.name} lack a label or prediction and are left out.",
            "Fill in what is missing if these rows differ from the others.",
        ),
    )
