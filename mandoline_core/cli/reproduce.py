"""`mandoline reproduce`: one of the paper's experiments, with its numbers beside ours."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mandoline_core.cli.command import Progress, add_json, as_json, at_least_one, say, show, write, writing
from mandoline_core.formatting import table

if TYPE_CHECKING:
    from mandoline_core.paper import Reproduction

HELP = "Run one of the paper's experiments, or list them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take an experiment, how to run it, and where to put what it finds."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the experiment; left out, all are listed")
    add_json(parser)
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="write the numbers, the figures and the data as a project there"
    )
    parser.add_argument("--seeds", metavar="N", type=at_least_one, help="draw everything random so many times")
    parser.add_argument("--quick", action="store_true", help="a rough answer within seconds")
    parser.add_argument("--data", metavar="DIR", type=Path, help="run on the published files in this folder")


def run(options: argparse.Namespace) -> None:
    """Run and print, or list."""
    from mandoline_core.paper import reproduce

    if options.name is None:
        _list(options)
        return
    with Progress() as progress:
        found = reproduce(options.name, seeds=options.seeds, quick=options.quick, data=options.data, progress=progress)
    if options.out is not None:
        _write(found, options)
    show(found, options)


def _list(options: argparse.Namespace) -> None:
    from mandoline_core.paper import EXPERIMENTS

    known = [{"name": one.name, "place": one.place, "title": one.title} for one in EXPERIMENTS.values()]
    if options.json:
        say(as_json({"experiments": known}))
        return
    say(table([["experiment", "in the paper", "what"], *([*one.values()] for one in known)], "<<<"))
    say("\nmandoline reproduce NAME runs one; --quick gives a rough answer within seconds.")


def _write(found: Reproduction, options: argparse.Namespace) -> None:
    """Write the numbers, the figures and, where there are data, the project."""
    from mandoline_core.paper import figures_page, get_experiment, open_project

    with writing(options.out):
        options.out.mkdir(parents=True, exist_ok=True)
    write(options.out / f"{found.name}.json", found.to_json())
    write(options.out / f"{found.name}.html", figures_page(found))
    if get_experiment(found.name).project is not None:
        place = options.out / "project"
        with writing(place):
            open_project(found.name, place, quick=options.quick, data=options.data)
