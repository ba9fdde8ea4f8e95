"""Quick runs, each made once for all processes that test, and single numbers of them."""

from __future__ import annotations

import json
import os
import tempfile
import time
from functools import cache
from pathlib import Path

import mandoline_core as md
from mandoline_core.paper import Reproduction

_PATIENCE = 300.0  # seconds that another process may take


@cache
def quick_run(name: str) -> Reproduction:
    """Run an experiment roughly, or take what another process of the same tests has found."""
    tests = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if tests is None:
        return md.reproduce(name, quick=True)
    folder = Path(tempfile.gettempdir()) / f"mandoline-quick-{tests}"
    folder.mkdir(exist_ok=True)
    done, begun = folder / f"{name}.json", folder / f"{name}.begun"
    try:
        begun.mkdir()
    except FileExistsError:
        until = time.monotonic() + _PATIENCE
        while not done.exists() and time.monotonic() < until:
            time.sleep(0.1)
    if not done.exists():
        part = done.with_suffix(f".{os.getpid()}")
        part.write_text(md.reproduce(name, quick=True).to_json(), encoding="utf-8")
        part.replace(done)
    found = json.loads(done.read_text(encoding="utf-8"))
    return Reproduction(name, found["title"], tuple(found["rows"]), tuple(found["paper"]), found["made"])


def value_of(found: Reproduction, **fields: object) -> float:
    """Find the one row with these fields, and return its value."""
    (row,) = [row for row in found.rows if all(row.get(key) == value for key, value in fields.items())]
    return float(row["value"])
