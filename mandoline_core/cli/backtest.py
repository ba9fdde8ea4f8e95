"""`mandoline backtest`: how every method does where the true score is known."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, load, show, take

HELP = "Test every method on shifted samples of the labelled data."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and the number of samples."""
    take(parser, {**PROJECT, **JSON, "--draws N=100": "number of samples of each kind of shift (default: 100)"})


def run(options: argparse.Namespace) -> None:
    """Backtest and print."""
    from mandoline_core.comparison.backtests import backtest

    with Progress() as progress:
        show(backtest(load(options), draws=options.draws, progress=progress), options)
