"""The guide: Markdown files next to this module, which the command line, the app and the site show.

A new page is a file here and its name in `SECTIONS`. Its first line is its title, its second paragraph a summary.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import listed

SECTIONS = {
    "Start": ("tutorial", "app", "terminal", "python", "glossary"),
    "How-to": (
        "good-slices",
        "noisy-slices",
        "few-labels",
        "weekly-tracking",
        "ci-gate",
        "large-data",
        "team-server",
        "other-methods",
        "red-verdict",
    ),
    "Concepts": (
        "assumptions",
        "interval",
        "weights",
        "verdict",
        "corrections",
        "edges",
        "abstention",
        "paper",
    ),
    "Reference": (
        "reference-project-file",
        "reference-command-line",
        "reference-metrics",
        "reference-methods",
        "reference-slice-kinds",
        "reference-checks",
        "reference-json",
        "reference-python",
    ),
}
_FILES = Path(__file__).parent


class Topic(NamedTuple):
    """Describe a page of the guide."""

    name: str
    title: str
    section: str
    summary: str


def topics() -> tuple[Topic, ...]:
    """List the pages of the guide, in reading order.

    Examples
    --------
    >>> [topic.title for topic in topics() if topic.name == "reference-metrics"]
    ['Metrics']
    """
    return tuple(_topic(name, section) for section, names in SECTIONS.items() for name in names)


def read(name: str) -> str:
    """Read a page of the guide, as Markdown.

    Examples
    --------
    >>> read("reference-metrics").splitlines()[0]
    '# Metrics'
    """
    names = [topic.name for topic in topics()]
    if name not in names:
        hint = did_you_mean(name, names)
        raise MandolineError(f"The guide has no topic {name!r}. Topics: {listed(names, most=len(names))}.{hint}")
    return _path(name).read_text(encoding="utf-8")


def _path(name: str) -> Path:
    return _FILES / f"{name}.md"


def _topic(name: str, section: str) -> Topic:
    title, summary, *_ = (line for line in _path(name).read_text(encoding="utf-8").splitlines() if line)
    return Topic(name, title.removeprefix("# "), section, summary)
