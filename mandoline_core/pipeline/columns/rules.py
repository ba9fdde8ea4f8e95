"""Rules that columns suggest: the slice for a cut, a level, a word, or a missing value of a column."""

from __future__ import annotations

from mandoline_core.domain_classifier import OTHER, ColumnKind
from mandoline_core.slices import Category, Flag, Keyword, Missing, Slice, Threshold


def cut_rule(column: str, cut: float) -> Threshold:
    """Take the rows above a cut.

    >>> cut_rule("age", 65.0).name
    'age above 65'
    """
    return Threshold(f"{column} above {cut:g}", column=column, above=cut)


def item_rule(column: str, kind: ColumnKind, item: str) -> Slice | None:
    """Take the rows with a word or a level; None for levels that are lumped together.

    >>> item_rule("text", "text", "not").describe(), item_rule("place", "category", "a").describe()
    ('text contains not', 'place is a')
    """
    if kind == "text":
        return keyword_rule(column, item)
    if kind == "flag":
        return Flag(column, column=column)
    if item == OTHER:
        return None
    return Category(f"{column} is {item}", column=column, values=(item,))


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
