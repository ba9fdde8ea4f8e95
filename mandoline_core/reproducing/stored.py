"""What full runs found, as it is kept with the package."""

from __future__ import annotations

import json
from importlib.resources import files

from mandoline_core.reproducing.reproduction import Reproduction


def stored(name: str) -> Reproduction | None:
    """Read what the last full run of an experiment found; None where none is kept."""
    place = files("mandoline_core.reproducing").joinpath("results", f"{name}.json")
    return Reproduction.from_dict(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else None
