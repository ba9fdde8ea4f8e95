"""Running one input through the command line in this process, and what may come of it."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import tempfile
import time
import traceback
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mandoline_core.cli import main
from tests.fuzz.inputs import Input

PROGRESS = re.compile(r"[^\n]*: \d+%\n")
_CONTROL = ("Cc", "Cs")


@dataclass(frozen=True)
class Outcome:
    """Hold how the command line took an input.

    Attributes
    ----------
    answered : bool
        Whether it gave an answer rather than an error told in a sentence.
    failure : str
        What it should not have done; empty if all is well.
    seconds : float
        Processor time.
    """

    answered: bool
    failure: str
    seconds: float


def run_input(found: Input) -> Outcome:
    """Write the files of an input into a folder of their own, run the command line there, and judge what it did."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in found.files.items():
            (Path(folder) / name).write_bytes(content)
        os.chdir(folder)
        try:
            return _run(found.arguments, Path(folder) / ".said")
        finally:
            os.chdir(here)


def _run(arguments: tuple[str, ...], place: Path) -> Outcome:
    code: Any = None
    failure, start = "", time.process_time()
    with _taken(place) as paths, warnings.catch_warnings():
        warnings.simplefilter("always")  # a warning that an earlier input met would be kept silent
        try:
            code = main(list(arguments))
        except SystemExit as stopped:
            code = stopped.code
        except BaseException:  # noqa: BLE001 - whatever gets here is what is looked for
            failure = traceback.format_exc()
    seconds = time.process_time() - start
    out, err = (path.read_bytes().decode("utf-8", errors="surrogateescape") for path in paths)
    said = "".join(line for line in err.splitlines(keepends=True) if not PROGRESS.fullmatch(line))
    return Outcome(code in (0, 1), failure or judge(arguments, code, out, said), seconds)


@contextmanager
def _taken(place: Path) -> Iterator[tuple[Path, Path]]:
    """Let files take whatever is written to standard output and error, by libraries in other languages too."""
    paths = place.with_suffix(".out"), place.with_suffix(".err")
    kept = [os.dup(number) for number in (1, 2)]
    for number, path in zip((1, 2), paths, strict=True):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    try:
        yield paths
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the command line lets go of one that it cannot write to
                stream.close()
        sys.stdout, sys.stderr = before
        for number, file in zip((1, 2), kept, strict=True):
            os.dup2(file, number)
            os.close(file)


def judge(arguments: tuple[str, ...], code: object, out: str, err: str) -> str:
    """Say what is wrong with what the command line printed and returned, if something is."""
    if code not in (0, 1, 2):
        return f"exit code {code}\n{err}"
    if odd := sorted({character for character in out + err if _is_control(character)}):
        return f"control characters {odd} in what is printed:\n{out}{err}"
    if code == 2:
        lines = err.splitlines()
        if len(lines) != 1 or not err.startswith("mandoline: ") or not err.endswith("\n"):
            return f"not one sentence on standard error:\n{err}"
        if "Cannot write the output" in err:
            return f"an error of reading, told as one of writing:\n{err}"
        return f"an error, and yet output:\n{out}" if out else ""
    if err and not (code == 1 and all(line.startswith("mandoline: ") for line in err.splitlines())):
        return f"an answer, and on standard error:\n{err}"
    return _judge_json(arguments[0], out) if "--json" in arguments else ""


def _is_control(character: str) -> bool:
    return character != "\n" and unicodedata.category(character) in _CONTROL


def _judge_json(command: str, out: str) -> str:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} in JSON")

    try:
        found = json.loads(out, parse_constant=refuse)
    except ValueError as error:
        return f"{error}:\n{out}"
    if not all(map(math.isfinite, _numbers(found))):
        return f"a number beyond a float:\n{out}"
    return "\n".join(map(_judge_estimate, found["models"].values())).strip() if command == "estimate" else ""


def _judge_estimate(found: dict[str, Any]) -> str:
    """Refuse an estimate outside of its interval, or one that did not converge and is not said to be none."""
    if found.get("converged", True) is not True:
        said = {finding["code"] for finding in found["findings"]}
        none = found["estimate"] is None and found["interval"] is None
        marked = none and "not_converged" in said and found["verdict"]["level"] == "red"
        return "" if marked else f"an estimate that did not converge: {found}"
    value, (low, high) = found["estimate"], found["interval"]
    slack = 1e-9 * max(1.0, abs(value))
    if not low - slack <= value <= high + slack:
        return f"an estimate outside of its interval: {value} in [{low}, {high}]"
    return ""


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)
    elif isinstance(value, int | float):
        yield value
