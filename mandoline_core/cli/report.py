"""`mandoline report`: one HTML file with everything in it, to keep or to send."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mandoline_core.cli.command import PROJECT, REVEAL, SPREAD, Progress, check_outputs, load, say, take, write

if TYPE_CHECKING:
    from mandoline_core.project import Project
    from mandoline_core.report import Report

HELP = "Write the whole report as one HTML file that needs nothing else."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, where to write, and whether to look at the truth."""
    out = {"--out FILE": "where to write it (default: <project name>-report.html beside PROJECT)"}
    take(parser, {**PROJECT, **REVEAL, **SPREAD, **out})


def run(options: argparse.Namespace) -> None:
    """Estimate, write the report, and say where it is."""
    from mandoline_core.formatting import file_stem

    project = load(options)
    path = options.out or options.project.parent / f"{file_stem(project.name)}-report.html"
    check_outputs(project, path)
    with Progress() as progress:
        make_report(project, options, progress, html=path)
    say(f"The report is in {path}.")


def make_report(project: Project, options: argparse.Namespace, progress: Progress, html: Path | None) -> Report:
    """Estimate, and write the report as HTML where that is asked for: with the truth only if that is, too."""
    from mandoline_core.discovery import spread
    from mandoline_core.report import estimate

    report = estimate(project, reveal=options.reveal, progress=progress)
    if options.spread:
        report = replace(report, spreads=spread(project, progress=progress))
    if html is not None:
        write(html, (report if options.reveal else report.without_truth()).to_html(progress=progress))
    return report
