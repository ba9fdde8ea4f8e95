"""A shelf of answers, kept by what they depend on: no more than there is room for."""

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
        Room for so many, or for so many bytes.
    size : callable, optional
        How many bytes an answer takes; its key is counted, too.
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
        self, most: int, *, size: Callable[[T], int] | None = None, drop: Callable[[T], None] = lambda _: None
    ) -> None:
        self._most, self._size, self._drop = most, size, drop
        self._found: OrderedDict[Hashable, T] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._total = 0
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable) -> T | None:
        """Return an answer, if there is one."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def put(self, key: Hashable, answer: T) -> None:
        """Keep an answer, in the place of what was there under its key."""
        size = 1 if self._size is None else self._size(answer) + len(str(key))
        with self._lock:
            gone = self._take(key)
            self._found[key], self._sizes[key] = answer, size
            self._total += size
            while len(self._found) > 1 and self._total > self._most:
                gone += self._take(next(iter(self._found)))
        for one in gone:
            self._drop(one)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return an answer, or make it; whoever asks for the same meanwhile waits for it."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        try:
            with making:
                found = self.get(key)
                if found is None:
                    found = make()
                    self.put(key, found)
                return found
        finally:
            with self._lock:
                self._making.pop(key, None)

    def pop(self, key: Hashable) -> None:
        """Take an answer away, if it is there."""
        with self._lock:
            gone = self._take(key)
        for one in gone:
            self._drop(one)

    @property
    def size(self) -> int:
        """How much room is taken."""
        return self._total

    def _take(self, key: Hashable) -> list[T]:
        if key not in self._found:
            return []
        self._total -= self._sizes.pop(key)
        return [self._found.pop(key)]

    def keys(self) -> list[Hashable]:
        """List what the answers are kept by."""
        with self._lock:
            return list(self._found)

    def values(self) -> list[T]:
        """List the answers."""
        with self._lock:
            return list(self._found.values())
