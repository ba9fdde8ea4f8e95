"""`mandoline labels`: what labels of a few new rows say."""

from __future__ import annotations

import argparse
from pathlib import Path

from mandoline_core.cli.project_command import Progress, add_project, as_json, each_model, say

HELP = "Combine the estimate with labels of a few new rows, and test the slices."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and the plan that rows were labelled by."""
    add_project(parser)
    parser.add_argument(
        "--plan",
        metavar="FILE",
        type=Path,
        help="the plan that these rows were chosen by, as CSV; its column row counts the new rows from 1",
    )


def run(options: argparse.Namespace) -> int:
    """Use the labels and print."""
    from mandoline_core.cli.tables import labels_text
    from mandoline_core.data import Sample, read_table
    from mandoline_core.labels import read_plan, use_labels
    from mandoline_core.metrics import get_metric
    from mandoline_core.pipeline import state_project
    from mandoline_core.project import load_project

    project = load_project(options.project)
    with Progress() as progress:
        request = state_project(project, reveal=True)
        problems, target, plan = each_model(request, progress), request.revealed, None
        if options.plan is not None:
            plan = read_plan(Sample(read_table(options.plan), name=options.plan.name), target.n_rows)
        found = {name: use_labels(problem, project.estimator, target, plan=plan) for name, problem in problems}
    if options.json:
        say(as_json({"models": {name: one.as_dict() for name, one in found.items()}}))
    else:
        say(labels_text(found, share=get_metric(project.metric.name).share))
    return 0
