"""A reproduction as text for a terminal, with the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mandoline_core.formatting import show_number, table, wrapped
from mandoline_core.paper.experiment import ERROR, METHOD, VALUE, Row
from mandoline_core.paper.registry import get_experiment
from mandoline_core.paper.reproduction import Reproduction

PLACE = "place"
_OURS = (VALUE, ERROR)
_APART = {*_OURS, PLACE}


def render(found: Reproduction) -> str:
    """Write everything: what it shows, both tables, where ours differs and how it was made."""
    experiment = get_experiment(found.name)
    text = [f"{found.title} ({experiment.place})", "", wrapped(experiment.shows, ""), ""]
    text += [number_table(found), ""]
    alone = paper_alone(found)
    if alone:
        text += ["In the paper:", "", _laid_out(alone, [*fields(alone), PLACE]), ""]
    text += [wrapped(f"Where ours differs: {experiment.differs}", ""), "", wrapped(made_words(found), "")]
    return "\n".join(text)


def number_table(found: Reproduction) -> str:
    """Write our rows, with the paper's number beside those that it has one for."""
    beside = beside_ours(found)
    rows = [{**row, "paper": said} for row, said in zip(found.rows, beside, strict=True)]
    more = ["paper"] if any(said is not None for said in beside) else []
    return _laid_out(rows, [*fields(found.rows), *more])


def beside_ours(found: Reproduction) -> list[Any]:
    """List the paper's number for each of our rows; None where it gives none."""
    said = {_key(row): row[VALUE] for row in found.paper}
    return [said.get(_key(row)) for row in found.rows]


def paper_alone(found: Reproduction) -> list[Row]:
    """List the paper's numbers that stand beside none of ours."""
    ours = {_key(row) for row in found.rows}
    return [row for row in found.paper if _key(row) not in ours]


def fields(rows: Sequence[Row]) -> list[str]:
    """List the fields of rows: what varied first, then the method, then the numbers."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    last = [name for name in (METHOD, VALUE, ERROR) if name in names]
    if ERROR in last and all(row.get(ERROR) is None for row in rows):
        last.remove(ERROR)
    return [name for name in names if name not in {METHOD, *_APART}] + last


def shown(value: Any) -> str:
    """Write one entry of a table.

    >>> shown(0.123456), shown(None), shown("slices"), shown(10_000)
    ('0.123', '-', 'slices', '10,000')
    """
    if value is None:
        return "-"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return show_number(float(f"{value:.3g}"))


def made_words(found: Reproduction) -> str:
    """Say when and how the numbers were made.

    Seeds and versions are all that they depend on.
    """
    made = found.made
    how = "a quick run" if made["quick"] else "a full run"
    times = f"{made['seeds']} seeds" if made["seeds"] != 1 else "1 seed"
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    return f"Made on {made['when']} by {how} with {times}, on data {made['data']}, with {versions}."


def _key(row: Row) -> frozenset[tuple[str, Any]]:
    return frozenset((name, value) for name, value in row.items() if name not in _APART)


def _laid_out(rows: Sequence[Row], names: Sequence[str]) -> str:
    numbers = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in names]
    lines = [[name.replace("_", " ") for name in names]]
    lines += [[shown(row.get(name)) for name in names] for row in rows]
    return table(lines, "".join(">" if number else "<" for number in numbers))
