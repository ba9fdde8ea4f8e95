"""Columns that follow from a model's probabilities: the other of two classes, and the most probable one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import narwhals as nw

from mandoline_core.data.cache import SAMPLE_CACHE
from mandoline_core.data.classes import class_codes, class_name, find_classes, matching_values, sorted_classes
from mandoline_core.data.frames import F as Frame
from mandoline_core.data.models import Model
from mandoline_core.data.sample import Sample
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

Step = Callable[[Any], Any]  # rows in memory, or lazy ones of an engine, with a column more
_LARGEST = "\0largest"


def complete_models(source: Sample, target: Sample) -> tuple[Sample, Sample]:
    """Add the columns that follow from class probabilities, to both samples.

    Where labels have two classes and a model a probability for one of them, the other's is 1 less that. Where a model
    has no prediction, it is the most probable class; of equally probable ones, the first in order.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"y": ["no", "yes"], "p_yes": [0.25, 0.75]})
    >>> labelled = Sample(rows, label="y", probabilities={"yes": "p_yes"})
    >>> source, target = complete_models(labelled, Sample(rows[["p_yes"]]))
    >>> (model,) = source.models
    >>> model.prediction, dict(model.probabilities)
    ('prediction of model', {'yes': 'p_yes', 'no': '1 - p_yes'})
    >>> target.series(model.prediction).to_list(), target.series("1 - p_yes").to_list()
    (['no', 'yes'], [0.75, 0.25])
    """
    if source.label is None or not any(_derivable(model) for model in source.models):
        return source, target
    return SAMPLE_CACHE.of((source, target), ("complete models",), lambda: _complete(source, target))


def take_derived(sample: Sample, like: Sample, models: Iterable[Model]) -> Sample:
    """Add the columns of some models that the same rows of another sample have, and this one does not."""
    wanted = dict.fromkeys(column for model in models for column in model.columns)
    columns = [name for name in wanted if name in like.columns and name not in sample.columns]
    if not columns or sample.n_rows != like.n_rows or sample.table is not None:
        return sample
    backend = sample.frame.implementation
    made = [nw.new_series(name, like.series(name).to_list(), backend=backend) for name in columns]
    return sample.with_rows(sample.frame.with_columns(*made))


def _derivable(model: Model) -> bool:
    return len(model.probabilities) == 1 or (model.prediction is None and len(model.probabilities) > 1)


def _complete(source: Sample, target: Sample) -> tuple[Sample, Sample]:
    taken, values = {*source.columns, *target.columns}, _label_values(source)
    completed: dict[Model, Model] = {}
    steps: dict[str, Step] = {}
    for model in source.models:
        whole = model
        if len(model.probabilities) == 1 and (other := _other_class(source, model)) is not None:
            ((_, column),) = model.probabilities.items()
            name = _free(f"1 - {column}", taken)
            steps[name] = partial(_one_less, column, name)
            whole = replace(whole, probabilities={**model.probabilities, other: name})
        if whole.prediction is None and whole.probabilities:
            name = _free(f"prediction of {model.name}", taken)
            steps[name] = partial(_most_probable, whole.probabilities, values, name)
            whole = replace(whole, prediction=name)
        completed[model] = whole
    return _with(source, steps, completed), _with(target, steps, completed)


def _with(sample: Sample, steps: Mapping[str, Step], completed: Mapping[Model, Model]) -> Sample:
    """Take the steps of the models whose own columns the sample has: most methods need no predictions of new data."""
    known = {*sample.columns}
    made = {column for model, whole in completed.items() if {*model.columns} <= known for column in whole.columns}
    chosen = [step for name, step in steps.items() if name in made]

    def change(frame: Frame) -> Frame:
        return reduce(lambda rows, step: step(rows), chosen, frame)

    return sample.changed(change, [completed.get(model, model) for model in sample.models]) if chosen else sample


def _one_less(column: str, name: str, frame: Frame) -> Frame:
    return frame.with_columns((1 - nw.col(column)).alias(name))


def _most_probable(probabilities: Mapping[str, str], values: Mapping[str, Any], name: str, frame: Frame) -> Frame:
    """Take the class with the largest probability, as a value of the label's type; missing where one is missing."""
    order = sorted_classes(probabilities)
    columns = [nw.col(probabilities[one]) for one in order]
    gap = nw.any_horizontal(*(column.is_null() for column in columns), ignore_nulls=False)
    # Found once, in a column of its own: engines would find it again for every class.
    frame = frame.with_columns(nw.when(~gap).then(nw.max_horizontal(*columns)).alias(_LARGEST))
    answers = [nw.lit(_value(one, values)) for one in order]
    pairs = zip(columns, answers, strict=True)
    chosen = nw.coalesce(*(nw.when(column == nw.col(_LARGEST)).then(answer) for column, answer in pairs))
    return frame.with_columns(chosen.alias(name)).drop(_LARGEST)


def _other_class(source: Sample, model: Model) -> str | None:
    """Find the class that a model has no probability for; None where its prediction can be used without."""
    ((name, column),) = model.probabilities.items()
    names = class_codes(source.values(str(source.label)))[1]
    mine = find_classes(name, names)
    if len(names) == 2 and len(mine) == 1:
        return names[1 - mine[0]]
    if model.prediction is not None:
        return None
    raise DataError(
        f"Model {model.name!r} has a probability for class {name!r} alone (column {column!r}), and the labels in "
        f"{source.label!r} are {listed(names, most=5)}. Give a column for each class, or a prediction."
    )


def _label_values(source: Sample) -> dict[str, Any]:
    """List the values of the label by class, so that predictions are of its type."""
    values = source.values(str(source.label)).to_list()
    return {class_name(value): value for value in values} | {value: value for value in values if isinstance(value, str)}


def _value(name: str, values: Mapping[str, Any]) -> Any:
    """Write a class as the label does, also one that no label shows."""
    if name in values or class_name(name) in values:
        return values[name if name in values else class_name(name)]
    first = next(iter(values.values()), name)
    kinds = {bool: nw.Boolean(), int: nw.Int64(), float: nw.Float64()}
    return next(iter(matching_values([name], kinds.get(type(first), nw.String()))), name)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
