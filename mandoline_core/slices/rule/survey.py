"""The survey: what new rules can read in two samples, and round numbers to start from."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from mandoline_core.data import Sample, from_milliseconds, milliseconds
from mandoline_core.formatting import show_date, tidy_number
from mandoline_core.slices.rule.needs import ANYTHING, DATES, NUMBERS, TEXT, fitting_columns

Scalar = str | int | float | bool
_LOOKED_AT = 500  # texts, to find a word
_WORDS_OF_PROSE = 3  # on average, at least
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Survey:
    """Hold what new rules can read, the most promising first.

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
        """The columns that a rule can read: those in both samples, except the label."""
        return [column for column in fitting_columns(self.source, self.target, ANYTHING) if column != self.source.label]

    @property
    def ordered(self) -> list[str]:
        """The free columns that can be cut: numbers, then dates."""
        return [*self.numbers, *(column for column in self.free if self.holds(column, DATES))]

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
    """Find what new rules can read in two samples; identifiers come last, two-valued columns after other numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"id": [1, 2], "n": [5, 6], "y": [0, 1]}), label="y")
    >>> survey_samples(sample, sample, ["id"]).numbers
    ['n', 'id']
    """

    def free(need: str) -> list[str]:
        columns = [column for column in fitting_columns(source, target, need) if column not in source.roles]
        return sorted(columns, key=lambda column: column in identifiers)

    def has_two_values(column: str) -> bool:
        return len(source.series(column).head(_LOOKED_AT).unique()) <= 2

    def length(column: str) -> float:
        return float(source.series(column).head(200).str.len_chars().mean() or 0.0)

    text = free(TEXT)
    # Two values are a yes and a no in figures: a cut through real numbers says more.
    numbers = sorted(free(NUMBERS), key=lambda column: (column in identifiers, has_two_values(column)))
    characters = {column: length(column) for column in text}
    wordy = sorted(text, key=lambda column: (column in identifiers, -characters[column]))
    source_texts, target_texts = ([_some(sample, column) for column in wordy[:1]] for sample in (source, target))
    words = [float(len(text.split())) for texts in source_texts for text in texts]
    return Survey(
        source,
        target,
        free(ANYTHING),
        wordy,
        sorted(text, key=lambda column: (column in identifiers, characters[column])),
        numbers,
        prose=wordy[0] if sum(words) >= _WORDS_OF_PROSE * len(words) > 0 else None,
        word=_more_frequent(source_texts[0], target_texts[0]) if wordy else None,
        length=max(middle(nw.new_series("words", words, nw.Float64(), backend="pyarrow")), 1),
        middle=middle(source.series(numbers[0])) if numbers else 0,
        slices=tuple(slices),
    )


def find_name(word: str, names: Collection[str]) -> str | None:
    """Find a name, otherwise the only one that differs only in case.

    >>> find_name("Age", ["age", "n"]), find_name("Age", ["age", "AGE"])
    ('age', None)
    """
    if word in names:
        return word
    close = [name for name in names if name.casefold() == word.casefold()]
    return close[0] if len(close) == 1 else None


def _some(sample: Sample, column: str) -> list[str]:
    """Take a few texts of a column, evenly spaced."""
    texts = sample.series(column).drop_nulls()
    return texts.gather_every(max(len(texts) // _LOOKED_AT, 1)).to_list()


def _more_frequent(source: list[str], target: list[str]) -> str | None:
    """Find the word whose share of the texts grows most from the source to the target, both of which have it."""
    before, after = _shares(source), _shares(target)
    gains = {word: share - before[word] for word, share in after.items() if word in before}
    return max(sorted(gains), key=gains.__getitem__, default=None)


def _shares(texts: list[str]) -> dict[str, float]:
    counts = Counter(word for text in texts for word in set(_WORD.findall(text.lower())))
    return {word: count / len(texts) for word, count in counts.items()}


_FEWEST_STEPS = 200  # from end to end
_DAY = 86_400_000  # milliseconds
_FEWEST_BETWEEN = 2  # round numbers between the middle of a column and its nearest quarter


@dataclass(frozen=True)
class Scale:
    """Hold a range with round ends and a round step."""

    low: float
    high: float
    step: float

    @classmethod
    def between(cls, low: float, high: float, *, whole: bool = False) -> Scale:
        """Choose a round step for a range, and widen the range to multiples of it.

        Parameters
        ----------
        whole : bool
            Whether only whole numbers occur.

        Examples
        --------
        >>> Scale.between(3.2, 311.0)
        Scale(low=3, high=311, step=1)
        >>> Scale.between(0.0, 0.993)
        Scale(low=0, high=0.994, step=0.002)
        >>> Scale.between(0, 3, whole=True)
        Scale(low=0, high=3, step=1)
        """
        step = round_step((high - low) / _FEWEST_STEPS, whole=whole)
        return cls(tidy_number(math.floor(low / step) * step), tidy_number(math.ceil(high / step) * step), step)

    def around(self, *values: float) -> Scale:
        """Widen the scale to include some values.

        >>> Scale(0, 10, 1).around(12.5, 4)
        Scale(low=0, high=13, step=1)
        """
        low, high = min(self.low, *values), max(self.high, *values)
        if (low, high) == (self.low, self.high):
            return self
        return Scale.between(low, high, whole=isinstance(self.step, int))


def round_step(size: float, *, whole: bool = False) -> float:
    """Return the largest 1, 2 or 5 times a power of ten up to a size; 1 if the size is not positive.

    >>> round_step(1.48), round_step(0.0049), round_step(0.3, whole=True), round_step(0)
    (1, 0.002, 1, 1)
    """
    if not 0 < size < math.inf:
        return 1
    power = math.floor(math.log10(size))
    factor = max(factor for factor in (1, 2, 5) if factor == 1 or factor * 10.0**power <= size)
    step = tidy_number(factor * 10.0**power)
    return max(step, 1) if whole else step


def column_scale(source: Sample, target: Sample, column: str) -> Scale | None:
    """Choose a scale for the values of a column in both samples; a column with fewer than two has none.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"n": [4, 305], "flat": [1.5, 1.5]}))
    >>> column_scale(sample, sample, "n"), column_scale(sample, sample, "flat")
    (Scale(low=4, high=305, step=1), None)
    """
    samples = [values for sample in (source, target) if len(values := _present(sample.series(column)))]
    if not samples:
        return None
    low, high = min(float(values.min()) for values in samples), max(float(values.max()) for values in samples)
    if not -math.inf < low < high < math.inf:
        return None
    return Scale.between(low, high, whole=all(map(_is_whole, samples)))


def middle(values: nw.Series[Any]) -> float:
    """Return a round number near the median; 0 without any value.

    Examples
    --------
    >>> middle(nw.new_series("n", [1.0, None, 3.0], backend="polars"))
    2
    >>> middle(nw.new_series("n", [12.4, 33.1, 87.2, 120.9], backend="polars"))
    60
    """
    present = _present(values)
    if not len(present):
        return 0.0
    low, median, high = (float(present.quantile(share, interpolation="linear")) for share in (0.25, 0.5, 0.75))
    near = min((part for part in (median - low, high - median) if part > 0), default=0.0)
    if not near:
        return tidy_number(median)
    step = round_step(near / _FEWEST_BETWEEN, whole=_is_whole(present))
    rounded = tidy_number(round(median / step) * step)
    # A cut at the largest value would leave nothing above it.
    return rounded if float(present.min()) <= rounded < float(present.max()) else tidy_number(median)


def date_at(values: nw.Series[Any], share: float) -> str:
    """Return the date that a share of a column's dates is before; where all are close to one day, with the time.

    Examples
    --------
    >>> from datetime import datetime
    >>> date_at(nw.new_series("t", [datetime(2024, 3, 1, 9), datetime(2024, 4, 1, 9)], backend="polars"), 1.0)
    '2024-04-01'
    """
    ticks = milliseconds(values.drop_nulls())
    when = from_milliseconds(float(np.quantile(ticks, share, method="nearest")) if len(ticks) else 0.0)
    close = len(ticks) and np.ptp(ticks) < 2 * _DAY
    return show_date(when.replace(second=0, microsecond=0) if close else when.date())


def _present(values: nw.Series[Any]) -> nw.Series[Any]:
    present = values.drop_nulls()
    return present.filter(~present.is_nan()) if present.dtype.is_float() else present


def _is_whole(values: nw.Series[Any]) -> bool:
    return values.dtype.is_integer() or bool((values % 1 == 0).all())
