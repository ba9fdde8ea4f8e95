"""`mandoline sample`: a sample project, copied out of the package."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from mandoline_core.cli.app import bundle_root
from mandoline_core.cli.command import say, take, writing
from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import listed, table

HELP = "Copy a sample project to a folder."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a sample, and the folder to copy it to."""
    names = {"name [NAME]": "name of the sample (default: list them)", "folder [DIR]": "new folder (default: NAME)"}
    take(parser, names)


def run(options: argparse.Namespace) -> None:
    """Copy a sample, or list the samples."""
    samples = find_samples()
    if options.name is None:
        say(table([["name", "data"], *([name, _first_comment(path)] for name, path in samples.items())], "<<"))
        say("\nCopy one with: mandoline sample NAME DIR")
        return
    if options.name not in samples:
        hint = did_you_mean(options.name, samples)
        raise MandolineError(f"Unknown sample {options.name!r}. Samples: {listed(samples)}.{hint}")
    folder = options.folder or Path(options.name)
    if folder.exists():
        raise MandolineError(f"{folder} already exists. Choose another folder: mandoline sample {options.name} DIR")
    with writing(folder):
        shutil.copytree(samples[options.name].parent, folder)
    say(f"Copied the sample to {folder}. Next, run: mandoline estimate {folder / 'project.toml'}")


def find_samples() -> dict[str, Path]:
    """Find the project files of the samples by name."""
    return {path.parent.name: path for path in sorted((bundle_root() / "sample_data").glob("*/project.toml"))}


def _first_comment(path: Path) -> str:
    """Read what a sample's project file says about its data."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
