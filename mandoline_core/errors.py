"""The errors a person can meet: what is wrong and where, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from mandoline_core.formatting import Sentence, Vocabulary, listed, say


class MandolineError(ValueError):
    """Report bad input in one clear sentence; every error we raise on purpose derives from this.

    Examples
    --------
    >>> error = MandolineError(Sentence("The {source} has {n:count row}.", n=1))
    >>> str(error), error.say({"source": "labelled data"})
    ('The source has 1 row.', 'The labelled data has 1 row.')
    """

    @property
    def sentence(self) -> str:
        """What it says: a `Sentence` where it speaks of the samples."""
        return self.args[0] if self.args and isinstance(self.args[0], Sentence) else str(self)

    def say(self, words: Vocabulary) -> str:
        """Say it in a vocabulary."""
        return say(self.sentence, words)


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
    """Report a target that the source cannot be reweighted to."""


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
