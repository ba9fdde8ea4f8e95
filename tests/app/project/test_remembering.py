"""What a visit remembers: anything, also that there is nothing any more."""

from __future__ import annotations

from app.project import state


def test_nothing_takes_the_place_of_something() -> None:
    state.remember("test", "something")
    assert state.remember("test") == "something"
    state.remember("test", None)
    assert state.remember("test") is None
