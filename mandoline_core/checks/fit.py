"""The check of the fit: whether there is a solution at all, and what holds it back."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule, Solution
from mandoline_core.findings import Finding, FindingKind

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


class FitCheck(CheckRule):
    """Ask whether the weights could be fitted; methods add what stood in their way."""

    name = "fit"
    question = "Could the weights be fitted?"

    def find(self, solution: Solution) -> Iterator[Finding]:
        """Tell a fit that failed, and one that is held back."""
        if not solution.outcome.converged:
            yield NOT_CONVERGED.found("serious")
        if solution.problem.ridge > 0:
            yield RIDGE.found("info", ridge=solution.problem.ridge)
