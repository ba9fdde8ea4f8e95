"""`mandoline suggest`: slices worth trying, tried; accepted only on request."""

from __future__ import annotations

import argparse
from pathlib import Path

from mandoline_core.cli.command import Progress, add_project, at_least_one, load, show, writing
from mandoline_core.errors import MandolineError

HELP = "Suggest slices for what is still off and matters, each tried; --auto accepts them one by one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, how many suggestions, whether to accept them, and where to write the project."""
    add_project(parser)
    parser.add_argument("--most", metavar="N", type=at_least_one, default=10, help="suggestions, at most (10)")
    parser.add_argument(
        "--auto", action="store_true", help="accept the most relevant one after the other, until nothing stands out"
    )
    parser.add_argument(
        "--never", metavar="NAME", action="append", default=[], help="a suggestion not to make, by its name; repeatable"
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="write the project with what --auto accepted; without --auto, with all suggestions switched off",
    )


def run(options: argparse.Namespace) -> None:
    """Suggest, write the project where that is asked for, and print."""
    from mandoline_core.discovery import suggest
    from mandoline_core.project import save_project

    project = load(options, options.out)
    if options.out is not None and project.path is None:
        raise MandolineError(f"{options.project} is a zip, and --out writes a file beside its data. Unpack it first.")
    with Progress() as progress:
        suggestions = suggest(project, most=options.most, auto=options.auto, never=options.never, progress=progress)
    if options.out is not None:
        with writing(options.out):
            save_project(suggestions.apply(project), options.out)
    show(suggestions, options)
