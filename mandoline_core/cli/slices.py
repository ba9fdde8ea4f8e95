"""`mandoline slices`: what each slice covers, how far it shifts, and how the model does inside it."""

from __future__ import annotations

import argparse

from mandoline_core.cli.project_command import Progress, add_project, as_json, each_model, say

HELP = "Show what each slice covers, how far it shifts and how the model does inside it."
add_arguments = add_project


def run(options: argparse.Namespace) -> int:
    """Describe the slices and print."""
    from mandoline_core.cli.tables import slices_text
    from mandoline_core.pipeline import slice_table, state_project
    from mandoline_core.project import load_project

    project = load_project(options.project)
    with Progress() as progress:
        found = {
            name: slice_table(problem, confidence=project.estimator.confidence)
            for name, problem in each_model(state_project(project), progress)
        }
    if options.json:
        say(as_json({"models": {name: [row.as_dict() for row in rows] for name, rows in found.items()}}))
    else:
        say("\n\n".join(slices_text(name, rows) for name, rows in found.items()))
    return 0
