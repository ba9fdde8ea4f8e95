"""Templates: a rule of each kind to start from, a rule from a drawn range, several rules joined."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mandoline_core.data import from_milliseconds
from mandoline_core.errors import SliceError
from mandoline_core.formatting import tidy_number
from mandoline_core.slices.kinds import KINDS, Expression, Range, Threshold
from mandoline_core.slices.rule import Scale, Slice, Survey
from mandoline_core.slices.rule.bases import place

_DAY = 86_400_000  # milliseconds
_LOG = logging.getLogger(__name__)


def offer(survey: Survey) -> dict[str, Slice | SliceError]:
    """List the kinds that the data allows, each with a rule to start from, or with what is needed first.

    A kind that fails is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey_samples
    >>> sample = Sample(pd.DataFrame({"n": [1, 2, 9]}))
    >>> offered = offer(survey_samples(sample, sample))
    >>> offered["threshold"].describe(), offered["expression"].describe(), "keyword" in offered
    ('n above 2', 'n above 2', False)
    """
    templates: dict[str, Slice | SliceError] = {}
    for kind, rule in KINDS.items():
        try:
            start = rule.start(survey)
        except SliceError as error:
            templates[kind] = error
        except Exception:  # noqa: BLE001 - a mistake in one kind is ours, and is told in the log
            _LOG.exception("Kind %r cannot be offered.", kind)
        else:
            templates |= {} if start is None else {kind: start}
    return templates


def rule_between(
    column: str, ends: tuple[float, float], scale: Scale | None, values: tuple[float, float]
) -> Slice | None:
    """Make a rule from a range drawn on a column, rounded to a scale; None if it covers everything.

    Parameters
    ----------
    ends : pair of float
        The ends of the range, as drawn.
    scale : Scale, optional
        None for dates, which are drawn in milliseconds since 1970 and rounded to days; within two days, to minutes.
    values : pair of float
        The column's minimum and maximum.

    Examples
    --------
    >>> scale = Scale(low=3, high=311, step=1)
    >>> drawn = [(11.6, 20.4), (-4.0, 9.6), (40.2, 999.0), (-4.0, 999.0)]
    >>> found = [rule_between("n_words", ends, scale, (3, 311)) for ends in drawn]
    >>> [rule and rule.describe() for rule in found]
    ['n_words from 12 to 20', 'n_words at most 10', 'n_words at least 40', None]
    >>> day = 86_400_000.0
    >>> rule_between("day", (1.2 * day, 4.9 * day), None, (0.0, 9.0 * day)).describe()
    'day from 1970-01-02 to 1970-01-05'
    """

    def rounded(end: float) -> float | date:
        if scale is not None:
            return tidy_number(round(end / scale.step) * scale.step)
        when = from_milliseconds(end)
        return when.date() if values[1] - values[0] > 2 * _DAY else when.replace(second=0, microsecond=0)

    low, high = map(rounded, sorted(ends))
    first, last = values if scale is not None else map(from_milliseconds, values)
    from_start, to_end = place(low, end=False) <= first, place(high, end=True) >= last
    # Every row is inside: no slice, but the whole sample.
    if from_start and to_end:
        return None
    rule: Slice = Range("range", column=column, low=low, high=high)
    if from_start or to_end:
        rule = Threshold("cut", column=column, at_most=None if to_end else high, at_least=None if from_start else low)
    return replace(rule, name=rule.describe())


def conjoin(name: str, rules: Sequence[Slice]) -> Expression | None:
    """Join rules by `and` in one expression; None if the language cannot express it.

    Examples
    --------
    >>> from mandoline_core.slices import Keyword
    >>> rules = [Keyword("a", column="body text", words=("not", "no")), Threshold("b", column="age", below=30)]
    >>> conjoin("both", rules).describe()
    'body text contains not or no, and age below 30'
    """
    try:
        parts = [rule.as_expression() for rule in rules]
    except SliceError:  # a name or a value that cannot stand in quotes
        return None
    return Expression(name, text=" and ".join(part for part in parts if part)) if parts and all(parts) else None
