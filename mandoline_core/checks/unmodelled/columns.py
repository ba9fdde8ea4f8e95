"""What is not modelled: columns, words and pairs of slices that weighting leaves off, and the slice that would help."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from mandoline_core.checks.unmodelled.gaps import sampling_threshold, weigh, weigh_rows
from mandoline_core.checks.unmodelled.ground import Gaps, Ground, Weighing, lay_ground
from mandoline_core.checks.unmodelled.line import AGREEMENT, BalanceLine, Edge
from mandoline_core.checks.unmodelled.shift import column_shift
from mandoline_core.domain_classifier import MOST_LEVELS
from mandoline_core.errors import MandolineError
from mandoline_core.pipeline import HARMLESS, ColumnTable, ColumnTally, Estimate, Quantity, column_table
from mandoline_core.slices import Slice, free_name
from mandoline_core.weighting import (
    ProductPairs,
    edge_threshold,
    expected_potentials,
    has_rows,
    pair_gaps,
    score_tests,
)

_NOTHING = 1e-12  # rounding errors


def columns_of(report: Estimate) -> ColumnTable | None:
    """Add up the columns behind a report by pattern; None where there are only codes.

    The table stays right when corrections, edges or a ridge change; with other slices it is another.
    """
    counted, problem = report.fit.cells, report.problem
    by_row = report.outcome.scored_weights is not None
    if counted.drawn is None:
        return None
    same = report.fit.in_table or (problem.patterns is counted.count.patterns and len(problem.groups) == 1)
    table = counted.columns if same and not by_row else None
    if table is None:
        table = column_table(counted.drawn, report.fit.row_members, len(problem.patterns), by_row=by_row)
    harmless = report.fit.trust.harmless
    return table.without(harmless, HARMLESS) if harmless else table


def unmodelled_balance(report: Estimate, table: ColumnTable) -> tuple[BalanceLine, ...]:
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
    rules = report.fit.cells.slices
    names, keys = {rule.name for rule in rules}, {rule.key for rule in rules}
    reads = {rule.name: rule.reads for rule in rules}
    found = []
    for column, gaps in zip(table.columns, _compare_all(table, weighing), strict=True):
        line = _shift(column, gaps, threshold)
        if line is not None:
            # Another rule on the same text, such as another word, is no reason to expect that this one matches.
            readers = tuple(n for n, columns in reads.items() if column.column in columns and line.kind != "text")
            found.append(replace(line, suggestion=_free(line.suggestion, names, keys), read_by=readers))
    return tuple(sorted(found, key=lambda line: (-round(abs(line.after), 12), line.column)))


def unmodelled_pairs(report: Estimate) -> tuple[BalanceLine, ...]:
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
    kept = report.outcome.kept * table.target
    pairs = tuple(itertools.combinations(range(len(names)), 2))
    truth = expected_potentials(table.codes, corrections.target, ())
    means = ProductPairs(truth, pairs).average(kept / kept.sum())
    agree = dict(zip(pairs, (1 + means) / 2, strict=True))
    found = []
    for test in tests:
        target, (before, after) = float(agree[test.edge]), gaps[test.edge]
        source = target - before
        variance = (source * (1 - source) + target * (1 - target)) / 2
        spread = float(np.sqrt(variance)) if variance > _NOTHING else np.inf  # they always agree, or never
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


def _shift(column: ColumnTally, gaps: Mapping[Quantity, Gaps], threshold: float) -> BalanceLine | None:
    """Compare a column; the levels that are lumped together count in its distance, but no line is about them."""
    line = column_shift(column, gaps, threshold)
    if line is None or column.kind != "category" or len(column.items) <= MOST_LEVELS:
        return line
    named = {**gaps, "counts": gaps["counts"].take(slice(MOST_LEVELS))}
    best = column_shift(replace(column, items=column.items[:MOST_LEVELS]), named, threshold)
    if best is None:
        return None
    return replace(best, distance_before=line.distance_before, distance_after=line.distance_after)


def _weighing(report: Estimate, table: ColumnTable) -> Weighing:
    if table.n_groups:
        weighing = weigh(report, table.n_groups)
    else:
        whole = weigh_rows(report)
        rows = table.drawn.source_rows
        weighing = replace(whole, source=whole.source[rows], source_matched=whole.source_matched[rows])
    rows_and_cells = (len(report.fit.row_members.source), (len(weighing.source), len(weighing.target)))
    if (table.drawn.n_source, table.n_cells) != rows_and_cells:
        raise MandolineError("The columns were added up for other slices or other rows. Read them again.")
    return weighing.take(table.source_cells, table.target_cells)


def _compare_all(table: ColumnTable, weighing: Weighing) -> list[dict[Quantity, Gaps]]:
    """Compare everything that columns are compared by, all that the same rows have at once; by column."""
    found: list[dict[Quantity, Gaps]] = [{} for _ in table.columns]
    everywhere: Ground | None = None
    for stack in table.stacks:
        if not stack.everywhere or everywhere is None:
            rows = stack.tally.source_rows, stack.tally.target_rows
            ground = lay_ground(weighing, *rows, project=stack.everywhere)
            everywhere = ground if stack.everywhere else everywhere
        else:
            ground = everywhere
        if ground is None:
            continue
        gaps = ground.compare(stack.tally)
        for place in stack.places:
            found[place.column][place.quantity] = gaps.take(place.where)
    return found


def _free(rule: Slice | Edge | None, names: Collection[str], keys: Collection[object]) -> Slice | Edge | None:
    """Give a suggested slice a name that is free; none for a rule that is a slice already."""
    if not isinstance(rule, Slice) or rule.key in keys:
        return None
    return replace(rule, name=free_name(rule.name, names))
