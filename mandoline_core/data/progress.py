"""Progress and cancellation of long loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
ProgressCallback = Callable[[str, float], None]
_OFTEN = 0.05  # seconds
_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)
_report: ContextVar[ProgressCallback | None] = ContextVar("report", default=None)


def cancelled_by(check: Callable[[], None] | None) -> AbstractContextManager[None]:
    """Call a function at every step of long loops in this block and thread; it may raise to cancel them.

    Examples
    --------
    >>> steps = []
    >>> with cancelled_by(lambda: steps.append("step")):
    ...     take_step()
    >>> take_step()
    >>> steps
    ['step']
    """
    return _within(_check, check)


def progress_to(report: ProgressCallback | None) -> AbstractContextManager[None]:
    """Report progress of long loops in this block and thread; the callback may raise to cancel them.

    Examples
    --------
    >>> with progress_to(lambda what, share: print(what, share)):
    ...     take_step("fold 1 of 2", 0.25)
    fold 1 of 2 0.25
    """
    return _within(_report, report)


@contextmanager
def _within(variable: ContextVar[T | None], value: T | None) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def current_progress() -> ProgressCallback | None:
    """Return the current progress callback."""
    return _report.get()


def take_step(what: str = "", share: float = 0.0) -> None:
    """Take one step of a long loop: allow it to be cancelled, and report progress if `what` is given."""
    if (check := _check.get()) is not None:
        check()
    if what and (report := _report.get()) is not None:
        report(what, share)


def wait_for(work: Callable[[], T], *, cancel: Callable[[], None], share: Callable[[], float | None]) -> T:
    """Run an engine's work in its own thread; cancel it when waiting is cancelled, also by Ctrl-C.

    Parameters
    ----------
    cancel : callable
        Stops the engine's work soon; the work may then raise anything. It is waited for.
    share : callable
        Returns the share done, if known.

    Examples
    --------
    >>> wait_for(lambda: 1 + 1, cancel=lambda: None, share=lambda: None)
    2
    """
    with ThreadPoolExecutor(1) as pool:  # which waits for the end of the work, however it comes
        future = pool.submit(work)
        try:
            take_step()
            while not future.done():
                wait([future], _OFTEN)
                done = share()
                take_step("" if done is None else "counting", done or 0.0)
        except BaseException:
            cancel()
            raise
        return future.result()
