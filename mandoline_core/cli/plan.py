"""`mandoline plan`: which new rows to label next."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, each_model, load, say, take, write

HELP = "Say which new rows to label next; the column row counts them from 1."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, how many rows, and where to write them."""
    out = "write the plan as CSV instead of printing it"
    take(parser, {**PROJECT, **JSON, "--rows N=50": "how many rows to label (50)", "--out FILE": out})


def run(options: argparse.Namespace) -> None:
    """Plan, and print or write it."""
    from mandoline_core.labels import plan_labels
    from mandoline_core.pipeline import state_project

    project = load(options, options.out)
    with Progress() as progress:
        request = state_project(project)
        fit = next(iter(each_model(request, progress).values()))
        # A file with a label for every row is the truth put aside, and not a start that a plan would go on from.
        labelled = request.target if project.target_labels is None else project.reveal(request.target)
        some = project.label in labelled.columns and labelled.series(project.label).is_null().any()
        plan = plan_labels(fit, project.estimator, options.rows, labelled if some else request.target)
    write(options.out, plan.to_csv())
    if options.json:
        say(as_json(plan.as_dict()))
    elif options.out is None:
        print(plan.to_csv(), end="")
