"""Run every package on every problem and print the table: `python -m tests.benchmarks.beside NAME=PYTHON ...`.

Seconds are from the start of a process to its first number, imports included; the error is over all draws.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.beside.problems import PROBLEMS, write

DRAWS = 5
# Prints the numbers after a mark, because packages print, too.
RUNNER = """
import importlib, logging, sys, warnings
warnings.simplefilter("ignore"); logging.disable()
module, problem, folder, draws = sys.argv[1:]
sys.path.insert(0, {here!r})
run = getattr(importlib.import_module(module), problem)
for draw in range(int(draws)):
    print("=", float(run(f"{{folder}}/labelled-{{draw}}.csv", f"{{folder}}/new-{{draw}}.csv")), flush=True)
"""


def lines_of(module: Path, problem: str) -> int:
    """Count the lines of code of a function: not its first line, its docstring or blank lines."""
    text = module.read_text(encoding="utf-8")
    found = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    function = found.get(problem, found["calibrated"])
    body = text.splitlines()[function.body[1].lineno - 1 : function.end_lineno]
    return sum(bool(line.strip()) for line in body)


def run(python: str, module: str, problem: str, folder: Path) -> tuple[float, list[float]]:
    """Return the seconds to the first number, and all numbers."""
    code = RUNNER.format(here=str(Path(__file__).parent))
    command = [python, "-c", code, module, problem, str(folder), str(DRAWS)]
    started, first, numbers = time.perf_counter(), 0.0, []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("= "):
                first = first or time.perf_counter() - started
                numbers.append(float(line[2:]))
    assert process.returncode == 0
    return first, numbers


def main(pythons: dict[str, str]) -> None:
    """Print a line a problem and package."""
    print(f"{'problem':15} {'package':10} lines  seconds  mean absolute error over {DRAWS} draws")
    for problem in PROBLEMS:
        with tempfile.TemporaryDirectory() as name:
            truths = write(problem, DRAWS, Path(name))
            for package, python in pythons.items():
                module = f"with_{package}"
                seconds, numbers = run(python, module, problem, Path(name))
                error = statistics.mean(abs(one - truth) for one, truth in zip(numbers, truths, strict=True))
                lines = lines_of(Path(__file__).with_name(f"{module}.py"), problem)
                print(f"{problem:15} {package:10} {lines:5}  {seconds:7.1f}  {error:.4f}")
        print(f"{problem:15} {'truth':26} {statistics.mean(truths):.4f}")


if __name__ == "__main__":
    main(dict(argument.split("=", 1) for argument in sys.argv[1:]))
