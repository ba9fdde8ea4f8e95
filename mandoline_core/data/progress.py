"""Progress and cancellation: long loops say how far they are, and ask whether anyone still waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
ProgressCallback = Callable[[str, float], None]
_OFTEN = 0.05  # seconds
_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)
_report: ContextVar[ProgressCallback | None] = ContextVar("report", default=None)


@contextmanager
def cancelled_by(check: Callable[[], None] | None) -> Iterator[None]:
    """Let long loops within the block, in this thread, call a function at every step; it may raise to stop them.

    Examples
    --------
    >>> steps = []
    >>> with cancelled_by(lambda: steps.append("step")):
    ...     take_step()
    >>> take_step()
    >>> steps
    ['step']
    """
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


@contextmanager
def progress_to(report: ProgressCallback | None) -> Iterator[None]:
    """Let long loops within the block, in this thread, say what they are at and the share done; it may raise, too.

    Examples
    --------
    >>> with progress_to(lambda what, share: print(what, share)):
    ...     take_step("fold 1 of 2", 0.25)
    fold 1 of 2 0.25
    """
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


def current_progress() -> ProgressCallback | None:
    """Return who is told how much is done, for whoever tells of a part of it only."""
    return _report.get()


def take_step(what: str = "", share: float = 0.0) -> None:
    """Say that a step of a long loop is to be taken and, where the loop takes minutes, what it is at."""
    if (check := _check.get()) is not None:
        check()
    if what and (report := _report.get()) is not None:
        report(what, share)


def wait_for(work: Callable[[], T], *, cancel: Callable[[], None], share: Callable[[], float | None]) -> T:
    """Run an engine's work in a thread of its own; where waiting is stopped, by Ctrl-C too, cancel it.

    Parameters
    ----------
    cancel : callable
        Ends the engine's work soon; the work may then raise anything. Its end is waited for.
    share : callable
        Says how much is done, if the engine knows.

    Examples
    --------
    >>> wait_for(lambda: 1 + 1, cancel=lambda: None, share=lambda: None)
    2
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - handed on to whoever waits
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_OFTEN)
            done = share()
            take_step("" if done is None else "counting", done or 0.0)
    except BaseException:
        cancel()
        thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
