"""`mandoline reproduce`: one of the paper's experiments, with its numbers beside ours."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mandoline_core.cli.command import JSON, Progress, as_json, say, show, take, write, writing
from mandoline_core.formatting import table

if TYPE_CHECKING:
    from mandoline_core.paper import Reproduction

HELP = "Run one of the paper's experiments, or list them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take an experiment, how to run it, and where to put what it finds."""
    own = {
        "--out DIR": "write the numbers, the figures and the data as a project there",
        "--seeds N": "draw everything random so many times",
        "--quick": "a rough answer within seconds",
        "--data DIR": "run on the published files in this folder",
    }
    take(parser, {"name [NAME]": "the experiment; left out, all are listed", **JSON, **own})


def run(options: argparse.Namespace) -> None:
    """Run and print, or list."""
    from mandoline_core.paper import reproduce

    if options.name is None:
        _list(options)
        return
    with Progress() as progress:
        reproduction = reproduce(
            options.name, seeds=options.seeds, quick=options.quick, data=options.data, progress=progress
        )
    if options.out is not None:
        _write(reproduction, options)
    show(reproduction, options)


def _list(options: argparse.Namespace) -> None:
    from mandoline_core.paper import EXPERIMENTS

    keys = ("name", "place", "title")
    experiments = [{key: getattr(experiment, key) for key in keys} for experiment in EXPERIMENTS.values()]
    if options.json:
        say(as_json({"experiments": experiments}))
        return
    say(table([["experiment", "in the paper", "what"], *([*experiment.values()] for experiment in experiments)], "<<<"))
    say("\nmandoline reproduce NAME runs one; --quick gives a rough answer within seconds.")


def _write(reproduction: Reproduction, options: argparse.Namespace) -> None:
    """Write the numbers, the figures and, where there are data, the project."""
    from mandoline_core.paper import figures_page, get_experiment, open_project

    with writing(options.out):
        options.out.mkdir(parents=True, exist_ok=True)
    write(options.out / f"{reproduction.name}.json", reproduction.to_json())
    write(options.out / f"{reproduction.name}.html", figures_page(reproduction))
    if get_experiment(reproduction.name).project is not None:
        folder = options.out / "project"
        with writing(folder):
            open_project(reproduction.name, folder, quick=options.quick, data=options.data)
