"""The checks of the weights: whether they could be fitted, rest on enough rows, and thin out fast enough."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.tail import INDEX, INDEX_SO, USABLE
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.pipeline import Estimate

FEW_ROWS = 30  # below, a mean of rows is not yet normal, which intervals rest on
FEW_EFFECTIVE_ROWS = 100  # a margin of error of ten points and more on a share

NOT_CONVERGED = FindingKind(
    "fit",
    "not_converged",
    "The weights could not be fitted: no solution was found",
    "Remove slices or edges that say nearly the same, or set a small ridge such as 0.01.",
    ". The number shown is not an estimate.",
)
RIDGE = FindingKind(
    "fit",
    "ridge",
    "A ridge of {ridge:g} holds the weights back",
    "Set ridge = 0 to match them exactly.",
    ": reweighted slices do not quite match the {target}.",
)
_FEW = (
    "Collect more rows before quoting this number.",
    ". Intervals are meant for samples of {least} rows and more.",
)
FEW_SOURCE_ROWS = FindingKind("rows", "few_source_rows", "The {source} has {n:count row}", *_FEW)
FEW_TARGET_ROWS = FindingKind("rows", "few_target_rows", "The {target} has {n:count row}", *_FEW)
_RESTS_ON = "The estimate rests on {effective:count effective row} out of {n:,.0f}"
_MERGE = "Drop or merge the slice that shifts most, or label more rows like the {target}'s."
FEW_EFFECTIVE = FindingKind(
    "weights",
    "few_effective_rows",
    _RESTS_ON + ": a few rows count for very much (up to {ratio:,.0f} times)",
    _MERGE,
)
FEW_AT_ALL = FindingKind(
    "weights",
    "few_effective_rows",
    _RESTS_ON + ", too few for the checks to see much",
    "Label more rows, those like the {target}'s first.",
)
HEAVY_TAIL = FindingKind("weights", "heavy_tail", INDEX, _MERGE, INDEX_SO)


class FitCheck(CheckRule):
    """Ask whether the weights could be fitted; methods add what stood in their way."""

    name = "fit"
    question = "Could the weights be fitted?"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Tell a fit that failed, and one that is held back."""
        if not estimate.outcome.converged:
            yield NOT_CONVERGED.found("serious")
        if estimate.problem.ridge > 0:
            yield RIDGE.found("info", ridge=estimate.problem.ridge)


class RowsCheck(CheckRule):
    """Ask whether there are enough rows; counting adds those that lack something."""

    name = "rows"
    question = "Are there enough rows?"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Count the rows of both samples."""
        table = estimate.problem.patterns
        for kind, n in ((FEW_SOURCE_ROWS, table.n_source), (FEW_TARGET_ROWS, table.n_target)):
            if n < FEW_ROWS:
                yield kind.found("serious", n=float(n), least=FEW_ROWS)


class WeightsCheck(CheckRule):
    """Ask whether enough rows carry the estimate."""

    name = "weights"
    question = "Do enough rows carry the estimate?"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Count the effective rows: fewer are never better, however many or few there are in all."""
        n, effective = estimate.problem.patterns.n_source, estimate.effective_sample_size
        if effective < FEW_EFFECTIVE_ROWS:
            yield (FEW_EFFECTIVE if effective < n / 2 else FEW_AT_ALL).found(
                "serious" if effective < FEW_EFFECTIVE_ROWS / 4 else "warning",
                effective=effective,
                n=float(n),
                ratio=estimate.largest_ratio,
            )

    def look(self, report: ModelReport) -> Iterator[Finding]:
        """Look at the tail of the weights."""
        tail = report.evidence.tail
        if tail.k is not None and tail.k >= USABLE:
            yield HEAVY_TAIL.found("serious", **tail.words.parts)
