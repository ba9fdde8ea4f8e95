"""What a visit remembers: anything, also that there is nothing any more."""

from __future__ import annotations

from app.project import visit


def test_nothing_takes_the_place_of_something() -> None:
    visit.remember("test", "something")
    assert visit.remember("test") == "something"
    visit.remember("test", None)
    assert visit.remember("test") is None
