"""Measuring: medians of repeated runs, and a bound that is met or not."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Bound:
    """Hold a measured number beside what it must be: at least, or at most, so much."""

    what: str
    value: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def is_met(self) -> bool:
        """Tell whether the number is within its bound."""
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )

    def __str__(self) -> str:
        """Say PASS or FAIL, the number and its bound."""
        word, limit = ("at least", self.at_least) if self.at_least is not None else ("at most", self.at_most)
        return f"{'PASS' if self.is_met else 'FAIL'}  {self.what}: {self.value:.3g} ({word} {limit:g})"


def medians_in_turn(
    *works: Callable[[], Answer], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[tuple[float, Answer]]:
    """Run several works in turn, several rounds; return each one's median time and last answer.

    In turn, because a machine is busier at one moment than at another, and a ratio should not be.
    """
    seconds: list[list[float]] = [[] for _ in works]
    answers = []
    for _ in range(rounds):
        answers = []
        for work, times in zip(works, seconds, strict=True):
            start = clock()
            answers.append(work())
            times.append(clock() - start)
    return [(statistics.median(times), answer) for times, answer in zip(seconds, answers, strict=True)]
