"""The slice table: what each slice covers, how far it shifts, and how the model does inside and outside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import html_table, show_interval
from mandoline_core.patterns import Patterns
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.pipeline.fits import Fit
from mandoline_core.results import Tabular


@dataclass(frozen=True)
class SlicePart:
    """Hold the score on one side of a slice, in the source."""

    n: int
    score: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Gold:
    """Hold how well a slice agrees with its gold column, on the source rows where both speak."""

    n: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class SliceRow:
    """Hold one line of the slice table.

    Parameters
    ----------
    name : str
        The slice's name.
    rule, full_rule : str
        The rule in words, with rounded numbers; and with all its values and digits.
    source, target : float
        Share of rows in the slice.
    source_abstains, target_abstains : float
        Share of rows where the slice abstains.
    shift : float
        Share in the new data minus share in the labelled data, among rows where the slice does not abstain.
    standardised_shift : float or None
        The shift in pooled standard deviations; None if neither sample varies.
    most_like, overlap : str or None, float or None
        The slice with the largest overlap, and that overlap (Jaccard index over both samples).
    """

    name: str
    rule: str
    full_rule: str
    source: float
    target: float
    source_abstains: float
    target_abstains: float
    shift: float
    standardised_shift: float | None
    inside: SlicePart
    outside: SlicePart
    most_like: str | None
    overlap: float | None
    gold: Gold | None

    def as_dict(self) -> dict[str, Any]:
        """Return the line as plain data."""
        return asdict(self)


class SliceTable(Tabular, tuple[SliceRow, ...]):
    """Hold the slice table. Shows as a table in a notebook."""

    share: bool

    def __new__(cls, rows: Iterable[SliceRow] = (), *, share: bool = True) -> SliceTable:
        """Take the lines."""
        table = super().__new__(cls, rows)
        table.share = share
        return table

    def cells(self) -> list[list[str]]:
        """Return the table as text, the header first."""
        head = [
            "slice",
            "labelled",
            "new",
            "shift",
            "shift (sd)",
            "score in slice (rows)",
            "score elsewhere (rows)",
            "rule",
        ]
        return [head, *(_cells(row, share=self.share) for row in self)]

    def as_dict(self) -> list[dict[str, Any]]:
        """Return the lines as plain data."""
        return [row.as_dict() for row in self]

    def records(self) -> list[dict[str, Any]]:
        """List the slices."""
        return [
            {"slice": row.name, "source": row.source, "target": row.target, "shift": row.shift}
            | {"in_slice": row.inside.score, "rows": row.inside.n, "elsewhere": row.outside.score, "rule": row.rule}
            for row in self
        ]

    def _repr_html_(self) -> str:
        return html_table(self.cells())


def slice_table(fit: Fit, *, confidence: float = 0.95) -> SliceTable:
    """Summarise every slice: frequency in both samples, shift and score."""
    table = fit.problem.patterns
    source, target = table.rates("source"), table.rates("target")
    alike = _overlaps(table)
    rules = {rule.name: (rule.describe(), rule.in_full) for rule in fit.cells.slices}
    rows = []
    for i, name in enumerate(table.names):
        share = [_speaking(rates[i]) for rates in (source, target)]
        spread = np.sqrt(sum(p * (1 - p) for p in share) / 2)
        partner = int(alike[i].argmax()) if len(table.names) > 1 else -1
        rows.append(
            SliceRow(
                name=name,
                rule=rules.get(name, ("", ""))[0],
                full_rule=rules.get(name, ("", ""))[1],
                source=float(source[i, 2]),
                target=float(target[i, 2]),
                source_abstains=float(source[i, 1]),
                target_abstains=float(target[i, 1]),
                shift=share[1] - share[0],
                standardised_shift=float((share[1] - share[0]) / spread) if spread > 0 else None,
                inside=_part(fit, i, 1, confidence),
                outside=_part(fit, i, -1, confidence),
                most_like=table.names[partner] if partner >= 0 and alike[i, partner] > 0 else None,
                overlap=float(alike[i, partner]) if partner >= 0 and alike[i, partner] > 0 else None,
                gold=_gold(fit, i, fit.cells.gold[name].counts) if name in fit.cells.gold else None,
            )
        )
    return SliceTable(rows, share=fit.problem.metric.share)


def _cells(row: SliceRow, *, share: bool) -> list[str]:
    return [
        row.name,
        f"{row.source:.1%}",
        f"{row.target:.1%}",
        f"{100 * row.shift:+.1f}",
        "-" if row.standardised_shift is None else f"{row.standardised_shift:+.2f}",
        *(_part_text(part, share=share) for part in (row.inside, row.outside)),
        "" if row.rule == row.name else row.rule,
    ]


def _part_text(part: SlicePart, *, share: bool) -> str:
    if part.score is None or part.interval is None:
        return f"- ({part.n:,})"
    return f"{show_interval(part.score, part.interval, share=share)} ({part.n:,})"


def _speaking(rates: np.ndarray) -> float:
    """Return the share of yes among the rows where the slice does not abstain."""
    total = rates[0] + rates[2]
    return float(rates[2] / total) if total > 0 else 0.0


def _part(fit: Fit, i: int, code: int, confidence: float) -> SlicePart:
    """Score the source rows with one code: the plain mean, with its interval."""
    table = fit.problem.patterns
    here = table.codes[:, i] == code
    n = float(fit.problem.row_counts[0][here].sum())
    if not n:
        return SlicePart(0, None, None)
    inside = table.only(here)
    members = fit.problem.membership
    if members is not None:  # a split of the source has no part in a plain mean
        members = members._replace(groups=np.zeros_like(members.groups))
    problem = replace(fit.problem, patterns=inside, groups=(inside,), folds=((0, 0),), membership=members)
    try:
        outcome = get_estimator("source").estimate(problem)
    except MandolineError:  # a metric may not be defined on so few rows: recall without a label of the class
        return SlicePart(round(n), None, None)
    return SlicePart(round(n), outcome.value, interval_of(problem, outcome, confidence))


def _overlaps(table: Patterns) -> np.ndarray:
    """Compute the Jaccard index of every pair of slices, over the rows of both samples; 0 on the diagonal."""
    inside = (table.codes == 1).astype(float)
    counts = table.source + table.target
    both = inside.T @ (counts[:, None] * inside)
    size = np.diag(both)
    union = size[:, None] + size[None, :] - both
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.where(union > 0, both / union, 0.0)
    np.fill_diagonal(alike, 0.0)
    return alike


def _gold(fit: Fit, i: int, counts: np.ndarray) -> Gold:
    """Compare a slice with its gold column: counts by code (rows) and truth (columns), -1, 0, 1."""
    cells = fit.cells.count
    answers, codes = fit.cells.gold_answers[cells.patterns.names[i]], cells.patterns.codes[cells.source_index, i]
    rows = cells.design[0].count_rows(cells.source_rows)
    hit, false, missed = counts[2, 2], counts[2, 0], counts[0, 2]

    def ratio(part: float, whole: float) -> float | None:
        return float(part / whole) if whole else None

    return Gold(
        n=round(rows[(answers != 0) & (codes != 0)].sum()),
        precision=ratio(hit, hit + false),
        recall=ratio(hit, hit + missed),
        f1=ratio(2 * hit, 2 * hit + false + missed),
    )
