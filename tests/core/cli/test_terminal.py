"""What is printed is the command line's own: no warnings of libraries, and nothing that steers a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from mandoline_core.cli.command import as_json
from mandoline_core.cli.terminal import own_terminal
from tests.core.projects import NEGATION, refused, run, write_project

# A command that warns, logs and writes past Python as libraries do, in a process of its own.
NOISY = """
import logging, os, sys, types, warnings
from mandoline_core.cli import main
from mandoline_core.cli.main import COMMANDS

def run(options):
    warnings.warn("mind this")
    os.write(2, b"thread panicked\\n")
    print("the answer")
    print("mandoline: our own", file=sys.stderr)
    return 0

COMMANDS["noisy"] = types.SimpleNamespace(HELP="", add_arguments=lambda parser: None, run=run)
sys.argv = ["mandoline", "noisy"]
code = main()
os.write(2, b"after\\n")
sys.exit(code)
"""


def test_libraries_are_not_heard_while_a_command_runs() -> None:
    """Neither their warnings nor what they write to standard error by themselves; all is as before at the end."""
    found = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "the answer\n")
    assert found.stderr == "mandoline: our own\nafter\n"


def test_whoever_asks_python_for_warnings_gets_them() -> None:
    """`python -W` is for programmers."""
    found = subprocess.run([sys.executable, "-W", "always", "-c", NOISY], capture_output=True, text=True, check=False)
    assert "mind this" in found.stderr


def test_a_caller_in_python_keeps_its_warnings() -> None:
    """Tests turn them into errors, and must go on to see them."""
    with pytest.raises(UserWarning, match="mind this"), own_terminal(program=False):
        warnings.warn("mind this", stacklevel=1)


def test_standard_error_leads_where_it_did_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    """Our own bugs show themselves."""

    def fail() -> None:
        with own_terminal(program=True):
            os.write(2, b"lost\n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    os.write(2, b"heard\n")
    assert capfd.readouterr().err == "heard\n"


def test_names_cannot_steer_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters and changes of direction are spelled out, in answers, in errors and in JSON."""
    name = "a\x1b[2J\x9b31m\u202eb"
    project = write_project(tmp_path, {"slices": [{**NEGATION, "name": name}]})
    code, out, _ = run(capsys, "slices", project)
    assert code == 0
    assert r"a\u001b[2J\u009b31m\u202eb" in out
    assert not {"\x1b", "\x9b", "\u202e"} & set(out)
    said = refused(capsys, write_project(tmp_path, {"slices": [{**NEGATION, "name": name, "column": "x\n\x07"}]}))
    assert not {"\x1b", "\x07"} & set(said)
    assert as_json({"a": "\x9b\u202e"}) == '{\n  "a": "\\u009b\\u202e"\n}'


def test_a_native_crash_is_heard() -> None:
    """A library that aborts takes the whole process with it: where that happened must not be lost."""
    code = NOISY.replace('warnings.warn("mind this")', "os.abort()")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == -signal.SIGABRT
    assert found.stderr.startswith("Fatal Python error: Aborted")
    assert "in run\n" in found.stderr


def test_a_bug_of_ours_is_told_from_bad_input_and_from_a_rule_that_is_not_met() -> None:
    """It shows where it happened, and has an exit code of its own."""
    code = NOISY.replace('warnings.warn("mind this")', "1 / 0")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 70
    assert "ZeroDivisionError" in found.stderr
    assert found.stderr.endswith("this is a bug in Mandoline. Please report it with the text above.\nafter\n")


def test_too_little_memory_is_said() -> None:
    """In a process that asks for more than it may have."""
    asking = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); bytes(2**31)"
    code = NOISY.replace('warnings.warn("mind this")', asking)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("mandoline: Not enough memory.")
