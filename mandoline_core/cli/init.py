"""`mandoline init`: a project file for two files, with guessed roles and slices to start with."""

from __future__ import annotations

import argparse
from pathlib import Path

from mandoline_core.cli.command import Progress, say, take, writing
from mandoline_core.errors import MandolineError

HELP = "Write a project file for a labelled and an unlabelled file: roles guessed, slices tried, all explained."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take both files, where to write, and what a person knows better."""
    arguments = {
        "source SOURCE": "the labelled rows, CSV or Parquet",
        "target TARGET": "the new rows, CSV or Parquet",
        "--out FILE=project.toml": "where to write it (project.toml)",
        "--label COLUMN": "the column of true answers (guessed when left out)",
        "--prediction COLUMN...": "a column of predictions (guessed when left out); repeatable",
    }
    take(parser, arguments)


def run(options: argparse.Namespace) -> None:
    """Guess, try slices, write the file, and say what was guessed."""
    from mandoline_core.monitoring import draft_project, draft_summary

    _check_free(options.out)
    with Progress() as progress:
        draft = draft_project(
            options.source,
            options.target,
            options.out,
            label=options.label,
            predictions=options.prediction,
            progress=progress,
        )
    with writing(options.out):
        try:
            with options.out.open("x", encoding="utf-8", newline="\n") as file:
                file.write(draft.to_toml())
        except FileExistsError:
            _check_free(options.out)
    say(f"{draft_summary(draft)}\n\nThe project is in {options.out}. Read it, then: mandoline estimate {options.out}")


def _check_free(path: Path) -> None:
    if path.exists():
        raise MandolineError(f"{path} is there already and stays as it is. Choose another place with --out FILE.")
