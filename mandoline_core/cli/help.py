"""`mandoline help`: the guide in the terminal."""

from __future__ import annotations

import argparse
import pydoc
import re
import sys
import textwrap
from itertools import groupby, zip_longest

from mandoline_core.cli.command import say, take
from mandoline_core.formatting import printable, table, wrapped

HELP = "Show the guide."
_WIDTH = 100
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)]*)\)")
_ITEM = re.compile(r"( *(?:[-*]|\d+\.) )(.*)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a topic."""
    take(parser, {"topic [TOPIC]": "topic of the guide (default: list them)"})


def run(options: argparse.Namespace) -> None:
    """Show a topic, or list the topics."""
    from mandoline_core.guide import read, topics

    if options.topic is None:
        say(_list())
        return
    full = f"reference-{options.topic}"  # so that `mandoline help metrics` finds the reference
    names = {topic.name for topic in topics()}
    name = full if options.topic not in names and full in names else options.topic
    markdown = read(name)
    linked = dict.fromkeys(one for one in re.findall(r"\]\(([a-z-]+)\.md", markdown) if one in names - {name})
    text = printable(in_terminal(markdown))
    if linked:
        text += "\n\n" + wrapped(f"Read on with mandoline help TOPIC: {', '.join(linked)}", "")
    if sys.stdout.isatty():
        pydoc.pager(text)
    else:
        print(text)


def _list() -> str:
    from mandoline_core.guide import topics

    width = max(len(topic.name) for topic in topics())
    lines = []
    for section, found in groupby(topics(), key=lambda topic: topic.section):
        lines += [section, *(f"  {topic.name:{width}}  {topic.title}" for topic in found), ""]
    return "\n".join([*lines, "Read one with: mandoline help TOPIC"])


def in_terminal(markdown: str) -> str:
    r"""Write Markdown as plain text for a terminal.

    Code keeps its lines; the rest is wrapped. Tables become columns.

    Examples
    --------
    >>> print(in_terminal("# Slices\n\nSee **[edges](edges.md)**.\n\n| a | b |\n|---|---|\n| 1 | `x` |\n"))
    Slices
    ======
    <BLANKLINE>
    See edges.
    <BLANKLINE>
    a  b
    1  `x`
    """
    parts = re.split(r"^```[^\n]*\n(.*?)^```$", markdown, flags=re.DOTALL | re.MULTILINE)
    blocks = []
    for number, part in enumerate(parts):
        if number % 2:
            blocks.append("\n".join(f"    {line}" for line in part.splitlines()))
        else:
            blocks += [_block(block) for block in re.split(r"\n\s*\n", part) if block.strip()]
    return "\n\n".join(block for block in blocks if block)


def _block(block: str) -> str:
    """Write a heading, a table, a list or a paragraph."""
    lines = block.strip("\n").splitlines()
    if lines[0].startswith("#"):
        marks, _, title = lines[0].partition(" ")
        rest = [_block("\n".join(lines[1:]))] if lines[1:] else []
        heading = _plain(title)
        return "\n".join([heading, ("=" if len(marks) == 1 else "-") * len(heading), *rest])
    if lines[0].startswith("    "):
        return "\n".join(lines)
    if lines[0].startswith("|"):
        return _table([_cells(line) for line in lines if not re.fullmatch(r"[|:\- ]+", line)])
    items: list[tuple[str, str]] = []
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found:
            items.append((found[1], found[2]))
        elif items:
            items[-1] = items[-1][0], f"{items[-1][1]} {line.strip()}"
        else:
            items.append(("", line))
    return "\n".join(wrapped(_plain(text), mark) for mark, text in items)


def _cells(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [_plain(cell.strip()).replace("\\|", "|") for cell in cells]


def _table(rows: list[list[str]]) -> str:
    """Lay a table out in columns; the widest columns are wrapped until the table fits."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while sum(widths) + 2 * (len(widths) - 1) > _WIDTH:
        widths[widths.index(max(widths))] -= 1
    lines: list[tuple[str, ...]] = []
    for row in rows:
        cells = [textwrap.wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        lines += zip_longest(*cells, fillvalue="")
    return table(lines, "<" * len(widths))


def _plain(text: str) -> str:
    """Leave out what Markdown needs and a reader does not: pictures, targets of local links, stars."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = _LINK.sub(lambda found: f"{found[1]} ({found[2]})" if "://" in found[2] else found[1], text)
    return re.sub(r"(`[^`]*`)|\*\*([^*]+)\*\*", lambda found: found[1] or found[2], text)  # code keeps its stars
