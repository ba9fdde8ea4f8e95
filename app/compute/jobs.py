"""Work that takes long: jobs in threads of their own, which can be stopped, and whose results are kept by key."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from app.project import Workspace
from mandoline_core import MandolineError
from mandoline_core.data import Cache, cancelled_by, progress_to

T = TypeVar("T")
MOST_JOBS = 64
MOST_BYTES = 600_000_000  # of results of all jobs
A_MOMENT = 0.4  # seconds: what is done within them is on the page when it is first drawn, and needs no word
PATIENCE = 60.0  # seconds after which nobody looks any more


class Task(NamedTuple):
    """Hold one step of a job: the key of what it makes, its title, and the work, which may ask its job to go on."""

    key: Hashable
    title: str
    work: Callable[[Job], object]


class _Stopped(BaseException):
    """Raised where a job was called off; not an error, so that nothing on the way treats it as one."""


class Job:
    """Do tasks in the background, in turn. What is done stays done when the job is stopped.

    Parameters
    ----------
    keep : callable, optional
        Takes the key and the result of every task that has ended.
    patience : float, optional
        Seconds after which a job ends if no page has looked at it.

    Examples
    --------
    >>> results = {}
    >>> job = Job([Task("a", "first", lambda job: 1), Task("b", "second", lambda job: 2)], keep=results.__setitem__)
    >>> job.wait()
    >>> results, job.done, job.running
    ({'a': 1, 'b': 2}, 2, False)
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        *,
        keep: Callable[[Hashable, Any], None] = lambda _key, _result: None,
        patience: float | None = None,
    ) -> None:
        self.tasks = tuple(tasks)
        self._keep, self._patience = keep, patience
        self._since = self._looked = time.monotonic()
        self.done = 0
        self.share = 0.0
        self.stopped = False
        self.error: Exception | None = None
        # A daemon: the server may end while it works. It never touches the session, which threads of ours do not have.
        self._thread = threading.Thread(target=self._work, name="job", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether there is work left that nobody has called off."""
        return self._thread.is_alive() and not self.stopped

    @property
    def stopping(self) -> bool:
        """Whether it was called off in the middle of a step, which it still finishes."""
        return self._thread.is_alive() and self.stopped

    @property
    def ended_by_itself(self) -> bool:
        """Whether it is done, or ended because nobody looked: nothing went wrong, and nobody called it off."""
        return not (self._thread.is_alive() or self.stopped or self.error)

    @property
    def current(self) -> str:
        """The title of the task at hand."""
        return self.tasks[min(self.done, len(self.tasks) - 1)].title

    @property
    def seconds(self) -> float:
        """How long the task at hand has taken so far."""
        return time.monotonic() - self._since

    def would_bring(self, keys: Collection[Hashable]) -> bool:
        """Tell whether any of some results is still to come, or was when the job ended early."""
        return any(task.key in keys for task in self.tasks[self.done :])

    def stop(self) -> None:
        """Call the rest off: the task at hand ends after its step."""
        self.stopped = self.stopped or self._thread.is_alive()

    def look(self) -> None:
        """Say that somebody still wants it."""
        self._looked = time.monotonic()

    def step(self) -> None:
        """Go on with the task at hand, unless it was called off or forgotten."""
        if self.stopped or (self._patience is not None and time.monotonic() - self._looked > self._patience):
            raise _Stopped

    def note(self, _what: str, share: float) -> None:
        """Take down how far the task at hand is, and go on unless it was called off."""
        self.share = share
        self.step()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(seconds)

    def _work(self) -> None:
        try:
            # Loops deep in the core ask and tell through these, so that no function between has to pass a job on.
            with cancelled_by(self.step), progress_to(self.note):
                for task in self.tasks:
                    self._since, self.share = time.monotonic(), 0.0
                    self.step()
                    self._keep(task.key, task.work(self))
                    self.done += 1
        except _Stopped:
            pass
        except Exception as error:  # noqa: BLE001  shown on the page, by whoever looks at the job
            self.error = error
        finally:  # the work holds the rows that it went over, and the job stays to be looked at
            self.tasks = tuple(task._replace(work=Job.look) for task in self.tasks)


# One for the whole server, whoever visits: `cache_resource` hands out the thing itself, `cache_data` would copy it.
@st.cache_resource(show_spinner=False)
def jobs() -> Cache[Job]:
    """Return the jobs of all visitors, by their kind and project."""
    return Cache(MOST_JOBS, size=lambda _: 1, drop=Job.stop)


@st.cache_resource(show_spinner=False)
def results() -> Cache[Any]:
    """Return what the jobs of all visitors have made, by their kind and key."""
    return Cache(MOST_BYTES)


class JobKind(Generic[T]):
    """One kind of work: results by what they depend on, shared by all visitors, and one job a project.

    Parameters
    ----------
    name : str
    patience : float, optional
        Seconds after which a job ends that nobody has looked at.
    """

    def __init__(self, name: str, patience: float | None = None) -> None:
        self.name, self._patience = name, patience

    def result(self, key: Hashable) -> T | None:
        """Return what a task has made, if it has."""
        found: T | None = results().get((self.name, key))
        return found

    def find(self, owner: Workspace | str, wanted: Collection[Hashable]) -> Job | None:
        """Find the job of a project, or of a visit by its mark; one that brings nothing wanted is stopped."""
        job = jobs().get((self.name, _of(owner)))
        if job is None or job.ended_by_itself:
            return None
        if not job.would_bring(wanted):
            job.stop()
            return None
        job.look()
        return job

    def start(self, owner: Workspace | str, tasks: Sequence[Task]) -> Job:
        """Start the job of a project or a visit instead of the one before."""
        kept = results()  # the framework's caches are not for threads that it does not know
        job = Job(tasks, keep=lambda key, made: kept.put((self.name, key), made), patience=self._patience)
        if tasks:  # someone else may have asked for the same meanwhile
            jobs().put((self.name, _of(owner)), job)
        return job


def _of(owner: Workspace | str) -> str:
    return owner if isinstance(owner, str) else owner.id


class WorkingError(MandolineError):
    """Report that what was asked for is on its way, or was stopped on its way.

    Parameters
    ----------
    job : Job
    key : Hashable
        Under which the job is found.
    """

    def __init__(self, job: Job, key: Hashable) -> None:
        super().__init__(f"{job.current}: running in the background.")
        self.job, self.key = job, key


def ask_for(key: Hashable, what: Hashable, title: str, work: Callable[[], None], done: Callable[[], bool]) -> None:
    """Return once work is done; until then raise what says so. What it runs into, it raises here.

    Parameters
    ----------
    key : Hashable
        Under which there is one job at a time.
    what : Hashable
        What the work depends on: a job for something else is stopped.
    work : callable
        Asks at every step whether anybody still waits, and tells how far it is.
    done : callable
        Tells whether its outcome is there.
    """
    if done():
        return
    job = jobs().get(key)
    if job is None or job.ended_by_itself or job.tasks[0].key != what:
        job = Job([Task(what, title, lambda _: work())], patience=PATIENCE)
        jobs().put(key, job)  # which stops the one before
        job.wait(A_MOMENT)
    job.look()
    if done():
        return
    if job.error is not None:
        raise job.error
    raise WorkingError(job, key)


def go_on(error: WorkingError) -> None:
    """Start work again that was stopped."""
    jobs().pop(error.key)
