"""What a run of an experiment found, with how it was made: as plain data and as text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mandoline_core.paper.experiment import Row


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Hold what a run of an experiment found. Prints as text in a terminal.

    Parameters
    ----------
    rows : tuple of Row
        Ours.
    paper : tuple of Row
        The paper's.
    made : dict
        When, with which versions, how many seeds, whether quick, on which data.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    paper: tuple[Row, ...]
    made: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `mandoline reproduce NAME --json` prints."""
        return {
            "name": self.name,
            "title": self.title,
            "rows": [dict(row) for row in self.rows],
            "paper": [dict(row) for row in self.paper],
            "made": dict(self.made),
        }

    def to_json(self) -> str:
        """Write everything as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from mandoline_core.paper.text import render

        return render(self)
