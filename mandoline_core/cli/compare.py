"""`mandoline compare`: every model's estimate by every method."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, load, show, take

HELP = "Compare the methods on every model, and rank the models."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and whether to reveal the truth."""
    take(parser, {**PROJECT, **JSON, "--reveal": "score the methods against the labels of the new data"})


def run(options: argparse.Namespace) -> None:
    """Compare and print."""
    from mandoline_core.comparison import compare

    with Progress() as progress:
        show(compare(load(options), reveal=options.reveal, progress=progress), options)
