"""The README and the guides as programs: their examples are run and compared, or written again with what they print.

`python -m tests.core.documents [FILE ...]` writes what the examples print into the documents; then read what changed.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
GUIDE = ROOT / "mandoline_core" / "guide"
REFERENCE = "reference-"  # pages that are generated
CUT = "..."  # a last line: the output goes on
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)

# Runs examples in their order, Python in one program, each command in a shell.
RUNNER = """
import contextlib, io, json, subprocess, sys
names, printed = {}, []
for language, text in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        if language == "python":
            exec(compile(text, "example", "exec"), names)
        else:
            done = subprocess.run(["bash", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            print(done.stdout, end="")
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


class Example(NamedTuple):
    """A command or a piece of Python, and what the document shows that it prints; None where it shows nothing."""

    language: str
    text: str
    shown: str | None


def documents() -> list[Path]:
    """List the README and the guides that people write."""
    return [README, *(path for path in sorted(GUIDE.glob("*.md")) if not path.name.startswith(REFERENCE))]


def blocks(document: Path) -> list[tuple[str, str]]:
    """List a document's fenced blocks, each with its language."""
    return FENCE.findall(document.read_text(encoding="utf-8"))


def examples(document: Path) -> list[Example]:
    """List what can be run: each command of a console block, each Python block with the block of text after it."""
    found, fenced = [], blocks(document)
    for (language, text), (after, output) in zip(fenced, [*fenced[1:], ("", "")], strict=False):
        if language == "python":
            found.append(Example(language, text, output if after == "text" else None))
        if language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                line, _, shown = part.partition("\n")
                found.append(Example(language, line, shown))
    return found


def prose(document: Path) -> str:
    """Return a document without its fenced blocks."""
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def run(document: Path, interpreter: Path, folder: Path) -> Iterator[tuple[Example, str]]:
    """Run a document's examples in a folder, with an interpreter and the commands next to it.

    Yields
    ------
    example : Example
    printed : str
        Standard output and standard error, as a terminal shows them; cut where the document cuts it.
    """
    found = examples(document)
    # An interpreter of another environment must not see the checkout.
    own = {} if interpreter == Path(sys.executable) else {"PYTHONPATH": ""}
    path = f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [interpreter, "-c", RUNNER],
        input=json.dumps([(one.language, one.text) for one in found]),
        cwd=folder,
        env={**os.environ, **own, "PATH": path, "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{document.name}: {done.stderr}"
    for example, printed in zip(found, json.loads(done.stdout), strict=True):
        yield example, _as_shown(printed, example.shown or "")


def check(document: Path, interpreter: Path, folder: Path) -> None:
    """Run a document's examples in an empty folder, and compare what they print with what it shows."""
    for example, printed in run(document, interpreter, folder):
        if example.shown is not None:
            assert printed == example.shown, f"{document.name}: `{example.text}` now prints:\n{printed}"


def write_again(document: Path, interpreter: Path, folder: Path) -> None:
    """Show what the examples print now."""
    text = document.read_text(encoding="utf-8")
    for example, printed in run(document, interpreter, folder):
        start = f"$ {example.text}\n" if example.language == "console" else f"{example.text}```\n\n```text\n"
        if example.shown is not None:
            text = text.replace(f"{start}{example.shown}", f"{start}{printed}", 1)
    document.write_text(text, encoding="utf-8")


def commands(document: Path) -> Iterator[list[str]]:
    """List the commands that a document names without showing what they print, in words."""
    lines = [line for language, text in blocks(document) if language == "sh" for line in text.splitlines()]
    lines += [" ".join(found.split()) for found in re.findall(r"`((?:mandoline|make|pip) [^`]+)`", prose(document))]
    yield from (shlex.split(line, comments=True) for line in lines if line.strip())


def _as_shown(printed: str, shown: str) -> str:
    lines = shown.splitlines()
    if not lines or lines[-1] != CUT:
        return printed
    return "".join(f"{line}\n" for line in [*printed.splitlines()[: len(lines) - 1], CUT])


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(path) for path in documents()]:
        with tempfile.TemporaryDirectory() as temporary:
            write_again(Path(name).resolve(), Path(sys.executable), Path(temporary))
