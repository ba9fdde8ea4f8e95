"""What commands share: arguments, the project they load, progress, and how they print and write."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Help and refusals wait for no library: what imports one is imported by a command as it runs.
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import one_line, printable

if TYPE_CHECKING:
    from mandoline_core.pipeline import Fit, Request
    from mandoline_core.project import Project


PROJECT = {"project PROJECT.toml": "project file, or a zip of it and its data"}
JSON = {"--json": "print JSON, with numbers in full precision"}
REVEAL = {"--reveal": "show the true score, from the labels of the new data: their file, or their column"}
_WAIT = 1.0  # seconds before progress is shown
PLAIN = {
    "--plain": "allow for sampling error alone: no learned pairs of slices, no other plausible slices",
    "--spread": "the default; accepted for older scripts",
}


def at_least_one(text: str) -> int:
    """Read a count, before any work starts."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or more. Got {text!r}.")
    return int(text)


_PATHS = ("PROJECT.toml", "FILE", "FILE.toml", "DIR", "D", "SOURCE", "TARGET")
_TYPES: dict[str, Callable[[str], Any]] = {**dict.fromkeys(_PATHS, Path), "N": at_least_one, "X": float, "P": float}


def take(parser: argparse._ActionsContainer, arguments: Mapping[str, str], **more: Any) -> None:
    """Add arguments to a parser, each written as its usage, with its help text.

    The name of a value gives its type. `=` sets a default, `|` separates choices (the first is the default), brackets
    mark an optional value, dots an option that may be repeated.

    Parameters
    ----------
    **more
        Further arguments of `add_argument`, for each.

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
    """Load the project, and refuse to overwrite it."""
    from mandoline_core.project import load_project

    project = load_project(options.project)
    check_outputs(project, *outputs)
    return project


def check_outputs(project: Project, *outputs: Path | None) -> None:
    """Refuse to overwrite the project or its data."""
    named = (project.source_path, project.target_path, project.target_labels)
    inputs = [project.path, *(project.base / path for path in named if path is not None)]
    for output in outputs:
        if "\0" in str(output):
            raise MandolineError(f"{str(output)!r} is not a valid path: it contains a null character.")
        if output is not None and any(path is not None and path.resolve() == output.resolve() for path in inputs):
            raise MandolineError(f"{output} is part of the project and would be overwritten. Choose another path.")


def check_charts(page: Path | None) -> None:
    """Refuse a page with charts before the work is done, where Plotly is missing."""
    if page is not None:
        import_module("mandoline_core.report.charts")


def each_model(request: Request, progress: Progress) -> dict[str, Fit]:
    """Prepare the problem of every model of a project."""
    return {fit.model: fit for fit, _ in request.each_model(progress, need_slices=True)}


def show(result: Any, options: argparse.Namespace) -> None:
    """Print a result as text, or as JSON if requested."""
    say(as_json(result.as_dict()) if options.json else str(result))


def say(text: str) -> None:
    """Print text without control characters: names and values come from files."""
    print(printable(text))


def complain(sentence: str) -> None:
    """Print the reason for the exit code on standard error, in one line."""
    print(f"mandoline: {one_line(sentence)}", file=sys.stderr)


def as_json(value: Any) -> str:
    r"""Write plain data as JSON, with control characters escaped.

    >>> print(as_json("\x9b31m"))
    "\u009b31m"
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return printable(text)


def write(path: Path | None, text: str) -> None:
    """Write a file if a path is given."""
    if path is not None:
        with writing(path):
            path.write_text(text, encoding="utf-8")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into an error message."""
    try:
        yield
    except OSError as error:
        raise MandolineError(f"Cannot write {path}: {error.strerror}. Choose another path.") from None


class Progress:
    """Show progress on a terminal after one second, in one line of standard error; a log gets none of it."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._start, self._shown = time.monotonic(), ""
        self._hidden = quiet or not sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr)

    def __call__(self, what: str, share: float) -> None:
        """Show the current step and the share that is done."""
        if self._hidden or time.monotonic() - self._start < _WAIT:
            return
        text = f"{one_line(what)}: {share:.0%}"
        print("\r" + text.ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        self._shown = text
