"""Growth with rows: the whole estimate against the query written by hand, in time and in memory, engine by engine.

Run as a script it is the process being measured: what to do, the engine, and the folder of rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import medians_in_turn
from tests.benchmarks.scaling.by_hand import by_hand, without_text
from tests.benchmarks.scaling.rows import estimate, write_rows

MOST_ROWS = {"polars": 10**8, "duckdb": 10**7}
ROUNDS = {10**7: 3, 10**8: 1}  # where five would take too long


@dataclass(frozen=True)
class Point:
    """Hold what one number of rows took: seconds, and the process's peak in megabytes, imports included."""

    engine: str
    n_rows: int
    on_disk: float  # megabytes
    by_hand: float
    ours: float
    by_hand_memory: float
    memory: float

    @property
    def ratio(self) -> float:
        """Our time over that of the query written by hand."""
        return self.ours / self.by_hand


def measure(largest: int) -> list[Point]:
    """Make rows, a power of ten after the other, measure on them, and remove them."""
    found, n_rows = [], 10**5
    while n_rows <= largest:
        with tempfile.TemporaryDirectory(prefix="mandoline-rows-") as folder:
            on_disk = write_rows(Path(folder), n_rows) / 1e6
            for engine, most in MOST_ROWS.items():
                if n_rows <= most:
                    found.append(_point(engine, n_rows, on_disk, folder))
                    print(_told(found[-1]), flush=True)
        n_rows *= 10
    return found


def compare_engines(folder: Path, n_rows: int, rounds: int = 5) -> dict[str, float]:
    """Count the same rows by hand with both engines in turn: seconds, and seconds of the processor."""
    found: dict[str, float] = {"n_rows": n_rows}
    for name, clock in (("seconds", time.perf_counter), ("processor", time.process_time)):
        works = [partial(by_hand, folder, engine) for engine in MOST_ROWS]
        for engine, (spent, _) in zip(MOST_ROWS, medians_in_turn(*works, rounds=rounds, clock=clock), strict=True):
            found[f"{engine}_{name}"] = spent
    return found


def engines(sizes: tuple[int, ...] = (10**6, 10**7)) -> list[dict[str, float]]:
    """Compare the engines on rows of some sizes."""
    found = []
    for n_rows in sizes:
        with tempfile.TemporaryDirectory(prefix="mandoline-rows-") as folder:
            write_rows(Path(folder), n_rows)
            found.append(compare_engines(Path(folder), n_rows, ROUNDS.get(n_rows, 5)))
    return found


def text_share() -> float:
    """Measure which share of the processor's time of counting goes to rules on text."""
    with tempfile.TemporaryDirectory(prefix="mandoline-rows-") as name:
        folder = Path(name)
        write_rows(folder, 10**6)
        works = (lambda: by_hand(folder, "polars"), lambda: without_text(folder))
        (whole, _), (rest, _) = medians_in_turn(*works, rounds=5, clock=time.process_time)
    return 1 - rest / whole


def _point(engine: str, n_rows: int, on_disk: float, folder: str) -> Point:
    times = _child("time", engine, folder, str(ROUNDS.get(n_rows, 5)))
    if len({rows for _, rows in times}) > 1:
        raise RuntimeError(f"{engine} and the query written by hand counted other rows: {times}")
    peaks = [_child(what, engine, folder, "1") for what in WORK]
    return Point(engine, n_rows, on_disk, times[0][0], times[1][0], *peaks)


def _told(point: Point) -> str:
    return (
        f"  {point.engine:7} {point.n_rows:>12,} rows  by hand {point.by_hand:7.2f} s, {point.by_hand_memory:5.0f} MB"
        f"   whole estimate {point.ours:7.2f} s, {point.memory:5.0f} MB   time {point.ratio:.2f} times"
    )


def _child(*what: str) -> Any:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.scaling.growth", *what]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


WORK = {"by hand": by_hand, "estimate": estimate}


def _main(what: str, engine: str, folder: str, rounds: str) -> None:
    kept = Path(folder) / f"{engine}.json"
    if what != "time":
        print(json.dumps(json.loads(kept.read_text())[what] if kept.exists() else _peak(what, engine, folder)))
        return
    works = [partial(work, Path(folder), engine) for work in WORK.values()]
    if int(rounds) > 1:
        if int(rounds) > max(ROUNDS.values()):
            medians_in_turn(*works, rounds=1)  # the first call of anything is slower
        print(json.dumps(medians_in_turn(*works, rounds=int(rounds))))
        return
    # One round is all there is time for, so memory is measured on the way.
    peaks: dict[str, float] = {}
    works = [partial(_kept_peak, what, engine, folder, peaks) for what in WORK]
    print(json.dumps(medians_in_turn(*works, rounds=1)))
    kept.write_text(json.dumps(peaks))


def _kept_peak(what: str, engine: str, folder: str, peaks: dict[str, float]) -> float:
    """Do one kind of work, and note the highest memory since it began."""
    Path("/proc/self/clear_refs").write_text("5")
    rows = WORK[what](Path(folder), engine)
    peaks[what] = _highest()
    return rows


def _peak(what: str, engine: str, folder: str) -> float:
    WORK[what](Path(folder), engine)
    return _highest()


def _highest() -> float:
    """Read this process's highest memory from the kernel, in megabytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    _main(*sys.argv[1:])
