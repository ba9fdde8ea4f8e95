"""Resolving: from the rules a person writes to the slices of one model, each complete in itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import narwhals as nw

from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import Sentence, listed
from mandoline_core.samples import Model, Sample, class_codes, class_name
from mandoline_core.slices.checking import check_columns
from mandoline_core.slices.column_rules import Category, Flag, Missing
from mandoline_core.slices.compiling import MINUS_WORDS
from mandoline_core.slices.expression.tree import expression_columns
from mandoline_core.slices.rule import Slice
from mandoline_core.slices.rules import Combination, Entropy, Expression, OfModel, Prediction

MOST_MEMBERS = 50


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
    >>> from mandoline_core.slices.rules import Prediction
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
    named = {name for other in rules if isinstance(other, Combination) for name in other.names}
    if not rule.enabled and not any(name == rule.name or name.startswith(f"{rule.name}_") for name in named):
        # Nobody asks for it, so it may be broken: that is why people disable things.
        return [] if rule.is_family else [rule]
    if isinstance(rule, OfModel):
        rule = _with_model(rule, source, model)
    if isinstance(rule, Flag) and rule.signed is None:
        signed = any(_has_minus_one(sample, rule.column) for sample in (source, target))
        return [replace(rule, signed=signed)]
    if not rule.is_family:
        return [rule]
    if isinstance(rule, Entropy):
        return _buckets(rule, rule.buckets or 1)
    return _one_per_class(rule, source, target)


def _with_model(rule: OfModel, source: Sample, model: Model | None) -> OfModel:
    found = rule.model if isinstance(rule.model, Model) else model
    if isinstance(rule.model, str):
        names = [item.name for item in source.models]
        if rule.model not in names:
            raise SliceError(
                f"Slice {rule.name!r} names model {rule.model!r}, which is not there. "
                f"Models: {listed(names) or 'none'}.{did_you_mean(rule.model, names)}"
            )
        found = source.models[names.index(rule.model)]
    if found is None:
        raise SliceError(f"Slice {rule.name!r} (kind {rule.kind!r}) needs a model, and there is none. Add a model.")
    if isinstance(rule, Prediction):
        if found.prediction is None:
            raise SliceError(
                f"Slice {rule.name!r} needs predictions, and model {found.name!r} has none. "
                "Give the model a prediction column."
            )
    elif len(found.probabilities) < 2:
        raise SliceError(
            f"Slice {rule.name!r} needs the probability of each class, and model {found.name!r} has "
            f"{'only one' if found.probabilities else 'none'}. Give the model probabilities, such as "
            '{ no = "p_no", yes = "p_yes" }.'
        )
    return replace(rule, model=found)


def _has_minus_one(sample: Sample, column: str) -> bool:
    dtype = sample.schema.get(column, nw.Unknown())
    if dtype == nw.String:
        return bool(sample.frame[column].str.strip_chars().is_in(MINUS_WORDS).any())
    return bool(dtype.is_numeric() and (sample.frame[column] == -1).any())


def _buckets(rule: Entropy, count: int) -> list[Slice]:
    width = math.log(len(rule.resolved_model.probabilities)) / count
    # The last has no upper bound: rounding may push the largest entropy beyond the logarithm.
    return [
        replace(
            rule,
            name=f"{rule.name}_{number + 1}",
            low=number * width,
            high=(number + 1) * width if number + 1 < count else None,
            buckets=None,
        )
        for number in range(count)
    ]


def _one_per_class(rule: Slice, source: Sample, target: Sample) -> list[Slice]:
    (column,) = rule.needs
    for sample in (source, target):
        check_columns(rule, sample.schema, sample.name, sample)
    columns = [sample.frame[column] for sample in (source, target) if sample.schema[column] != nw.Unknown]
    if not columns:
        raise _nothing_there(rule, column)
    _, names = class_codes(*columns)
    if len(names) > MOST_MEMBERS:
        raise SliceError(
            f"Slice {rule.name!r} would become {len(names)} slices, one for each value of column {column!r}. "
            f"The most is {MOST_MEMBERS}. Name the values of interest, such as {_some(rule)}."
        )
    text = all(series.dtype == nw.String for series in columns)
    members: list[Slice] = []
    for name in names:
        value = name if text else _number(name)
        change = {"values": (value,)} if isinstance(rule, Category) else {"value": value}
        members.append(replace(rule, name=f"{rule.name}_{name}", **change))
    return members


def _some(rule: Slice) -> str:
    return 'values = ["a", "b"]' if isinstance(rule, Category) else 'value = "a"'


def _number(name: str) -> str | int | float:
    """Take a class's name back to the number it stands for, so that other spellings match too."""
    try:
        number = float(class_name(name))
    except ValueError:
        return name
    return int(number) if number.is_integer() else number


def _nested(rule: Slice, named: Mapping[str, Slice], families: Mapping[str, list[str]], path: tuple[str, ...]) -> Slice:
    """Put the slices that a combination names inside it."""
    if not isinstance(rule, Combination):
        return rule
    path = (*path, rule.name)
    children = []
    for part in rule.of:
        other = _find(part, rule, named, families) if isinstance(part, str) else part
        if other.name in path and isinstance(other, Combination):
            circle = " -> ".join([*path[path.index(other.name) :], other.name])
            raise SliceError(f"Slice {other.name!r} is made of itself: {circle}. Break the circle.")
        child = _nested(other, named, families, path)
        children.append(replace(child, noise=None, gold=None, enabled=True))
    return replace(rule, of=tuple(children))


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
    if isinstance(rule, Combination):
        for other in rule.parts:
            _check_on_data(other, source, target)
        return
    read = expression_columns(rule.text) if isinstance(rule, Expression) else rule.needs
    if source.label is not None and source.label in read:
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
    for column in rule.needs:
        if not isinstance(rule, Missing) and all(sample.schema[column] == nw.Unknown for sample in (source, target)):
            raise _nothing_there(rule, column)


def _nothing_there(rule: Slice, column: str) -> SliceError:
    return SliceError(
        f"Slice {rule.name!r} reads column {column!r}, which has no value in either sample. "
        "Remove the slice or choose another column."
    )
