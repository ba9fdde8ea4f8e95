"""`mandoline suggest`: slices worth trying, tried; accepted only on request."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, load, show, take, writing
from mandoline_core.errors import MandolineError

HELP = "Suggest slices for what is still off and matters, each tried; --auto accepts them one by one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, how many suggestions, whether to accept them, and where to write the project."""
    own = {
        "--most N=10": "suggestions, at most (10)",
        "--auto": "accept the most relevant one after the other, until nothing stands out",
        "--never NAME...": "a suggestion not to make, by its name; repeatable",
        "--out FILE": "write the project with what --auto accepted; without --auto, with all suggestions switched off",
    }
    take(parser, {**PROJECT, **JSON, **own})


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
