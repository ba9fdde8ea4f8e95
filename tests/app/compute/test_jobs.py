"""Work in the background: it tells how far it is, and ends where it is told to."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from app.compute.jobs import Job, Task
from mandoline_core import load_project
from mandoline_core.comparison import run_estimator
from mandoline_core.data import Cache
from mandoline_core.pipeline import state_project
from tests.core.projects import REVIEWS


def test_a_job_keeps_what_went_wrong_and_ends() -> None:
    def fail(_job: Job) -> None:
        raise ZeroDivisionError

    found = Job([Task("a", "first", fail), Task("b", "second", fail)])
    found.wait(30)
    assert isinstance(found.error, ZeroDivisionError)
    assert (found.running, found.done, found.stopped) == (False, 0, False)
    found.stop()
    assert not found.stopped, "what has ended cannot be stopped"


def test_stopping_ends_the_task_at_hand_within_a_step() -> None:
    begun, go, done = threading.Event(), threading.Event(), []

    def endless(job: Job) -> None:
        job.note("half way", 0.5)
        begun.set()
        go.wait(30)
        while True:
            job.step()

    found = Job([Task("a", "first", endless), Task("b", "second", lambda _: done.append(1))])
    assert begun.wait(30)
    assert (found.running, found.stopping, found.current, found.share) == (True, False, "first", 0.5)
    found.stop()
    assert (found.running, found.stopping) == (False, True), "the step at hand is still to end"
    go.set()
    found.wait(30)
    assert (found.running, found.stopping, found.stopped, found.done, done) == (False, False, True, 0, [])


@pytest.mark.parametrize("name", ["cbiw_features", "ulsif_features", "kmm_features"])
def test_a_method_on_columns_can_be_stopped_on_its_way(name: str) -> None:
    """Every slow method calls between its steps, and what is raised there ends it."""

    class StopError(BaseException):
        pass

    def stop() -> None:
        raise StopError

    project = load_project(REVIEWS)
    project = replace(project, methods=replace(project.methods, max_rows=60, redraws=10), models=project.models[:1])
    ((problem, _),) = state_project(project).each_model(None)
    with pytest.raises(StopError):
        run_estimator(problem, name, project.estimator, stop)
    calls: list[int] = []
    assert run_estimator(problem, name, project.estimator, lambda: calls.append(1)).available
    assert len(calls) > 3


def test_a_new_job_in_the_place_of_another_stops_it() -> None:
    go = threading.Event()

    def endless(job: Job) -> None:
        while True:
            go.wait(0.001)
            job.step()

    kept = Cache[Job](2, size=lambda _: 1, drop=Job.stop)
    started = [Job([Task(i, "endless", endless)]) for i in range(3)]
    for i, run in enumerate(started):
        kept.put(i, run)
    started[0].wait(30)
    assert [run.running for run in started] == [False, True, True]
    for run in started:
        run.stop()
        run.wait(30)


def test_a_job_that_nobody_looks_at_ends_and_is_not_called_off() -> None:
    """It may be started again: nobody asked for a stop."""
    looked = threading.Event()

    def work(job: Job) -> None:
        looked.wait(30)
        job.step()

    kept, forgotten = (Job([Task("a", "first", work)], patience=patience) for patience in (3600.0, 0.0))
    looked.set()
    for run in (kept, forgotten):
        run.wait(30)
    assert [(run.done, run.running, run.stopped) for run in (kept, forgotten)] == [(1, False, False), (0, False, False)]
