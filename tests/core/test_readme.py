"""The README's commands and examples do what it shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The library example runs as it stands from the project's root, and its last estimate is the obvious one."""
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102 - our own README
    assert "accuracy on the target" in capsys.readouterr().out
    # Three of four target rows are inside, where one of two source rows is right; outside all are.
    assert names["report"].estimate == pytest.approx(0.75 * 0.5 + 0.25 * 1.0)  # type: ignore[attr-defined]


def test_shell_session_shows_the_real_output() -> None:
    """Every command in the README's sessions prints what the README says it prints."""
    (session,) = blocks("console")
    parts = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    assert parts
    for part in parts:
        command, _, expected = part.partition("\n")
        arguments = command.removeprefix(".venv/bin/mandoline ").split()
        run = subprocess.run(
            [sys.executable, "-m", "mandoline_core.cli", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == expected.strip()
