"""Templates: rules made ready: one of each kind to start from, of a stretch that was drawn, of several joined."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from mandoline_core.errors import SliceError
from mandoline_core.formatting import tidy_number
from mandoline_core.slices.kinds import KINDS, Expression, Range, Threshold
from mandoline_core.slices.rule import Scale, Slice, Survey

_LOG = logging.getLogger(__name__)


def offer(survey: Survey) -> dict[str, Slice | SliceError]:
    """List the kinds that the data allow, each with a rule to start from, or with what is to be done before.

    A kind that fails is left out, and takes no other with it.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey_samples
    >>> sample = Sample(pd.DataFrame({"n": [1, 2, 9]}))
    >>> offered = offer(survey_samples(sample, sample))
    >>> offered["threshold"].describe(), offered["expression"].describe(), "keyword" in offered
    ('n above 2', 'n > 2', False)
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


def rule_between(column: str, ends: tuple[float, float], scale: Scale, values: tuple[float, float]) -> Slice | None:
    """Make a rule of a stretch of a column that somebody drew, with ends on a scale; None where it is everything.

    Parameters
    ----------
    ends : pair of float
        From where to where, roughly.
    values : pair of float
        The column's least and largest: beyond them a stretch has no end.

    Examples
    --------
    >>> scale = Scale(low=3, high=311, step=1)
    >>> drawn = [(11.6, 20.4), (-4.0, 9.6), (40.2, 999.0), (-4.0, 999.0)]
    >>> found = [rule_between("n_words", ends, scale, (3, 311)) for ends in drawn]
    >>> [rule and rule.describe() for rule in found]
    ['n_words from 12 to 20', 'n_words at most 10', 'n_words at least 40', None]
    """
    low, high = (tidy_number(round(end / scale.step) * scale.step) for end in sorted(ends))
    from_start, to_end = low <= values[0], high >= values[1]
    # Every row is inside: no slice, but the whole sample.
    if from_start and to_end:
        return None
    rule: Slice = Range("range", column=column, low=low, high=high)
    if from_start or to_end:
        rule = Threshold("cut", column=column, at_most=None if to_end else high, at_least=None if from_start else low)
    return replace(rule, name=rule.describe())


def conjoin(name: str, rules: Sequence[Slice]) -> Expression | None:
    """Write the rows inside all of some rules as one expression; None where the language cannot say it.

    Examples
    --------
    >>> from mandoline_core.slices import Keyword
    >>> rules = [Keyword("a", column="body text", words=("not", "no")), Threshold("b", column="age", below=30)]
    >>> conjoin("both", rules).describe()
    'contains(col("body text"), "not", "no") and age < 30'
    """
    try:
        parts = [rule.as_expression() for rule in rules]
    except SliceError:  # a name or a value that cannot stand in quotes
        return None
    return Expression(name, text=" and ".join(part for part in parts if part)) if parts and all(parts) else None
