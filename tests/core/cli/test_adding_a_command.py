"""A command is a file and its name in the list: help, completion and exit codes follow."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from mandoline_core import cli
from mandoline_core.cli.main import COMMANDS, make_parser
from tests.core.projects import run, run_json, write_project

FILE = '''
"""`mandoline models`: what is evaluated."""
from mandoline_core.cli.command import JSON, PROJECT, as_json, load, say, take

HELP = "List the models."

def add_arguments(parser):
    take(parser, {**PROJECT, **JSON, "--least N=1": "exit with 1 where there are fewer"})

def run(options):
    names = [model.name for model in load(options).models]
    if options.least > 99:
        raise ZeroDivisionError
    say(as_json({"models": names}) if options.json else ", ".join(names))
    return int(len(names) < options.least)
'''
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the file beside the others, and its name into the list, for as long as a test lasts."""
    (tmp_path / "models.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    monkeypatch.setitem(COMMANDS, "models", import_module("mandoline_core.cli.models"))
    make_parser.cache_clear()
    yield
    make_parser.cache_clear()
    del sys.modules["mandoline_core.cli.models"]


def test_it_is_in_the_help_and_in_completion(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        run(capsys, "--help")
    assert re.search(r"^    models +List the models\.$", capsys.readouterr().out, re.MULTILINE)
    _, script, _ = run(capsys, "completion", "bash")
    assert re.search(r"_models_option_strings=.*--least", script)


def test_its_output_and_its_exit_codes_are_as_of_any_other(tmp_path: Path, capsys: Captured) -> None:
    """Done; a rule is not met; bad input, in a file and in an argument; a bug of ours."""
    path = write_project(tmp_path)
    assert run(capsys, "models", path) == (0, "lr, nb\n", "")
    assert run_json(capsys, "models", path) == {"models": ["lr", "nb"]}
    assert run(capsys, "models", path, "--least", 3)[0] == 1
    code, out, err = run(capsys, "models", tmp_path / "none.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)
    with pytest.raises(SystemExit) as stopped:
        run(capsys, "models", path, "--least", 0)
    assert stopped.value.code == 2
    code, out, err = run(capsys, "models", path, "--least", 100)
    assert (code, out) == (70, "")
    assert err.endswith("mandoline: this is a bug in Mandoline. Please report it with the text above.\n")
