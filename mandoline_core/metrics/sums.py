"""Whether a model's class probabilities add up to 1: who must know refuses them, slices that read them say so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import Model, Sample
from mandoline_core.errors import DataError
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.slices import Slice

ROUNDING = 0.005  # probabilities are often written with two digits, each off by so much at most
MOST_OFF = 0.05  # sums that are further off are not rounding, however many classes there are
_ACTION = "Check that every class has its column, and that they hold probabilities and not scores."

SUMS_OFF = FindingKind(
    "slices",
    "probabilities_off",
    "Slices {names:list 4} read the class probabilities of model {model!r}, which do not add up to 1 in {n:,} of "
    "{rows:,} rows of {sample}",
    _ACTION,
    " (row {row}: {total:.4g}). Entropy and confidence mean little there.",
)


def check_sums(sample: Sample, model: Model, sums: Floats) -> None:
    """Refuse class probabilities that do not add up to 1."""
    off, worst = _off(model, sums)
    if len(off):
        raise DataError(
            f"The class probabilities of model {model.name!r} do not add up to 1 in {len(off):,} of "
            f"{len(sums):,} rows of {sample.name} (row {worst + 1}: {sums[worst]:.4g}). {_ACTION}"
        )


def find_sums_off(slices: Sequence[Slice], source: Sample, target: Sample) -> tuple[Finding, ...]:
    """Say which slices read all class probabilities of a model that do not add up to 1, in either sample.

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
                found.append(
                    SUMS_OFF.found(
                        "warning",
                        slices=tuple(readers),
                        names=readers,
                        model=model.name,
                        sample=sample.name,
                        **numbers,
                    )
                )
    return tuple(found)


def _off(model: Model, sums: Floats) -> tuple[Index, int]:
    """Find the rows whose sum is off by more than rounding, and the one that is off most."""
    tolerance = min(max(len(model.probabilities), 2) * ROUNDING, MOST_OFF) + 1e-6
    off = np.flatnonzero(np.abs(sums - 1) > tolerance)
    return off, int(off[np.abs(sums[off] - 1).argmax()]) if len(off) else -1
