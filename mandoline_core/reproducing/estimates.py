"""What methods of the registry say in an experiment, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from mandoline_core.comparing import compare
from mandoline_core.errors import MandolineError
from mandoline_core.project import MethodSettings, MetricSettings
from mandoline_core.samples import Sample
from mandoline_core.slices import Slice

SCORE = "score"


def mean_estimates(
    source: pd.DataFrame,
    target: pd.DataFrame,
    slices: Sequence[Slice],
    methods: Sequence[str],
    *,
    features: Sequence[str] = (),
    max_rows: int = 10_000,
    seed: int = 0,
    **asked: Any,
) -> dict[str, float]:
    """Estimate the mean of the column `score` on the target, by each method.

    Parameters
    ----------
    features : sequence of str
        The columns that methods on columns look at.
    max_rows : int
        So many rows of each sample are looked at by methods on columns.
    **asked
        What `compare` takes: edges, split, ridge and others.
    """
    found = compare(
        Sample(source),
        Sample(target.drop(columns=SCORE, errors="ignore")),
        slices,
        estimators=methods,
        metric=MetricSettings("mean", column=SCORE),
        methods=MethodSettings(features=tuple(features), max_rows=max_rows, redraws=10),
        seed=seed,
        **asked,
    )
    entries = next(iter(found.models.values())).entries
    for entry in entries.values():
        if entry.estimate is None:
            raise MandolineError(f"{entry.estimator} found no estimate: {entry.reason}")
    return {name: float(entry.estimate) for name, entry in entries.items() if entry.estimate is not None}
