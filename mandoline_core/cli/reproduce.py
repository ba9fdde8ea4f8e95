"""`mandoline reproduce`: one of the paper's experiments, with its numbers next to ours."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mandoline_core.cli.command import JSON, Progress, as_json, check_charts, say, show, take, write, writing
from mandoline_core.formatting import table

if TYPE_CHECKING:
    from mandoline_core.paper import Reproduction

HELP = "Run an experiment of the paper."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take an experiment, how to run it, and the output folder."""
    own = {
        "--out DIR": "folder for the numbers, the figures, and a project with the data",
        "--seeds N": "number of random seeds",
        "--quick": "get a rough result in seconds",
        "--data DIR": "use the published files in this folder",
    }
    take(parser, {"name [NAME]": "name of the experiment (default: list them)", **JSON, **own})


def run(options: argparse.Namespace) -> None:
    """Run and print, or list."""
    from mandoline_core.paper import reproduce

    if options.name is None:
        _list(options)
        return
    check_charts(options.out)
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
    say(table([["name", "in the paper", "title"], *([*experiment.values()] for experiment in experiments)], "<<<"))
    say("\nRun one with: mandoline reproduce NAME (add --quick for a rough result in seconds)")


def _write(reproduction: Reproduction, options: argparse.Namespace) -> None:
    """Write the numbers, the figures and, if there is one, the project."""
    from mandoline_core.paper import figures_page, get_experiment, open_project

    with writing(options.out):
        options.out.mkdir(parents=True, exist_ok=True)
    write(options.out / f"{reproduction.name}.json", reproduction.to_json())
    write(options.out / f"{reproduction.name}.html", figures_page(reproduction))
    if get_experiment(reproduction.name).project is not None:
        folder = options.out / "project"
        with writing(folder):
            open_project(reproduction.name, folder, quick=options.quick, data=options.data)
