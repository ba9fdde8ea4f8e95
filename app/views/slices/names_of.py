"""What slices are called in a visit: a name that was made from a rule follows it, while controls and drags go on."""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.project import Revision, visit
from app.project.store import DRAG

OPEN = "editing"  # the name of the open slice, for this visit


def first(name: str) -> str:
    """Return what a slice was called when this visit first edited it: controls keep their place by it."""
    return visit.remember(f"first_name:{name}") or name


def now(name: str, names: Sequence[str]) -> str:
    """Return what a slice is called now; the name itself where it is not found."""
    if name in names:
        return name
    return next((other for other in names if first(other) == first(name)), name)


def follow(name: str, *new: str) -> None:
    """Note that a slice has another name, if it has."""
    for other in new:
        visit.remember(f"first_name:{other}", first(name))
        visit.remember(OPEN, other)


def label(name: str, head: Revision) -> str:
    """Label an edit by the name before it; the steps of one drag have one label."""
    before, known = f"edit {name}", visit.remember("drag")
    if known == (first(name), head.label) and time.time() - head.made <= DRAG:
        before = head.label
    visit.remember("drag", (first(name), before))
    return before
