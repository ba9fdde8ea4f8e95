"""Errors: what is wrong and where, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from mandoline_core.formatting import listed


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
    choices = [str(choice) for choice in choices]
    folded = {choice.casefold(): choice for choice in choices}
    close = difflib.get_close_matches(str(word).casefold(), list(folded), n=1, cutoff=0.6)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""
