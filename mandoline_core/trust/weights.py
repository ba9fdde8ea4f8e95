"""The check of the weights: whether enough rows carry the estimate, and the heaviest thin out fast enough."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.findings import Finding, FindingKind
from mandoline_core.trust.check import CheckRule, Solution
from mandoline_core.trust.evidence import CheckedReport
from mandoline_core.trust.rows import FEW_ROWS
from mandoline_core.trust.tail import INDEX, INDEX_SO, USABLE

FEW_EFFECTIVE_ROWS = 100

FEW_EFFECTIVE = FindingKind(
    "weights",
    "few_effective_rows",
    "The estimate rests on {effective:count effective row} out of {n:,.0f}: a few rows count for very much (up to "
    "{ratio:,.0f} times)",
    "Drop or merge the slice that shifts most, or label more rows like the {target}'s.",
)
HEAVY_TAIL = FindingKind(
    "weights",
    "heavy_tail",
    INDEX,
    "Drop or merge the slice that shifts most, or label more rows like the {target}'s.",
    INDEX_SO,
)


class WeightsCheck(CheckRule):
    """Ask whether enough rows carry the estimate."""

    name = "weights"
    question = "Do enough rows carry the estimate?"

    def find(self, solution: Solution) -> Iterator[Finding]:
        """Compare the effective rows with all there are."""
        n, effective = solution.problem.patterns.n_source, solution.diagnostics.effective_sample_size
        very_few = effective < FEW_EFFECTIVE_ROWS / 4
        if effective < FEW_EFFECTIVE_ROWS <= n or (very_few and n >= FEW_ROWS):
            ratio = solution.diagnostics.largest_ratio
            yield FEW_EFFECTIVE.found(
                "serious" if very_few else "warning", effective=effective, n=float(n), ratio=ratio
            )

    def look(self, report: CheckedReport) -> Iterator[Finding]:
        """Look at the tail of the weights."""
        tail = report.evidence.tail
        if tail.k is not None and tail.k >= USABLE:
            yield HEAVY_TAIL.found("serious", **tail.words.parts)
