"""Every method on every model of the reviews sample, against one estimate of the same project."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mandoline_core as md
from tests.benchmarks.measuring import Bound, medians_in_turn
from tests.core.projects import REVIEWS

ROUNDS = 3
MOST_SECONDS = 10.0


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    project = md.load_project(REVIEWS)
    md.compare(project, estimators=["source", "cbiw_features"])  # imports once what both may need
    works: tuple[Callable[[], Any], ...] = (partial(md.compare, project), partial(md.estimate, project))
    (seconds, found), (single, _) = medians_in_turn(*works, rounds=ROUNDS)
    applied = sum(entry.available for model in found.models.values() for entry in model.entries.values())
    first = next(iter(found.models.values()))
    print(f"{project.name}: {first.n_source:,} source rows, {first.n_target:,} target rows; median of {ROUNDS}")
    print(f"  {applied} estimates, {len(found.models)} models  {seconds:7.3f} s")
    print(f"  estimate of the same project  {single:7.3f} s")
    print(f"  ratio                         {seconds / single:7.1f}")
    return [Bound("every method on the reviews, seconds", seconds, at_most=MOST_SECONDS)]


if __name__ == "__main__":
    for bound in run():
        print(bound)
