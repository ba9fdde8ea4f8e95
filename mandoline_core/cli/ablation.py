"""`mandoline ablation`: how the estimate moves as slices are added, and without each of them."""

from __future__ import annotations

import argparse
from functools import partial

from mandoline_core.cli.project_command import Progress, add_project, as_json, each_model, say

HELP = "Show how the estimate moves as slices are added, and without each of them."
add_arguments = add_project


def run(options: argparse.Namespace) -> int:
    """Compute both curves for every model and print."""
    from mandoline_core.cli.tables import ablation_text
    from mandoline_core.pipeline import ablation, state_project
    from mandoline_core.project import load_project

    project = load_project(options.project)
    with Progress() as progress:
        found = {
            name: ablation(problem, project.estimator, progress=partial(progress, f"ablation of {name}"))
            for name, problem in each_model(state_project(project), progress)
        }
    if options.json:
        first = next(iter(found.values())).as_dict()
        say(as_json({**first, "models": {name: curves.as_dict() for name, curves in found.items()}}))
    else:
        say("\n\n".join(ablation_text(name, curves) for name, curves in found.items()))
    return 0
