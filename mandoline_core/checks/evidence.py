"""Evidence: what the checks computed, kept with the report they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mandoline_core.arrays import Interval
from mandoline_core.checks.balance import BalanceLine, columns_of, unmodelled_balance
from mandoline_core.checks.domain_classifier import DomainTest, domain_test
from mandoline_core.checks.drift import Drift, drift
from mandoline_core.checks.pairs import unmodelled_pairs
from mandoline_core.checks.support import Support, support
from mandoline_core.checks.tail import Tail, tail_of
from mandoline_core.domain_classifier import NamingColumn
from mandoline_core.findings import Verdict
from mandoline_core.labels import FewLabels
from mandoline_core.pipeline import Estimate, MeanShift, slice_balance, widen


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """Hold what the findings are based on; details are computed when asked for.

    Parameters
    ----------
    report : ModelReport
        What it is about.
    columns : tuple of BalanceLine, or None
        Other columns before and after weighting, what remains most first; None where there are only codes.
    domain_test : DomainTest or None
        How well all columns together distinguish the samples; None without columns, or with too few rows.
    note : str
        How many rows were compared, if not all.
    left_out : mapping of str to str
        Columns that are not compared, and why.
    naming : tuple of NamingColumn
        The columns that name the sample, and that nobody marked as irrelevant with a reason.
    """

    report: Estimate
    tail: Tail
    drift: Drift
    columns: tuple[BalanceLine, ...] | None
    domain_test: DomainTest | None = None
    note: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    naming: tuple[NamingColumn, ...] = ()

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
        """Which target rows match no source row."""
        return support(self.report)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ModelReport(Estimate):
    """Hold one model's estimate with what every check found, worst first, and the verdict.

    Parameters
    ----------
    verdict : Verdict or None
        The verdict; None until all checks have run.
    truth : float or None
        The metric on the labels of the new data, if they are revealed.
    labelled : FewLabels or None
        What labels of some new rows say, alone and combined with the estimate.
    without : ModelReport or None
        The report without these labels.
    moved : float
        How far other plausible slices move the estimate: both intervals are wider by it.
    sampling_interval : pair of floats or None
        The interval for sampling error alone, with these slices; None where nothing was added to it.
    """

    evidence: Evidence
    verdict: Verdict | None = None
    truth: float | None = None
    labelled: FewLabels | None = None
    without: ModelReport | None = None
    moved: float = 0.0
    sampling_interval: Interval | None = None

    @cached_property
    def prediction_interval(self) -> Interval | None:
        """The interval of the metric on exactly these new rows; of the combined estimate, where labels joined it."""
        if self.labelled is not None and self.rests_on_labels:
            return self.labelled.prediction_interval
        found = super().prediction_interval
        return found and widen(found, self.moved, self.problem.metric.bounds)

    def allow_for_choice(self, moved: float) -> ModelReport:
        """Widen both intervals by how far other plausible slices move the estimate.

        It comes before labels of new rows: these correct the estimate whatever the slices.
        """
        plain = self.sampling_interval or self.interval
        wider = widen(plain, moved, self.problem.metric.bounds)
        return replace(self, interval=wider, sampling_interval=plain, moved=moved)

    @property
    def rests_on_labels(self) -> bool:
        """Whether `estimate` and `interval` are combined with labels of some new rows."""
        return self.labelled is not None and self.labelled.quoted and self.converged

    @property
    def joined_labels(self) -> dict[str, Any] | None:
        """What labels of some new rows add, as plain data; None without any."""
        if self.labelled is None or self.without is None:
            return None
        plain = self.labelled.as_dict()
        return {
            "n": plain["n_labelled"],
            "quoted": self.rests_on_labels,
            "estimate": plain["combined"]["value"],
            "interval": plain["combined"]["interval"],
            "without": {"estimate": self.without.estimate, "interval": list(self.without.interval)},
            "labels_only": {"estimate": plain["labels_only"]["value"], "interval": plain["labels_only"]["interval"]},
            "worth": plain["worth"],
            "test": plain["test"],
        }

    @property
    def is_red(self) -> bool:
        """Whether the estimate is not to be quoted yet."""
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
        _undeclared(report),
    )


def _undeclared(report: Estimate) -> tuple[NamingColumn, ...]:
    """List the columns that name the sample: only a reason says that nothing else changed with them."""
    reasons, drawn = report.fit.trust.harmless, report.cells.drawn
    return () if drawn is None else tuple(one for one in drawn.naming if not reasons.get(one.column, "").strip())
