"""Resolution: from the rules a person writes to the slices of one model, each complete in itself and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import narwhals as nw

from mandoline_core.data import Model, Sample, class_codes, class_name, kind_of
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import Sentence, listed
from mandoline_core.slices.rule import ANYTHING, NEEDS, NUMBERS, Schema, Slice, serves


def resolve(rules: Iterable[Slice], source: Sample, target: Sample, model: Model | None = None) -> tuple[Slice, ...]:
    """Make the slices that rules stand for, for one model and two samples.

    Families become their members, names of models and of other slices become the models and slices themselves,
    and disabled slices are left out. What comes back depends on nothing else and can be hashed.

    Parameters
    ----------
    rules : iterable of Slice
        The rules, as a person wrote them.
    source, target : Sample
        The samples; models named by a rule are looked up in the source.
    model : Model, optional
        The model being evaluated, for the rules that name none.

    Returns
    -------
    tuple of Slice
        In the order of the rules.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Prediction
    >>> sample = Sample(pd.DataFrame({"answer": ["a", "b"]}), prediction="answer")
    >>> [rule.name for rule in resolve([Prediction("says")], sample, sample, sample.models[0])]
    ['says_a', 'says_b']
    """
    return resolve_with_origins(rules, source, target, model)[0]


def resolve_with_origins(
    rules: Iterable[Slice], source: Sample, target: Sample, model: Model | None = None
) -> tuple[tuple[Slice, ...], dict[str, str]]:
    """Resolve rules, and tell which rule each slice comes from.

    Returns
    -------
    origins : dict of str to str
        The name of a slice's rule, by the name of the slice; a family's members share theirs.
    """
    rules = tuple(rules)
    _check_slices(rules)
    named: dict[str, Slice] = {}
    families: dict[str, list[str]] = {}
    origins: dict[str, str] = {}
    for rule in rules:
        members = _members(rule, rules, source, target, model)
        if rule.is_family:
            families[rule.name] = [member.name for member in members]
        for member in members:
            if member.name in named:
                raise SliceError(f"Two slices are called {member.name!r}. Give each slice its own name.")
            named[member.name] = member
            origins[member.name] = rule.name
    resolved = tuple(_nested(rule, named, families, ()) for rule in named.values() if rule.enabled)
    for rule in resolved:
        _check_on_data(rule, source, target)
    return resolved, {rule.name: origins[rule.name] for rule in resolved}


def _check_slices(rules: Sequence[Slice]) -> None:
    seen = set()
    for rule in rules:
        if not isinstance(rule, Slice):
            raise SliceError(f"A slice was expected, such as Keyword or Threshold. Got {rule!r}.")
        if rule.name in seen:
            raise SliceError(f"Two slices are called {rule.name!r}. Give each slice its own name.")
        seen.add(rule.name)


def _members(
    rule: Slice, rules: Sequence[Slice], source: Sample, target: Sample, model: Model | None
) -> Sequence[Slice]:
    """Fill in the model and write out a family."""
    named = {part if isinstance(part, str) else part.name for other in rules for part in other.made_of}
    if not rule.enabled and not any(name == rule.name or name.startswith(f"{rule.name}_") for name in named):
        # Nobody asks for it, so it may be broken: that is why people disable things.
        return [] if rule.is_family else [rule]
    return rule.for_model(source, model).members(source, target)


def _nested(rule: Slice, named: Mapping[str, Slice], families: Mapping[str, list[str]], path: tuple[str, ...]) -> Slice:
    """Put the slices that a combination names inside it."""
    if not rule.made_of:
        return rule
    path = (*path, rule.name)
    children = []
    for part in rule.made_of:
        other = _find(part, rule, named, families) if isinstance(part, str) else part
        if other.name in path and other.made_of:
            circle = " -> ".join([*path[path.index(other.name) :], other.name])
            raise SliceError(f"Slice {other.name!r} is made of itself: {circle}. Break the circle.")
        child = _nested(other, named, families, path)
        # Within another a slice is its rule alone: corrections belong to what is modelled, which is the whole.
        children.append(replace(child, noise=None, gold=None, audit=None, enabled=True))
    return rule.made_again(tuple(children))


def _find(name: str, rule: Slice, named: Mapping[str, Slice], families: Mapping[str, list[str]]) -> Slice:
    if name in named:
        return named[name]
    if name in families:
        raise SliceError(
            f"Slice {rule.name!r} names {name!r}, which stands for several slices. "
            f"Name one of them: {listed(families[name])}."
        )
    raise SliceError(
        f"Slice {rule.name!r} names slice {name!r}, which is not there. "
        f"Slices: {listed(other for other in named if other != rule.name)}.{did_you_mean(name, named)}"
    )


def _check_on_data(rule: Slice, source: Sample, target: Sample) -> None:
    for part in rule.parts:
        _check_on_data(part, source, target)
    # It would be known of the source only, and tell what is to be estimated.
    if source.label is not None and source.label in rule.reads:
        raise SliceError(
            Sentence(
                "Slice {name!r} reads the label {label!r}, which {a_target} does not have. Choose a column that both "
                "samples have.",
                name=rule.name,
                label=source.label,
            )
        )
    for sample in (source, target):
        check_columns(rule, sample.schema, sample.name, sample)
    for column, need in rule.needs.items():
        if need != ANYTHING and all(sample.schema[column] == nw.Unknown for sample in (source, target)):
            raise nothing_there(rule, column)


def check_columns(rule: Slice, schema: Schema, where: str, sample: Sample | None = None) -> None:
    """Refuse a rule that reads a column that is not there or does not hold what the rule needs."""
    for part in rule.parts:
        check_columns(part, schema, where, sample)
    for column, need in rule.needs.items():
        if column not in schema:
            raise SliceError(
                f"Slice {rule.name!r} reads column {column!r}, which is not in {where}. "
                f"Columns: {listed(schema)}.{did_you_mean(column, schema)}"
            )
        dtype = schema[column]
        if not serves(dtype, need):
            example = f", such as {_example(sample, column, need)!r}" if sample is not None else ""
            raise SliceError(
                f"Slice {rule.name!r} needs {NEEDS[need]} in column {column!r}, which holds {kind_of(dtype)} "
                f"in {where}{example}. {rule.remedy(need, dtype)}"
            )


def nothing_there(rule: Slice, column: str) -> SliceError:
    """Build the message for a column without a value."""
    return SliceError(
        f"Slice {rule.name!r} reads column {column!r}, which has no value in either sample. "
        "Remove the slice or choose another column."
    )


def _example(sample: Sample, column: str, need: str) -> object:
    values = sample.frame[column].drop_nulls()
    if need == NUMBERS and values.dtype == nw.String:
        # The first text that is no number is what keeps the column from being numbers.
        words = values.filter(~values.str.contains(r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"))
        values = words if len(words) else values
    value = values[0]
    return value if not isinstance(value, str) or len(value) <= 40 else value[:37] + "..."


MOST_MEMBERS = 50


def each_class(rule: Slice, source: Sample, target: Sample, instead: str) -> dict[str, str | int | float]:
    """List the classes of the one column that a rule reads, in both samples together, by the names they go by.

    Parameters
    ----------
    instead : str
        What to write when there are too many, such as 'value = "a"'.
    """
    (column,) = rule.needs
    for sample in (source, target):
        check_columns(rule, sample.schema, sample.name, sample)
    columns = [sample.values(column) for sample in (source, target) if sample.schema[column] != nw.Unknown]
    if not columns:
        raise nothing_there(rule, column)
    _, names = class_codes(*columns)
    if len(names) > MOST_MEMBERS:
        raise SliceError(
            f"Slice {rule.name!r} would become {len(names)} slices, one for each value of column {column!r}. "
            f"The most is {MOST_MEMBERS}. Name the values of interest, such as {instead}."
        )
    text = all(series.dtype == nw.String for series in columns)
    return {name: name if text else _number(name) for name in names}


def _number(name: str) -> str | int | float:
    """Take a class's name back to the number it stands for, so that other spellings match too."""
    try:
        number = float(class_name(name))
    except ValueError:
        return name
    return int(number) if number.is_integer() else number
