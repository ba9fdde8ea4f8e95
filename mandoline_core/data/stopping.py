"""Stopping: long loops ask, step by step, whether anyone still waits for their answer, and tell how far they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], None] | None] = ContextVar("ask", default=None)
_tell: ContextVar[Callable[[str, float], None] | None] = ContextVar("tell", default=None)


@contextmanager
def asking(ask: Callable[[], None] | None) -> Iterator[None]:
    """Let long loops within the block, in this thread, call a function at every step; it may raise to stop them.

    Examples
    --------
    >>> steps = []
    >>> with asking(lambda: steps.append("step")):
    ...     take_step()
    >>> take_step()
    >>> steps
    ['step']
    """
    token = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(token)


@contextmanager
def telling(tell: Callable[[str, float], None] | None) -> Iterator[None]:
    """Let long loops within the block, in this thread, tell what they are at and the share done; it may raise, too.

    Examples
    --------
    >>> with telling(lambda what, share: print(what, share)):
    ...     take_step("fold 1 of 2", 0.25)
    fold 1 of 2 0.25
    """
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


def current_progress() -> Callable[[str, float], None] | None:
    """Return who is told how much is done, for whoever tells of a part of it only."""
    return _tell.get()


def take_step(what: str = "", share: float = 0.0) -> None:
    """Say that a step of a long loop is to be taken and, where the loop takes minutes, what it is at."""
    if (ask := _ask.get()) is not None:
        ask()
    if what and (tell := _tell.get()) is not None:
        tell(what, share)
