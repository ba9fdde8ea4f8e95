"""Balance: what the weights did to the modelled slices, and to the columns that nobody modelled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.estimating.model_report import ModelReport
from mandoline_core.patterns import add_up
from mandoline_core.samples import Sample, class_codes

MOST_VALUES = 30  # a text column with more distinct values is prose, or a key


@dataclass(frozen=True)
class Balance:
    """Hold how far one quantity of the source is from the target, before and after weighting.

    Parameters
    ----------
    name : str
        A slice, a column, or a column's value as "column = value".
    kind : {"slice", "column"}
    source, weighted, target : float
        The mean of a number, or the share of rows, in the source, the reweighted source and the target.
    before, after : float
        Target minus source, and target minus reweighted source, over the pooled standard deviation.
    modelled : bool
        Modelled slices match by construction, which proves nothing.
    """

    name: str
    kind: Literal["slice", "column"]
    source: float
    weighted: float
    target: float
    before: float
    after: float
    modelled: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the line as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class HeavyPattern:
    """Describe source rows that look alike to the slices, and how much each of them counts.

    Parameters
    ----------
    inside, unknown : tuple of slice names
        Slices that hold these rows, and slices that abstain on them.
    source, target : int
        Rows.
    ratio : float
        How many times a row counts.
    weight : float
        Share of the estimate that rests on these rows.
    """

    inside: tuple[str, ...]
    unknown: tuple[str, ...]
    source: int
    target: int
    ratio: float
    weight: float


def slice_balance(report: ModelReport) -> tuple[Balance, ...]:
    """Compare the share of rows inside each modelled slice, on the patterns."""
    table = report.problem.patterns
    inside = (table.codes == 1).astype(float)
    kept = np.where(report.outcome.kept, table.target, 0.0)
    shares = [
        counts @ inside / counts.sum() for counts in (table.source, table.source * report.ratios, kept) if counts.sum()
    ]
    return tuple(
        _line(name, "slice", float(source), float(weighted), float(target), modelled=True)
        for name, source, weighted, target in zip(table.names, *shares, strict=True)
    )


def column_balance(
    report: ModelReport, source: Sample, target: Sample, *, skip: Collection[str] | None = None
) -> tuple[Balance, ...]:
    """Compare the columns that neither a slice nor a role uses, worst remaining first.

    Numbers are compared by their mean, columns with few values by the value whose share is furthest off after
    weighting; prose, keys and dates are passed over. Source rows without a score do not enter, nor do the target
    rows that the estimate does not speak of.

    Parameters
    ----------
    skip : collection of str, optional
        Columns to leave out; those that slices and roles use when not given.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, estimate
    >>> place, age = ["a"] * 80 + ["b"] * 20, [30] * 80 + [60] * 20
    >>> source = Sample(pd.DataFrame({"place": place, "age": age, "y": 1, "p": 1}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": ["a", "b"], "age": [30, 60], "p": 1}))
    >>> report = estimate(source, target, [Category("b", column="place", values=("b",))]).first
    >>> (line,) = column_balance(report, source, target)
    >>> line.name, round(line.source, 3), round(line.weighted, 3), line.target
    ('age', 36.0, 45.0, 45.0)
    """
    skipped = used_columns(report, source) if skip is None else skip
    scored = report.prepared.counted.scored
    kept = report.outcome.kept[report.prepared.counted.count.target_index]
    rows = _Rows(scored / scored.sum(), report.weights, kept / kept.sum())
    found = []
    for column in source.columns:
        if column in target.columns and column not in skipped:
            line = _compare(column, source, target, rows)
            if line is not None:
                found.append(line)
    return tuple(sorted(found, key=lambda line: -abs(line.after)))


def used_columns(report: ModelReport, source: Sample) -> frozenset[str]:
    """List the columns that roles, slices and gold answers use."""
    found = {source.label} if source.label is not None else set()
    for model in source.models:
        found.update(model.columns)
    for rule in report.prepared.counted.slices:
        found.update(rule.reads if rule.gold is None else (*rule.reads, rule.gold))
    return frozenset(found)


def heaviest_patterns(report: ModelReport, most: int = 8) -> tuple[HeavyPattern, ...]:
    """Describe the patterns whose source rows count most, heaviest first."""
    table = report.problem.patterns
    ratios = np.where(table.source > 0, report.ratios, -1.0)
    order = np.argsort(-ratios, kind="stable")[:most]

    def with_code(pattern: int, code: int) -> tuple[str, ...]:
        return tuple(name for name, found in zip(table.names, table.codes[pattern], strict=True) if found == code)

    return tuple(
        HeavyPattern(
            inside=with_code(pattern, 1),
            unknown=with_code(pattern, 0),
            source=round(table.source[pattern]),
            target=round(table.target[pattern]),
            ratio=float(ratios[pattern]),
            weight=float(ratios[pattern] * table.source[pattern] / table.n_source),
        )
        for pattern in order
        if table.source[pattern] > 0
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Hold how much each row counts: in the source as it is, in the reweighted source, in the target."""

    source: Floats
    weighted: Floats
    target: Floats


def _compare(column: str, source: Sample, target: Sample, rows: _Rows) -> Balance | None:
    kinds = [sample.schema[column] for sample in (source, target)]
    if all(kind.is_numeric() for kind in kinds):
        return _compare_means(column, source.series(column), target.series(column), rows)
    if all(kind in (nw.String, nw.Boolean) for kind in kinds):
        return _compare_values(column, source.series(column), target.series(column), rows)
    return None


def _compare_means(column: str, source: nw.Series[Any], target: nw.Series[Any], rows: _Rows) -> Balance | None:
    values = [series.to_numpy().astype(float) for series in (source, target)]
    before = _moments(values[0], rows.source)
    after = _moments(values[0], rows.weighted)
    there = _moments(values[1], rows.target)
    if before is None or after is None or there is None:
        return None
    spread = float(np.sqrt((before[1] + there[1]) / 2))
    return _line(column, "column", before[0], after[0], there[0], spread=spread)


def _moments(values: Floats, counts: Floats) -> tuple[float, float] | None:
    """Return the mean and the variance of the values that are there; None without any."""
    known: NDArray[np.bool_] = np.isfinite(values) & (counts > 0)
    total = float(counts[known].sum())
    if total <= 0:
        return None
    mean = float(counts[known] @ values[known]) / total
    return mean, float(counts[known] @ (values[known] - mean) ** 2) / total


def _compare_values(column: str, source: nw.Series[Any], target: nw.Series[Any], rows: _Rows) -> Balance | None:
    if source.n_unique() > MOST_VALUES + 1:
        return None
    (here, there), names = class_codes(source, target)
    if not 1 < len(names) <= MOST_VALUES:
        return None
    n = len(names) + 1  # the last stands for a missing value
    shares = [
        add_up(np.where(codes < 0, n - 1, codes).astype(np.intp), counts, n)
        for codes, counts in ((here, rows.source), (here, rows.weighted), (there, rows.target))
    ]
    lines = [
        _line(f"{column} = {name}", "column", *(float(share[i]) for share in shares))
        for i, name in enumerate([*names, "(missing)"])
    ]
    return max(lines, key=lambda line: (abs(line.after), abs(line.before)))


def _line(
    name: str,
    kind: Literal["slice", "column"],
    source: float,
    weighted: float,
    target: float,
    *,
    spread: float | None = None,
    modelled: bool = False,
) -> Balance:
    """Put three means over a spread; that of a share when none is given."""
    if spread is None:
        spread = float(np.sqrt(max(source * (1 - source) + target * (1 - target), 0.0) / 2))
    # The mean of a constant column is off in the last digit, and so is its spread.
    scale = spread if spread > 1e-9 * max(abs(source), abs(target)) else np.inf
    return Balance(
        name, kind, source, weighted, target, (target - source) / scale, (target - weighted) / scale, modelled
    )
