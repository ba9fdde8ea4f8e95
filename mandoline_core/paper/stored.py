"""What full runs found, as it is kept with the package."""

from __future__ import annotations

import json
from importlib.resources import files

from mandoline_core.paper.registry import get_experiment
from mandoline_core.paper.reproduction import Reproduction


def stored(name: str) -> Reproduction | None:
    """Read what the last full run of an experiment found; None where none is kept.

    Rows, and how they were made, are those of that run; the title and the paper's numbers are the experiment's.

    Examples
    --------
    >>> stored("noisy-slices").made["quick"]
    False
    """
    experiment = get_experiment(name)
    place = files("mandoline_core.paper").joinpath("results", f"{name}.json")
    if not place.is_file():
        return None
    found = json.loads(place.read_text(encoding="utf-8"))
    return Reproduction(name, experiment.title, tuple(found["rows"]), experiment.paper, found["made"])
