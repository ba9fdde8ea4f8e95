"""Labelled rows: the target rows that have a label, their scores, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Bools, Floats
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimating import ModelProblem
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted
from mandoline_core.metrics import read_answers, score_rows
from mandoline_core.samples import Sample
from mandoline_core.weighting import Problem, Rows

_ODD = 1e-3  # chance of a false alarm that labelled rows are no random draw


class Labels(NamedTuple):
    """Hold the labels that some target rows have.

    Parameters
    ----------
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
        Rows with a label and a prediction.
    shares : array of float, shape (n_labelled,)
        How much each labelled row counts; sums to 1.
    """

    statistics: Floats
    labelled: Bools
    shares: Floats


def label_column(prepared: ModelProblem) -> str:
    """Name the column that labels of the target are looked for in."""
    rows = _rows(prepared)
    column = rows.metric.column if rows.metric.column is not None else rows.source.label
    if column is None:
        raise MandolineError("There is no label column to look for in the target. Set label in [task].")
    return column


def has_label(prepared: ModelProblem, target: Sample) -> Bools:
    """Say which target rows have a label, shape (n_target,); none where the target has no such column."""
    n = len(prepared.problem.members.target)
    if target.n_rows != n:
        raise DataError(
            f"{target.name} has {counted(target.n_rows, 'row')}, and the estimate was prepared on {n:,}. "
            "Labels must stand beside the same target rows, in the same order."
        )
    column = label_column(prepared)
    if column not in target.columns:
        return np.zeros(n, dtype=bool)
    return ~np.asarray(target.series(column).is_null().to_numpy(), dtype=bool)


def score_labelled(prepared: ModelProblem, target: Sample) -> tuple[Floats, Bools]:
    """Score the target rows that have a label.

    Returns
    -------
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
        Rows with a label and a prediction.
    """
    rows, column = _rows(prepared), label_column(prepared)
    target.series(column)
    labelled = has_label(prepared, target)
    if not labelled.any():
        raise MandolineError(f"Column {column!r} of {target.name} has no values. Fill in the labels that are known.")
    if rows.metric.column is not None:  # any gap in it is refused, so labelled rows are scored by themselves
        some = Sample(target.frame.filter(labelled.tolist()), models=target.models, name=target.name)
        return score_rows(rows.metric, some, label=None, model=rows.model).statistics, labelled
    classes: tuple[str, ...] = ()
    if prepared.problem.metric.needs != "numbers" and rows.model is not None and rows.model.prediction is not None:
        classes = read_answers(
            rows.source, label=rows.source.label, prediction=rows.model.prediction, merge=rows.metric.merge
        ).classes
    scores = score_rows(rows.metric, target, label=column, model=rows.model, known=classes)
    if scores.statistics.shape[1] != prepared.problem.members.statistics.shape[1]:
        new = [name for name in scores.classes if name not in classes]
        raise MandolineError(
            f"{target.name} has class {new[0]!r}, which {rows.source.name} never shows, and metric "
            f"{rows.metric.name!r} is about all classes. Set positive in [metric] to one class, or merge classes."
        )
    return scores.statistics[scores.known], scores.known


def _rows(prepared: ModelProblem) -> Rows:
    if prepared.counted.rows is None:
        raise MandolineError("Only slice codes are known here, and labels belong to rows. Use prepare() on samples.")
    return prepared.counted.rows


def share_out(labelled: Bools, plan: Floats | None) -> Floats:
    """Say how much each labelled row counts: those of a plan as it says, others the same.

    Parameters
    ----------
    labelled : array of bool, shape (n_target,)
    plan : array of float, shape (n_target,), optional
        How many target rows each planned row stands for; NaN elsewhere.

    Returns
    -------
    array of float, shape (n_labelled,)
        Sums to 1.

    Examples
    --------
    >>> share_out(np.array([True, True, False]), np.array([3.0, 1.0, 9.0])).tolist()
    [0.75, 0.25]
    """
    shares = np.ones(int(labelled.sum()))
    if plan is not None:
        if len(plan) != len(labelled):
            raise MandolineError(
                f"The plan has weights for {len(plan):,} rows, and the target has {len(labelled):,}. "
                "Use the plan made for this target."
            )
        planned = np.isfinite(plan[labelled])
        if not planned.any():
            raise MandolineError(
                f"None of the {_planned(plan)} has a label. The plan's column row counts from 1, without the header: "
                "row 1 is the target's first row. Check that the labels stand at the rows that the plan names."
            )
        # Both parts are fair by themselves; each counts by the number of its labels.
        shares[planned] = plan[labelled][planned] / plan[labelled][planned].mean()
    return shares / shares.sum()


def missing_labels(labelled: Bools, plan: Floats | None) -> Iterator[Finding]:
    """Notice planned rows without a label, and labelled rows that the plan does not name."""
    if plan is None:
        return
    planned = np.isfinite(plan)
    missing, others = int((planned & ~labelled).sum()), int((labelled & ~planned).sum())
    if missing:
        mostly = missing > planned.sum() / 2
        beside = f", and {counted(others, 'label')} at rows that are not in the plan" if others else ""
        yield Finding(
            "planned_rows_without_label",
            "info" if not others else "serious" if mostly else "warning",
            f"There is no label for {missing:,} of the {_planned(plan)}{beside}.",
            "The plan's column row counts from 1: check that the labels stand at the rows that it names."
            if others
            else "Label the others, too; those left out must not be the hard ones.",
        )


def _planned(plan: Floats) -> str:
    return counted(int(np.isfinite(plan).sum()), "planned row")


def odd_draw(problem: Problem, labels: Labels) -> Iterator[Finding]:
    """Notice labelled rows that cannot well be a random draw: some slice is far too frequent or rare among them."""
    inside = problem.patterns.codes[problem.members.target] == 1
    rate = inside.mean(axis=0)
    variance = rate * (1 - rate) * max(float(labels.shares @ labels.shares) - 1 / len(inside), 0.0)
    among = labels.shares @ inside[labels.labelled]
    z = np.where(variance > 0, (among - rate) / np.sqrt(np.maximum(variance, 1e-300)), 0.0)
    if not len(z) or np.abs(z).max() <= -ndtri(_ODD / 2 / len(z)):
        return
    worst = int(np.abs(z).argmax())
    name = problem.patterns.names[worst]
    yield Finding(
        "labels_not_random",
        "serious",
        f"Slice {name!r} has {among[worst]:.0%} of the labelled rows and {rate[worst]:.0%} of the target: the labelled "
        "rows are no random draw, and what they say may not hold for the others.",
        "Label rows drawn at random, or those of a plan, and name the plan.",
        (name,),
    )
