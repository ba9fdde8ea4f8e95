"""What is not modelled: columns, words and pairs of slices that weighting leaves off, and the slice that would help."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from mandoline_core.errors import MandolineError
from mandoline_core.estimating import ModelReport
from mandoline_core.findings import Finding
from mandoline_core.slices import Slice
from mandoline_core.trust.unmodelled.encoding import MOST_LEVELS
from mandoline_core.trust.unmodelled.gaps import Weighing, sampling_threshold, weigh, weigh_rows
from mandoline_core.trust.unmodelled.line import AGREEMENT, BalanceLine, Edge
from mandoline_core.trust.unmodelled.shift import column_shift
from mandoline_core.trust.unmodelled.table import ColumnTable, column_table
from mandoline_core.trust.unmodelled.tally import ColumnTally
from mandoline_core.weighting import edge_threshold, expected_potentials, has_rows, pair_gaps, score_tests

# A shift of a quarter of a standard deviation is what balance checks usually call more than negligible; from 0.8
# on, the two samples hardly look like one population in that column.
NOTABLE, LARGE = 0.25, 0.8
MOST_FINDINGS = 3
MOST_NAMED = 2  # slices that read a column
_SAME = 1e-9  # standard deviations; sums in another order differ by less


def columns_of(report: ModelReport, *, most_rows: int = 20_000, seed: int = 0) -> ColumnTable | None:
    """Read the columns behind a report, by pattern; None where there are only codes.

    The table stays right when corrections, edges or a ridge change; it must be read again when slices do.
    """
    problem = report.problem
    if problem.rows is None:
        return None
    gold = {rule.gold for rule in report.prepared.counted.slices if rule.gold is not None}
    by_row = report.outcome.scored_weights is not None
    n_patterns = len(problem.patterns)
    return column_table(problem.rows, problem.members, n_patterns, gold, most_rows, seed, by_row=by_row)


def unmodelled_balance(report: ModelReport, table: ColumnTable) -> tuple[BalanceLine, ...]:
    """Compare every column before and after weighting, on the patterns; what remains most comes first.

    Parameters
    ----------
    table : ColumnTable
        Of the same slices; whatever the weights.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample, estimate
    >>> place, age = ["a"] * 80 + ["b"] * 20, [30] * 80 + [60] * 20
    >>> source = Sample(pd.DataFrame({"place": place, "age": age, "y": 1, "p": 1}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"place": ["a", "b"], "age": [30, 60], "p": 1}))
    >>> report = estimate(source, target, [Category("b", column="place", values=("b",))]).first
    >>> line = unmodelled_balance(report, columns_of(report))[0]
    >>> line.name, round(line.source, 3), round(line.weighted, 3), line.target
    ('age', 36.0, 45.0, 45.0)
    """
    threshold = sampling_threshold(table.n_tests)
    weighing = _weighing(report, table)
    rules = report.prepared.counted.slices
    reads = {rule.name: rule.reads for rule in rules}
    found = []
    for column in table.columns:
        line = _shift(column, weighing, threshold)
        if line is not None:
            # Another rule on the same text, such as another word, is no reason to expect that this one matches.
            readers = tuple(n for n, columns in reads.items() if column.column in columns and line.kind != "text")
            found.append(replace(line, suggestion=_free(line.suggestion, rules), read_by=readers))
    return tuple(sorted(found, key=lambda line: (-round(abs(line.after), 12), line.column)))


def unmodelled_pairs(report: ModelReport) -> tuple[BalanceLine, ...]:
    """Compare how often each pair of slices without an edge agrees, before and after weighting.

    The suggestion is an edge, where the source has rows for it. Nothing is returned for methods that do not fit
    slices, or where testing would mean enumerating too many uncertain slices together.
    """
    problem = report.problem
    names = problem.patterns.names
    if report.outcome.delta is None or len(names) < 2:
        return ()
    try:
        tests, gaps = score_tests(problem), pair_gaps(problem)
    except MandolineError:
        return ()
    corrections, table = problem.corrections(), problem.patterns
    kept = np.where(report.outcome.kept, table.target, 0.0)
    pairs = tuple(itertools.combinations(range(len(names)), 2))
    means = kept @ expected_potentials(table.codes, corrections.target, pairs)[:, len(names) :] / kept.sum()
    agree = dict(zip(pairs, (1 + means) / 2, strict=True))
    found = []
    for test in tests:
        target, (before, after) = float(agree[test.edge]), gaps[test.edge]
        source = target - before
        spread = float(np.sqrt(max(source * (1 - source) + target * (1 - target), 0.0) / 2)) or np.inf
        pair = names[test.edge[0]], names[test.edge[1]]
        found.append(
            BalanceLine(
                column=f"{pair[0]} + {pair[1]}",
                kind="pair",
                detail="agree",
                source=source,
                weighted=target - after,
                target=target,
                before=before / spread,
                after=after / spread,
                distance=AGREEMENT,
                distance_before=abs(before),
                distance_after=abs(after),
                z=test.z,
                threshold=edge_threshold(len(names)),
                suggestion=pair if has_rows(problem, test.edge) else None,
            )
        )
    return tuple(sorted(found, key=lambda line: (-round(abs(line.after), 12), line.column)))


def unmodelled_findings(lines: Iterable[BalanceLine]) -> Iterator[Finding]:
    """Say which columns are left off beyond luck: by a quarter of a standard deviation, or by much (0.8).

    At most three, the worst; pairs of slices have a finding of their own. Where nothing was weighted, before and
    after are the same for every line, and nothing is said of weighting.
    """
    lines = [line for line in lines if line.kind != "pair"]
    weighted = any(abs(line.after - line.before) > _SAME for line in lines)
    notable = [line for line in lines if line.stands_out and abs(line.after) > NOTABLE]
    for line in sorted(notable, key=lambda line: -abs(line.after))[:MOST_FINDINGS]:
        yield Finding(
            "unmodelled_shift",
            "serious" if abs(line.after) > LARGE else "warning",
            f"{_off(line, weighted=weighted)} It matters if the model does better or worse there.",
            _remedy(line),
        )


def _remedy(line: BalanceLine) -> str:
    rule, readers = line.suggestion, line.read_by
    if isinstance(rule, Slice):
        new = f"another slice beside {_named(readers)}, of kind" if readers else "a slice of kind"
        return f"Add {new} {rule.kind!r}: {rule.describe()}. See whether the estimate moves."
    if readers:
        return f"Look at {line.column!r} in both samples, and change {_named(readers)} or add another slice of it."
    return f"Look at {line.column!r} in both samples, and find a rule that tells them apart."


def _named(slices: Sequence[str]) -> str:
    """Name the first slices, and count the others.

    >>> _named(["a"]), _named(["a", "b"]), _named("abcd")
    ("'a'", "'a' and 'b'", "'a', 'b' and 2 more")
    """
    words = [repr(name) for name in slices[:MOST_NAMED]]
    if len(slices) > MOST_NAMED:
        return f"{', '.join(words)} and {len(slices) - MOST_NAMED} more"
    return " and ".join(words)


def _off(line: BalanceLine, *, weighted: bool) -> str:
    """Say how far a line is off: before and after where rows were weighted, else as it is."""
    what = f"the share of rows with {line.name!r}" if line.detail != "mean" else f"the mean of {line.column!r}"
    if line.kind == "text" and line.detail != "missing":
        what = f"the share of rows whose {line.column!r} contains {line.detail.removeprefix('contains ')!r}"
    source, target = f"{line.show(line.source)} in the source", f"{line.show(line.target)} in the target"
    if not weighted:
        return f"T{what[1:]} is off: {source} and {target} ({line.before:+.2f} standard deviations)."
    why = "no slice stands for it"
    if line.read_by:
        one = len(line.read_by) == 1
        who, act = ("the slice", "reads") if one else ("the slices", "read")
        why = f"{who} {_named(line.read_by)} {act} this column but {'does' if one else 'do'} not catch it all"
    return (
        f"After weighting, {what} is still off, and {why}: {source}, {line.show(line.weighted)} "
        f"after weighting and {target} ({line.before:+.2f} standard deviations before, {line.after:+.2f} after)."
    )


def _shift(column: ColumnTally, weighing: Weighing, threshold: float) -> BalanceLine | None:
    """Compare a column; the levels that are lumped together count in its distance, but no line is about them."""
    line = column_shift(column, weighing, threshold)
    if line is None or column.kind != "category" or len(column.items) <= MOST_LEVELS:
        return line
    counts = column.counts
    named = replace(counts, source=counts.source[:, :MOST_LEVELS], target=counts.target[:, :MOST_LEVELS])
    best = column_shift(replace(column, items=column.items[:MOST_LEVELS], counts=named), weighing, threshold)
    if best is None:
        return None
    return replace(best, distance_before=line.distance_before, distance_after=line.distance_after)


def _weighing(report: ModelReport, table: ColumnTable) -> Weighing:
    if table.n_groups:
        weighing = weigh(report, table.n_groups)
    else:
        whole = weigh_rows(report)
        rows = table.source_rows
        weighing = replace(whole, source=whole.source[rows], source_matched=whole.source_matched[rows])
    cells = [(len(c.missing.source_rows), len(c.missing.target_rows)) for c in table.columns[:1]]
    if table.n_source != len(report.problem.members.source) or cells not in (
        [],
        [(len(weighing.source), len(weighing.target))],
    ):
        raise MandolineError("The columns were added up for other slices or other rows. Read them again.")
    return weighing


def _free(rule: Slice | Edge | None, taken: Collection[Slice]) -> Slice | Edge | None:
    """Give a suggested slice a name that is free; none for a rule that is a slice already."""
    if not isinstance(rule, Slice) or rule.key in {other.key for other in taken}:
        return None
    names = {other.name for other in taken}
    numbered = itertools.chain([rule.name], (f"{rule.name} ({n})" for n in itertools.count(2)))
    return replace(rule, name=next(name for name in numbered if name not in names))
