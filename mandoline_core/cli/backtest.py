"""`mandoline backtest`: how every method does where the truth is known."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, load, show, take

HELP = "Try every method on pseudo-targets made of the labelled data."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and how many pseudo-targets to make."""
    take(
        parser,
        {**PROJECT, **JSON, "--draws N=100": "pseudo-targets of each kind (100)"},
    )


def run(options: argparse.Namespace) -> None:
    """Backtest and print."""
    from mandoline_core.comparison.backtests import backtest

    with Progress() as progress:
        show(backtest(load(options), draws=options.draws, progress=progress), options)
