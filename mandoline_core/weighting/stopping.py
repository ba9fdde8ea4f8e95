"""Stopping: long loops ask, step by step, whether anyone still waits for their answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], None] | None] = ContextVar("ask", default=None)


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


def take_step() -> None:
    """Say that a step of a long loop is to be taken."""
    if (ask := _ask.get()) is not None:
        ask()
