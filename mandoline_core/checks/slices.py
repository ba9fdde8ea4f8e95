"""The checks of slices: whether each says something of its own, and whether pairs match once rows are weighted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.support import TINY
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.patterns import Patterns
from mandoline_core.pipeline import Estimate
from mandoline_core.weighting import MAX_UNCERTAIN, count_uncertain, edge_threshold, has_rows, score_tests

MUCH_TOGETHER = 0.05  # of the rows: a pair that agrees so much more or less often than in the target is worth an edge
MUCH_ABSTENTION = 0.5  # of the rows: then what a slice is taken to say of them outweighs what it says

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
UNMODELLED_PAIR = FindingKind(
    "pairs",
    "unmodelled_pair",
    "Slices {first!r} and {second!r} move together: after weighting they still agree on {points:.1f} points {way} of "
    "the {target} than of the {source}",
    'Add an edge between the two, or let edges = "auto" choose.',
    " (z = {z:.1f}).{others}",
)
PAIRS_NOT_TESTED = FindingKind(
    "pairs",
    "pairs_not_tested",
    "Whether pairs of slices match after weighting was not tested",
    "Use fewer slices that are noisy or abstain.",
    ". {why}",
)


class SlicesCheck(CheckRule):
    """Ask whether every slice says something."""

    name = "slices"
    question = "Does every slice say something?"
    on_slices = True

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Look at every slice by its rates, and at its twins."""
        table = estimate.problem.patterns
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
            shares = float(source[number, 1]), float(target[number, 1])
            if max(shares) > MUCH_ABSTENTION:
                where = Sentence("{source}" if shares[0] >= shares[1] else "{target}")
                yield MUCH_ABSTAINED.found("warning", slices=(name,), name=name, share=max(shares), where=where)


def _duplicates(table: Patterns, constant: np.ndarray) -> Iterator[Finding]:
    seen: dict[bytes, str] = {}
    for i in np.flatnonzero(~constant):
        name, column = table.names[i], table.codes[:, i].tobytes()
        if column in seen:
            yield DUPLICATE_SLICE.found("info", slices=(seen[column], name), twin=seen[column], name=name)
        seen.setdefault(column, name)


class PairsCheck(CheckRule):
    """Ask whether pairs of slices match."""

    name = "pairs"
    question = "Do pairs of slices match?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun] | None:
        """Test pairs where slices are fitted: edges are what matches them."""
        return None if report.outcome.delta is None else _look(report)


def _look(report: ModelReport) -> Iterator[Finding | NotRun]:
    """Name the pair of slices whose joint frequency weighting leaves furthest off, beyond sampling error."""
    problem = report.problem
    if not get_estimator(report.estimator).tilts_slices or report.fit.learned is not None:
        return
    uncertain, why = count_uncertain(problem), ""
    if uncertain > MAX_UNCERTAIN:
        why = Sentence("{n} slices are noisy or abstain, and testing pairs of so many takes too long.", n=uncertain)
    try:
        tests = score_tests(problem) if not why else ()
    except MandolineError as error:
        why = error.sentence
    if why:
        finding = PAIRS_NOT_TESTED.found("info", why=why)
        yield finding
        yield NotRun(finding.message, finding.headline)
        return
    threshold = edge_threshold(len(problem.patterns.names))
    off = sorted(
        (test for test in tests if abs(test.z) > threshold and has_rows(problem, test.edge)),
        key=lambda test: -abs(test.z),
    )
    if not off:
        return
    first, second = (problem.patterns.names[i] for i in off[0].edge)
    gap = off[0].gap / 2  # two slices agree in (1 + E[g_i g_j]) / 2 of the rows
    yield UNMODELLED_PAIR.found(
        "warning" if abs(gap) >= MUCH_TOGETHER else "info",
        slices=(first, second),
        first=first,
        second=second,
        points=abs(100 * gap),
        way="more" if gap > 0 else "less",
        z=off[0].z,
        others=Sentence(" {n} other pairs stand out, too.", n=len(off) - 1) if len(off) > 1 else "",
    )
