"""Errors: what is wrong and where, what was expected, what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from mandoline_core.formatting import listed

_SHORTEST = 3  # letters of a word that is looked for among the words of names


class MandolineError(ValueError):
    """The base of all errors about bad input, in one clear message."""


class DataError(MandolineError):
    """Report a file or a column that cannot be used."""

    @classmethod
    def missing_column(cls, column: str, where: str, columns: Iterable[str]) -> DataError:
        """Build the message for a column that is not there, with the nearest name."""
        columns = list(columns)
        return cls(f"Column {column!r} is not in {where}. Columns: {listed(columns)}.{did_you_mean(column, columns)}")


class ProjectError(MandolineError):
    """Report a project file or a setting that cannot be used."""


class SliceError(MandolineError):
    """Report a slice whose rule cannot be used on the data."""


class OverlapError(MandolineError):
    """Report new data that no weighting of the labelled data can match."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return ' Did you mean ...?' when a choice is close to the word, else nothing.

    >>> did_you_mean("lable", ["label", "text"])
    " Did you mean 'label'?"
    >>> did_you_mean("zebra", ["label", "text"])
    ''
    """
    close = nearest(word, choices)
    return "" if close is None else f" Did you mean {close!r}?"


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is spelt nearly like a word, or else the first that has it as one of its words.

    >>> nearest("lable", ["label", "text"]), nearest("wind", ["window", "wind_speed"]), nearest("zebra", ["text"])
    ('label', 'wind_speed', None)
    """
    folded = {str(choice).casefold(): str(choice) for choice in choices}
    sought = str(word).casefold()
    if len(sought) >= _SHORTEST and sought not in folded:
        for choice, name in folded.items():
            if sought in re.split(r"[\W_]+", choice):
                return name
    close = difflib.get_close_matches(sought, list(folded), n=1, cutoff=0.6)
    return folded[close[0]] if close else None
