"""`mandoline estimate`: each model's estimate, its interval, and what to know before quoting it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mandoline_core.cli.project_command import Progress, add_project, show
from mandoline_core.cli.report import check_place, write_report

if TYPE_CHECKING:
    from mandoline_core.project import Project
    from mandoline_core.report import Report

HELP = "Estimate each model's score on the target."
BELOW = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, what to write beside the estimate, and the least it may be."""
    add_project(parser)
    parser.add_argument("--reveal", action="store_true", help="show the truth from the project's file of target labels")
    parser.add_argument(
        "--spread", action="store_true", help="say how much hangs on the choice of slices, too: tries other slices"
    )
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the whole report, as `mandoline report` does")
    parser.add_argument(
        "--weights", metavar="FILE", type=Path, help="write one weight a source row and model, as CSV or Parquet"
    )
    parser.add_argument(
        "--fail-under",
        metavar="X",
        type=float,
        help="exit with 1 when the first model's estimate is worse than X: below it, or above it where less is better",
    )


def run(options: argparse.Namespace) -> int:
    """Estimate, write what was asked for, and print."""
    from mandoline_core.data import progress_to
    from mandoline_core.discovery import spread
    from mandoline_core.project import load_project
    from mandoline_core.report import estimate, write_weights

    project = load_project(options.project)
    _check_least(options.fail_under, project)
    if options.html is not None:
        check_place(options.html, project)
    with Progress() as progress:
        report = estimate(project, reveal=options.reveal, progress=progress)
        if options.spread:
            report = replace(report, spreads=spread(project, progress=progress))
        if options.html is not None:
            write_report(options.html, report, progress, reveal=options.reveal)
        if options.weights is not None:
            with progress_to(lambda _, share: progress("writing weights", share)):
                write_weights(report, options.weights)
    show(report, options)
    return _judge(report, options.fail_under)


def _check_least(least: float | None, project: Project) -> None:
    """Refuse a bound that no estimate, or every estimate, would meet."""
    from mandoline_core.metrics import get_metric
    from mandoline_core.monitoring import check_worst

    if least is not None:
        check_worst("--fail-under", least, get_metric(project.metric.name))


def _judge(report: Report, least: float | None) -> int:
    from mandoline_core.formatting import one_line
    from mandoline_core.monitoring import Demands, hold_against

    if least is None:
        return 0
    held = next(iter(hold_against(report, Demands(worst=least))))
    if held.met:
        return 0
    print(f"mandoline: {one_line(held.sentence)}", file=sys.stderr)
    return BELOW
