"""The notebooks: each runs as it is, and takes at most ten lines from a fitted model to a report."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mandoline_core as md
from tests.core.documents import GUIDE

NOTEBOOKS = sorted((GUIDE / "notebooks").glob("*.ipynb"))


def code_of(path: Path) -> list[str]:
    """Read the code cells."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells), "Clear the outputs before you commit."
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell, and return what it shows: the value of its last line."""
    *before, last = ast.parse(code).body
    exec(compile(ast.Module(before, []), "cell", "exec"), names)  # noqa: S102 - our own text
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    return exec(compile(ast.Module([last], []), "cell", "exec"), names)  # noqa: S102


def test_there_is_one_for_each_kind_of_problem() -> None:
    """And the guide links them all."""
    assert len(NOTEBOOKS) == 6
    guide = (GUIDE / "python.md").read_text(encoding="utf-8")
    assert all(f"(notebooks/{path.name})" in guide for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_a_report(path: Path) -> None:
    setup, short = code_of(path)
    assert len(short.splitlines()) <= 10
    names: dict[str, Any] = {}
    run(setup, names)
    shown = run(short, names)
    report: md.Report = names["report"]
    assert report.estimate is not None
    assert np.isfinite([report.estimate, *report.interval]).all()
    assert "<table" in shown._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_cells_are_a_script(path: Path, tmp_path: Path) -> None:
    """The same lines in a file of their own print the report."""
    script = tmp_path / "script.py"
    script.write_text("\n".join([*code_of(path), "print(report)"]), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "on new data" in done.stdout
