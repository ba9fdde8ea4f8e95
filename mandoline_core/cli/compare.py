"""`mandoline compare`: what every method says of every model."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, load, show, take

HELP = "Estimate each model with every method that applies, and rank the models."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and whether to look at the truth."""
    take(parser, {**PROJECT, **JSON, "--reveal": "judge the methods by the project's file of target labels"})


def run(options: argparse.Namespace) -> None:
    """Compare and print."""
    from mandoline_core.comparison import compare

    with Progress() as progress:
        show(compare(load(options), reveal=options.reveal, progress=progress), options)
