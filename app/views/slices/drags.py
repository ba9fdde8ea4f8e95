"""Drags: a slider's value is taken in while it is dragged, so that the estimate moves with it."""

from __future__ import annotations

from collections.abc import Callable

from app import components
from app.project import state, visit

_FOLLOWED = "followed"  # what takes the value of each slider on the page, by its key
_HAND = "in_hand"  # the slider that is being dragged, and the first and last state that came of it
Take = Callable[[float], object]


def begin() -> None:
    """Forget the sliders of the page before."""
    visit.remember(_FOLLOWED, {})


def follow(key: str, take: Take) -> None:
    """Take in where a slider is while it is dragged."""
    if not state.is_view_only():
        visit.remember(_FOLLOWED, {**(visit.remember(_FOLLOWED) or {}), key: take})


def listen() -> None:
    """Listen to the sliders of the page; the last thing on it, as the next value comes once it has been drawn."""
    visit.leave("")
    components.listen_to_drags(list(visit.remember(_FOLLOWED) or {}), _moved, key="drags")


def _moved(key: str, value: float, ends: bool) -> None:
    """Take a value in. The slider stays where the hand has it, which may be elsewhere by now."""
    take: Take | None = (visit.remember(_FOLLOWED) or {}).get(key)
    if take is None:
        return
    with visit.refusing():
        go_on(key)
        before = state.head().number
        take(value)
        visit.leave(key)
        now, hand = state.head().number, visit.remember(_HAND)
        first = hand[1] if hand and hand[0] == key else before + 1
        visit.remember(_HAND, (key, first, now) if now >= first and not ends else None)


def go_on(key: str) -> None:
    """Count what is saved next as part of the drag of a slider, however long a hand rests on it."""
    hand = visit.remember(_HAND)
    if hand and hand[0] == key:
        state.prolong(*hand[1:])
