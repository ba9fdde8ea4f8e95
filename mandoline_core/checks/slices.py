"""The check of the slices: whether each says something, and something of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mandoline_core.checks.check import CheckRule, Solution
from mandoline_core.checks.support import TINY
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.patterns import Patterns

MUCH_ABSTENTION = 0.5

CONSTANT_SLICE = FindingKind(
    "slices",
    "constant_slice",
    "Slice {name!r} is the same for every row of both samples, so it carries no information",
    "Remove it or change its rule.",
)
TINY_SLICE = FindingKind(
    "slices",
    "tiny_slice",
    "Slice {name!r} has {n} {source_rows} {side} it",
    "Widen its rule, merge it with another slice, or label more such rows.",
    ". What it says about the score there is mostly luck.",
)
MUCH_ABSTAINED = FindingKind(
    "slices",
    "much_abstention",
    "Slice {name!r} abstains on {share:percent} of the {where}, where it is taken to say nothing",
    "Fill in the missing values, or drop the slice.",
)
DUPLICATE_SLICE = FindingKind(
    "slices",
    "duplicate_slice",
    "Slices {twin!r} and {name!r} say the same about every row",
    "One of them is enough.",
)


class SlicesCheck(CheckRule):
    """Ask whether every slice says something."""

    name = "slices"
    question = "Does every slice say something?"
    on_slices = True

    def find(self, solution: Solution) -> Iterator[Finding]:
        """Look at every slice by its rates, and at its twins."""
        table = solution.problem.patterns
        source, target = table.rates("source"), table.rates("target")
        constant = ((source > 0) | (target > 0)).sum(axis=1) == 1
        for i in np.flatnonzero(constant):
            yield CONSTANT_SLICE.found("warning", slices=(table.names[i],), name=table.names[i])
        yield from _duplicates(table, constant)
        rows = source * table.n_source
        for number, name in enumerate(table.names):
            if constant[number]:
                continue
            n, side = min((round(rows[number, 2]), "inside"), (round(rows[number, 0]), "outside"))
            if n < TINY:
                yield TINY_SLICE.found("warning", slices=(name,), name=name, n=n, side=side)
            here, there = float(source[number, 1]), float(target[number, 1])
            if max(here, there) > MUCH_ABSTENTION:
                where = Sentence("{source}" if here >= there else "{target}")
                yield MUCH_ABSTAINED.found("warning", slices=(name,), name=name, share=max(here, there), where=where)


def _duplicates(table: Patterns, constant: np.ndarray) -> Iterator[Finding]:
    seen: dict[bytes, str] = {}
    for i in np.flatnonzero(~constant):
        name, column = table.names[i], table.codes[:, i].tobytes()
        if column in seen:
            yield DUPLICATE_SLICE.found("info", slices=(seen[column], name), twin=seen[column], name=name)
        seen.setdefault(column, name)
