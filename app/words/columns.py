"""Columns in sentences: what their texts read as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.words.wording import plain
from mandoline_core.data import PLURALS, Reading, quoted_examples
from mandoline_core.formatting import listed, show_percent


def guess(column: str, readings: Sequence[Reading]) -> str:
    """Say what a column of text reads as, with a preview and what would be missing."""
    known, unread = sum(one.n_known for one in readings), sum(one.n_unread for one in readings)
    shown = [f" ({written} is {read})" for written, read in readings[0].samples if written != read][:1]
    share = show_percent(1 - unread / known)
    said = f"stored as text; {share} read as {PLURALS[readings[0].type]}{''.join(shown)}."
    if unread:
        said += f" {_values(unread)} would be missing ({_examples(readings)})."
    return f"**{plain(column)}**: {plain(said)}"


def waiting(columns: Sequence[str]) -> str:
    """Say that columns of text read as something else, and what that means.

    >>> waiting(["age", "day"])
    'Values of age, day are numbers or dates but stored as text, so checks compare little of them.'
    """
    names = plain(listed(columns, 3))
    return f"Values of {names} are numbers or dates but stored as text, so checks compare little of them."


def declared(column: str, readings: Sequence[Reading]) -> str:
    """Say what a column is read as, and what became missing."""
    known, unread = sum(one.n_known for one in readings), sum(one.n_unread for one in readings)
    said = f"text read as {PLURALS[readings[0].type]}."
    if unread:
        said += f" {_values(unread)} of {known:,} {'is' if unread == 1 else 'are'} missing ({_examples(readings)})."
    return f"**{plain(column)}**: {plain(said)}"


def label(kinds: Mapping[str, str | None]) -> str:
    """Name an edit of types in the history.

    >>> label({"Alter": "number"}), label({"Alter": None})
    ('read Alter as numbers', 'read Alter as text')
    """
    if len(kinds) > 1:
        return f"change the types of {len(kinds)} columns"
    ((column, kind),) = kinds.items()
    return f"read {column} as {'text' if kind is None else PLURALS[kind]}"


def _values(n: int) -> str:
    return f"{n:,} value" if n == 1 else f"{n:,} values"


def _examples(readings: Sequence[Reading]) -> str:
    return quoted_examples(next(one for one in readings if one.n_unread))
