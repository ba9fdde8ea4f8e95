"""What one of many visitors does: edits of a project of one's own, each marked, so that anyone else's would be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.browser.session import Answer, Session

MARKER = re.compile(rb"marker(\d+)x")


@dataclass
class Visit:
    """Hold what one visitor met with.

    Parameters
    ----------
    number : int
        The visitor's own.
    seconds : list of float
        How long each edit took.
    wrong : list of str
        Errors, and what belongs to somebody else.
    """

    number: int
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def note(self, answer: Answer, expected: str = "") -> None:
        """Look through what came back."""
        self.wrong += answer.exceptions
        others = {int(found) for found in MARKER.findall(answer.said)} - {self.number}
        self.wrong += [f"visitor {self.number} was shown what belongs to {other}" for other in sorted(others)]
        if expected.encode() not in answer.said:
            self.wrong.append(f"visitor {self.number} was not shown {expected}")


def edits(session: Session, visit: Visit, turns: int | None = None) -> Iterator[Answer]:
    """Edit a project over and over, as a person does who looks for a slice; stop after so many turns, or never.

    Each answer is looked through before it is handed on.
    """
    turn = 0
    while turns is None or turn < turns:
        mark = f"marker{visit.number}x{turn}"
        for edit, expected in (
            (lambda: session.switch("Use negation", on=False), ""),
            (lambda: session.switch("Use negation", on=True), ""),
            (lambda mark=mark: session.type("Add a slice", f"{mark}: good, {mark}"), mark),
            (lambda: session.press("Undo"), f"marker{visit.number}x"),
            (lambda mark=mark: session.type("Project", mark), ""),
        ):
            answer = edit()
            visit.seconds.append(answer.seconds)
            visit.note(answer, expected)
            yield answer
        turn += 1


def work(session: Session, visit: Visit, until: float, now: object, think: tuple[float, float]) -> None:
    """Edit until a moment, and think between edits."""
    random = Random(visit.number)  # noqa: S311  nothing secret
    assert callable(now)
    for answer in session.think(random.uniform(0, think[1])):
        visit.note(answer)
    for _ in edits(session, visit):
        for answer in session.think(random.uniform(*think)):
            visit.note(answer)
        if now() > until:
            return
