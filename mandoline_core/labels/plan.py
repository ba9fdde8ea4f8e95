"""The label plan: which target rows to label next, so that the labels are most informative."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.data import CHECKSUM, PLAN_COLUMNS, Sample, prediction_checksums
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Outcome, get_estimator, influence_interval
from mandoline_core.formatting import csv_text
from mandoline_core.labels.few_labels import use_labels
from mandoline_core.labels.rows import has_label, label_column, label_method
from mandoline_core.labels.slice_test import FEWEST_LABELS, change_shown
from mandoline_core.patterns import add_up, describe
from mandoline_core.pipeline import Fit, interval_by_settings
from mandoline_core.project import EstimatorSettings
from mandoline_core.results import Tabular
from mandoline_core.weighting import Problem

PROBABILITY = "probability"
PRIOR_ROWS = 5.0  # a pattern's spread is drawn towards the overall one as if this many rows had shown that
LEAST_SPREAD = 0.25  # of the overall one: scores that never varied in the source may vary in the target


class PlannedRow(NamedTuple):
    """Hold one row to label.

    Parameters
    ----------
    row : int
        Its number in the new data, from 1.
    weight : float
        How many target rows it represents: 1 / probability.
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


@dataclass(frozen=True, repr=False)
class LabelPlan(Tabular):
    """Hold which target rows to label next.

    Parameters
    ----------
    rows : tuple of PlannedRow
        In random order, so that you have a fair draw even if you stop early.
    by_pattern : tuple of PlannedPattern
        Those with the most labels first.
    expected_interval_before : pair of floats
        With the labels so far; without any, the estimate's own, which assumes that slices capture the shift.
    expected_interval_after : pair of floats
        Of the combined estimate, once these rows are labelled; it does not assume that.
    expected_interval_at_random : pair of floats
        The same with as many rows drawn at random, whatever their pattern.
    detectable : float
        A change that slices do not explain is detected with a probability of 80% if it is this large.
    limit : float
        Labels that agree confirm the estimate if they would detect a change of this size.
    needed : int or None
        About how many labels that takes; None if no number suffices, because the estimate itself is too uncertain.
    contents : dict of str to list
        The columns of the planned rows, the key first; a checksum replaces predictions. The label column is last, and
        empty.
    """

    rows: tuple[PlannedRow, ...]
    by_pattern: tuple[PlannedPattern, ...]
    n_target: int
    expected_interval_before: Interval
    expected_interval_after: Interval
    expected_interval_at_random: Interval
    detectable: float
    limit: float = 0.0
    needed: int | None = None
    contents: dict[str, list[Any]] = field(default_factory=dict, compare=False)

    @property
    def weights(self) -> Floats:
        """How many target rows each planned row represents, shape (n_target,); NaN for rows not planned."""
        weights = np.full(self.n_target, np.nan)
        weights[[planned.row - 1 for planned in self.rows]] = [planned.weight for planned in self.rows]
        return weights

    def to_csv(self, path: str | Path | None = None) -> str:
        """Write the sheet to fill in as CSV: row (from 1), why it was chosen, its contents, and an empty label column.

        `use_labels` and `mandoline labels --plan` take it back as it is.

        Parameters
        ----------
        path : str or Path, optional
            Also write it to this file.
        """
        chosen = ((one.row, one.in_slices, one.weight, one.reason) for one in self.rows)
        contents = zip(*self.contents.values(), strict=True) if self.contents else ((),) * len(self.rows)
        lines = ((*planned, *values) for planned, values in zip(chosen, contents, strict=True))
        text = csv_text([(*PLAN_COLUMNS, *self.contents), *lines])
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_frame(self) -> pd.DataFrame:
        """Return the sheet to fill in as a pandas data frame: the rows to label, their contents, and an empty label."""
        return super().to_frame().assign(**self.contents)

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the rows' contents as plain data: what `--json` prints."""
        plain = asdict(replace(self, contents={}))
        del plain["contents"]
        return plain | {
            "rows": self.records(),
            "by_pattern": [one._asdict() for one in self.by_pattern],
        }

    def records(self) -> list[dict[str, Any]]:
        """List the rows to label."""
        return [one._asdict() for one in self.rows]


def plan_labels(fit: Fit, settings: EstimatorSettings, n: int, target: Sample, *, key: str | None = None) -> LabelPlan:
    """Draw the new rows to label next: more where there are many rows, and where scores vary.

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
    key : str, optional
        The column that names its rows; first among the contents.

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
        raise MandolineError(
            f"A label plan needs a metric made of means, such as 'accuracy'. Got {problem.metric.name!r}."
        )
    labelled = has_label(fit, target)
    free = ~labelled & _predicted(fit, target)
    if labelled.all():
        raise MandolineError(f"Every row of {target.name} has a label, so there is nothing left to plan.")
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
    in_source, in_target = problem.row_counts
    numbers = zip(words, in_target, in_source, spread, expected, planned, strict=True)
    by_pattern = sorted(
        (
            PlannedPattern(words_of, round(after), round(before), float(own), float(share), int(number))
            for words_of, after, before, own, share, number in numbers
            if share > 0
        ),
        key=lambda one: -one.expected,
    )
    before, after, at_random, variance = _expect(fit, settings, target, outcome, spread, expected, counts)
    total = n + int(labelled.sum())
    design = problem.patterns.n_target / problem.alike_rows[1]
    errors = variance, design / total, outcome.influence.standard_error() ** 2
    limit, detectable, needed = change_shown(problem, outcome, total, errors)
    contents = _contents(fit, target, drawn, key)
    return LabelPlan(
        rows=rows,
        by_pattern=tuple(by_pattern),
        n_target=len(index),
        expected_interval_before=before,
        expected_interval_after=after,
        expected_interval_at_random=at_random,
        detectable=detectable,
        limit=limit,
        needed=needed,
        contents=contents,
    )


def _contents(fit: Fit, target: Sample, rows: Index, key: str | None) -> dict[str, list[Any]]:
    """Take what the planned rows contain, without labels, and without predictions: who labels must not see them."""
    first, label = [] if key is None else [target.series(key).name], label_column(fit)
    hidden = {*PLAN_COLUMNS, PROBABILITY, label, *target.roles}
    if fit.cells.rows is not None:
        hidden |= fit.cells.rows.source.roles
    names = [name for name in dict.fromkeys([*first, *target.columns]) if name not in hidden]
    frame = target.frame.select(names)[rows.tolist()]
    columns: dict[str, list[Any]] = {
        name: [None if pd.isna(value) else value for value in frame[name].to_list()] for name in names
    }
    model = None if fit.cells.rows is None else fit.cells.rows.model
    if model is not None and model.prediction in target.columns and CHECKSUM not in target.columns:
        columns[CHECKSUM] = [*prediction_checksums(target, str(model.prediction), rows.tolist())]
    return columns | {label: [None] * len(rows)}


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
    mean = add_up(members.source, scores * members.source_rows, len(rows)) / np.where(rows > 0, rows, 1.0)
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
    """Draw the planned number of rows of each pattern; all in random order."""
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
            reasons.append("no labelled row is like it")
        elif own > 1.1 * usual:
            reasons.append("scores vary more here than elsewhere")
        elif number >= 1:
            reasons.append("many new rows are like it")
        else:
            reasons.append("drawn to represent rare rows")
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
    """Predict intervals before and after labelling, and the variance that drawing the labels leaves."""
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
    part, design = n / (n + old), fit.problem.patterns.n_target / fit.problem.alike_rows[1]
    by_plan, one = by_plan * design, one * design  # design weights cost as much of any draw
    rest = (1 - part) ** 2 * one / max(old, 1)
    variance = part**2 * by_plan + rest
    ends = [
        influence_interval(
            value, float(np.sqrt(each)), confidence=settings.confidence, bounds=metric.bounds, effective_rows=n + old
        )
        for each in (variance, part**2 * one / n + rest)
    ]
    return before, ends[0], ends[1], variance
