"""Simulated targets (pseudo-targets): shifts of the labelled source with a known true score.

The scored source rows are the whole population. A pseudo-target is a second population made of the same rows
with other weights, and its truth is the metric on all rows so weighted. Both samples are drawn from their
populations with replacement, as many rows as the real ones have. So sampling errors are those of real samples, and
intervals can be judged: those of the drawn rows' own score by that score, those of their population by the truth.
Two halves of the source instead of the population would not do: errors would be those of half the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.comparison.backtests.column_splits import find_columns, split_column
from mandoline_core.comparison.backtests.pseudo_samples import PseudoTarget
from mandoline_core.data import class_codes
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Mandoline
from mandoline_core.metrics import MOST_CLASSES, evaluate
from mandoline_core.pipeline import Fit, read_predictions, steps
from mandoline_core.weighting import NOT_FITTED, Problem

SLICES, HELD_OUT, CLASS, COLUMN = KINDS = ("slices", "held-out slice", "class", "column")
N_RANDOM = 20  # tilts of classes at random
_LEAST_STRENGTH, _USUAL_STRENGTH, _MOST_STRENGTH = 0.02, 0.25, 2.0

_Made = tuple[list[PseudoTarget], dict[str, str]]  # shifts, and why others could not be made


def pseudo_targets(
    fit: Fit, *, columns: Sequence[str] | None = (), kinds: Sequence[str] = KINDS, seed: int = 0
) -> tuple[dict[str, list[PseudoTarget]], dict[str, str]]:
    """Make the shifts of every kind that is asked for.

    Parameters
    ----------
    columns : sequence of str, or None
        To split the source by; when empty, columns that look like times or groups; None for no such split.
    seed : int
        Of tilts at random.

    Returns
    -------
    dict of str to list of PseudoTarget, dict of str to str
        The shifts of every kind that could be made; and kinds, or parts of a kind as "kind: part", that could not, with
        the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Flag, Sample, prepare
    >>> source = Sample(pd.DataFrame({"a": [1, 0] * 40, "y": 1, "p": [0, 1] * 40}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"a": [1, 1, 1, 0], "p": 1}), models=source.models)
    >>> made, skipped = pseudo_targets(prepare(source, target, [Flag("a", column="a")], model=source.models[0]))
    >>> round(made["slices"][0].truth, 6)
    0.25
    >>> skipped["held-out slice"]
    'There is only one slice. Holding it out leaves none.'
    """
    problem = _unsplit(fit.problem)
    rng = np.random.default_rng(seed)
    ways: dict[str, Callable[[], _Made]] = {
        SLICES: lambda: _by_slices(problem),
        HELD_OUT: lambda: _by_held_out_slice(fit, problem),
        CLASS: lambda: _by_class(fit, problem, rng),
        COLUMN: lambda: _by_column(fit, problem, columns),
    }
    made = {kind: make() for kind, make in ways.items() if kind in kinds}
    skipped = {what: why for _, reasons in made.values() for what, why in reasons.items()}
    return {kind: targets for kind, (targets, _) in made.items() if targets}, skipped


def _unsplit(problem: Problem) -> Problem:
    """Undo a split of the source: all rows fit the weights, and all get one. Corrections stay as they are."""
    members = problem.members
    # A draw is split again by its own rows, so that a split of the real rows must not stay in the population.
    everyone = members._replace(groups=np.zeros(len(members.source), dtype=np.int8))
    return replace(problem, groups=(), folds=((0, 0),), membership=everyone, audit=None)


def _tilted(kind: str, detail: str, problem: Problem, weights: Floats, start: Floats | None = None) -> PseudoTarget:
    """Put a pseudo-target together; raise `MandolineError` where the metric is not defined on it."""
    weights = weights / weights.sum()
    statistics = problem.members.statistics
    truth = evaluate(problem.metric, statistics, weights).value
    return PseudoTarget(kind, detail, problem, np.arange(len(statistics)), weights, truth, start)


def _by_slices(problem: Problem) -> _Made:
    """Tilt by the modelled slices, as far as they shift in the real target."""
    if not problem.patterns.names:
        return [], {SLICES: "There are no slices."}
    try:
        weights, delta = _fitted(problem)
        return [_tilted(SLICES, "", problem, weights, delta)], {}
    except MandolineError as error:
        return [], {SLICES: str(error)}


def _fitted(problem: Problem) -> tuple[Floats, Floats | None]:
    """Fit Mandoline's weights of the real target, shape (n_scored,); return the parameters, too."""
    outcome = Mandoline().weigh(problem)
    if not outcome.converged:
        raise MandolineError(NOT_FITTED)
    return outcome.weights(problem.members), outcome.delta


def _by_held_out_slice(fit: Fit, problem: Problem) -> _Made:
    """Tilt by the slices of one rule, which estimators do not get; by each rule in turn."""
    groups = steps(fit)
    if len(groups) < 2:
        alone = "There is only one slice. Holding it out leaves none."
        return [], {HELD_OUT: alone if groups else "There are no slices."}
    targets, skipped = [], {}
    for name, held_out in groups.items():
        # A rule's slices go together: one that stays behind would still tell of the others.
        others = sorted(i for group in groups.values() if group is not held_out for i in group)
        try:
            weights, _ = _fitted(problem.select(held_out))
            targets.append(_tilted(HELD_OUT, name, problem.select(others), weights))
        except MandolineError as error:
            skipped[f"{HELD_OUT}: {name}"] = str(error)
    return targets, skipped


def _by_class(fit: Fit, problem: Problem, rng: np.random.Generator) -> _Made:
    """Tilt by the label: as predicted classes shift in the real target, or at random."""
    try:
        labels, rows = _labels(fit), problem.members.source_rows
        shift = _predicted_shift(fit)
        if shift is not None:
            return [_tilted(CLASS, "", problem, shift[labels] * rows)], {}
        shares, strength = np.bincount(labels, rows) / rows.sum(), _strength(_by_slices(problem)[0])
        ratios = [_random_ratios(shares, strength, rng) for _ in range(N_RANDOM)]
        return [_tilted(CLASS, f"random {i + 1}", problem, some[labels] * rows) for i, some in enumerate(ratios)], {}
    except MandolineError as error:
        return [], {CLASS: str(error)}


def _labels(fit: Fit) -> Index:
    """Read the classes of the scored source rows."""
    rows, metric = fit.cells.rows, fit.problem.metric
    if rows is None or rows.source.label is None:
        raise MandolineError("There are no labels.")
    if metric.needs == "numbers":
        raise MandolineError("Labels are numbers, not classes.")
    if metric.needs == "column":
        labels = class_codes(rows.source.series(rows.source.label))[0][0][rows.scored]
    else:
        labels = read_predictions(rows, probabilities=False).labels.truth
    n_classes = len(np.unique(labels))
    if (labels < 0).any():
        raise MandolineError("Some scored rows have no label.")
    if not 2 <= n_classes <= MOST_CLASSES:
        raise MandolineError(f"There are {n_classes} classes. Expected 2 to {MOST_CLASSES}.")
    return np.asarray(labels, dtype=np.intp)


def _predicted_shift(fit: Fit) -> Floats | None:
    """Say how many times more often each class is predicted in the target; None without predictions.

    The label's shares are tilted by these ratios, and not to the predicted shares themselves: where a model names a
    class too often in both samples, nothing has shifted. One row more in each class keeps ratios finite.
    """
    rows = fit.cells.rows
    if rows is None or rows.model is None or rows.model.prediction not in rows.target.columns:
        return None
    if fit.problem.metric.needs == "column":
        return None
    source, target = rows.answers
    predicted = target.predicted[target.predicted >= 0]
    if not len(predicted):
        return None
    both = (source.predicted, predicted)
    before, after = (np.bincount(classes, minlength=len(target.classes)) + 1.0 for classes in both)
    return np.asarray((after / after.sum()) / (before / before.sum()))


def _strength(made: list[PseudoTarget]) -> float:
    """Measure a tilt by the variance of its ratios; a usual one if absent."""
    if not made:
        return _USUAL_STRENGTH
    weights = made[0].weights
    variance = len(weights) * float(weights @ weights) - 1
    return min(max(variance, _LEAST_STRENGTH), _MOST_STRENGTH)


def _random_ratios(shares: Floats, strength: float, rng: np.random.Generator) -> Floats:
    """Draw class shares around the source's so that the ratios' variance is the strength, on average."""
    shown = shares > 0
    # The variance of ratios of Dirichlet shares is (n - 1) / (concentration + 1), whatever the shares.
    concentration = max((shown.sum() - 1) / strength - 1, 0.1)
    ratios = np.ones(len(shares))
    ratios[shown] = rng.dirichlet(concentration * shares[shown]) / shares[shown]
    return ratios


def _by_column(fit: Fit, problem: Problem, columns: Sequence[str] | None) -> _Made:
    """Take the rows on one side of a column for the source, those on the other for the target, as they are.

    Here rows are not drawn: the two sides are what they are, and drawing would add a sampling error that intervals do
    not count.
    """
    rows = fit.cells.rows
    if columns is None or rows is None:
        return [], {COLUMN: "Only slice codes are given." if rows is None else "Not requested."}
    chosen = list(columns) or find_columns(rows.source, rows.target)
    if not chosen:
        return [], {COLUMN: "Found no time or group column. Name one."}
    targets, skipped = [], {}
    for column in chosen:
        splits = split_column(rows.source, column, rows.scored)
        if not splits:
            skipped[f"{COLUMN}: {column}"] = "It does not split the labelled rows into large enough parts."
        for detail, source, target in splits:
            try:
                made = _tilted(COLUMN, detail, problem, target * problem.members.source_rows)
            except MandolineError as error:
                skipped[f"{COLUMN}: {detail}"] = str(error)
            else:
                targets.append(replace(made, source_rows=np.flatnonzero(source), drawn=False))
    return targets, skipped
