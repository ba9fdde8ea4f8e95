"""`mandoline suggest`: slices worth adding, and what each would change."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, load, show, take, writing
from mandoline_core.errors import MandolineError

HELP = "Suggest slices, and show what each would change."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the number of suggestions, whether to accept them, and the output file."""
    own = {
        "--most N=10": "maximum number of suggestions (default: 10)",
        "--auto": "accept the best suggestion, again and again, while the effect is beyond sampling error; check each: "
        "this is no cure",
        "--never NAME...": "name of a slice not to suggest; repeatable",
        "--out FILE": "write the project with the slices that --auto accepted, or with all suggestions disabled",
    }
    take(parser, {**PROJECT, **JSON, **own})


def run(options: argparse.Namespace) -> None:
    """Suggest, write the project if a path is given, and print."""
    from mandoline_core.discovery import suggest
    from mandoline_core.project import save_project

    project = load(options, options.out)
    if options.out is not None and project.path is None:
        raise MandolineError(f"{options.project} is a zip, but --out writes next to the data. Unpack it first.")
    with Progress() as progress:
        suggestions = suggest(project, most=options.most, auto=options.auto, never=options.never, progress=progress)
    if options.out is not None:
        with writing(options.out):
            save_project(suggestions.apply(project), options.out)
    show(suggestions, options)
