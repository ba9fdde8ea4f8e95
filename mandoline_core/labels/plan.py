"""The label plan: which target rows to label next, so that the labels say most."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.data import Sample
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators import Outcome, get_estimator, influence_interval, normal_reach
from mandoline_core.formatting import Sentence, csv_text
from mandoline_core.labels.few_labels import FEWEST_LABELS, use_labels
from mandoline_core.labels.rows import has_label, label_method
from mandoline_core.patterns import add_up, describe
from mandoline_core.pipeline import Fit, interval_by_settings
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import Problem

COLUMNS = ("row", "in_slices", "weight", "reason")
POWER = 0.8
PRIOR_ROWS = 5.0  # a pattern's spread is drawn towards the overall one as if so many rows had shown that
LEAST_SPREAD = 0.25  # of the overall one: scores that never varied in the source may vary in the target


class PlannedRow(NamedTuple):
    """Hold one row to label.

    Parameters
    ----------
    row : int
        Its number in the target, from 1.
    weight : float
        How many target rows it stands for: 1 / probability.
    probability : float
        The probability that the plan drew it.
    """

    row: int
    in_slices: str
    weight: float
    reason: str
    probability: float


class PlannedPattern(NamedTuple):
    """Hold how many rows of a pattern to label: `expected` on average, `planned` in this draw."""

    in_slices: str
    n_target: int
    n_source: int
    spread: float
    expected: float
    planned: int


@dataclass(frozen=True)
class LabelPlan:
    """Hold which target rows to label next.

    Parameters
    ----------
    rows : tuple of PlannedRow
        In random order, so that who stops early still has a fair draw.
    by_pattern : tuple of PlannedPattern
        Those with the most labels first.
    expected_interval_before : pair of floats
        With the labels at hand; without any, the estimate's own, which trusts the slices.
    expected_interval_after : pair of floats
        Of the combined estimate, once these rows are labelled; it need not trust the slices.
    expected_interval_at_random : pair of floats
        The same with as many rows drawn at random, whatever their pattern.
    detectable : float
        A change that slices do not explain is noticed with a probability of 80% if it is so large.
    """

    rows: tuple[PlannedRow, ...]
    by_pattern: tuple[PlannedPattern, ...]
    n_target: int
    expected_interval_before: Interval
    expected_interval_after: Interval
    expected_interval_at_random: Interval
    detectable: float

    @property
    def weights(self) -> Floats:
        """How many target rows each planned row stands for, shape (n_target,); NaN for rows not planned."""
        weights = np.full(self.n_target, np.nan)
        weights[[planned.row - 1 for planned in self.rows]] = [planned.weight for planned in self.rows]
        return weights

    def to_csv(self) -> str:
        """Write the rows as CSV, with the columns row (from 1), in_slices, weight and reason."""
        return csv_text([COLUMNS, *((one.row, one.in_slices, one.weight, one.reason) for one in self.rows)])

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `--json` prints."""
        return asdict(self) | {
            "rows": [one._asdict() for one in self.rows],
            "by_pattern": [one._asdict() for one in self.by_pattern],
        }


def read_plan(table: Sample, n_target: int) -> Floats:
    """Read a plan's file back: how many target rows each planned row stands for.

    Parameters
    ----------
    table : Sample
        With the columns row, which counts from 1, and weight.

    Returns
    -------
    array of float, shape (n_target,)
        NaN for rows not planned; what `use_labels` takes as its plan.

    Examples
    --------
    >>> import pandas as pd
    >>> read_plan(Sample(pd.DataFrame({"row": [3], "weight": [2.5]})), 4).tolist()
    [nan, nan, 2.5, nan]
    """
    try:
        rows, weight = (np.asarray(table.series(name).to_numpy(), dtype=float) for name in ("row", "weight"))
    except (TypeError, ValueError) as error:
        if isinstance(error, MandolineError):
            raise
        raise DataError(
            f"Columns 'row' and 'weight' of {table.name} must hold numbers, as a plan writes them."
        ) from None
    wrong = ~((rows >= 1) & (rows <= n_target) & (rows == np.floor(rows)) & (weight > 0) & np.isfinite(weight))
    if wrong.any() or len(np.unique(rows)) < len(rows):
        at = f" (line {int(wrong.argmax()) + 2})" if wrong.any() else ""
        raise DataError(
            Sentence(
                "{name} is no plan for this {target}{at}: row must hold different numbers from 1 to {n:,}, and weight "
                "numbers above 0. Use the plan's file as it was written.",
                name=table.name,
                at=at,
                n=n_target,
            )
        )
    weights = np.full(n_target, np.nan)
    weights[rows.astype(np.intp) - 1] = weight
    return weights


def plan_labels(fit: Fit, settings: EstimatorSettings, n: int, target: Sample) -> LabelPlan:
    """Draw the target rows to label next: more where many rows are, and where scores vary.

    Rows of a pattern are drawn at random; a pattern's number is proportional to its target rows times the spread of
    scores in it (Neyman's allocation). Every row may be drawn, and weights undo the preference.

    Parameters
    ----------
    settings : EstimatorSettings
        Its seed decides the draw.
    n : int
        How many rows to label.
    target : Sample
        Rows that have a label already are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, prepare
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> source = Sample(source, label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": ["a", "b"] * 50, "p": 1}))
    >>> rules = [Category("b", column="place", values=("b",))]
    >>> plan = plan_labels(prepare(source, target, rules, model=source.models[0]), EstimatorSettings(), 20, target)
    >>> [(one.in_slices, one.n_target, round(one.expected, 1)) for one in plan.by_pattern]
    [('b', 50, 17.2), ('no slice', 50, 2.8)]
    """
    problem = fit.problem
    if problem.metric.ranked:
        raise MandolineError(f"A plan looks at means, and {problem.metric.name} is not made of means.")
    labelled = has_label(fit, target)
    free = ~labelled & _predicted(fit, target)
    if not 1 <= n <= free.sum():
        raise MandolineError(
            f"The number of rows to label (--rows) must be between 1 and {int(free.sum()):,}, the rows of "
            f"{target.name} that can be labelled. Got {n}."
        )
    outcome = get_estimator(label_method(settings.name)).estimate(problem)
    spread = spreads(problem, outcome)
    index = problem.members.target
    counts = np.bincount(index[free], minlength=len(spread)).astype(float)
    expected = allocate(counts, spread, n)
    rng = np.random.default_rng(settings.seed)
    planned = round_at_random(expected, rng)
    drawn = draw_rows(np.flatnonzero(free), index, planned, rng)
    probability = np.divide(expected, counts, out=np.zeros_like(counts), where=counts > 0)
    words = [describe(problem.patterns.names, row) for row in problem.patterns.codes]
    reasons = _reasons(problem, spread, expected, counts)
    rows = tuple(
        PlannedRow(int(i) + 1, words[p], float(1 / probability[p]), reasons[p], float(probability[p]))
        for i, p in zip(drawn, index[drawn], strict=True)
    )
    numbers = zip(words, problem.patterns.target, problem.patterns.source, spread, expected, planned, strict=True)
    by_pattern = sorted(
        (
            PlannedPattern(words_of, round(after), round(before), float(own), float(share), int(number))
            for words_of, after, before, own, share, number in numbers
            if share > 0
        ),
        key=lambda one: -one.expected,
    )
    before, after, at_random, detectable = _expect(fit, settings, target, outcome, spread, expected, counts)
    return LabelPlan(rows, tuple(by_pattern), len(index), before, after, at_random, detectable)


def allocate(counts: Floats, spread: Floats, n: int) -> Floats:
    """Share n labels out among patterns, in proportion to rows times spread; numbers need not be whole.

    No pattern gets more than its rows, and one that a random draw would meet at least once gets at least one.

    Parameters
    ----------
    counts, spread : array of float, shape (n_patterns,)

    Examples
    --------
    >>> allocate(np.array([60.0, 30.0, 10.0]), np.array([0.1, 0.4, 0.2]), 10).round(2).tolist()
    [3.0, 6.0, 1.0]
    """
    size = counts * spread
    least = np.where(counts * n >= counts.sum(), 1.0, 0.0)
    low, high = 0.0, float((counts[size > 0] / size[size > 0]).max(initial=1.0))
    for _ in range(200):  # the total grows with the scale, from too few to all rows
        scale = (low + high) / 2
        low, high = (scale, high) if np.clip(scale * size, least, counts).sum() < n else (low, scale)
    return np.clip(high * size, least, counts)


def spreads(problem: Problem, outcome: Outcome) -> Floats:
    """Return the standard deviation of scores within each pattern, shape (n_patterns,).

    In the source, drawn towards the overall one; where the source has no row, the largest of all.

    Parameters
    ----------
    outcome : Outcome
        Says at which means the metric's slope is taken.
    """
    members, gradient = problem.members, problem.metric.slope(outcome.means)
    scores, rows = members.statistics @ gradient, problem.patterns.source
    mean = add_up(members.source, scores * members.source_rows, len(rows)) / np.maximum(rows, 1)
    squares = add_up(members.source, (scores - mean[members.source]) ** 2 * members.source_rows, len(rows))
    overall = float(scores.var()) if scores.var() > 0 else 1.0  # all the same: nothing to prefer one pattern for
    variance = (squares + PRIOR_ROWS * overall) / (rows + PRIOR_ROWS)
    seen = rows > 0
    # Rows that were always right on the source may not be on the target: they keep some probability.
    return np.sqrt(np.where(seen, np.maximum(variance, LEAST_SPREAD**2 * overall), variance[seen].max()))


def round_at_random(expected: Floats, rng: np.random.Generator) -> Index:
    """Round up or down so that each number is right on average and the total stays: a systematic draw."""
    order = rng.permutation(len(expected))
    ends = np.cumsum(expected[order])
    ends[-1] = round(ends[-1])  # a sum of shares may miss a whole number by a last digit
    steps = np.floor(ends + rng.random()).astype(np.intp)
    planned = np.empty(len(expected), dtype=np.intp)
    planned[order] = np.diff(steps, prepend=0)
    return planned


def draw_rows(rows: Index, index: Index, planned: Index, rng: np.random.Generator) -> Index:
    """Draw so many rows of each pattern; all in random order."""
    mixed = rng.permutation(rows)
    by_pattern = mixed[np.argsort(index[mixed], kind="stable")]
    pattern = index[by_pattern]
    place = np.arange(len(pattern)) - np.searchsorted(pattern, pattern)
    return rng.permutation(by_pattern[place < planned[pattern]])


def _predicted(fit: Fit, target: Sample) -> NDArray[np.bool_]:
    """Say which rows have a prediction: without one, a label would be wasted."""
    rows = fit.cells.rows
    if rows is None or rows.metric.column is not None or rows.model is None or rows.model.prediction is None:
        return np.ones(target.n_rows, dtype=bool)
    return ~np.asarray(target.series(rows.model.prediction).is_null().to_numpy(), dtype=bool)


def _reasons(problem: Problem, spread: Floats, expected: Floats, counts: Floats) -> list[str]:
    """Say why rows of each pattern are worth a label."""
    usual = float(counts @ spread / counts.sum())
    reasons = []
    for rows, own, number in zip(problem.patterns.source, spread, expected, strict=True):
        if rows == 0:
            reasons.append("no source row is like it")
        elif own > 1.1 * usual:
            reasons.append("scores vary more here than elsewhere")
        elif number >= 1:
            reasons.append("many target rows are like it")
        else:
            reasons.append("drawn to stand for rare rows")
    return reasons


def _expect(
    fit: Fit,
    settings: EstimatorSettings,
    target: Sample,
    outcome: Outcome,
    spread: Floats,
    expected: Floats,
    counts: Floats,
) -> tuple[Interval, Interval, Interval, float]:
    """Foresee intervals before and after labelling, and the least change that would be noticed."""
    metric, n = fit.problem.metric, float(expected.sum())
    old = int(has_label(fit, target).sum())
    if old >= FEWEST_LABELS:
        now = use_labels(fit, settings, target).combined
        value, before = now.value, now.interval
    else:
        value, (before, _) = outcome.value, interval_by_settings(fit, settings, outcome)
    # Neyman: the variance of a stratified mean, and of a plain one; new labels and old ones count by their numbers.
    share = counts / counts.sum()
    by_plan = float(np.divide((share * spread) ** 2, expected, out=np.zeros_like(share), where=expected > 0).sum())
    one = float(share @ spread**2)
    part = n / (n + old)
    rest = (1 - part) ** 2 * one / max(old, 1)
    variance = part**2 * by_plan + rest
    ends = [
        influence_interval(
            value, float(np.sqrt(each)), confidence=settings.confidence, bounds=metric.bounds, effective_rows=n + old
        )
        for each in (variance, part**2 * one / n + rest)
    ]
    needed = normal_reach(settings.confidence) + float(ndtri(POWER))
    return before, ends[0], ends[1], needed * float(np.sqrt(variance + outcome.influence.standard_error() ** 2))
