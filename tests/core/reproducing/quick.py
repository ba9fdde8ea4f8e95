"""Quick runs, each made once a process, and single numbers of them."""

from __future__ import annotations

from functools import cache

import mandoline_core as md
from mandoline_core.reproducing import Reproduction


@cache
def quick_run(name: str) -> Reproduction:
    """Run an experiment roughly."""
    return md.reproduce(name, quick=True)


def value_of(found: Reproduction, **fields: object) -> float:
    """Find the one row with these fields, and return its value."""
    (row,) = [row for row in found.rows if all(row.get(key) == value for key, value in fields.items())]
    return float(row["value"])
