"""What commands on a project file share: its argument, progress while they work, and how they print."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mandoline_core.errors import MandolineError
from mandoline_core.formatting import one_line, printable

if TYPE_CHECKING:
    from mandoline_core.pipeline import Fit, Request


def add_project_file(parser: argparse.ArgumentParser) -> None:
    """Take a project file."""
    parser.add_argument(
        "project", metavar="PROJECT.toml", type=Path, help="the project file, or a zip that holds it with its data"
    )


def add_project(parser: argparse.ArgumentParser) -> None:
    """Take a project file, and whether to print JSON."""
    add_project_file(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, numbers in full precision")


def at_least_one(text: str) -> int:
    """Read how many of something, before any work is done for it."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or above. Got {text!r}.")
    return int(text)


def show(found: Any, options: argparse.Namespace) -> None:
    """Print an answer as text, or as plain data where JSON is asked for."""
    say(as_json(found.as_dict()) if options.json else str(found))


def say(text: str) -> None:
    """Print for a person: names and values come from files, and must not steer the terminal."""
    print(printable(text))


def as_json(value: Any) -> str:
    r"""Write plain data as JSON; what would steer a terminal is written as JSON writes it.

    >>> print(as_json("\x9b31m"))
    "\u009b31m"
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return printable(text)


def write(path: Path, text: str) -> None:
    """Write a file, or say in a sentence why it cannot be written."""
    with writing(path):
        path.write_text(text, encoding="utf-8")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in a sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise MandolineError(f"{path} could not be written: {error.strerror}. Choose another place.") from None


def each_model(request: Request, progress: Progress) -> list[tuple[str, Fit]]:
    """State the problem of every model of a project."""
    return [(problem.model, problem) for problem, _ in request.each_model(progress, need_slices=True)]


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
