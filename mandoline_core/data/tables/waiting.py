"""Waiting for an engine: its work runs beside us, so that whoever waits can be told how far it is, and can stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from mandoline_core.data.stopping import take_step

T = TypeVar("T")
_OFTEN = 0.05  # seconds


def wait_for(work: Callable[[], T], *, cancel: Callable[[], None], share: Callable[[], float | None]) -> T:
    """Run work in a thread of its own; where waiting is stopped, by Ctrl-C too, cancel it and wait for its end.

    Parameters
    ----------
    cancel : callable
        Ends the engine's work soon; the work may then raise anything.
    share : callable
        Says how much is done, if the engine knows.

    Examples
    --------
    >>> wait_for(lambda: 1 + 1, cancel=lambda: None, share=lambda: None)
    2
    """
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # noqa: BLE001 - handed on to whoever waits
            failed.append(error)

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
    if failed:
        raise failed[0]
    return found[0]
