"""The checks of the weights: whether they could be fitted, rest on enough rows, and have no heavy tail."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.tail import USABLE
from mandoline_core.data import PLURALS, quoted_examples
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted, show_times
from mandoline_core.pipeline import Estimate

FEW_ROWS = 30  # below, a mean of rows is not yet normal, which intervals rest on
MOSTLY_READ = 0.9  # of a column's texts; with fewer, it may hold something else
FEW_GROUPS = 20  # below, a variance by groups is rough; below half of it, Student's t no longer makes up for that
FEW_EFFECTIVE_ROWS = 100  # a margin of error of ten points and more on a share

NOT_CONVERGED = Finding(
    "fit",
    "not_converged",
    "serious",
    "The weights did not converge.",
    "Remove slices or edges that are nearly redundant, or set a small ridge such as 0.01.",
    "The number shown is not an estimate.",
)
_MERGE = "Turn off or merge the slice that shifts most, or label more rows like the new ones."


class FitCheck(CheckRule):
    """Ask whether the weights could be fitted; methods add what stood in their way."""

    name = "fit"
    question = "Could the weights be fitted?"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Report a fit that failed, and one with a ridge."""
        if not estimate.outcome.converged:
            yield NOT_CONVERGED
        ridge = estimate.problem.ridge
        if ridge > 0:
            text, detail = (
                f"A ridge of {ridge:g} shrinks the weights.",
                "Weighted slices do not match the new data exactly.",
            )
            yield Finding(
                "fit", "ridge", "info", text, "Set ridge = 0 to match them exactly.", detail, numbers={"ridge": ridge}
            )


class RowsCheck(CheckRule):
    """Ask whether there are enough rows; counting adds those that lack something."""

    name = "rows"
    question = "Are there enough rows?"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Count the rows of both samples."""
        table = estimate.problem.patterns
        for side, data, n in (("source", "labelled", table.n_source), ("target", "new", table.n_target)):
            if n < FEW_ROWS:
                yield Finding(
                    "rows",
                    f"few_{side}_rows",
                    "serious",
                    f"The {data} data has {counted(n, 'row')}.",
                    "Collect more rows before you quote this number.",
                    f"Intervals need at least {FEW_ROWS} rows.",
                    numbers={"n": float(n), "least": FEW_ROWS},
                )
        yield from _unread_values(estimate)
        yield from _about_groups(estimate)
        yield from _about_design_weights(estimate)


def _about_design_weights(estimate: Estimate) -> Iterator[Finding]:
    """Say what design weights cost, whatever the slices: Kish's effective sample size."""
    problem, rows = estimate.problem, estimate.cells.rows
    if problem.designed is None or not problem.designed.has_weights or rows is None:
        return
    sides = zip(
        ("labelled", "new"),
        (rows.source.weight, rows.target.weight),
        problem.alike_rows,
        (problem.patterns.n_source, problem.patterns.n_target),
        strict=True,
    )
    counts = {data: (column, alike, n) for data, column, alike, n in sides if column is not None}
    shown = " and ".join(
        f"{n:,.0f} {data} rows by {column!r} (worth {alike:,.0f} of equal weight)"
        for data, (column, alike, n) in counts.items()
    )
    yield Finding(
        "rows",
        "rows_weighted",
        "info",
        f"Design weights count {shown}.",
        numbers={data: alike for data, (_, alike, _) in counts.items()},
    )


def _unread_values(estimate: Estimate) -> Iterator[Finding]:
    """Count the texts that became missing because they are not what their column was declared to hold."""
    rows = estimate.cells.rows
    if rows is None:
        return
    sides = {"labelled": rows.source.readings, "new": rows.target.readings}
    for column in dict.fromkeys(name for readings in sides.values() for name in readings):
        found = {data: readings[column] for data, readings in sides.items() if column in readings}
        lost = {data: reading for data, reading in found.items() if reading.n_unread}
        if not lost:
            continue
        counts = " and ".join(f"{one.n_unread:,} of {one.n_known:,} {data}" for data, one in lost.items())
        first = next(iter(lost.values()))
        mostly = all(reading.share >= MOSTLY_READ for reading in lost.values())
        yield Finding(
            "rows",
            "values_unread",
            "info" if mostly else "warning",
            f"{column} is read as {PLURALS[first.type]}: {counts} values are something else "
            f"({quoted_examples(first)}) and count as missing.",
            "" if mostly else f"Check whether {column} holds {PLURALS[first.type]}.",
            numbers={"column": column, "unread": tuple(one.n_unread for one in lost.values())},
        )


def _about_groups(estimate: Estimate) -> Iterator[Finding]:
    """Count the groups where rows belong together, and say what that costs."""
    designed, rows = estimate.problem.designed, estimate.cells.rows
    effect = estimate.diagnostics.group_design_effect
    if designed is None or rows is None or effect is None:
        return
    sides, counts = (("source", "labelled", rows.source), ("target", "new", rows.target)), {}
    for (side, data, sample), design in zip(sides, designed.design, strict=True):
        if design.clusters is None:
            continue
        counts[data] = n = len(np.unique(design.clusters))
        if n < FEW_GROUPS:
            yield Finding(
                "rows",
                f"few_{side}_groups",
                "serious" if n < FEW_GROUPS / 2 else "warning",
                f"The {data} data has {counted(n, 'group')} by {sample.group!r}: too few for a reliable interval.",
                "Collect rows of more groups.",
                f"Intervals by group need at least {FEW_GROUPS} groups.",
                numbers={"n": n, "least": FEW_GROUPS, "column": sample.group},
            )
    times = math.sqrt(effect)
    shown = " and ".join(f"{n:,} groups of {data} rows" for data, n in counts.items())
    yield Finding(
        "rows",
        "rows_in_groups",
        "info",
        f"Intervals go by {shown}. They are {times:.1f} times as wide as if rows were independent.",
        numbers={"times": times, "group_design_effect": effect},
    )


class WeightsCheck(CheckRule):
    """Ask whether there are enough effective rows."""

    name = "weights"
    question = "Are there enough effective rows?"
    labels_outweigh = "doubt"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Count the effective rows: fewer are never better, however many or few there are in all."""
        n, effective = estimate.problem.patterns.n_source, estimate.effective_sample_size
        if effective >= FEW_EFFECTIVE_ROWS:
            return
        ratio = estimate.largest_ratio
        why, remedy = "too few for the checks to detect much", "Label more rows, first those like the new ones."
        if effective < n / 2:
            why, remedy = f"and single rows weigh up to {show_times(ratio)}", _MERGE
        yield Finding(
            "weights",
            "few_effective_rows",
            "serious" if effective < FEW_EFFECTIVE_ROWS / 4 else "warning",
            f"The estimate rests on {counted(effective, 'effective row')} of {n:,.0f}, {why}.",
            remedy,
            numbers={"effective": effective, "n": float(n), "ratio": ratio},
        )

    def look(self, report: ModelReport) -> Iterator[Finding]:
        """Look at the tail of the weights."""
        tail = report.evidence.tail
        if tail.k is not None and tail.k >= USABLE:
            yield Finding("weights", "heavy_tail", "serious", tail.words, _MERGE, numbers={"k": tail.k})
