"""The estimate on one batch of new data after the other: in the background, each batch kept by what its file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from app.compute import keys
from app.compute.background import Run, Task, runs
from app.compute.reading import engine_at, samples, state_of
from app.compute.shelf import Shelf
from app.compute.sizes import A_FEW, n_bytes
from app.compute.working import A_MOMENT, PATIENCE
from app.project import Batch, Workspace, allowed, state, tracking
from mandoline_core import MandolineError, read_table
from mandoline_core.data import asking
from mandoline_core.domain_classifier import one_thread
from mandoline_core.metrics import get_metric
from mandoline_core.monitoring import TargetEstimates, TargetFile, Track, Tracker

Key = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Tracked:
    """Hold the estimates that are there, the batches whose estimate is not, and what stands in the way of others."""

    track: Track
    waiting: tuple[Batch, ...]
    wrong: tuple[MandolineError, ...]


@st.cache_resource(show_spinner=False)
def _kept() -> Shelf[TargetEstimates]:
    return Shelf(A_FEW, size=n_bytes)


def tracked(workspace: Workspace) -> Tracked:
    """Gather what has been estimated so far, as things stand."""
    plan = tracking.plan_of(workspace.revision.document)
    batches, wrong = tracking.batches_of(plan)
    placed = _keys(workspace, batches)
    found = {batch: _kept().get(key) for batch, key in placed.items()}
    done = tuple(one for one in found.values() if one is not None)
    waiting = tuple(batch for batch, one in found.items() if one is None)
    alert = tracking.alert_of(plan, get_metric(workspace.project.metric.name))
    return Tracked(Track(workspace.project, done, alert), waiting, tuple(wrong))


def track_run(workspace: Workspace) -> Run | None:
    """Find the run that belongs to a project; one whose answers nobody needs any more is stopped."""
    run = runs().get(_place(workspace))
    if run is not None and run.running:
        run.look()
        if not _is_needed(run, workspace):
            run.stop()
    return run


def ask_track(workspace: Workspace) -> None:
    """Have batches estimated that have not been, unless somebody stopped it; wait for what is there at once."""
    run = track_run(workspace)
    at_work = run is not None and (run.running or run.stopped or run.error is not None)
    if _waiting(workspace) and not (at_work and run is not None and _is_needed(run, workspace)):
        start_track(workspace).wait(A_MOMENT)


def start_track(workspace: Workspace) -> Run:
    """Estimate on all batches that have no estimate, in the background, in their order."""
    project, memory = workspace.project, state.store().track_memory(workspace.id)
    source, _ = samples(workspace.on_all_rows)
    tracker = cache(lambda: Tracker(project, memory=memory, source=source))  # goes over the whole source
    tasks = [_task(key, batch, tracker) for batch, key in _waiting(workspace).items()]
    run = Run(tasks, patience=PATIENCE)
    if tasks:  # someone else may have asked for the same
        runs().put(_place(workspace), run)
    return run


def _task(key: Key, batch: Batch, tracker: Callable[[], Tracker]) -> Task:
    kept = _kept()

    def work(run: Run) -> None:
        # Linear algebra on every core would leave none for the page.
        with one_thread(), asking(run.step):
            kept.put(key, _estimate(batch, tracker(), run))

    return Task(key, f"Estimating on {batch.name}", work)


def _estimate(batch: Batch, tracker: Tracker, run: Run) -> TargetEstimates:
    try:
        if batch.server:
            allowed.check(batch.path)
        target = TargetFile(batch.path, batch.name, engine_at(batch.path, guarded=batch.server))
    except MandolineError as error:
        return TargetEstimates(batch.name, "", error=error.sentence)
    try:
        return tracker.estimate(target, run.note)
    except MandolineError:  # only writing it down failed: the tracker knows it all the same
        return tracker.estimate(target, run.note)


def check_table(path: Path) -> None:
    """Refuse an upload that is no table; one that is too large to be read at once shows it when it is estimated on."""
    if engine_at(path, guarded=False) is None:
        read_table(path)


def track_json(found: Tracked) -> str:
    """Write the estimates as `mandoline track --json` prints them."""
    return json.dumps(found.track.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def _place(workspace: Workspace) -> tuple[str, str]:
    return "track", workspace.id


def _waiting(workspace: Workspace) -> dict[Batch, Key]:
    batches, _ = tracking.batches_of(tracking.plan_of(workspace.revision.document))
    return {batch: key for batch, key in _keys(workspace, batches).items() if _kept().get(key) is None}


def _keys(workspace: Workspace, batches: list[Batch]) -> dict[Batch, Key]:
    """Name what the estimate on each batch depends on."""
    made = keys.tracked(workspace)
    return {batch: (made, batch.name, state_of(batch.path)) for batch in batches}


def _is_needed(run: Run, workspace: Workspace) -> bool:
    """Tell whether a run would still bring an estimate that is missing."""
    needed = set(_waiting(workspace).values())
    return any(task.key in needed for task in run.tasks[run.done :])
