"""Evidence: what the checks computed, kept with the report they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mandoline_core.checks.balance import BalanceLine, columns_of, unmodelled_balance, unmodelled_pairs
from mandoline_core.checks.domain_classifier import DomainTest, domain_test
from mandoline_core.checks.drift import Drift, drift
from mandoline_core.checks.support import Support, support
from mandoline_core.checks.tail import Tail, tail_of
from mandoline_core.findings import Verdict
from mandoline_core.pipeline import Estimate, MeanShift, slice_balance


@dataclass(frozen=True, eq=False)
class Evidence:
    """Hold what stands behind the findings; what only a closer look needs is computed when asked for.

    Parameters
    ----------
    report : ModelReport
        What it is about.
    columns : tuple of BalanceLine, or None
        Other columns before and after weighting, what remains most first; None where there are only codes.
    domain_test : DomainTest or None
        How well all columns together tell the samples apart; None where there are none, or too few rows.
    note : str
        On how many rows that rests, where not on all.
    left_out : mapping of str to str
        Columns that are not compared, and why.
    """

    report: Estimate
    tail: Tail
    drift: Drift
    columns: tuple[BalanceLine, ...] | None
    domain_test: DomainTest | None = None
    note: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> tuple[BalanceLine, ...]:
        """Pairs of slices without an edge, before and after weighting."""
        return unmodelled_pairs(self.report)

    @cached_property
    def slices(self) -> tuple[MeanShift, ...]:
        """The modelled slices, before and after weighting."""
        return slice_balance(self.report)

    @cached_property
    def support(self) -> Support:
        """Which target rows no source row is like."""
        return support(self.report)


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelReport(Estimate):
    """Hold one model's estimate with what every check found, worst first, and the verdict.

    Parameters
    ----------
    verdict : Verdict or None
        The traffic light; None until all checks were made.
    truth : float or None
        The metric on the target's own labels, where these were looked at afterwards.
    """

    evidence: Evidence
    verdict: Verdict | None = None
    truth: float | None = None

    @property
    def is_red(self) -> bool:
        """Whether the estimate is not to be trusted, and so not to be shown at full weight."""
        return self.verdict is not None and self.verdict.level == "red"


def gather_evidence(report: Estimate) -> Evidence:
    """Compute what every check looks at, from what was read off the rows while counting."""
    table = columns_of(report)
    return Evidence(
        report,
        tail_of(report),
        drift(report),
        None if table is None else unmodelled_balance(report, table),
        domain_test(report),
        "" if table is None else table.drawn.note,
        {} if table is None else table.drawn.left_out,
    )
