"""The terminal belongs to the command line: what libraries write to standard error is discarded; any name prints."""

from __future__ import annotations

import codecs
import faulthandler
import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_ERROR = 2
_STRICT = ("strict", "surrogateescape")  # ways that fail on a character the encoding does not have


def escape_output() -> None:
    r"""Let standard output escape what its encoding cannot hold, as `\uXXXX`: names come from files of any language."""
    codecs.register_error("mandoline", _escape)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in _STRICT:
        sys.stdout.reconfigure(errors="mandoline")


def _escape(error: UnicodeError) -> tuple[str, int]:
    r"""Write characters as JSON does, so that JSON stays JSON.

    >>> codecs.register_error("mandoline", _escape)
    >>> "Größe 😀".encode("ascii", errors="mandoline").decode()
    'Gr\\u00f6\\u00dfe \\ud83d\\ude00'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


@contextmanager
def own_terminal(*, program: bool) -> Iterator[None]:
    """Hide warnings and notes of libraries: they are meant for programmers, not for users of a command.

    Parameters
    ----------
    program : bool
        Whether this is the program itself. A caller in Python keeps its own warning filters.
    """
    with warnings.catch_warnings():
        if program and not sys.warnoptions:
            warnings.simplefilter("ignore")
        try:
            kept = os.dup(_ERROR)
        except OSError:  # closed from the start
            yield
            return
        with _quiet_error(kept):
            if program:  # what a library writes as it crashes is lost; Python says that it did, and where
                faulthandler.enable(kept)
            try:
                yield
            finally:
                if program:
                    faulthandler.disable()


@contextmanager
def _quiet_error(kept: int) -> Iterator[None]:
    """Keep Python's own standard error, and discard what is written to the file descriptor directly."""
    before = sys.stderr
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _ERROR)
    os.close(nowhere)
    if _leads_to_error(before):
        sys.stderr = open(kept, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    try:
        yield
    finally:
        if sys.stderr is not before:
            sys.stderr.close()
            sys.stderr = before
        os.dup2(kept, _ERROR)
        os.close(kept)


def _leads_to_error(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.fileno() == _ERROR
    except (io.UnsupportedOperation, ValueError):  # a stream in memory, as tests put there
        return False
