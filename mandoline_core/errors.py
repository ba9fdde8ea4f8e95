"""Errors: what is wrong and where, what was expected, what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from mandoline_core.formatting import listed

_SHORTEST = 3  # letters of a word that is looked for among the words of names
_LONGEST_QUOTE = 300  # characters that a message repeats of what somebody wrote
_LONGEST = 2_000
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
# Between an opening and a closing quote, not from the end of one name to the start of the next.
_LONG = re.compile(r"(?<![^\s(\[{=,])'[^']{300,}'(?!\w)|\S{300,}")


class MandolineError(ValueError):
    r"""The base of all errors about bad input, in one clear message on one line.

    Examples
    --------
    >>> str(MandolineError("Column 'a\nb' is missing.")), len(str(MandolineError("x" * 5_000)))
    ("Column 'a b' is missing.", 123)
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(_in_short(one) if isinstance(one, str) else one for one in arguments))


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


def _in_short(message: str) -> str:
    """Keep a message on one line, and shorten what it repeats of a long text."""
    if len(message) < _LONGEST_QUOTE and message.isprintable():
        return message
    message = _LONG.sub(lambda found: f"{found[0][:120]}...{chr(39) if found[0][0] == chr(39) else ''}", message)
    message = _BREAKS.sub(" ", message)
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


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
    """Return the choice that is a letter away from a word, or has it as one of its words, or is spelt nearly like it.

    >>> nearest("wind", ["window", "wind_speed"]), nearest("slice", ["held-out slice", "slices"])
    ('wind_speed', 'slices')
    >>> nearest("lable", ["label", "text"]), nearest("zebra", ["text"])
    ('label', None)
    """
    folded = {str(choice).casefold(): str(choice) for choice in choices}
    sought = str(word).casefold()
    whole = [choice for choice in folded if len(sought) >= _SHORTEST and sought in re.split(r"[\W_]+", choice)]
    near, close = (difflib.get_close_matches(sought, list(folded), n=1, cutoff=cutoff) for cutoff in (0.85, 0.6))
    found = near or whole or close
    return folded[found[0]] if found else None
