"""`mandoline plan`: which new rows to label next."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, each_model, load, say, take, write
from mandoline_core.formatting import counted, wrapped

HELP = "Choose the new rows to label next."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the number of rows, and the output file."""
    out = "write the plan as CSV instead of printing it: the rows to label, with an empty label column to fill in"
    take(parser, {**PROJECT, **JSON, "--rows N=50": "number of rows to label (default: 50)", "--out FILE": out})


def run(options: argparse.Namespace) -> None:
    """Plan, and print or write the plan."""
    from mandoline_core.labels import plan_labels
    from mandoline_core.pipeline import state_project
    from mandoline_core.report.words import methods

    project = load(options, options.out)
    with Progress() as progress:
        request = state_project(project)
        fit = next(iter(each_model(request, progress).values()))
        # A file with a label for every row is the hidden truth, not a start that a plan could continue.
        labelled = request.target if project.target_labels is None else project.reveal(request.target)
        some = project.label in labelled.columns and labelled.series(project.label).is_null().any()
        plan = plan_labels(fit, project.estimator, options.rows, labelled if some else request.target, key=request.key)
    write(options.out, plan.to_csv())
    if options.json:
        say(as_json(plan.as_dict()))
    elif options.out is None:
        say(plan.to_csv().removesuffix("\n"))
    else:
        todo = f"{counted(len(plan.rows), 'row')} to label. Fill in the last column"
        say(f"Wrote {options.out}: {todo}, then run: mandoline labels {options.project} --plan {options.out}")
        say(wrapped(methods.plan(plan, fit.problem.metric), ""))
