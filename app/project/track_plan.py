"""What is tracked with a project: later batches of new data under the names they came with, and when to alert."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.project import server_files
from app.project.documents import save_document
from app.project.store import Document, Revision, Store
from mandoline_core import DataError, MandolineError
from mandoline_core.data import is_pattern
from mandoline_core.metrics import Metric
from mandoline_core.monitoring import AlertRule, check_worst, find_targets, natural_order

MOST_BATCHES = 500
_PART, _FILES, _LABELS, _ALERT = "track", "files", "labels", "alert"  # of the saved form
_OF_LABELS = " (labels)"


@dataclass(frozen=True)
class Batch:
    """Name one file of new data.

    Parameters
    ----------
    server : bool
        Whether a visitor named its path, so that it must be under an allowed folder whenever it is opened. Then the
        path may be a pattern, with one batch for each file.
    """

    name: str
    path: Path
    server: bool = False


@dataclass(frozen=True)
class TrackPlan:
    """Hold the batches to track, in the order they came, files of labels that arrived later, and when to alert."""

    given: tuple[Batch, ...] = ()
    alert: AlertRule | None = None
    labels: tuple[Batch, ...] = ()


def plan_of(document: Document) -> TrackPlan:
    """Read what is tracked from the saved form of a project."""
    said: dict[str, Any] = document.get(_PART) or {}
    given, labels = (
        tuple(Batch(one["name"], Path(one["path"]), one["server"]) for one in said.get(part, ()))
        for part in (_FILES, _LABELS)
    )
    alert = said.get(_ALERT)
    return TrackPlan(given, None if alert is None else AlertRule(**alert), labels)


def alert_of(plan: TrackPlan, metric: Metric, threshold: float | None = None) -> AlertRule | None:
    """Return when to alert; without a worst score of its own, at the project's threshold.

    A worst score that was meant for another metric and is invalid for this one is left out.
    """
    rule, worst = plan.alert, threshold
    if rule is not None and rule.worst is not None:
        worst = rule.worst
    if worst is not None:
        try:
            check_worst("worst", worst, metric)
        except MandolineError:
            worst = None
    return None if rule is None and worst is None else replace(rule or AlertRule(), worst=worst)


def batches_of(plan: TrackPlan) -> tuple[list[Batch], list[MandolineError]]:
    """List every file in the order of their names, and patterns that match none.

    Whether a file on the server may be read is asked when it is: a link that leads out spoils no other.
    """
    found: dict[str, Batch] = {}
    wrong: list[MandolineError] = []
    for one in plan.given:
        try:
            for batch in _files(one):
                found.setdefault(batch.name, batch)
        except MandolineError as error:
            wrong.append(error)
    return sorted(found.values(), key=lambda batch: natural_order(batch.name)), wrong


def _files(given: Batch) -> Iterator[Batch]:
    if not given.server or not is_pattern(given.path):
        yield given
        return
    try:
        files = find_targets(str(given.path))
    except DataError:
        raise DataError(f"No file matches {given.name}. Remove it, or wait for new files.") from None
    if len(files) > MOST_BATCHES:
        raise DataError(f"{given.name} matches {len(files):,} files. The maximum is {MOST_BATCHES}.")
    yield from (Batch(server_files.name_of(file), file, server=True) for file in files)


def add_batches(plan: TrackPlan, more: Sequence[Batch]) -> TrackPlan:
    """Track more; one that is called like another takes its place."""
    return replace(plan, given=_joined(plan.given, more, "batches"))


def add_labels(plan: TrackPlan, more: Sequence[Batch]) -> TrackPlan:
    """Compare the estimates with more labels; a file that is called like another takes its place."""
    return replace(plan, labels=_joined(plan.labels, more, "files of labels"))


def _joined(before: Sequence[Batch], more: Sequence[Batch], what: str) -> tuple[Batch, ...]:
    found = tuple({batch.name: batch for batch in (*before, *more)}.values())
    if len(found) > MOST_BATCHES:
        raise DataError(f"There would be {len(found):,} {what}. The maximum is {MOST_BATCHES}.")
    return found


def removable(plan: TrackPlan) -> list[str]:
    """Name what can be taken out: batches, and files of labels."""
    batches = sorted((batch.name for batch in plan.given), key=natural_order)
    return [*batches, *(f"{file.name}{_OF_LABELS}" for file in plan.labels)]


def drop_batches(plan: TrackPlan, names: Collection[str]) -> TrackPlan:
    """Track some batches no longer, with their labels, or leave out some files of labels."""
    given = tuple(batch for batch in plan.given if batch.name not in names)
    labels = tuple(file for file in plan.labels if not {file.name, f"{file.name}{_OF_LABELS}"} & set(names))
    return replace(plan, given=given, labels=labels)


def save_plan(store: Store, project: str, label: str, edit: Callable[[TrackPlan], TrackPlan]) -> int:
    """Change what is tracked on the newest state of a project, as a step of undo; return the state it led to.

    Parameters
    ----------
    edit : callable
        Made again on what someone else has saved in the meantime.
    """

    def changed_document(before: Revision) -> Document:
        plan = edit(plan_of(before.document))
        files, labels = (
            [{"name": one.name, "path": str(one.path), "server": one.server} for one in given]
            for given in (plan.given, plan.labels)
        )
        part = {_FILES: files, _LABELS: labels, _ALERT: None if plan.alert is None else asdict(plan.alert)}
        return {**before.document, _PART: part}

    return save_document(store, project, label, changed_document)
