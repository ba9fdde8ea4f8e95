"""Answers: the labels of a sample and what a model says of it, as codes of common, merged classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.data import Model, Sample, class_codes, class_name, find_classes
from mandoline_core.errors import DataError, ProjectError, did_you_mean
from mandoline_core.findings import Finding, FindingKind, Severity
from mandoline_core.formatting import listed
from mandoline_core.metrics.sums import check_sums

Merge = Mapping[str, Sequence[object]]
ClassCodes = NDArray[np.int32]

MOST_CONTRADICTIONS = 0.5

CHANCE_OF_UNSEEN_CLASSES = FindingKind(
    "answers",
    "chance_of_unseen_classes",
    "In {sample}, model {model!r} gives {share:.1%} of its chance to classes that neither a label nor a prediction "
    "shows",
    "Leave these classes out of probabilities, or label rows of them.",
    "; it is shared out among the others.",
)
NOT_MOST_PROBABLE = FindingKind(
    "answers",
    "prediction_not_most_probable",
    "In {share:.1%} of the rows of {sample} the prediction of model {model!r} is not its most probable class",
    "Check the probability columns, unless the model predicts by a threshold other than one half.",
    ". The probability of the predicted class is what counts as its confidence.",
)


@dataclass(frozen=True, eq=False)
class Answers:
    """Hold the classes of a sample's rows, and a model's answers.

    Parameters
    ----------
    classes : tuple of str
        After merging.
    truth : array of int, shape (n_rows,)
        -1 where there is no label.
    predicted : array of int, shape (n_rows,)
        -1 where there is no prediction.
    """

    classes: tuple[str, ...]
    truth: ClassCodes
    predicted: ClassCodes

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Answers:
        """Keep some rows."""
        return replace(self, truth=self.truth[rows], predicted=self.predicted[rows])


def read_answers(
    sample: Sample, *, label: str | None, prediction: str, merge: Merge | None = None, known: Sequence[str] = ()
) -> Answers:
    """Read labels and predictions as codes of classes.

    Parameters
    ----------
    label : str or None
        Column of true classes.
    prediction : str
        Column of predicted classes.
    merge : mapping of str to sequence
        Classes to take for one: new name -> old names.
    known : sequence of str
        Classes, after merging, that another sample has: they keep their codes, others follow.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"y": [1, 0, 1], "p": ["1", "1", None]}))
    >>> answers = read_answers(sample, label="y", prediction="p")
    >>> answers.classes, answers.truth.tolist(), answers.predicted.tolist()
    (('0', '1'), [1, 0, 1], [1, 1, -1])
    """
    columns = [prediction] if label is None else [label, prediction]
    codes, names = class_codes(*(sample.series(column) for column in columns))
    table = _merged(names, merge or {}, strict=not known)
    merged_names = (*names, *(merge or {}))
    used = sorted({int(code) for code in table[:-1]})
    classes = list(known)
    place = {class_name(name): code for code, name in enumerate(known)}
    final = np.full(len(table), -1, dtype=np.int32)  # the last entry is what code -1 (missing) reads
    for code in used:
        name = merged_names[code]
        final[table == code] = place.get(class_name(name), len(classes)) if known else len(classes)
        if final[table == code][0] == len(classes):
            classes.append(name)
    coded = [final[column] for column in codes]
    truth = coded[0] if label is not None else np.full(sample.n_rows, -1, dtype=np.int32)
    return Answers(tuple(classes), truth, coded[-1])


def _merged(names: tuple[str, ...], merge: Merge, *, strict: bool) -> NDArray[np.int32]:
    """Return the merged class of each class; the last entry is what code -1 (missing) reads."""
    table = np.append(np.arange(len(names)), -1).astype(np.int32)
    taken: dict[int, str] = {}
    for number, (new, old) in enumerate(merge.items()):
        for value in old:
            found = find_classes(value, names)
            if not found and strict:
                raise ProjectError(
                    f"merge names class {value!r}, which is neither a label nor a prediction. "
                    f"Classes: {listed(names)}.{did_you_mean(str(value), names)}"
                )
            for code in found:
                if code in taken:
                    raise ProjectError(f"merge puts class {value!r} into both {taken[code]!r} and {new!r}. Choose one.")
                taken[code] = new
                table[code] = len(names) + number
        for code in find_classes(new, names):
            if code not in taken:  # a merged class may already exist under its new name
                table[code] = len(names) + number
    return table


def merged_name(name: str, merge: Merge) -> str:
    """Return the class that a class is taken for.

    Examples
    --------
    >>> merged_name("neutral", {"no": ["neutral", "contradiction"]}), merged_name("yes", {})
    ('no', 'yes')
    """
    for new, old in merge.items():
        if any(class_name(value) == class_name(name) for value in old):
            return new
    return name


def add_probable_classes(answers: Answers, model: Model, merge: Merge | None = None) -> Answers:
    """Add the classes that a model has probabilities for and that no row shows.

    Whatever chance they get is a chance the true class does not: leaving them out would flatter the model.

    Examples
    --------
    >>> seen = Answers(("a", "b"), np.array([0, 1]), np.array([0, 0]))
    >>> add_probable_classes(seen, Model("m", "p", {"a": "pa", "b": "pb", "c": "pc"})).classes
    ('a', 'b', 'c')
    """
    known = {class_name(name) for name in answers.classes}
    merged = (merged_name(name, merge or {}) for name in model.probabilities)
    more = dict.fromkeys(name for name in merged if class_name(name) not in known)
    return replace(answers, classes=(*answers.classes, *more))


def read_probabilities(
    sample: Sample, model: Model, answers: Answers, merge: Merge | None = None, *, whole: bool = True
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
    >>> model = Model("m", "p", {"a": "pa", "b": "pb"})
    >>> read_probabilities(sample, model, read_answers(sample, label=None, prediction="p"))[0].tolist()
    [[0.9, 0.1], [0.2, 0.8]]
    """
    if not model.probabilities:
        raise ProjectError(f"Model {model.name!r} has no class probabilities. Name their columns in probabilities.")
    place = {class_name(name): code for code, name in enumerate(answers.classes)}
    total = np.zeros((sample.n_rows, len(answers.classes)))
    rest = np.zeros(sample.n_rows)  # of classes that neither a label nor a prediction has
    covered = set()
    for name, column in model.probabilities.items():
        values = sample.series(column).to_numpy().astype(float)
        code = place.get(class_name(merged_name(name, merge or {})))
        if code is None:
            rest += values
        else:
            total[:, code] += values
            covered.add(code)
    absent = [repr(name) for code, name in enumerate(answers.classes) if code not in covered]
    if absent:
        raise DataError(
            f"Model {model.name!r} has no probability for class {listed(absent)}, which {sample.name} has. "
            f"Its probabilities are for: {listed(model.probabilities)}. Add the missing column to probabilities."
        )
    sums = total.sum(axis=1) + rest
    if whole:
        check_sums(sample, model, sums)
    known = total.sum(axis=1, keepdims=True)
    # What is off by rounding alone stays as written: dividing would break ties, on which rankings depend.
    with np.errstate(invalid="ignore", divide="ignore"):
        total = total / np.where(np.abs(known - 1) > 1e-9, known, 1.0)
    total[~np.isfinite(sums)] = np.nan
    if not whole:
        return total, ()
    return total, (*_contradictions(sample, model, answers, total), *_shared_out(sample, model, rest))


def _shared_out(sample: Sample, model: Model, rest: Floats) -> tuple[Finding, ...]:
    """Say how much chance went to classes that no row shows."""
    share = float(np.nanmean(rest)) if np.isfinite(rest).any() else 0.0
    if share < 0.005:
        return ()
    severity: Severity = "warning" if share > 0.05 else "info"
    return (CHANCE_OF_UNSEEN_CLASSES.found(severity, sample=sample.name, model=model.name, share=share),)


def _contradictions(sample: Sample, model: Model, answers: Answers, probabilities: Floats) -> tuple[Finding, ...]:
    """Compare predictions with the most probable class; a tie is no contradiction."""
    known = (answers.predicted >= 0) & np.isfinite(probabilities[:, 0])
    if not known.any():
        raise DataError(
            f"No row of {sample.name} has both a prediction and class probabilities of model {model.name!r}. "
            "Fill them in."
        )
    given = probabilities[known, answers.predicted[known]]
    against = given < probabilities[known].max(axis=1) - 1e-6
    share = float(against.mean())
    if share > MOST_CONTRADICTIONS:
        raise DataError(
            f"In {share:.0%} of the rows of {sample.name} the prediction of model {model.name!r} is not its most "
            "probable class, so predictions and probabilities contradict each other. "
            "Check that each probability column belongs to the class it is named for."
        )
    if not against.any():
        return ()
    severity: Severity = "warning" if share > 0.01 else "info"
    return (NOT_MOST_PROBABLE.found(severity, share=share, sample=sample.name, model=model.name),)
