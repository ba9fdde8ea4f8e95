"""A process that runs inputs one after the other, within bounds of time and memory that the system holds it to."""

from __future__ import annotations

import json
import resource
import signal
import sys
from pathlib import Path

from tests.fuzz.inputs import make_input
from tests.fuzz.judging import run_input
from tests.fuzz.seeds import csv_files, project

SECONDS = 5.0
BYTES = 1 << 30
_STATUS, _REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def work() -> None:
    """Read seed, kind and number from each line, run that input, and write a line of JSON with what became of it."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends the process
    _hold_memory()
    _warm_up()
    for line in sys.stdin:
        seed, kind, number = line.split()
        found = make_input(int(seed), kind, int(number))
        _forget_peak()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        outcome = run_input(found)
        signal.setitimer(signal.ITIMER_PROF, 0)
        told = {"answered": outcome.answered, "failure": outcome.failure, "seconds": outcome.seconds, "bytes": _peak()}
        print(json.dumps(told), flush=True)


def _warm_up() -> None:
    """Import what inputs need, which is not counted as theirs."""
    from tests.fuzz.inputs import Input

    for engine in ("", "polars", "duckdb"):
        files = csv_files() | {"project.toml": project(engine=engine).encode()}
        run_input(Input(files, ("estimate", "project.toml", "--json")))


def _hold_memory() -> None:
    """Let no input take the machine's memory: what is reserved may be some gigabytes more than what is used."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (6 * BYTES, most))


def _forget_peak() -> None:
    try:
        _REFS.write_text("5", encoding="ascii")
    except OSError:  # then the peak is that of all inputs so far
        return


def _peak() -> int:
    """Return the most memory that was in use since it was last forgotten, in bytes."""
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    work()
