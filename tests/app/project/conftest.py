"""Processes that can be killed, and a folder for thousands of databases."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import types
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> ForkServerContext:
    """Give what starts processes, from one that has imported what they need."""
    # Each would run the main module first, and what tests of pages leave there is the app.
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.app.project.editor"])
    return context


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that is not there yet, in memory where there is such a place: nothing in it waits for the disk."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of one's own in it
    found = memory / f"mandoline-{os.getpid()}" if memory.is_dir() else tmp_path / "place"
    yield found
    shutil.rmtree(found, ignore_errors=True)
