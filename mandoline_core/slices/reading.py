"""Rules as people give them: slices, lines of text and functions of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.kinds import slicing_function
from mandoline_core.slices.line import read_line
from mandoline_core.slices.rule import Slice, Survey, survey_samples

SliceLike = Slice | str | Callable[[Any], object]


def read_slices(given: Iterable[SliceLike], source: Sample, target: Sample) -> tuple[Slice, ...]:
    """Make a slice of each rule.

    Parameters
    ----------
    given : iterable of Slice, str or callable
        A text is an expression, or a line as in `read_line`. A function is one as in `slicing_function`.
    source, target : Sample
        What a text can be about.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = Sample(pd.DataFrame({"hour": [9, 18], "visib": [3.0, 10.0]}))
    >>> texts = ["hour >= 17", "low visibility: visib < 10", "hour * 2 > visib"]
    >>> [(rule.kind, rule.name) for rule in read_slices(texts, rows, rows)]
    [('threshold', 'hour at least 17'), ('threshold', 'low visibility'), ('expression', 'hour * 2 > visib')]
    >>> read_slices([lambda frame: frame["hour"] > 12], rows, rows)[0].name
    'function 1'
    """
    if isinstance(given, (str, Slice)) or not isinstance(given, Iterable):
        raise SliceError(f"slices must be a list. Got {given!r}. Write [...] around it.")
    rules: list[Slice] = []
    survey: Survey | None = None  # made once, and not at all where no rule is a text
    for number, rule in enumerate(given, start=1):
        if isinstance(rule, Slice):
            rules.append(rule)
        elif isinstance(rule, str):
            survey = survey or survey_samples(source, target)
            rules.append(read_line(rule, replace(survey, slices=[known.name for known in rules])))
        elif callable(rule):
            name = getattr(rule, "__name__", "<lambda>")
            rules.append(slicing_function(rule, name=f"function {number}" if name == "<lambda>" else name))
        else:
            raise SliceError(f"A slice must be a rule such as Keyword, a text or a function. Got {rule!r}.")
    return tuple(rules)
