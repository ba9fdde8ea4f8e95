"""`mandoline init`: a project file for two data files, with guessed columns and suggested slices."""

from __future__ import annotations

import argparse
from pathlib import Path

from mandoline_core.cli.command import Progress, say, take, writing
from mandoline_core.errors import MandolineError

HELP = "Write a project file for your data, with suggested slices."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take both files, the output file, and columns to use instead of guesses."""
    arguments = {
        "source SOURCE": "labelled data, as CSV or Parquet",
        "target TARGET": "new data without labels, as CSV or Parquet",
        "--out FILE=project.toml": "project file to write (default: project.toml)",
        "--label COLUMN": "column with the true labels (default: guessed)",
        "--prediction COLUMN...": "column with a model's predictions (default: guessed); repeatable",
    }
    take(parser, arguments)


def run(options: argparse.Namespace) -> None:
    """Guess columns, suggest slices, write the file, and print a summary."""
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
    say(f"{draft_summary(draft)}\n\nWrote {options.out}. Read it, then run: mandoline estimate {options.out}")


def _check_free(path: Path) -> None:
    if path.exists():
        raise MandolineError(f"{path} already exists. Choose another file with --out FILE.")
