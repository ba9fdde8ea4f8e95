"""Many people editing at once on a real server: their waiting, their memory, and that none sees another's work.

`make load SESSIONS=50 MINUTES=5` prints a table and fails when a bound does not hold. Times and memory are compared
with those of one visitor on the same machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mandoline_core.formatting import table
from tests.browser.edits import Visit, work
from tests.browser.server import ROOT, Server
from tests.browser.session import Session

SESSIONS = int(os.environ.get("SESSIONS", "50"))
MINUTES = float(os.environ.get("MINUTES", "5"))
REST = float(
    os.environ.get("REST", "150")
)  # seconds: the framework keeps a visit for two minutes after its page is left
THINK = (4.0, 12.0)  # seconds between edits
SAMPLE = ROOT / "sample_data" / "reviews" / "project.toml"
SLOWER = 10.0  # at most so many times what one visitor waits, 95 times in 100
LARGER = 4.0  # at most so many times the memory of a server with one visitor
IDLE = 0.05  # of that memory, at most, for a visitor who only looks
AGAIN = 1.1  # memory of as many visitors after the first have left, compared with theirs


@dataclass(frozen=True)
class Measure:
    """Hold one line of the table: what was measured, and whether it is within its bound."""

    what: str
    found: str
    bound: str
    met: bool


def main() -> int:
    """Measure, print and judge."""
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        one = _edit(server, 1, min(MINUTES, 1.0), think=(0.2, 0.6))
        alone = server.megabytes
        _say(f"one visitor: {len(_seconds(one))} edits, {alone:.0f} MB")
        first = _look(server)
        time.sleep(REST)
        rested = server.megabytes
        second = _look(server)
        _say(f"{SESSIONS} who look: {first:.0f} MB, {rested:.0f} MB once they left, {second:.0f} MB with as many again")
        many = _edit(server, SESSIONS, MINUTES, think=THINK)
        most = server.megabytes
        time.sleep(REST)
        left = server.megabytes
        wrong = [said for visit in (*one, *many) for said in visit.wrong] + server.errors()
    slower = _p95(many) / _p95(one)
    found = (
        Measure("edits", f"{len(_seconds(many)):,} by {SESSIONS} visitors", "", met=True),
        Measure("errors, or others' work shown", str(len(wrong)), "0", met=not wrong),
        Measure("95% of edits answered within", f"{1000 * _p95(many):.0f} ms", "", met=True),
        Measure("that of one visitor", f"{1000 * _p95(one):.0f} ms", "", met=True),
        Measure("ratio", f"{slower:.1f}", f"{SLOWER:g}", met=slower <= SLOWER),
        Measure("memory with one visitor", f"{alone:.0f} MB", "", met=True),
        Measure("memory while all edit", f"{most:.0f} MB", "", met=True),
        Measure("ratio", f"{most / alone:.2f}", f"{LARGER:g}", met=most <= LARGER * alone),
        Measure("after they left", f"{left:.0f} MB", "", met=True),
        Measure("a visitor who only looks", f"{(first - alone) / SESSIONS:.1f} MB", "", met=True),
        Measure(
            "ratio",
            f"{(first - alone) / SESSIONS / alone:.3f}",
            f"{IDLE:g}",
            met=first - alone <= IDLE * alone * SESSIONS,
        ),
        Measure("as many once more, ratio", f"{second / first:.2f}", f"{AGAIN:g}", met=second <= AGAIN * first),
    )
    print(
        table(
            [["", "found", "at most", ""], *([m.what, m.found, m.bound, "" if m.met else "NOT MET"] for m in found)],
            "<>><",
        )
    )
    print("\n".join(wrong[:20]))
    return 0 if all(measure.met for measure in found) else 1


def _edit(server: Server, n: int, minutes: float, think: tuple[float, float]) -> list[Visit]:
    """Let visitors edit, each a project of their own, for some minutes."""
    visits = [Visit(number) for number in range(n)]
    with _come(server, n) as sessions, ThreadPoolExecutor(n) as pool:
        for visit, session in zip(visits, sessions, strict=True):
            visit.note(session.first)
        until = time.monotonic() + 60 * minutes
        for done in [
            pool.submit(work, session, visit, until, time.monotonic, think)
            for session, visit in zip(sessions, visits, strict=True)
        ]:
            done.result()
    return visits


def _look(server: Server) -> float:
    """Let visitors come and do nothing; return the memory with all of them there."""
    with _come(server, SESSIONS):
        return server.megabytes


@contextmanager
def _come(server: Server, n: int) -> Iterator[list[Session]]:
    """Open a page for each visitor, one after the other."""
    with ExitStack() as stack:
        yield [stack.enter_context(Session(server.link_to(SAMPLE, "slices"))) for _ in range(n)]


def _seconds(visits: list[Visit]) -> list[float]:
    return [seconds for visit in visits for seconds in visit.seconds]


def _p95(visits: list[Visit]) -> float:
    return float(np.quantile(_seconds(visits), 0.95))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
