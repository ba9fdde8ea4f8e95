"""Labelled rows: the target rows that have a label, their scores, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Sample
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators import Mandoline, get_estimator
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.pipeline import Fit, score_labels
from mandoline_core.weighting import Problem, Rows

_ODD = 1e-3  # probability of a false alarm that labelled rows are no random draw
_MISSING = (
    "labels",
    "planned_rows_without_label",
    "There is no label for {missing:,} of the {planned:count planned row}",
)
MISSING_LABELS = FindingKind(*_MISSING, "Label the others, too; those left out must not be the hard ones.")
MISPLACED_LABELS = FindingKind(
    *_MISSING,
    "The plan's column row counts from 1: check that the labels stand at the rows that it names.",
    ", and {others:count label} at rows that are not in the plan.",
)
NOT_RANDOM = FindingKind(
    "labels",
    "labels_not_random",
    "Slice {name!r} has {among:.0%} of the labelled rows and {rate:.0%} of the {target}: the labelled rows are no "
    "random draw, and what they say may not hold for the others",
    "Label rows drawn at random, or those of a plan, and name the plan.",
)


def label_column(fit: Fit) -> str:
    """Name the column that labels of the target are looked for in."""
    rows = _rows(fit)
    column = rows.metric.column if rows.metric.column is not None else rows.source.label
    if column is None:
        raise MandolineError(Sentence("There is no label column to look for in the {target}. Set label in [task]."))
    return column


def has_label(fit: Fit, target: Sample) -> Bools:
    """Say which target rows have a label, shape (n_target,); none where the target has no such column."""
    if fit.in_table:
        raise MandolineError(
            Sentence(
                "Labels and plans go by single rows, and the {target_rows} stay in a table. Draw some of them into a "
                "file of their own, and take that for the {target}."
            )
        )
    n = len(fit.problem.members.target)
    if target.n_rows != n:
        raise DataError(
            Sentence(
                "{name} has {n_rows:count row}, and the estimate was prepared on {n:,}. Labels must stand beside the "
                "same {target_rows}, in the same order.",
                name=target.name,
                n_rows=target.n_rows,
                n=n,
            )
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
        raise MandolineError("Only slice codes are known here, and labels belong to rows. Use prepare() on samples.")
    return fit.cells.rows


def label_method(name: str) -> str:
    """Name the method that carries labels further: Mandoline, where the one asked for has no weights on slices."""
    return name if get_estimator(name).takes_labels else Mandoline.name


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
                Sentence(
                    "The plan has weights for {n:,} rows, and the {target} has {n_target:,}. Use the plan made for "
                    "this {target}.",
                    n=len(plan),
                    n_target=len(labelled),
                )
            )
        planned = np.isfinite(plan[labelled])
        if not planned.any():
            raise MandolineError(
                Sentence(
                    "None of the {n:count planned row} has a label. The plan's column row counts from 1, without the "
                    "header: row 1 is the {target}'s first row. Check that the labels stand at the rows that the plan "
                    "names.",
                    n=int(np.isfinite(plan).sum()),
                )
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
        yield (MISPLACED_LABELS if others else MISSING_LABELS).found(
            "info" if not others else "serious" if mostly else "warning",
            missing=missing,
            planned=int(planned.sum()),
            others=others,
        )


def odd_draw(problem: Problem, labelled: Bools, shares: Floats) -> Iterator[Finding]:
    """Notice labelled rows that cannot well be a random draw: some slice is far too frequent or rare among them."""
    inside = problem.patterns.codes[problem.members.target] == 1
    rate = inside.mean(axis=0)
    # Drawn without putting back: all rows labelled would leave no doubt.
    variance = rate * (1 - rate) * max(float(shares @ shares) - 1 / len(labelled), 0.0)
    among = shares @ inside[labelled]
    z = np.where(variance > 0, (among - rate) / np.sqrt(np.maximum(variance, 1e-300)), 0.0)
    # Bonferroni, as one odd slice among many is to be expected.
    if not len(z) or np.abs(z).max() <= -ndtri(_ODD / 2 / len(z)):
        return
    worst = int(np.abs(z).argmax())
    name = problem.patterns.names[worst]
    yield NOT_RANDOM.found("serious", slices=(name,), name=name, among=float(among[worst]), rate=float(rate[worst]))
