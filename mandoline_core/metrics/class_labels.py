"""Labels and predictions of a sample, as codes of common, merged classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Bools, Index
from mandoline_core.data import Sample, class_codes, class_finder, class_name, find_classes
from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import listed

Merge = Mapping[str, Sequence[object]]
ClassCodes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """Hold the classes of a sample's rows: true, and as a model predicts them.

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

    def take(self, rows: Bools | Index) -> ClassLabels:
        """Keep some rows."""
        return replace(self, truth=self.truth[rows], predicted=self.predicted[rows])


def read_class_labels(
    sample: Sample, *, label: str | None, prediction: str, merge: Merge | None = None, known: Sequence[str] = ()
) -> ClassLabels:
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
    >>> labels = read_class_labels(sample, label="y", prediction="p")
    >>> labels.classes, labels.truth.tolist(), labels.predicted.tolist()
    (('0', '1'), [1, 0, 1], [1, 1, -1])
    """
    columns = [prediction] if label is None else [label, prediction]
    codes, names = class_codes(*(sample.series(column) for column in columns))
    table = _merged(names, merge or {}, strict=not known)
    merged_names = (*names, *(merge or {}))
    classes = list(known)
    find = class_finder(known)
    final = np.full(len(table), -1, dtype=np.int32)  # the last entry is what code -1 (missing) reads
    for merged in sorted({int(code) for code in table[:-1]}):
        name = merged_names[merged]
        code = len(classes) if (found := find(name)) is None else found
        final[table == merged] = code
        if code == len(classes):
            classes.append(name)
    coded = [final[column] for column in codes]
    truth = coded[0] if label is not None else np.full(sample.n_rows, -1, dtype=np.int32)
    return ClassLabels(tuple(classes), truth, coded[-1])


def _merged(names: tuple[str, ...], merge: Merge, *, strict: bool) -> NDArray[np.int32]:
    """Return the merged class of each class; the last entry is what code -1 (missing) reads."""
    table = np.append(np.arange(len(names)), -1).astype(np.int32)
    taken: dict[int, str] = {}
    for number, (new, old) in enumerate(merge.items()):
        for value in old:
            matches = find_classes(value, names)
            if not matches and strict:
                raise ProjectError(
                    f"merge in [metric] names an unknown class {value!r}. "
                    f"Classes: {listed(names)}.{did_you_mean(str(value), names)}"
                )
            for code in matches:
                if code in taken:
                    raise ProjectError(f"merge has class {value!r} in both {taken[code]!r} and {new!r}. Choose one.")
                taken[code] = new
                table[code] = len(names) + number
        for code in find_classes(new, names):
            if code not in taken:  # a merged class may already exist under its new name
                table[code] = len(names) + number
    return table


def merged_name(name: str, merge: Merge) -> str:
    """Return the merged name of a class.

    Examples
    --------
    >>> merged_name("neutral", {"no": ["neutral", "contradiction"]}), merged_name("yes", {})
    ('no', 'yes')
    """
    for new, old in merge.items():
        if any(class_name(value) == class_name(name) for value in old):
            return new
    return name
