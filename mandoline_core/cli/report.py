"""`mandoline report`: the full report as one HTML file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mandoline_core.cli.command import (
    PLAIN,
    PROJECT,
    REVEAL,
    Progress,
    check_charts,
    check_outputs,
    load,
    say,
    take,
    write,
)

if TYPE_CHECKING:
    from mandoline_core.project import Project
    from mandoline_core.report import Report

HELP = "Write the full report as one self-contained HTML file."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the output file, and whether to reveal the truth."""
    out = {
        "--out FILE": "output file (default: NAME-report.html next to the project)",
        "--since FILE": "an earlier report in HTML: say what has changed since",
    }
    take(parser, {**PROJECT, **REVEAL, **PLAIN, **out})


def run(options: argparse.Namespace) -> None:
    """Estimate and write the report."""
    from mandoline_core.formatting import file_stem

    project = load(options)
    path = options.out or options.project.parent / f"{file_stem(project.name)}-report.html"
    check_outputs(project, path)
    since = None if options.since is None else options.since.read_text(encoding="utf-8", errors="replace")
    with Progress() as progress:
        make_report(project, options, progress, html=path, since=since)
    say(f"Wrote {path}.")


def make_report(
    project: Project, options: argparse.Namespace, progress: Progress, html: Path | None, since: str | None = None
) -> Report:
    """Estimate, and write the report as HTML if a path is given; with the truth only if it is revealed."""
    from mandoline_core.report import estimate

    check_charts(html)
    if options.plain:
        edges = () if isinstance(project.edges, str) else project.edges
        project = replace(project, edges=edges, estimator=replace(project.estimator, spread=False))
    report = estimate(project, reveal=options.reveal, progress=progress)
    if html is not None:
        write(html, report.to_html(since=since, progress=progress))
    return report
