"""A model's class probabilities, read and checked: they sum to 1 and agree with its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import Model, Sample, class_finder
from mandoline_core.errors import DataError, ProjectError
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed, show_percent
from mandoline_core.metrics.class_labels import ClassLabels, Merge, merged_name
from mandoline_core.slices import Slice

MOST_CONTRADICTIONS = 0.5

ROUNDING = 0.005  # probabilities are often written with two digits, each off by at most this
MOST_OFF = 0.05  # sums that are further off are not rounding, however many classes there are
_ACTION = "Check that every class has a column, and that the columns contain probabilities, not scores."


def add_probable_classes(labels: ClassLabels, model: Model, merge: Merge | None = None) -> ClassLabels:
    """Add the classes that a model has probabilities for and that no row shows.

    Whatever probability they get the true class does not: leaving them out would flatter the model.

    Examples
    --------
    >>> seen = ClassLabels(("a", "b"), np.array([0, 1]), np.array([0, 0]))
    >>> add_probable_classes(seen, Model("m", "p", {"a": "pa", "b": "pb", "c": "pc"})).classes
    ('a', 'b', 'c')
    """
    find = class_finder(labels.classes)
    merged = (merged_name(name, merge or {}) for name in model.probabilities)
    more = dict.fromkeys(name for name in merged if find(name) is None)
    return replace(labels, classes=(*labels.classes, *more))


def read_probabilities(
    sample: Sample, model: Model, labels: ClassLabels, merge: Merge | None = None, *, whole: bool = True
) -> tuple[Floats, tuple[Finding, ...]]:
    """Read a model's class probabilities, in the order of the classes; merged classes add up.

    Parameters
    ----------
    whole : bool
        Whether the rows are all there are: only then can they tell whether probabilities go with predictions.

    Returns
    -------
    probabilities : array of float, shape (n_rows, n_classes)
        NaN in rows where one is missing. Rows sum to 1.
    findings : tuple of Finding
        About predictions that are not the most probable class.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"p": ["a", "b"], "pa": [0.9, 0.2], "pb": [0.1, 0.8]}))
    >>> from mandoline_core.metrics import read_class_labels
    >>> model = Model("m", "p", {"a": "pa", "b": "pb"})
    >>> read_probabilities(sample, model, read_class_labels(sample, label=None, prediction="p"))[0].tolist()
    [[0.9, 0.1], [0.2, 0.8]]
    """
    if not model.probabilities:
        raise ProjectError(f"Model {model.name!r} has no class probabilities. Set probabilities in [[models]].")
    find = class_finder(labels.classes)
    total = np.zeros((sample.n_rows, len(labels.classes)))
    rest = np.zeros(sample.n_rows)  # of classes that neither a label nor a prediction has
    covered = set()
    for name, column in model.probabilities.items():
        values = sample.series(column).to_numpy().astype(float)
        code = find(merged_name(name, merge or {}))
        if code is None:
            rest += values
        else:
            total[:, code] += values
            covered.add(code)
    absent = [repr(name) for code, name in enumerate(labels.classes) if code not in covered]
    if absent:
        raise DataError(
            f"Model {model.name!r} has no probability for class {listed(absent)} of {sample.name}. "
            f"It has: {listed(model.probabilities)}. Add the missing column to probabilities."
        )
    sums = total.sum(axis=1) + rest
    if whole:
        off, worst = _off(model, sums)
        if len(off):
            raise DataError(
                f"The class probabilities of model {model.name!r} do not sum to 1 in {len(off):,} of "
                f"{len(sums):,} rows of {sample.name} (row {worst + 1}: {sums[worst]:.4g}). {_ACTION}"
            )
    covered_sum = total.sum(axis=1, keepdims=True)
    # What is off by rounding alone stays as written: dividing would break ties, on which rankings depend.
    with np.errstate(invalid="ignore", divide="ignore"):
        total = total / np.where(np.abs(covered_sum - 1) > 1e-9, covered_sum, 1.0)
    total[~np.isfinite(sums)] = np.nan
    if not whole:
        return total, ()
    return total, (*_contradictions(sample, model, labels, total), *_shared_out(sample, model, rest))


def _shared_out(sample: Sample, model: Model, rest: Floats) -> tuple[Finding, ...]:
    """Say how much probability went to classes that no row shows."""
    share = float(np.nanmean(rest)) if np.isfinite(rest).any() else 0.0
    if share < 0.005:
        return ()
    return (
        Finding(
            "answers",
            "chance_of_unseen_classes",
            "warning" if share > 0.05 else "info",
            f"Model {model.name!r} gives {show_percent(share)} of its probability in {sample.name} to unseen classes.",
            "Remove these classes from probabilities, or label rows of them.",
            "The other classes share it.",
            numbers={"sample": sample.name, "model": model.name, "share": share},
        ),
    )


def _contradictions(sample: Sample, model: Model, labels: ClassLabels, probabilities: Floats) -> tuple[Finding, ...]:
    """Compare predictions with the most probable class; a tie is no contradiction."""
    complete = (labels.predicted >= 0) & np.isfinite(probabilities[:, 0])
    if not complete.any():
        raise DataError(
            f"No row of {sample.name} has both a prediction and class probabilities of model {model.name!r}. Add them."
        )
    given = probabilities[complete, labels.predicted[complete]]
    against = given < probabilities[complete].max(axis=1) - 1e-6
    share = float(against.mean())
    if share > MOST_CONTRADICTIONS:
        raise DataError(
            f"The prediction of model {model.name!r} is not its most probable class in {show_percent(share)} of the "
            f"rows of {sample.name}. Check that each probability column belongs to its class."
        )
    if not against.any():
        return ()
    return (
        Finding(
            "answers",
            "prediction_not_most_probable",
            "warning" if share > 0.01 else "info",
            f"The prediction of model {model.name!r} is not its most probable class in {show_percent(share)} of the "
            f"rows of {sample.name}.",
            "Check the probability columns, unless the model uses its own decision threshold.",
            "The probability of the predicted class is used as confidence.",
            numbers={"sample": sample.name, "model": model.name, "share": share},
        ),
    )


def find_sums_off(slices: Sequence[Slice], source: Sample, target: Sample) -> tuple[Finding, ...]:
    """Report slices that read class probabilities that do not sum to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core.slices import Confidence
    >>> model = Model("m", "p", {"a": "pa", "b": "pb"})
    >>> sample = Sample(pd.DataFrame({"p": "a", "pa": [0.5, 0.9], "pb": [0.5, 0.9]}), models=[model])
    >>> found, again = find_sums_off([Confidence("sure", above=0.8, model=model)], sample, sample)
    >>> found.code, found.numbers["n"], found.numbers["total"]
    ('probabilities_off', 1, 1.8)
    """
    found = []
    for model in source.models:
        columns = tuple(model.probabilities.values())
        readers = [rule.name for rule in slices if columns and set(columns) <= set(rule.reads)]
        for sample in (source, target) if readers else ():
            sums = np.sum([sample.series(column).to_numpy().astype(float) for column in columns], axis=0)
            off, worst = _off(model, sums)
            if len(off):
                numbers = {"n": len(off), "rows": len(sums), "row": worst + 1, "total": float(sums[worst])}
                about = {"names": tuple(readers), "model": model.name, "sample": sample.name}
                found.append(
                    Finding(
                        "slices",
                        "probabilities_off",
                        "warning",
                        f"The class probabilities of model {model.name!r} do not sum to 1 in {len(off):,} of "
                        f"{len(sums):,} rows of {sample.name}.",
                        _ACTION,
                        f"Slices {listed(readers, 4)} read them (row {worst + 1}: {sums[worst]:.4g}).",
                        slices=tuple(readers),
                        numbers=about | numbers,
                    )
                )
    return tuple(found)


def _off(model: Model, sums: Floats) -> tuple[Index, int]:
    """Find the rows whose sum is off by more than rounding, and the one that is off most."""
    tolerance = min(max(len(model.probabilities), 2) * ROUNDING, MOST_OFF) + 1e-6
    off = np.flatnonzero(np.abs(sums - 1) > tolerance)
    return off, int(off[np.abs(sums[off] - 1).argmax()]) if len(off) else -1
