"""What commands share: the project file they take, progress while they work, and how they print and write."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Help and refusals wait for no library: what imports one is imported by a command as it runs.
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import one_line, printable

if TYPE_CHECKING:
    from mandoline_core.pipeline import Fit, Request
    from mandoline_core.project import Project


PROJECT = {"project PROJECT.toml": "the project file, or a zip that holds it with its data"}
JSON = {"--json": "print one JSON object, numbers in full precision"}
REVEAL = {"--reveal": "show the truth from the project's file of target labels"}
SPREAD = {"--spread": "say how much hangs on the choice of slices, too: tries other slices"}


def at_least_one(text: str) -> int:
    """Read how many of something, before any work is done for it."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or above. Got {text!r}.")
    return int(text)


_PATHS = ("PROJECT.toml", "FILE", "FILE.toml", "DIR", "D", "SOURCE", "TARGET")
_TYPES: dict[str, Callable[[str], Any]] = {**dict.fromkeys(_PATHS, Path), "N": at_least_one, "X": float, "P": float}


def take(parser: argparse._ActionsContainer, arguments: Mapping[str, str], **more: Any) -> None:
    """Take arguments, each written as its usage, with what it is for.

    What a value is called says what it must be; `=` gives what it is when left out, `|` its choices (the first of them
    when left out), brackets a value that may be left out, dots an option that may be repeated.

    Parameters
    ----------
    **more
        What else `add_argument` is to know of each.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> usages = ["--out FILE", "--most N=10", "--log text|jsonl", "--never NAME...", "name [NAME]"]
    >>> take(parser, dict.fromkeys(usages, ""))
    >>> parser.parse_args(["--never", "a", "--never", "b"])
    Namespace(out=None, most=10, log='text', never=['a', 'b'], name=None)
    """
    for usage, purpose in arguments.items():
        name, _, value = usage.partition(" ")
        bare, _, default = value.strip("[]").removesuffix("...").partition("=")
        how: dict[str, Any] = {"help": purpose}
        if not value:
            how["action"] = "store_true"
        elif "|" in value:
            how["choices"] = bare.split("|")
            how["default"] = how["choices"][0]
        else:
            how |= {"metavar": bare, "type": _TYPES.get(bare, str), "default": default or None}
        if value.startswith("["):
            how["nargs"] = "?"
        if value.endswith("..."):
            how |= {"action": "append", "default": []}
        parser.add_argument(name, **{**how, **more})


def load(options: argparse.Namespace, *outputs: Path | None) -> Project:
    """Load the project, and refuse to write over it."""
    from mandoline_core.project import load_project

    project = load_project(options.project)
    check_outputs(project, *outputs)
    return project


def check_outputs(project: Project, *outputs: Path | None) -> None:
    """Refuse to write over the project or its data."""
    named = (project.source_path, project.target_path, project.target_labels)
    inputs = [project.path, *(project.base / path for path in named if path is not None)]
    for output in outputs:
        if output is not None and any(path is not None and path.resolve() == output.resolve() for path in inputs):
            raise MandolineError(f"{output} belongs to the project and would be overwritten. Choose another place.")


def each_model(request: Request, progress: Progress) -> dict[str, Fit]:
    """State the problem of every model of a project."""
    return {fit.model: fit for fit, _ in request.each_model(progress, need_slices=True)}


def show(result: Any, options: argparse.Namespace) -> None:
    """Print an answer as text, or as plain data where JSON is asked for."""
    say(as_json(result.as_dict()) if options.json else str(result))


def say(text: str) -> None:
    """Print for a person: names and values come from files, and must not steer the terminal."""
    print(printable(text))


def complain(sentence: str) -> None:
    """Say on standard error, in one line, what the exit code stands for."""
    print(f"mandoline: {one_line(sentence)}", file=sys.stderr)


def as_json(value: Any) -> str:
    r"""Write plain data as JSON; what would steer a terminal is written as JSON writes it.

    >>> print(as_json("\x9b31m"))
    "\u009b31m"
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return printable(text)


def write(path: Path | None, text: str) -> None:
    """Write a file where one is asked for, or say in a sentence why it cannot be written."""
    if path is not None:
        with writing(path):
            path.write_text(text, encoding="utf-8")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in a sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise MandolineError(f"{path} could not be written: {error.strerror}. Choose another place.") from None


class Progress:
    """Show progress on standard error once work has taken more than a second; on a terminal, in one line."""

    def __init__(self, after: float = 1.0) -> None:
        self._start, self._after, self._shown = time.monotonic(), after, ""
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._terminal:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr)

    def __call__(self, what: str, share: float) -> None:
        """Say what is being done, and how much of it is done."""
        if time.monotonic() - self._start < self._after:
            return
        share = share if self._terminal else int(share * 10) / 10  # a log gets a line every tenth
        text = f"{one_line(what)}: {share:.0%}"
        if self._terminal:
            print("\r" + text.ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        elif text != self._shown:
            print(text, file=sys.stderr, flush=True)
        self._shown = text
