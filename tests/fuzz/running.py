"""Many inputs in processes of their own, and what became of each kind in a table."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.inputs import make_input
from tests.fuzz.worker import BYTES, SECONDS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "test-results" / "fuzz"
SEED = 1
# Of 20 inputs, how many are of each kind.
SHARES = {"csv": 5, "toml": 5, "parquet": 3, "expression": 3, "regex": 2, "zip": 2}
_PATIENCE = 300.0  # seconds of any clock after which a process waits for something that never comes
_ANEW = 500  # inputs after which a process makes room for another


@dataclass
class Tally:
    """Count what became of the inputs of one kind."""

    inputs: int = 0
    told: int = 0
    answered: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    most_bytes: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)


def run_many(counts: Mapping[str, int], *, seed: int = SEED, processes: int = 1) -> dict[str, Tally]:
    """Run inputs of each kind; parts of a few hundred are dealt out to processes."""
    tallies = {kind: Tally() for kind in counts}
    parts = [
        (kind, range(start, min(start + _ANEW, count)))
        for kind, count in counts.items()
        for start in range(0, count, _ANEW)
    ]

    def run(part: tuple[str, range]) -> list[tuple[int, dict]]:
        return list(_run_part(seed, *part))

    if processes == 1:  # one process for all of them: starting one takes a second
        asked = [(kind, number) for kind, numbers in parts for number in numbers]
        for kind, number, told in _run_all(seed, asked):
            _count(tallies[kind], number, told)
        return tallies
    with ThreadPoolExecutor(processes) as pool:
        for (kind, _), found in zip(parts, pool.map(run, parts), strict=True):
            for number, told in found:
                _count(tallies[kind], number, told)
    return tallies


def _run_part(seed: int, kind: str, numbers: range) -> Iterator[tuple[int, dict]]:
    for _, number, told in _run_all(seed, [(kind, number) for number in numbers]):
        yield number, told


def _run_all(seed: int, asked: list[tuple[str, int]]) -> Iterator[tuple[str, int, dict]]:
    """Ask one process after the other: an input that ends it is named, and the next starts behind it."""
    worker: subprocess.Popen[str] | None = None
    try:
        for kind, number in asked:
            worker = worker or _start()
            told = _ask(worker, f"{seed} {kind} {number}\n")
            if told is None:
                code = _end(worker)
                why = f"more than {SECONDS:g} s of processor time" if code == -27 else f"the process ended with {code}"
                told, worker = {"answered": False, "failure": why, "seconds": SECONDS, "bytes": 0}, None
            yield kind, number, told
    finally:
        if worker is not None:
            _end(worker)


def _start() -> subprocess.Popen[str]:
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2"}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.worker"],
        cwd=ROOT,
        env=os.environ | alone,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _end(worker: subprocess.Popen[str]) -> int:
    worker.kill()
    worker.communicate()
    return worker.returncode


def _ask(worker: subprocess.Popen[str], line: str) -> dict | None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        worker.stdin.write(line)
        worker.stdin.flush()
    except BrokenPipeError:
        return None
    if not select.select([worker.stdout], [], [], _PATIENCE)[0]:
        return None
    said = worker.stdout.readline()
    return json.loads(said) if said else None


def _count(tally: Tally, number: int, told: dict) -> None:
    failure = told["failure"]
    if told["bytes"] > BYTES and not failure:
        failure = f"{told['bytes'] / BYTES:.2f} GB of memory"
    tally.inputs += 1
    tally.answered += told["answered"]
    tally.told += not told["answered"] and not failure
    tally.seconds += told["seconds"]
    tally.slowest = max(tally.slowest, told["seconds"])
    tally.most_bytes = max(tally.most_bytes, told["bytes"])
    if failure:
        tally.failures.append((number, failure))


def keep_failures(tallies: Mapping[str, Tally], seed: int = SEED) -> list[Path]:
    """Write every input that failed, with what went wrong, into a folder of its own."""
    kept = []
    for kind, tally in tallies.items():
        for number, failure in tally.failures:
            found = make_input(seed, kind, number)
            folder = RESULTS / f"{kind}-{seed}-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in found.files.items():
                (folder / name).write_bytes(content)
            (folder / "FAILURE.txt").write_text(
                f"mandoline {' '.join(found.arguments)}\n\n{failure}\n", encoding="utf-8", errors="backslashreplace"
            )
            kept.append(folder)
    return kept


def table(tallies: Mapping[str, Tally]) -> str:
    """Write a line a kind."""
    lines = [f"{'kind':<12}{'inputs':>8}{'told':>8}{'answered':>10}{'slowest':>10}{'memory':>10}{'failures':>10}"]
    for kind, tally in tallies.items():
        lines.append(
            f"{kind:<12}{tally.inputs:>8,}{tally.told:>8,}{tally.answered:>10,}{tally.slowest:>8.2f} s"
            f"{tally.most_bytes / 2**20:>7.0f} MB{len(tally.failures):>10,}"
        )
    return "\n".join(lines)
