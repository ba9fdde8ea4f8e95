"""Completion: bash itself is asked what may follow."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mandoline_core.cli.completion import SHELLS
from mandoline_core.cli.main import COMMANDS
from tests.core.projects import run

Captured = pytest.CaptureFixture[str]


def complete(script: str, *words: str, folder: Path) -> list[str]:
    """Return what bash offers for the last word."""
    listed = " ".join(f"'{word}'" for word in words)
    asked = f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _shtab_mandoline"
    code = f"{script}\n{asked}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_commands_options_values_and_files(tmp_path: Path, capsys: Captured) -> None:
    code, script, _ = run(capsys, "completion", "bash")
    assert code == 0
    (tmp_path / "reviews.toml").touch()
    assert complete(script, "mandoline", "", folder=tmp_path) == [*COMMANDS]
    assert complete(script, "mandoline", "--", folder=tmp_path) == ["--help", "--version"]
    assert complete(script, "mandoline", "che", folder=tmp_path) == ["check"]
    assert complete(script, "mandoline", "check", "--m", folder=tmp_path) == ["--min", "--max-drop", "--markdown"]
    assert complete(script, "mandoline", "check", "rev", folder=tmp_path) == ["reviews.toml"]
    assert complete(script, "mandoline", "check", "--log", "", folder=tmp_path) == ["text", "jsonl"]
    assert complete(script, "mandoline", "completion", "z", folder=tmp_path) == ["zsh"]
    assert complete(script, "mandoline", "check", "--junit", "rev", folder=tmp_path) == ["reviews.toml"]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_knows_every_command_and_option(shell: str, tmp_path: Path, capsys: Captured) -> None:
    """The script parses where there is such a shell, and names everything where there is none."""
    code, script, _ = run(capsys, "completion", shell)
    assert code == 0
    for name in (*COMMANDS, "max-drop", "jsonl"):
        assert name in script
    if shutil.which(shell) is not None:
        path = tmp_path / "script"
        path.write_text(script, encoding="utf-8")
        assert subprocess.run([shell, "-n", str(path)], check=False).returncode == 0
