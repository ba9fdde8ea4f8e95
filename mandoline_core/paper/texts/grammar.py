"""What all grammars share: the words, choices from lists by one generator of random numbers, and sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any, TypeVar

import numpy as np

WORDS: dict[str, Any] = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))

_AT_ONCE = 1 << 14  # one call for many numbers: a call each would take most of the time of writing

Item = TypeVar("Item")


class Draws:
    """Choose from lists, fast enough for a text of many words.

    Examples
    --------
    >>> draws = Draws(np.random.default_rng(0))
    >>> draws.one_of(["a", "b", "c"]), draws.flip(0.0), sorted(draws.some_of([1, 2, 3], 3))
    ('b', False, [1, 2, 3])
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._left: Iterator[float] = iter(())

    def uniform(self) -> float:
        """Draw a number from 0 up to 1."""
        for number in self._left:
            return number
        self._left = iter(self._rng.random(_AT_ONCE).tolist())
        return next(self._left)

    def flip(self, probability: float) -> bool:
        """Say yes with a probability."""
        return self.uniform() < probability

    def one_of(self, items: Sequence[Item]) -> Item:
        """Choose one item."""
        return items[int(self.uniform() * len(items))]

    def some_of(self, items: Sequence[Item], n: int) -> list[Item]:
        """Choose n different items, in random order."""
        left = list(items)
        return [left.pop(int(self.uniform() * len(left))) for _ in range(n)]

    def between(self, low: int, high: int) -> int:
        """Draw a whole number from low to high, both included."""
        return low + int(self.uniform() * (high - low + 1))


def capitalise(words: str) -> str:
    """Begin a sentence.

    >>> capitalise("the end.")
    'The end.'
    """
    return words[0].upper() + words[1:]
