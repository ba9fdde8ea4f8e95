"""`mandoline compare`: what every method says of every model."""

from __future__ import annotations

import argparse

from mandoline_core.cli.project_command import Progress, add_project, show

HELP = "Estimate each model with every method that applies, and rank the models."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and whether to look at the truth."""
    add_project(parser)
    parser.add_argument(
        "--reveal", action="store_true", help="judge the methods by the project's file of target labels"
    )


def run(options: argparse.Namespace) -> int:
    """Compare and print."""
    from mandoline_core.comparison import compare
    from mandoline_core.project import load_project

    with Progress() as progress:
        show(compare(load_project(options.project), reveal=options.reveal, progress=progress), options)
    return 0
