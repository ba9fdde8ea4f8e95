"""Conjunctions: two rules joined by `and`, as one expression that a project file can hold."""

from __future__ import annotations

from mandoline_core.formatting import show_number
from mandoline_core.slices import (
    Category,
    Expression,
    Keyword,
    Length,
    Missing,
    Slice,
    Threshold,
    can_quote,
    written_column,
    written_text,
)

Part = Slice | tuple[str, str]


def join_rules(parts: tuple[Part, Part], way: tuple[bool, bool] = (True, True)) -> Expression | None:
    """Join two rules, or their opposites; None where an expression cannot say it.

    Parameters
    ----------
    way : pair of bool
        Whether each part is taken as it is, or its opposite.

    Examples
    --------
    >>> old, urban = Threshold("old", column="age", above=65), Category("b", column="place", values=("b",))
    >>> join_rules((old, urban)).text
    'age > 65 and place in ("b")'
    """
    if not all(is_joinable(part) for part in parts):
        return None
    said = [(_written(part), yes) for part, yes in zip(parts, way, strict=True)]
    text = " and ".join(f"{one}" if yes else f"not ({one})" for one, yes in said)
    return Expression(text, text=text)


def is_joinable(rule: Part) -> bool:
    """Tell whether the little language can say a rule."""
    return isinstance(rule, Slice) and can_quote([rule]) and _written(rule) is not None


def _written(rule: Part) -> str | None:
    """Write a rule in the little language."""
    match rule:
        case Keyword(case=False, whole_words=True):
            words = ", ".join(written_text(word) for word in rule.words)
            return f"contains({written_column(rule.column)}, {words})"
        case Threshold(above=float() | int() as cut, below=None, at_least=None, at_most=None):
            return f"{written_column(rule.column)} > {show_number(cut)}"
        case Length(below=float() | int() as cut, above=None, at_least=None, at_most=None, unit="words"):
            return f"words({written_column(rule.column)}) < {show_number(cut)}"
        case Missing():
            return f"is_missing({written_column(rule.column)})"
        case Category(values=(_, *_)):
            return f"{written_column(rule.column)} in ({', '.join(_value(value) for value in rule.values or ())})"
    return None


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return show_number(value) if isinstance(value, (int, float)) else written_text(str(value))
