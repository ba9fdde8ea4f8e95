"""Work that takes long: in a thread of its own, one task after the other; it stops where it reports how far it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import streamlit as st

from app.compute.shelf import Shelf

MOST_RUNS = 64


class Task(NamedTuple):
    """Hold one task: what it makes, what it is called, and the work, which tells its run how far it is."""

    key: Hashable
    title: str
    work: Callable[[Run], None]


class _Stopped(BaseException):
    """Raised where a run was called off; not an error, so that nothing on the way takes it for one."""


class Run:
    """Do tasks in the background. What is done stays done when the run is stopped.

    Parameters
    ----------
    patience : float, optional
        Seconds after which a run ends that nobody has looked at: whoever wanted it has gone elsewhere.

    Examples
    --------
    >>> done = []
    >>> run = Run([Task("a", "first", lambda run: done.append(1)), Task("b", "second", lambda run: done.append(2))])
    >>> run.wait()
    >>> done, run.done, run.running
    ([1, 2], 2, False)
    """

    def __init__(self, tasks: Sequence[Task], patience: float | None = None) -> None:
        self.tasks = tuple(tasks)
        self._patience = patience
        self._looked = time.monotonic()
        self.done = 0
        self.share = 0.0
        self.stopped = False
        self._error: Exception | None = None
        self._since = time.monotonic()
        self._thread = threading.Thread(target=self._work, name="run", daemon=True)
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
    def current(self) -> str:
        """The title of the task at hand."""
        return self.tasks[min(self.done, len(self.tasks) - 1)].title

    @property
    def seconds(self) -> float:
        """How long the task at hand has taken so far."""
        return time.monotonic() - self._since

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

    @property
    def error(self) -> Exception | None:
        """What went wrong."""
        return self._error

    def take_error(self) -> Exception | None:
        """Return what went wrong, once."""
        error, self._error = self._error, None
        return error

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(seconds)

    def _work(self) -> None:
        try:
            for task in self.tasks:
                self._since, self.share = time.monotonic(), 0.0
                self.step()
                task.work(self)
                self.done += 1
        except _Stopped:
            pass
        except Exception as error:  # noqa: BLE001  shown on the page, by whoever looks at the run
            self._error = error
        finally:  # the work holds the rows that it went over, and the run stays to be looked at
            self.tasks = tuple(task._replace(work=Run.look) for task in self.tasks)


@st.cache_resource(show_spinner=False)
def runs() -> Shelf[Run]:
    """Return the runs of all visitors, by what they do and for which project."""
    return Shelf(MOST_RUNS, drop=Run.stop)
