"""What methods of the registry say in an experiment, as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from mandoline_core.data import Sample
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import prepare
from mandoline_core.project import EstimatorSettings, MethodSettings, MetricSettings
from mandoline_core.slices import Slice

SCORE = "score"
_REDRAWS = 10  # the fewest there may be: kernel matching's intervals are not looked at


def mean_estimates(
    source: pd.DataFrame,
    target: pd.DataFrame,
    slices: Sequence[Slice],
    methods: Mapping[str, int],
    *,
    features: Sequence[str] = (),
    seed: int = 0,
) -> dict[str, float]:
    """Estimate the mean of the column `score` on the target, by each method.

    Parameters
    ----------
    methods : mapping of str to int
        Names in the registry, and how many rows of each sample a method on columns looks at.
    features : sequence of str
        The columns that methods on columns look at.

    Examples
    --------
    >>> from mandoline_core.slices import Flag
    >>> source = pd.DataFrame({"g": [1, -1, -1, -1], "score": [0, 1, 1, 1]})
    >>> target = pd.DataFrame({"g": [1, -1]})
    >>> mean_estimates(source, target, [Flag("g", column="g")], {"source": 10, "mandoline": 10})
    {'source': 0.75, 'mandoline': 0.5}
    """
    # Counted without the features: many columns take long to describe for checks that nobody looks at here.
    narrow = [Sample(frame.drop(columns=list(features))) for frame in (source, target)]
    problem = prepare(
        narrow[0],
        narrow[1],
        slices,
        model=None,
        metric=MetricSettings("mean", column=SCORE),
        settings=EstimatorSettings(seed=seed),
    ).problem
    if problem.rows is not None and features:
        whole = replace(problem.rows, source=Sample(source), target=Sample(target.drop(columns=SCORE, errors="ignore")))
        problem = replace(problem, rows=whole)
    found = {}
    for name, most in methods.items():
        how = MethodSettings(features=tuple(features), max_rows=most, redraws=_REDRAWS)
        asked, method = replace(problem, methods=how), get_estimator(name)
        method.check(asked)
        found[name] = float(method.estimate(asked).value)
    return found
