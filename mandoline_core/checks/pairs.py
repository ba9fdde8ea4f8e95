"""The check of pairs: whether two slices are together as often as in the target, once rows are weighted."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.weighting import MAX_UNCERTAIN, count_uncertain, edge_threshold, has_rows, score_tests

MUCH_TOGETHER = 0.05  # of the rows: a pair that agrees so much more or less often than in the target is worth an edge

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


class PairsCheck(CheckRule):
    """Ask whether pairs of slices match."""

    name = "pairs"
    question = "Do pairs of slices match?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun] | None:
        """Test pairs where slices are fitted: edges are what matches them."""
        return None if report.outcome.delta is None else _look(report)


def _look(report: ModelReport) -> Iterator[Finding | NotRun]:
    """Name the pair of slices whose joint frequency weighting leaves furthest off, if tests tell it from luck."""
    problem = report.problem
    if not get_estimator(report.estimator).tilts_slices or report.fit.learned is not None:
        return
    uncertain = count_uncertain(problem)
    if uncertain > MAX_UNCERTAIN:
        yield from _not_tested(
            Sentence("{n} slices are noisy or abstain, and testing pairs of so many takes too long.", n=uncertain)
        )
        return
    try:
        tests = score_tests(problem)
    except MandolineError as error:
        yield from _not_tested(error.sentence)
        return
    threshold = edge_threshold(len(problem.patterns.names))
    found = sorted(
        (test for test in tests if abs(test.z) > threshold and has_rows(problem, test.edge)),
        key=lambda test: -abs(test.z),
    )
    if not found:
        return
    first, second = (problem.patterns.names[i] for i in found[0].edge)
    gap = found[0].gap / 2  # two slices agree in (1 + E[g_i g_j]) / 2 of the rows
    yield UNMODELLED_PAIR.found(
        "warning" if abs(gap) >= MUCH_TOGETHER else "info",
        slices=(first, second),
        first=first,
        second=second,
        points=abs(100 * gap),
        way="more" if gap > 0 else "less",
        z=found[0].z,
        others=Sentence(" {n} other pairs stand out, too.", n=len(found) - 1) if len(found) > 1 else "",
    )


def _not_tested(why: str) -> Iterator[Finding | NotRun]:
    found = PAIRS_NOT_TESTED.found("info", why=why)
    yield found
    yield NotRun(found.message, found.headline)
