"""Conjoining: rules that hold together, written as one expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mandoline_core.formatting import show_number
from mandoline_core.slices.expression.tree import can_stand, written_column, written_text
from mandoline_core.slices.kinds import Category, Expression, Keyword, Length, Missing, Range, Threshold
from mandoline_core.slices.rule import BoundedRule, Scalar, Slice

_SIGNS = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}


def conjoin(name: str, rules: Sequence[Slice]) -> Expression | None:
    """Write the rows inside all of some rules as one expression; None where the language cannot say it.

    Parameters
    ----------
    name : str
        What to call it.
    rules : sequence of Slice
        Keyword, threshold, length, range, category and missing.

    Examples
    --------
    >>> rules = [Keyword("a", column="body text", words=("not", "no")), Threshold("b", column="age", below=30)]
    >>> conjoin("both", rules).describe()
    'contains(col("body text"), "not", "no") and age < 30'
    """
    written = [_WRITERS[type(rule)](rule) if type(rule) in _WRITERS else None for rule in rules]
    said = [one for one in written if one is not None]
    if not said or len(said) < len(written) or not can_quote(rules):
        return None
    return Expression(name, text=" and ".join(said))


def can_quote(rules: Sequence[Slice]) -> bool:
    """Tell whether the people's own words in some rules can stand in quotes."""
    found = [column for rule in rules for column in rule.reads]
    for rule in rules:
        if isinstance(rule, Keyword):
            found += rule.words
        if isinstance(rule, Category):
            found += [value for value in rule.values or () if isinstance(value, str)]
    return all(map(can_stand, found))


def _keyword(rule: Keyword) -> str | None:
    if rule.case or not rule.whole_words:
        return None
    return f"contains({written_column(rule.column)}, {', '.join(map(written_text, rule.words))})"


def _bounded(value: str, rule: BoundedRule) -> str | None:
    (name, bound), *others = rule.bounds.items()
    return None if others else f"{value} {_SIGNS[name]} {show_number(bound)}"


def _range(rule: Range) -> str:
    low, high = ("<" if without else "<=" for without in (rule.without_low, rule.without_high))
    return f"{show_number(rule.low)} {low} {written_column(rule.column)} {high} {show_number(rule.high)}"


def _category(rule: Category) -> str | None:
    column, values = written_column(rule.column), rule.values or ()
    if len(values) == 1:
        return (column if values[0] else f"not {column}") if isinstance(values[0], bool) else _equals(column, values[0])
    return f"{column} in ({', '.join(map(_written, values))})" if values else None


def _equals(column: str, value: Scalar) -> str:
    return f"{column} == {_written(value)}"


def _written(value: Scalar) -> str:
    return written_text(value) if isinstance(value, str) else show_number(value)


_WRITERS: dict[type[Slice], Callable[[Any], str | None]] = {
    Keyword: _keyword,
    Threshold: lambda rule: _bounded(written_column(rule.column), rule),
    Length: lambda rule: _bounded(
        f"{'words' if rule.unit == 'words' else 'length'}({written_column(rule.column)})", rule
    ),
    Range: _range,
    Category: _category,
    Missing: lambda rule: f"is_missing({written_column(rule.column)})",
}
