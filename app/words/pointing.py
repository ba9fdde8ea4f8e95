"""Sentences on what a person points at: how well a rule describes it, and where its rows are."""

from __future__ import annotations

from collections.abc import Sequence

from mandoline_core import Description
from mandoline_core.formatting import counted, show_percent

_GOOD = 0.8  # of agreement
_SIDES = {"source": "labelled", "target": "new"}


def selection_sentence(source: int, target: int, found: Sequence[Description]) -> str:
    """Say what is selected, and whether a simple rule describes it.

    >>> selection_sentence(0, 12, ())
    '**12 new rows** selected. No simple rule describes them.'
    """
    said = f"**{counted(target, 'new row') if target else counted(source, 'labelled row')}** selected"
    if target and source:
        said += f" (and {counted(source, 'labelled row')} beside them)"
    if not found:
        return f"{said}. No simple rule describes them."
    if found[0].agreement < _GOOD:
        return f"{said}. No simple rule describes them well; these come nearest:"
    return f"{said}. The simplest rule that describes them comes first:"


def description_sentence(found: Description, side: str, inside: tuple[int, int], totals: tuple[int, int]) -> str:
    """Say how well a rule fits the selection, and its coverage on both sides."""
    shares = [show_percent(count / total) for count, total in zip(inside, totals, strict=True)]
    return (
        f"It has {found.recall:.0%} of your selection; of the {_SIDES[side]} rows on the map inside it, "
        f"{found.precision:.0%} are selected. Inside are {shares[0]} of all labelled rows ({inside[0]:,}) and "
        f"{shares[1]} of all new rows ({inside[1]:,})."
    )


def not_offered(rule: str, inside: tuple[int, int]) -> str:
    """Say why a rule is not offered as a slice.

    >>> not_offered("age at least 90", (0, 40))[:42]
    'age at least 90: no labelled row is inside'
    """
    if not inside[0]:
        return (
            f"{rule}: no labelled row is inside, so no weights could stand in for these new rows, and the estimate "
            "says nothing about them. Label some of them."
        )
    if not inside[1]:
        return f"{rule}: no new row is inside, so as a slice it would say nothing about the new data."
    return f"{rule}: as a slice it would leave too few rows to estimate from."
