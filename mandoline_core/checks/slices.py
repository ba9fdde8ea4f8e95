"""The checks of slices: whether each is informative, and whether pairs match after weighting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mandoline_core.checks.check import LABELS, CheckRule, NotRun
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.support import TINY
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, Severity
from mandoline_core.formatting import counted, show_percent, show_points
from mandoline_core.patterns import Patterns, code_rates
from mandoline_core.pipeline import Estimate
from mandoline_core.weighting import MAX_UNCERTAIN, count_uncertain, edge_threshold, has_rows, score_tests

MUCH_TOGETHER = 0.05  # of the rows: a pair that agrees so much more or less often than in the target is worth an edge
MUCH_ABSTENTION = 0.5  # of the rows: then what a slice is taken to say of them outweighs what it says


class SlicesCheck(CheckRule):
    """Ask whether every slice is informative."""

    name = "slices"
    question = "Is every slice informative?"
    labels_outweigh = "failure"
    on_slices = True

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Look at each slice's rates, and for slices that say the same."""
        table, counts = estimate.problem.patterns, estimate.problem.row_counts[0]
        source, target = table.rates("source"), table.rates("target")
        constant = ((source > 0) | (target > 0)).sum(axis=1) == 1
        for i in np.flatnonzero(constant):
            name = table.names[i]
            text = f"Slice {name!r} is the same for every row, so it carries no information."
            yield _about("constant_slice", "warning", text, "Remove it or change its rule.", name)
        yield from _duplicates(table, constant)
        rows = code_rates(table.codes, counts) * counts.sum()
        for number, name in enumerate(table.names):
            if constant[number]:
                continue
            n, side = min((round(rows[number, 2]), "inside"), (round(rows[number, 0]), "outside"))
            if n < TINY:
                text = f"Slice {name!r} contains {'all but ' if side == 'outside' else ''}{counted(n, 'labelled row')}."
                remedy = "Widen its rule, merge it with another slice, or label more such rows."
                if not n and side == "inside":
                    remedy = f"No weights can make up for that. Label {LABELS} such rows, or turn the slice off."
                detail = "The score of these few rows is mostly sampling error."
                yield _about("tiny_slice", "warning", text, remedy, name, detail=detail, n=n, side=side)
            shares = float(source[number, 1]), float(target[number, 1])
            if max(shares) > MUCH_ABSTENTION:
                where = "labelled data" if shares[0] >= shares[1] else "new data"
                text = f"Slice {name!r} abstains on {show_percent(max(shares))} of the {where}."
                remedy = "Fill in the missing values, or remove the slice."
                yield _about("much_abstention", "warning", text, remedy, name, share=max(shares))


def _about(
    code: str, severity: Severity, text: str, remedy: str, *names: str, detail: str = "", **numbers: float | str
) -> Finding:
    return Finding("slices", code, severity, text, remedy, detail, names, {"name": names[-1], **numbers})


def _duplicates(table: Patterns, constant: np.ndarray) -> Iterator[Finding]:
    seen: dict[bytes, str] = {}
    for i in np.flatnonzero(~constant):
        name, column = table.names[i], table.codes[:, i].tobytes()
        if column in seen:
            text = f"Slices {seen[column]!r} and {name!r} are identical on every row."
            yield _about("duplicate_slice", "info", text, "Remove one of them.", seen[column], name)
        seen.setdefault(column, name)


class PairsCheck(CheckRule):
    """Ask whether pairs of slices match."""

    name = "pairs"
    question = "Do pairs of slices match after weighting?"
    labels_outweigh = "failure"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun] | None:
        """Test whether pairs of slices occur together as often as in the new data."""
        return None if report.outcome.delta is None else _look(report)


def _look(report: ModelReport) -> Iterator[Finding | NotRun]:
    """Name the pair of slices whose joint frequency weighting leaves furthest off, beyond sampling error."""
    problem = report.problem
    if not get_estimator(report.estimator).tilts_slices or report.fit.learned is not None:
        return
    uncertain, why = count_uncertain(problem), ""
    if uncertain > MAX_UNCERTAIN:
        why = f"{uncertain} slices are noisy or abstain; testing their pairs takes too long."
    try:
        tests = score_tests(problem) if not why else ()
    except MandolineError as error:
        why = str(error)
    if why:
        text, remedy = "Pairs of slices were not tested.", "Use fewer slices that are noisy or abstain."
        finding = Finding("pairs", "pairs_not_tested", "info", text, remedy, why)
        yield finding
        yield NotRun(finding.message, finding.text)
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
    points, way = show_points(abs(gap), share=True, sign=False), "more" if gap > 0 else "less"
    others = f" Also significant: {counted(len(off) - 1, 'other pair')}." if len(off) > 1 else ""
    yield Finding(
        "pairs",
        "unmodelled_pair",
        "warning" if abs(gap) >= MUCH_TOGETHER else "info",
        f"After weighting, {first!r} and {second!r} agree {points} {way} often in the new data.",
        "Add an edge between them.",
        f"The two slices move together (z = {off[0].z:.1f}).{others}",
        (first, second),
        {"first": first, "second": second, "points": 100 * gap, "z": off[0].z},
    )
