"""The README's commands and examples do what it shows: each is run here, or is named here with where it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mandoline_core.cli.main import COMMANDS
from tests.core.projects import run, write_project

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
INLINE = [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", PROSE)]
WORDS = ("mandoline ", "make ", "pip ", "python", "source ", "streamlit ")

# What no test here runs, by how it starts, and why not.
ELSEWHERE = {
    "mandoline app": "tests/core/cli/test_app_ending.py and tests/browser start it: it runs until it is asked to end",
    "pip install": "takes an index and minutes: `make test-built` installs the package with pip",
}

# What the README leaves to the reader: the words in capitals, and options that shorten what takes minutes.
NAMES = {"PROJECT.toml": "project.toml", "SOURCE": "source.csv", "TARGET": "target.csv", "NAME": "independent-slices"}
NEEDED = {
    "backtest": ["--draws", "1"],
    "init": ["--out", "new.toml"],
    "reproduce": ["--quick", "--seeds", "1"],
    "track": ["--targets", "target.csv"],
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def commands() -> list[str]:
    """List the commands in the README's text, and those that stand in lines of their own, without their comments."""
    own = re.findall(r"^ {4}(\S.*)$", PROSE, flags=re.MULTILINE)
    own += [line for language in ("bash", "sh", "shell") for block in blocks(language) for line in block.splitlines()]
    given = [re.sub(r"\s+#.*", "", line) for line in own if line.strip()]
    return list(dict.fromkeys([*given, *(text for text in INLINE if text.startswith(WORDS))]))


def sessions() -> list[tuple[str, str]]:
    """List the commands of the README's sessions, each with what it prints."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [
        (command.removeprefix(".venv/bin/"), shown) for command, _, shown in (part.partition("\n") for part in parts)
    ]


def in_a_shell(command: str, folder: Path) -> str:
    """Run a command in bash, with this environment's commands first; return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def test_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The library example runs as it stands from the project's root, and its last estimate is the obvious one."""
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102 - our own README
    assert "accuracy on the target" in capsys.readouterr().out
    # Three of four target rows are inside, where one of two source rows is right; outside all are.
    assert names["report"].estimate == pytest.approx(0.75 * 0.5 + 0.25 * 1.0)  # type: ignore[attr-defined]


def test_shell_sessions_show_the_real_output() -> None:
    """Every command in the README's sessions prints what the README says it prints."""
    here = [(command, shown) for command, shown in sessions() if not command.startswith(tuple(ELSEWHERE))]
    assert here
    for command, shown in here:
        assert in_a_shell(command, ROOT).strip() == shown.strip()


def test_every_command_of_the_text_is_known() -> None:
    """A command that is neither run below nor named above is one that nobody tries."""
    shells = ("mandoline schema project >", "source <(")
    unknown = [
        command
        for command in commands()
        if not command.startswith(("make ", *shells, *ELSEWHERE))
        and not (command.startswith("mandoline ") and command.split()[1] in {*COMMANDS, "--version"})
    ]
    assert unknown == []
    assert {command.split()[1] for command in commands() if command.startswith("mandoline ")} >= set(COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "app"])
def test_every_command_of_the_table_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the README has it, on a small project; without what it puts in brackets, too."""
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    written = [text for text in INLINE if text.startswith(f"mandoline {name} ") and ">" not in text]
    assert written
    forms = {text.replace("[", "").replace("]", "") for text in written}
    forms |= {re.sub(r" \[.*\]", "", text) for text in written}
    for form in sorted(forms):
        arguments = [NAMES.get(word, word) for word in form.split()[1:]]
        if name == "schema":
            arguments = ["project" if word == NAMES["NAME"] else word for word in arguments]
        code, out, err = run(capsys, *arguments, *(NEEDED.get(name, []) if len(arguments) > 1 else []))
        assert code == 0, err
        assert out.strip()


def test_commands_for_a_shell_run(tmp_path: Path) -> None:
    """Those that write to a file, and that a shell takes in; the version is the package's."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    for command in commands():
        if command.startswith("mandoline schema project >"):
            in_a_shell(command, tmp_path)
            assert (tmp_path / "mandoline.schema.json").read_text(encoding="utf-8").startswith("{")
        if command.startswith("source <("):
            assert "_mandoline" in in_a_shell(f"{command}; complete -p mandoline", tmp_path)
        if command == "mandoline --version":
            assert re.fullmatch(r"mandoline \d+\.\d+\.\d+\n", in_a_shell(command, tmp_path))


def test_every_target_of_make_is_there() -> None:
    """What they do is what tests, benchmarks and experiments are; here, that make knows how to begin."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    targets = [command for command in commands() if command.startswith("make ")]
    assert {"make app", "make test"} <= set(targets)
    names = [target.removeprefix("make ") for target in targets]
    done = subprocess.run(["make", "--dry-run", *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "bin/mandoline app" in done.stdout
