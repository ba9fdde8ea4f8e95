"""Remedies: what the app can do about a finding, each an edit of the project that undo brings back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any as AnyValue

from app.project import edits
from mandoline_core import Any, Finding, MandolineError, ModelReport, OverlapError, Project, Slice
from mandoline_core.estimators import Denoised, Mandoline, get_estimator

RIDGE = 0.01
_DROP = ("constant_slice", "tiny_slice", "much_abstention", "derived_rate_outside", "corrections_not_derivable")


@dataclass(frozen=True)
class Remedy:
    """Hold one thing the app can do: the words on the button, and the edit."""

    label: str
    edit: Callable[[Project], Project]


def remedies(
    finding: Finding, report: ModelReport, project: Project, alike: Mapping[str, str] | None = None
) -> tuple[Remedy, ...]:
    """List what the app can do about a finding.

    Parameters
    ----------
    report : ModelReport
        The report it comes from.
    alike : mapping of str to str, optional
        For a slice, the one that shares most rows with it: the one to merge it with.
    """
    return tuple(_remedies(finding, report, project, alike or {}))


def error_remedies(error: MandolineError, project: Project) -> tuple[Remedy, ...]:
    """List what the app can do when there is no estimate at all."""
    found = []
    if isinstance(error, OverlapError) and project.estimator.overlap == "strict":
        found.append(_setting("Leave out new rows that match no labelled row", overlap="trim"))
    if project.estimator.name != Mandoline.name:
        found.append(_setting("Use the paper's weights", name=Mandoline.name))
    return tuple(found)


def merge(project: Project, first: str, second: str) -> Project:
    """Replace two slices by one of the rows in either; both are kept but switched off."""
    for name in (first, second):
        project = edits.switch_slice(project, name, on=False)
    return edits.add_slice(project, Any(f"{first} or {second}", of=(first, second)))


def add_edge(project: Project, pair: tuple[str, str]) -> Project:
    """Let two slices move together."""
    given = () if isinstance(project.edges, str) else project.edges
    return edits.set_edges(project, (*given, pair))


def _remedies(finding: Finding, report: ModelReport, project: Project, alike: Mapping[str, str]) -> Iterator[Remedy]:
    named = list(finding.slices)
    code = finding.code
    if code in _DROP:
        yield from _drop(named[:1], report)
        if code == "tiny_slice" and named:
            yield from _merge(named[0], alike.get(named[0]), report)
        if code in ("derived_rate_outside", "corrections_not_derivable") and named:
            rule = report.cells.origins.get(named[0], named[0])
            yield Remedy(f"Set {rule} to exact", partial(edits.set_noise, name=rule, noise=None))
    elif code == "duplicate_slice":
        yield from _drop(named[-1:], report)
    elif code == "set_aside":
        beyond = [name for name in report.outcome.beyond if name in report.problem.patterns.names]
        yield from _drop(beyond[:3], report)
        if len(beyond) == 2:
            yield from _merge(beyond[0], beyond[1], report)
        for pair in report.edges:
            if f"{pair[0]}*{pair[1]}" in report.outcome.beyond and not isinstance(project.edges, str):
                part = partial(edits.part, first=pair[0], second=pair[1])
                yield Remedy(f"Remove pair {pair[0]} and {pair[1]}", part)
    elif code == "few_effective_rows":
        yield from _drop(_most_shifted(report), report)
        yield _setting(f"Add a ridge of {RIDGE:g}", ridge=RIDGE)
    elif code == "not_converged":
        yield _setting(f"Add a ridge of {RIDGE:g}", ridge=RIDGE)
    elif code == "ridge":
        yield _setting("Remove the ridge", ridge=0.0)
    elif code == "bootstrap_failures":
        yield _setting("Use the influence-function interval", interval="influence")
    elif code in ("noisy_slices", "mistakes_matter", "denoised_outside_bounds"):
        denoised = get_estimator(project.estimator.name).denoises
        label = "Use the paper's weights" if denoised else "Use the denoised estimator"
        yield _setting(label, name=Mandoline.name if denoised else Denoised.name)
    elif code == "unmodelled_pair" and len(named) == 2 and not isinstance(project.edges, str):
        yield edge_remedy((named[0], named[1]))
    elif code == "unmodelled_shift":
        yield from _add(finding, report)


def _add(finding: Finding, report: ModelReport) -> Iterator[Remedy]:
    """Add the slice that would model what is off: the finding's line of the balance has it."""
    for line in report.evidence.columns or ():  # of each column there is one
        if line.column in finding.numbers["columns"] and isinstance(line.suggestion, Slice):
            yield slice_remedy(line.suggestion)


def slice_remedy(rule: Slice) -> Remedy:
    """Offer to add a slice."""
    return Remedy(f"Add: {rule.describe()}", partial(edits.add_slice, rule=rule))


def edge_remedy(pair: tuple[str, str]) -> Remedy:
    """Offer to let two slices move together."""
    return Remedy(f"Add pair {pair[0]} and {pair[1]}", partial(add_edge, pair=pair))


def _drop(names: list[str], report: ModelReport) -> Iterator[Remedy]:
    origins = report.cells.origins
    for rule in dict.fromkeys(origins.get(name, name) for name in names):
        yield Remedy(f"Turn off {rule}", partial(edits.switch_slice, name=rule, on=False))


def _merge(first: str, second: str | None, report: ModelReport) -> Iterator[Remedy]:
    """Offer to merge two slices; members of a family go only together."""
    origins = report.cells.origins
    if second is not None and all(origins.get(name) == name for name in (first, second)):
        yield Remedy(f"Merge {first} with {second}", lambda project: merge(project, first, second))


def _most_shifted(report: ModelReport) -> list[str]:
    table = report.problem.patterns
    shift = abs(table.rates("target")[:, 2] - table.rates("source")[:, 2])
    return [table.names[int(shift.argmax())]]


def _setting(label: str, **values: AnyValue) -> Remedy:
    return Remedy(label, lambda project: replace(project, estimator=replace(project.estimator, **values)))
