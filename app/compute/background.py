"""Work that takes long: in a thread of its own, one task after the other, and it can be stopped at any time."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple


class Task(NamedTuple):
    """Hold one task: what it makes, what it is called, and the work."""

    key: Hashable
    title: str
    work: Callable[[], None]


class _Stopped(BaseException):
    """Raised in the thread that is to stop; not an error, so that nothing on the way takes it for one."""


class Run:
    """Do tasks in the background. What is done stays done when the run is stopped.

    Examples
    --------
    >>> done = []
    >>> run = Run([Task("a", "first", lambda: done.append(1)), Task("b", "second", lambda: done.append(2))])
    >>> run.wait()
    >>> done, run.done, run.running
    ([1, 2], 2, False)
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tuple(tasks)
        self.done = 0
        self.stopped = False
        self.error: Exception | None = None
        self._since = time.monotonic()
        self._ended = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="run", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether there is work left that nobody has called off."""
        return self._thread.is_alive() and not self.stopped and not self._ended

    @property
    def current(self) -> str:
        """The title of the task at hand."""
        return self.tasks[min(self.done, len(self.tasks) - 1)].title

    @property
    def seconds(self) -> float:
        """How long the task at hand has taken so far."""
        return time.monotonic() - self._since

    def stop(self) -> None:
        """Call the rest off: the task at hand ends at its next step."""
        with self._lock:
            self.stopped = not self._ended
            if self.stopped and self._thread.ident is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread.ident), ctypes.py_object(_Stopped)
                )

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(seconds)

    def _work(self) -> None:
        try:
            try:
                for task in self.tasks:
                    if self.stopped:
                        break
                    self._since = time.monotonic()
                    task.work()
                    self.done += 1
            except Exception as error:  # noqa: BLE001  shown on the page, by whoever looks at the run
                self.error = error
            finally:
                # After this nobody raises anything in the thread any more.
                with self._lock:
                    self._ended = True
        except _Stopped:
            pass
