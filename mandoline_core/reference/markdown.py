"""Markdown: pages, tables, and the examples of a docstring."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence


def page(title: str, summary: str, *blocks: str) -> str:
    """Write a page: its title, one sentence, and the rest."""
    return "\n\n".join([f"# {title}", summary, *blocks]) + "\n"


def table(header: Sequence[str], rows: Collection[Sequence[str]]) -> str:
    r"""Write a table; a column without any text is left out, and a pipe in a cell is escaped.

    >>> print(table(("a", "b", "c"), [("1|2", "x", "")]))
    | a | b |
    |---|---|
    | 1\|2 | x |
    """
    used = [column for column in range(len(header)) if any(row[column] for row in rows)]
    cells = [[row[column].replace("|", "\\|").replace("\n", " ") for column in used] for row in (header, *rows)]
    head, *body = (f"| {' | '.join(line)} |" for line in cells)
    return "\n".join([head, "|" + "---|" * len(used), *body])


def code(text: str, language: str = "text") -> str:
    """Write a block of code."""
    return f"```{language}\n{text.strip()}\n```"


def summary_of(thing: object) -> str:
    """Return the first paragraph of a docstring.

    >>> summary_of(code)
    'Write a block of code.'
    """
    return " ".join(inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].split())


def examples_of(thing: object) -> str:
    """Return the examples of a docstring."""
    return inspect.cleandoc(thing.__doc__ or "").partition("Examples\n--------\n")[2]


def sentence(text: str) -> str:
    """Start with a capital and end with a full stop.

    >>> sentence("words or phrases in a text")
    'Words or phrases in a text.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""
