"""`mandoline backtest`: how every method does where the truth is known."""

from __future__ import annotations

import argparse

from mandoline_core.cli.project_command import Progress, add_project, show

HELP = "Try every method on pseudo-targets made of the labelled data."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and how many pseudo-targets to make."""
    add_project(parser)
    parser.add_argument("--draws", metavar="N", type=int, default=100, help="pseudo-targets of each kind (100)")


def run(options: argparse.Namespace) -> int:
    """Backtest and print."""
    from mandoline_core.comparison.backtests import backtest
    from mandoline_core.project import load_project

    with Progress() as progress:
        found = backtest(load_project(options.project), draws=options.draws, progress=progress)
    show(found, options)
    return 0
