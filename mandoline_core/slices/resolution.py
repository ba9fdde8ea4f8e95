"""Resolution: from rules to the slices of one model, complete and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import narwhals as nw

from mandoline_core.data import Model, Sample, class_codes, class_name, is_date, kind_of
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.slices.rule import ANYTHING, NEEDS, NUMBERS, Schema, Slice, serves

MOST_LEVELS, MOST_PARTS, MOST_IN_ALL = 50, 1000, 20_000  # of a combination, and of all together


def resolve(rules: Iterable[Slice], source: Sample, target: Sample, model: Model | None = None) -> tuple[Slice, ...]:
    """Make slices from rules, for one model and two samples.

    Families become their members, names of models and of other slices become the models and slices themselves,
    and disabled slices are left out. What comes back depends on nothing else and can be hashed.

    Parameters
    ----------
    rules : iterable of Slice
        The rules, as written.
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
    """Resolve rules, and return which rule each slice comes from.

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
    known: dict[int, tuple[int, int]] = {}
    total = sum(_extent(rule, named, known)[0] for rule in named.values())
    if total > MOST_IN_ALL:
        raise SliceError(f"The slices combine {total:,} slices in all. The limit is {MOST_IN_ALL:,}. Combine fewer.")
    resolved = tuple(_nested(rule, named, families, ()) for rule in named.values() if rule.enabled)
    for rule in resolved:
        _check_on_data(rule, source, target)
    return resolved, {rule.name: origins[rule.name] for rule in resolved}


def _check_slices(rules: Sequence[Slice]) -> None:
    seen = set()
    for rule in rules:
        if not isinstance(rule, Slice):
            raise SliceError(f"Expected a slice, such as Keyword or Threshold. Got {rule!r}.")
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


def _extent(
    rule: Slice, named: Mapping[str, Slice], known: dict[int, tuple[int, int]], path: tuple[str, ...] = ()
) -> tuple[int, int]:
    """Count the slices that a combination consists of, and its levels, without writing it out: it may double a level.

    Parameters
    ----------
    known : dict
        Those measured so far, by identity: to compare two rules takes as long as to write both out.
    """
    if id(rule) in known or rule.name in path:  # a circle has a message of its own
        return known.get(id(rule), (1, 1))
    path = (*path, rule.name)
    inside = [(1, 0)]
    if len(path) <= MOST_LEVELS:
        parts = (named.get(part) if isinstance(part, str) else part for part in rule.made_of)
        inside += [_extent(part, named, known, path) for part in parts if part is not None]
    size, levels = sum(n for n, _ in inside), 1 + max(n for _, n in inside)
    if max(levels, len(path)) > MOST_LEVELS:
        raise SliceError(f"Slice {rule.name!r} combines slices over more than {MOST_LEVELS} levels. Combine fewer.")
    if size > MOST_PARTS:
        raise SliceError(
            f"Slice {rule.name!r} combines more than {MOST_PARTS} slices, counting those inside its parts. "
            "Combine fewer."
        )
    known[id(rule)] = size, levels
    return size, levels


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
            raise SliceError(f"Slice {other.name!r} is made of itself: {circle}. Remove one of these from another.")
        child = _nested(other, named, families, path)
        # Within another a slice is its rule alone: corrections belong to what is modelled, which is the whole.
        children.append(replace(child, noise=None, gold=None, audit=None, enabled=True))
    return rule.made_again(tuple(children))


def _find(name: str, rule: Slice, named: Mapping[str, Slice], families: Mapping[str, list[str]]) -> Slice:
    if name in named:
        return named[name]
    if name in families:
        raise SliceError(
            f"Slice {rule.name!r} names {name!r}, which is a family of slices. Name one of them: "
            f"{listed(families[name])}."
        )
    raise SliceError(
        f"Slice {rule.name!r} names slice {name!r}, which does not exist. Slices: "
        f"{listed(other for other in named if other != rule.name)}.{did_you_mean(name, named)}"
    )


def _check_on_data(rule: Slice, source: Sample, target: Sample) -> None:
    for part in rule.parts:
        _check_on_data(part, source, target)
    # It would be known of the source only, and tell what is to be estimated.
    if source.label is not None and source.label in rule.reads:
        raise SliceError(
            f"Slice {rule.name!r} reads the label {source.label!r}, which new data does not have. Choose a "
            "column that both have."
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
                f"in {where}{example}. {rule.remedy(column, need, dtype)}"
            )


def nothing_there(rule: Slice, column: str) -> SliceError:
    """Build the message for a column without a value."""
    return SliceError(
        f"Slice {rule.name!r} reads column {column!r}, which is empty in labelled and new data. Remove the "
        "slice or choose another column."
    )


def _example(sample: Sample, column: str, need: str) -> object:
    values = sample.frame[column].drop_nulls()
    if need == NUMBERS and values.dtype == nw.String:
        # The first text that is no number is what keeps the column from being numbers.
        words = values.filter(~values.str.contains(r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"))
        values = words if len(words) else values
    value = values[0]
    if is_date(values.dtype):
        return class_name(value)
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
            f"The limit is {MOST_MEMBERS}. Name the values you need, such as {instead}."
        )
    text = all(series.dtype == nw.String for series in columns)
    return {name: name if text else _number(name) for name in names}


def _number(name: str) -> str | int | float:
    """Take a class's name back to the number it means, so that other spellings match too."""
    try:
        number = float(class_name(name))
    except ValueError:
        return name
    return int(number) if number.is_integer() else number
