"""The check of the rows: whether there are enough for an interval to mean something."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule, Solution
from mandoline_core.findings import Finding, FindingKind

FEW_ROWS = 30
_FEW = (
    "Collect more rows before quoting this number.",
    ". Intervals are meant for samples of {least} rows and more.",
)
FEW_SOURCE_ROWS = FindingKind("rows", "few_source_rows", "The {source} has {n:count row}", *_FEW)
FEW_TARGET_ROWS = FindingKind("rows", "few_target_rows", "The {target} has {n:count row}", *_FEW)


class RowsCheck(CheckRule):
    """Ask whether there are enough rows; counting adds those that lack something."""

    name = "rows"
    question = "Are there enough rows?"

    def find(self, solution: Solution) -> Iterator[Finding]:
        """Count the rows of both samples."""
        table = solution.problem.patterns
        for kind, n in ((FEW_SOURCE_ROWS, table.n_source), (FEW_TARGET_ROWS, table.n_target)):
            if n < FEW_ROWS:
                yield kind.found("serious", n=float(n), least=FEW_ROWS)
