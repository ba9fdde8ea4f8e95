"""Labelled rows: the target rows that have a label, their scores, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Sample, with_labels
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators import Mandoline, get_estimator
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted, show_percent
from mandoline_core.pipeline import Fit, score_labels
from mandoline_core.project import Project
from mandoline_core.weighting import Problem, Rows

_ODD = 1e-3  # probability of a false alarm that labelled rows are not a random draw


class SomeLabels(NamedTuple):
    """Hold the new data with labels of some rows, how many new rows each planned row represents, and what is wrong."""

    target: Sample
    plan: Floats | None = None
    problem: str = ""


def some_labels(
    project: Project | None, target: Sample, column: str | None, labels: Sample | None = None
) -> SomeLabels | None:
    """Find labels of some new rows; None where no row has one, or all have: that is the truth, and stays hidden.

    Parameters
    ----------
    project : Project, optional
        Whose file of labels counts; without one, the labels in the target's own column.
    column : str, optional
        The label column.
    labels : Sample, optional
        The project's file of labels, if already read.

    Examples
    --------
    >>> import pandas as pd
    >>> found = [some_labels(None, Sample(pd.DataFrame({"y": y})), "y") for y in ([1, None], [1, 0])]
    >>> found[0].target.n_rows, found[1]
    (2, None)
    """
    if column is None or target.table is not None:
        return None
    plan = None
    if project is not None and project.target_labels is not None:
        try:
            found = project.read_labels(target, labels)
        except MandolineError as error:  # the estimate stands without them, and says why
            return SomeLabels(target, None, str(error))
        if not 0 < found.n_labelled < target.n_rows:
            return None
        target, plan = with_labels(target, column, found.labels), found.weights
    if column not in target.columns:
        return None
    n_missing = int(target.series(column).is_null().sum())
    return SomeLabels(target, plan) if 0 < n_missing < target.n_rows else None


def label_column(fit: Fit) -> str:
    """Name the label column of the target."""
    rows = _rows(fit)
    column = rows.metric.column if rows.metric.column is not None else rows.source.label
    if column is None:
        raise MandolineError("The project has no label column. Set label in [task].")
    return column


def has_label(fit: Fit, target: Sample) -> Bools:
    """Say which target rows have a label, shape (n_target,); none if the target has no label column."""
    if fit.in_table:
        raise MandolineError(
            "Labels and plans need single rows, and the new data stays in a table. Draw some rows into a file, and use "
            "that as the new data."
        )
    n = len(fit.problem.members.target)
    if target.n_rows != n:
        raise DataError(
            f"{target.name} has {counted(target.n_rows, 'row')}, but the estimate was prepared on {n:,}. Labels must "
            "be in the same new rows, in the same order."
        )
    column = label_column(fit)
    if column not in target.columns:
        return np.zeros(n, dtype=bool)
    return ~np.asarray(target.series(column).is_null().to_numpy(), dtype=bool)


def score_labelled(fit: Fit, target: Sample) -> tuple[Floats, Bools]:
    """Score the target rows that have a label."""
    column, problem = label_column(fit), fit.problem
    target.series(column)
    has_label(fit, target)
    n_statistics = problem.members.statistics.shape[1]
    return score_labels(_rows(fit), problem.metric, n_statistics, target, column)


def _rows(fit: Fit) -> Rows:
    if fit.cells.rows is None:
        raise MandolineError("Labels need rows, and only slice codes are available. Use prepare() with samples.")
    return fit.cells.rows


def label_method(name: str) -> str:
    """Name the method to combine with labels: Mandoline if the one asked for has no weights on slices."""
    return name if get_estimator(name).takes_labels else Mandoline.name


def share_out(labelled: Bools, plan: Floats | None, weights: Floats | None = None) -> Floats:
    """Say how much each labelled row counts: those of a plan as it says, others the same, times their design weights.

    Parameters
    ----------
    labelled : array of bool, shape (n_target,)
    plan : array of float, shape (n_target,), optional
        How many target rows each planned row represents; NaN elsewhere.
    weights : array of float, shape (n_target,), optional
        The design weight of each row. By default, 1.

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
                f"The plan has weights for {len(plan):,} rows, but the new data has {len(labelled):,}. Use the plan "
                "made for this new data."
            )
        planned = np.isfinite(plan[labelled])
        if not planned.any():
            raise MandolineError(
                f"None of the {counted(int(np.isfinite(plan).sum()), 'planned row')} has a label. Check that labels "
                "are in the rows that the plan names: row 1 is the first row after the header."
            )
        # Each part is a fair draw on its own, and counts by the number of its labels.
        shares[planned] = plan[labelled][planned] / plan[labelled][planned].mean()
    if weights is not None:
        shares = shares * weights[labelled]
    if not shares.any():
        raise MandolineError("Every row with a label has design weight 0. Label rows with a weight above 0.")
    return shares / shares.sum()


def missing_labels(labelled: Bools, plan: Floats | None) -> Iterator[Finding]:
    """Notice planned rows without a label, and labelled rows that the plan does not name."""
    if plan is None:
        return
    planned = np.isfinite(plan)
    missing, others = int((planned & ~labelled).sum()), int((labelled & ~planned).sum())
    if missing:
        n, remedy, detail = int(planned.sum()), "Label them too, and do not leave out the hard ones.", ""
        if others:
            remedy = "Check that labels are in the rows that the plan names: its column row counts from 1."
            detail = f"Labels outside the plan: {others:,}."
        yield Finding(
            "labels",
            "planned_rows_without_label",
            "info" if not others else "serious" if missing > n / 2 else "warning",
            f"{missing:,} of {counted(n, 'planned row')} have no label.",
            remedy,
            detail,
            numbers={"missing": missing, "planned": n, "others": others},
        )


def odd_draw(problem: Problem, labelled: Bools, shares: Floats) -> Iterator[Finding]:
    """Notice labelled rows that are hardly a random draw: some slice is far too frequent or rare among them."""
    inside = problem.patterns.codes[problem.members.target] == 1
    whole = problem.members.target_rows / problem.members.target_rows.sum()
    rate = whole @ inside
    # Drawn without putting back: all rows labelled would leave no doubt.
    variance = rate * (1 - rate) * max(float(shares @ shares) - float(whole @ whole), 0.0)
    among = shares @ inside[labelled]
    z = np.where(variance > 0, (among - rate) / np.sqrt(np.maximum(variance, 1e-300)), 0.0)
    # Bonferroni, as one odd slice among many is to be expected.
    if not len(z) or np.abs(z).max() <= -ndtri(_ODD / 2 / len(z)):
        return
    worst = int(np.abs(z).argmax())
    name = problem.patterns.names[worst]
    shares_of = float(among[worst]), float(rate[worst])
    yield Finding(
        "labels",
        "labels_not_random",
        "serious",
        f"Slice {name!r} contains {show_percent(shares_of[0])} of the rows you labelled, but "
        f"{show_percent(shares_of[1])} of the new data.",
        "Label rows drawn at random, or follow a plan and pass its file.",
        "They are not a random draw, so they may not represent the others.",
        (name,),
        {"name": name, "among": shares_of[0], "rate": shares_of[1]},
    )
