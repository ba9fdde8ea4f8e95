"""Shelf that were made in the background: kept by what they depend on, no more than there is room for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    """Keep answers by key; the one not asked for longest goes first when there is no room left.

    Parameters
    ----------
    most : int
        Room for so many, or for so much of `size`.
    size : callable
        How much room an answer takes.
    drop : callable
        Told of every answer that goes.

    Examples
    --------
    >>> kept = Shelf(2)
    >>> for letter in "abac":
    ...     kept.put(letter, letter.upper())
    >>> kept.get("a"), kept.get("b"), kept.get("c")
    ('A', None, 'C')
    """

    def __init__(
        self, most: int, *, size: Callable[[T], int] = lambda _: 1, drop: Callable[[T], None] = lambda _: None
    ) -> None:
        self._most, self._size, self._drop = most, size, drop
        self._found: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> T | None:
        """Return an answer, if there is one."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def put(self, key: Hashable, answer: T) -> None:
        """Keep an answer, in the place of what was there under its key."""
        with self._lock:
            gone = [self._found.pop(key)] if key in self._found else []
            self._found[key] = answer
            while len(self._found) > 1 and sum(map(self._size, self._found.values())) > self._most:
                gone.append(self._found.popitem(last=False)[1])
        for one in gone:
            self._drop(one)

    def values(self) -> list[T]:
        """List the answers."""
        with self._lock:
            return list(self._found.values())
