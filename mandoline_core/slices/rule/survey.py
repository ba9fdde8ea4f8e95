"""The survey: what two samples offer to a new rule, and values for it to start from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.slices.rule.needs import ANYTHING, NUMBERS, TEXT, fitting_columns
from mandoline_core.slices.rule.scales import middle

Scalar = str | int | float | bool
_LOOKED_AT = 500  # texts, to find a word
_WORDS_OF_PROSE = 3  # on average, at least
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Survey:
    """Hold what a new rule can read, the most promising first.

    Parameters
    ----------
    free, text, short_text, numbers : sequence of str
        Columns of both samples without a role: all; those of text, the wordiest first and the shortest first; those
        of numbers.
    prose : str, optional
        The wordiest text, if it is made of sentences and not of names.
    word : str, optional
        A word of the wordiest text that both samples have, the target more often.
    length : float
        A round number of words near the middle of the wordiest text's.
    middle : float
        A round number near the middle of the first numbers.
    slices : sequence of str
        Slices to combine.
    """

    source: Sample
    target: Sample
    free: Sequence[str]
    text: Sequence[str]
    short_text: Sequence[str]
    numbers: Sequence[str]
    prose: str | None = None
    word: str | None = None
    length: float = 1
    middle: float = 0
    slices: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that a rule may read: those of both samples, also with a role, but for the label."""
        return [column for column in fitting_columns(self.source, self.target, ANYTHING) if column != self.source.label]

    def holds(self, column: str, need: str) -> bool:
        """Tell whether a column holds what a rule needs, in both samples."""
        return column in fitting_columns(self.source, self.target, need)

    def values(self, column: str) -> list[Scalar]:
        """List the values of a column in both samples, those of the source first."""
        both = [sample.series(column) for sample in (self.source, self.target) if column in sample.columns]
        distinct = (series.drop_nulls().unique(maintain_order=True).to_list() for series in both)
        return list(dict.fromkeys(value for values in distinct for value in values))


def survey_samples(
    source: Sample, target: Sample, identifiers: Collection[str] = (), slices: Collection[str] = ()
) -> Survey:
    """Look at what two samples offer to new rules; identifiers come after all other columns, yes and no after numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"id": [1, 2], "n": [5, 6], "y": [0, 1]}), label="y")
    >>> survey_samples(sample, sample, ["id"]).numbers
    ['n', 'id']
    """

    def free(need: str) -> list[str]:
        found = [column for column in fitting_columns(source, target, need) if column not in source.roles]
        return sorted(found, key=lambda column: column in identifiers)

    def has_two_values(column: str) -> bool:
        return len(source.series(column).head(_LOOKED_AT).unique()) <= 2

    def length(column: str) -> float:
        return float(source.series(column).head(200).str.len_chars().mean() or 0.0)

    text = free(TEXT)
    numbers = sorted(free(NUMBERS), key=lambda column: (column in identifiers, has_two_values(column)))
    letters = {column: length(column) for column in text}
    wordy = sorted(text, key=lambda column: (column in identifiers, -letters[column]))
    here, there = ([_some(sample, column) for column in wordy[:1]] for sample in (source, target))
    words = [float(len(one.split())) for texts in here for one in texts]
    return Survey(
        source,
        target,
        free(ANYTHING),
        wordy,
        sorted(text, key=lambda column: (column in identifiers, letters[column])),
        numbers,
        prose=wordy[0] if sum(words) >= _WORDS_OF_PROSE * len(words) > 0 else None,
        word=_more_frequent(here[0], there[0]) if wordy else None,
        length=max(middle(nw.new_series("words", words, nw.Float64(), backend="pyarrow")), 1),
        middle=middle(source.series(numbers[0])) if numbers else 0,
        slices=tuple(slices),
    )


def find_name(word: str, names: Collection[str]) -> str | None:
    """Find a name as it is written, else the only one that differs in case alone.

    >>> find_name("Age", ["age", "n"]), find_name("Age", ["age", "AGE"])
    ('age', None)
    """
    if word in names:
        return word
    close = [name for name in names if name.casefold() == word.casefold()]
    return close[0] if len(close) == 1 else None


def _some(sample: Sample, column: str) -> list[str]:
    """Take a few texts of a column, evenly spaced."""
    known = sample.series(column).drop_nulls()
    return known.gather_every(max(len(known) // _LOOKED_AT, 1)).to_list()


def _more_frequent(source: list[str], target: list[str]) -> str | None:
    """Find the word whose share of the texts grows most from the source to the target, both of which have it."""
    before, after = _shares(source), _shares(target)
    gains = {word: share - before[word] for word, share in after.items() if word in before}
    return max(sorted(gains), key=gains.__getitem__, default=None)


def _shares(texts: list[str]) -> dict[str, float]:
    counts = Counter(word for text in texts for word in set(_WORD.findall(text.lower())))
    return {word: count / len(texts) for word, count in counts.items()}
