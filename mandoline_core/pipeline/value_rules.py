"""Rules about the values of one column: above a cut, one level, one word, missing."""

from __future__ import annotations

from dataclasses import replace

from mandoline_core.domain_classifier import OTHER, ColumnKind
from mandoline_core.slices import Category, Flag, Keyword, Missing, Slice, Threshold


def cut_rule(column: str, cut: float) -> Threshold:
    """Take the rows above a cut.

    >>> cut_rule("age", 65.0).name
    'age above 65'
    >>> cut_rule("age", 64.999999935).name
    'age at least 65'
    """
    rule = Threshold("cut", column=column, above=cut)
    return replace(rule, name=rule.describe())


def item_rule(column: str, kind: ColumnKind, item: str) -> Slice | None:
    """Take the rows with a word or a level; None for levels that are lumped together.

    >>> item_rule("text", "text", "not").describe(), item_rule("place", "category", "a").describe()
    ('text contains not', 'place is a')
    """
    if kind == "text":
        return keyword_rule(column, item)
    if kind == "flag":
        return Flag(column, column=column)
    return None if item == OTHER else Category(f"{column} is {item}", column=column, values=(item,))


def keyword_rule(column: str, word: str) -> Keyword:
    """Take the rows with a word or a phrase.

    >>> keyword_rule("text", "not good").describe()
    'text contains not good'
    """
    return Keyword(f"{column} contains {word}", column=column, words=(word,))


def missing_rule(column: str) -> Missing:
    """Take the rows without a value.

    >>> missing_rule("age").describe()
    'age is missing'
    """
    return Missing(f"{column} missing", column=column)
