"""Work that a page cannot wait for: it goes on in the background, and whoever asks for its outcome is told so."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from app.compute.background import Run, Task, runs
from mandoline_core import MandolineError
from mandoline_core.data import asking, telling

A_MOMENT = 0.4  # seconds: what is done within them needs no word
PATIENCE = 60.0  # seconds after which nobody looks any more


class WorkingError(MandolineError):
    """Report that what was asked for is on its way, or was stopped on its way.

    Parameters
    ----------
    run : Run
    key : Hashable
        Under which the run is found.
    """

    def __init__(self, run: Run, key: Hashable) -> None:
        super().__init__(f"{run.current}: this goes on in the background.")
        self.run, self.key = run, key


def ask_for(key: Hashable, what: Hashable, title: str, work: Callable[[], None], done: Callable[[], bool]) -> None:
    """Return once work is done; until then raise what says so. What it runs into, it raises here.

    Parameters
    ----------
    key : Hashable
        Under which there is one run at a time.
    what : Hashable
        What the work depends on: a run for something else is stopped.
    work : callable
        Asks at every step whether anybody still waits, and tells how far it is.
    done : callable
        Tells whether its outcome is there.
    """
    if done():
        return
    run = runs().get(key)
    if run is None or run.tasks[0].key != what or _was_forgotten(run):
        if run is not None:
            run.stop()
        run = Run([Task(what, title, lambda one: _working(one, work))], patience=PATIENCE)
        runs().put(key, run)
        run.wait(A_MOMENT)
    run.look()
    if done():
        return
    if run.error is not None:
        raise run.error
    raise WorkingError(run, key)


def go_on(error: WorkingError) -> None:
    """Start work again that was stopped."""
    runs().pop(error.key)


def _was_forgotten(run: Run) -> bool:
    """Tell whether a run ended by itself and left nothing, because nobody looked."""
    return not run.running and not run.stopped and run.error is None


def _working(run: Run, work: Callable[[], None]) -> None:
    with asking(run.step), telling(run.note):
        work()
