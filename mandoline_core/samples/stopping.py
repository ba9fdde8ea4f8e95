"""Stopping: long loops ask, step by step, whether anyone still waits for their answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], None] | None] = ContextVar("ask", default=None)
_say: ContextVar[Callable[[float], None] | None] = ContextVar("say", default=None)


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
def telling_progress(say: Callable[[float], None] | None) -> Iterator[None]:
    """Let long loops within the block, in this thread, tell how much of their work is done.

    Examples
    --------
    >>> shares = []
    >>> with telling_progress(shares.append):
    ...     take_step(0.5)
    >>> shares
    [0.5]
    """
    token = _say.set(say)
    try:
        yield
    finally:
        _say.reset(token)


def current_progress() -> Callable[[float], None] | None:
    """Return who is told how much is done, for whoever tells of a part of it only."""
    return _say.get()


def take_step(share: float | None = None) -> None:
    """Say that a step of a long loop is to be taken, and how much of the work is done where that is known."""
    if (ask := _ask.get()) is not None:
        ask()
    if share is not None and (say := _say.get()) is not None:
        say(share)
