"""The check of the weights: whether enough rows carry the estimate, and the heaviest thin out fast enough."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule, Solution
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.tail import INDEX, INDEX_SO, USABLE
from mandoline_core.findings import Finding, FindingKind

FEW_EFFECTIVE_ROWS = 100

_RESTS_ON = "The estimate rests on {effective:count effective row} out of {n:,.0f}"
FEW_EFFECTIVE = FindingKind(
    "weights",
    "few_effective_rows",
    _RESTS_ON + ": a few rows count for very much (up to {ratio:,.0f} times)",
    "Drop or merge the slice that shifts most, or label more rows like the {target}'s.",
)
FEW_AT_ALL = FindingKind(
    "weights",
    "few_effective_rows",
    _RESTS_ON + ", too few for the checks to see much",
    "Label more rows, those like the {target}'s first.",
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
        """Count the effective rows: fewer are never better, however many or few there are in all."""
        n, effective = solution.problem.patterns.n_source, solution.diagnostics.effective_sample_size
        if effective < FEW_EFFECTIVE_ROWS:
            yield (FEW_EFFECTIVE if effective < n / 2 else FEW_AT_ALL).found(
                "serious" if effective < FEW_EFFECTIVE_ROWS / 4 else "warning",
                effective=effective,
                n=float(n),
                ratio=solution.diagnostics.largest_ratio,
            )

    def look(self, report: ModelReport) -> Iterator[Finding]:
        """Look at the tail of the weights."""
        tail = report.evidence.tail
        if tail.k is not None and tail.k >= USABLE:
            yield HEAVY_TAIL.found("serious", **tail.words.parts)
