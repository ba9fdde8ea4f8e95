"""`mandoline report`: one HTML file with everything in it, to keep or to send."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mandoline_core.cli.project_command import Progress, add_project_file, say, write
from mandoline_core.errors import MandolineError

if TYPE_CHECKING:
    from mandoline_core.project import Project
    from mandoline_core.report import Report

HELP = "Write the whole report as one HTML file that needs nothing else."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, where to write, and whether to look at the truth."""
    add_project_file(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="where to write it (default: <project name>-report.html beside PROJECT)",
    )
    parser.add_argument(
        "--spread", action="store_true", help="say how much hangs on the choice of slices, too: tries other slices"
    )
    parser.add_argument("--reveal", action="store_true", help="show the truth from the project's file of target labels")


def run(options: argparse.Namespace) -> int:
    """Estimate, write the report, and say where it is."""
    from mandoline_core.discovery import spread
    from mandoline_core.formatting import file_stem
    from mandoline_core.project import load_project
    from mandoline_core.report import estimate

    project = load_project(options.project)
    place = options.out or options.project.parent / f"{file_stem(project.name)}-report.html"
    check_place(place, project)
    with Progress() as progress:
        found = estimate(project, reveal=options.reveal, progress=progress)
        if options.spread:
            found = replace(found, spreads=spread(project, progress=progress))
        write_report(place, found, progress, reveal=options.reveal)
    say(f"The report is in {place}.")
    return 0


def write_report(place: Path, report: Report, progress: Progress, *, reveal: bool) -> None:
    """Write a report as HTML, with the truth only if it was asked for."""
    write(place, (report if reveal else report.without_truth()).to_html(progress=progress))


def check_place(place: Path, project: Project) -> None:
    """Refuse to write over the project or its data."""
    named = (project.source_path, project.target_path, project.target_labels)
    inputs = [project.path, *(project.base / path for path in named if path is not None)]
    if any(path is not None and path.resolve() == place.resolve() for path in inputs):
        raise MandolineError(f"{place} belongs to the project and would be overwritten. Choose another place.")
