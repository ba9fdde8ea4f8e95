"""The terminal belongs to the command line: what libraries write to standard error by themselves is not heard."""

from __future__ import annotations

import faulthandler
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_ERROR = 2


@contextmanager
def own_terminal(*, program: bool) -> Iterator[None]:
    """Keep warnings and notes of libraries, which speak to whoever programs, from whoever runs a command.

    Parameters
    ----------
    program : bool
        Whether this is the program itself. A caller in Python keeps the warnings that it asked for.
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
    """Let Python's own standard error lead where it did, and all that goes past it lead nowhere."""
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
