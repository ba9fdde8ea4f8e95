"""`mandoline estimate`: each model's estimate, its interval and its verdict."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PLAIN, PROJECT, REVEAL, Progress, complain, load, show, take
from mandoline_core.cli.report import make_report

HELP = "Estimate each model's score on the new data."
BELOW = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, output files, and the worst acceptable score."""
    own = {
        "--html FILE": "write the full report, as `mandoline report` does",
        "--weights FILE": "write one weight per labelled row and model, as CSV or Parquet",
        "--fail-under X": "exit with 1 if the first model's estimate is worse than X (above X, where lower is better)",
    }
    take(parser, {**PROJECT, **JSON, **REVEAL, **PLAIN, **own})


def run(options: argparse.Namespace) -> int | None:
    """Estimate, write the output files, and print."""
    from mandoline_core.data import progress_to
    from mandoline_core.metrics import get_metric
    from mandoline_core.monitoring import Demands, check_demands, check_worst
    from mandoline_core.report import write_weights

    project, least = load(options, options.html, options.weights), options.fail_under
    if least is not None:  # before any work is done: a bound that no estimate, or every estimate, would meet
        check_worst("--fail-under", least, get_metric(project.metric))
    with Progress() as progress:
        report = make_report(project, options, progress, options.html)
        if options.weights is not None:
            with progress_to(lambda _, share: progress("writing weights", share)):
                write_weights(report, options.weights)
    show(report, options)
    if least is None:
        return None
    result = check_demands(report, Demands(worst=least))[0]
    if result.met:
        return None
    complain(result.message)
    return BELOW
