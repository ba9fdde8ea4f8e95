"""The estimate on one batch of new data after the other: in the background, each batch kept by what its file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from app.compute import keys
from app.compute.data import engine_at, samples, state_of
from app.compute.jobs import A_MOMENT, PATIENCE, Job, JobKind, Task
from app.project import Batch, Workspace, server_files, state, track_plan
from mandoline_core import MandolineError, read_table
from mandoline_core.domain_classifier import one_thread
from mandoline_core.metrics import get_metric
from mandoline_core.monitoring import LabelFile, TargetEstimates, TargetFile, Track, Tracker, share_labels
from mandoline_core.project import read_record

_ESTIMATES = JobKind[TargetEstimates]("track", PATIENCE)


@dataclass(frozen=True, eq=False)
class TrackState:
    """Hold the estimates that are there, the batches whose estimate is not, and what prevents others."""

    track: Track
    waiting: tuple[Batch, ...]
    wrong: tuple[MandolineError, ...]


def track_state(workspace: Workspace) -> TrackState:
    """Gather what has been estimated so far, with the current project."""
    plan = track_plan.plan_of(workspace.revision.document)
    batches, wrong = track_plan.batches_of(plan)
    estimates = {batch: _ESTIMATES.result(key) for batch, key in _keys(workspace, batches).items()}
    done = tuple(estimate for estimate in estimates.values() if estimate is not None)
    waiting = tuple(batch for batch, estimate in estimates.items() if estimate is None)
    project = workspace.project
    alert = track_plan.alert_of(plan, get_metric(project.metric), project.decision.threshold)
    record = tuple(read_record(state.store().track_memory(workspace.id)))
    track = Track(workspace.project, done, alert, record)
    try:
        _ = track.alerts
    except MandolineError as error:  # the promise was meant for another metric or method: say so, and go on without
        wrong.append(error)
        track = replace(track, alert=None if alert is None else replace(alert, false_alarms=None))
    return TrackState(track, waiting, tuple(wrong))


def track_job(workspace: Workspace) -> Job | None:
    """Find the job that estimates on a project's batches, or was stopped doing so."""
    return _ESTIMATES.find(workspace, _waiting(workspace).values())


def ask_track(workspace: Workspace) -> None:
    """Have batches estimated that have not been, unless somebody stopped it; wait for what is there at once."""
    if _waiting(workspace) and track_job(workspace) is None:
        start_track(workspace).wait(A_MOMENT)


def start_track(workspace: Workspace) -> Job:
    """Estimate on all batches that have no estimate, in the background, in their order."""
    project, memory = workspace.project, state.store().track_memory(workspace.id)
    source, _ = samples(workspace.on_all_rows)
    tracker = cache(lambda: Tracker(project, memory=memory, source=source))  # goes over the whole source
    labels = _labels(workspace)
    tasks = [
        Task(key, f"Estimating on {batch.name}", partial(_estimate, batch, labels[batch.name], tracker))
        for batch, key in _waiting(workspace).items()
    ]
    return _ESTIMATES.start(workspace, tasks)


def _estimate(
    batch: Batch, labels: tuple[LabelFile, ...], make_tracker: Callable[[], Tracker], job: Job
) -> TargetEstimates:
    # Linear algebra on every core would leave none for the page.
    with one_thread():
        tracker = make_tracker()
        try:
            if batch.server:
                server_files.check(batch.path)
            target = TargetFile(batch.path, batch.name, engine_at(batch.path, guarded=batch.server), labels)
        except MandolineError as error:
            return TargetEstimates(batch.name, "", error=str(error))
        try:
            return tracker.estimate(target, job.note)
        except MandolineError:  # only writing it down failed: the tracker knows it all the same
            return tracker.estimate(target, job.note)


def check_table(path: Path) -> None:
    """Refuse an upload that is no table; one that is too large to be read at once shows it when it is estimated on."""
    if engine_at(path, guarded=False) is None:
        read_table(path)


def track_json(state: TrackState) -> str:
    """Write the estimates as `mandoline track --json` prints them."""
    return json.dumps(state.track.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def _waiting(workspace: Workspace) -> dict[Batch, tuple[object, ...]]:
    batches, _ = track_plan.batches_of(track_plan.plan_of(workspace.revision.document))
    return {batch: key for batch, key in _keys(workspace, batches).items() if _ESTIMATES.result(key) is None}


def _keys(workspace: Workspace, batches: list[Batch]) -> dict[Batch, tuple[object, ...]]:
    """Name what the estimate on each batch and its score by labels depend on."""
    project, labels = keys.tracked(workspace), _labels(workspace)
    return {
        batch: (
            project,
            batch.name,
            state_of(batch.path),
            *((name, state_of(path)) for name, path in labels[batch.name]),
        )
        for batch in batches
    }


def _labels(workspace: Workspace) -> dict[str, tuple[LabelFile, ...]]:
    """Find the files of labels of each batch."""
    plan = track_plan.plan_of(workspace.revision.document)
    batches, _ = track_plan.batches_of(plan)
    return share_labels([(file.name, file.path) for file in plan.labels], [batch.name for batch in batches])
