"""Estimates compared with the truth: of means of a column, and of models' scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mandoline_core.comparison import Comparison, compare
from mandoline_core.data import Model, Sample
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import prepare
from mandoline_core.project import EstimatorSettings, MethodSettings, MetricSettings
from mandoline_core.slices import Slice

LABEL = "label"
SCORE = "score"
_REDRAWS = 10  # the fewest there may be: kernel matching's intervals are not looked at
TOLD = 0.2  # points: a smaller true change has no direction


def mean_estimates(
    source: pd.DataFrame,
    target: pd.DataFrame,
    slices: Sequence[Slice],
    methods: Mapping[str, int],
    *,
    features: Sequence[str] = (),
    seed: int = 0,
) -> dict[str, float]:
    """Estimate the mean of the column `score` on the new data, by each method.

    Parameters
    ----------
    methods : mapping of str to int
        Names in the registry, and the number of rows of each sample that a method on columns uses.
    features : sequence of str
        The columns that methods on columns use.

    Examples
    --------
    >>> from mandoline_core.slices import Flag
    >>> source = pd.DataFrame({"g": [1, -1, -1, -1], "score": [0, 1, 1, 1]})
    >>> target = pd.DataFrame({"g": [1, -1]})
    >>> mean_estimates(source, target, [Flag("g", column="g")], {"source": 10, "mandoline": 10})
    {'source': 0.75, 'mandoline': 0.5}
    """
    # Counted without the features: describing many columns for the checks takes long, and checks are not used here.
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
    estimates = {}
    for name, most in methods.items():
        how = MethodSettings(features=tuple(features), max_rows=most, redraws=_REDRAWS)
        asked, method = replace(problem, methods=how), get_estimator(name)
        method.check(asked)
        estimates[name] = float(method.estimate(asked).value)
    return estimates


@dataclass(frozen=True, eq=False)
class ShiftCase:
    """Hold labelled and new data with models' predictions, ready for any method.

    The labels of the new data are the truth to compare with; no method reads them.
    """

    source: pd.DataFrame
    target: pd.DataFrame
    models: tuple[Model, ...]

    def samples(self) -> tuple[Sample, Sample]:
        """Give both samples their roles."""
        source = Sample(self.source, label=LABEL, models=self.models, name="source")
        return source, Sample(self.target, label=LABEL, models=self.models, name="target")


def roles(frame: pd.DataFrame) -> tuple[Model, ...]:
    """Find the models whose predictions a table has: columns pred_<model> and prob_<model>_<class>.

    Examples
    --------
    >>> found = roles(pd.DataFrame(columns=["pred_lr", "prob_lr_no", "prob_lr_yes"]))
    >>> found[0].name, dict(found[0].probabilities)
    ('lr', {'no': 'prob_lr_no', 'yes': 'prob_lr_yes'})
    """
    names = [column.removeprefix("pred_") for column in frame.columns if column.startswith("pred_")]
    found = []
    for name in names:
        start = f"prob_{name}_"
        classes = {column.removeprefix(start): column for column in frame.columns if column.startswith(start)}
        found.append(Model(name, f"pred_{name}", classes))
    return tuple(found)


def judge(
    case: ShiftCase,
    slices: Sequence[Slice],
    methods: Sequence[str],
    *,
    features: Sequence[str] = (),
    max_rows: int = 10_000,
    **options: Any,
) -> Comparison:
    """Estimate every model of a case by several methods; a missing estimate is an error.

    Parameters
    ----------
    features : sequence of str
        The columns that methods on columns use.
    **options
        Further arguments of `compare`: edges (none by default, as in the paper), metric, seed and others.
    """
    settings = MethodSettings(features=tuple(features), max_rows=max_rows, redraws=_REDRAWS)
    found = compare(*case.samples(), slices, estimators=methods, methods=settings, **{"edges": (), **options})
    for model in found.models.values():
        for name, entry in model.entries.items():
            if entry.estimate is None:
                raise MandolineError(f"{name} found no estimate for {model.model}: {entry.reason}")
    return found


def errors(found: Comparison, method: str) -> dict[str, float]:
    """List estimate minus truth for every model, in points."""
    return {
        name: 100 * (float(model.entries[method].estimate or 0.0) - float(model.truth or 0.0))
        for name, model in found.models.items()
    }


def mean_error(values: Iterable[float]) -> float:
    """Average the sizes of errors."""
    return float(np.mean(np.abs(list(values))))


def directions(found: Comparison, method: str) -> list[bool]:
    """Tell for every model whose score changed whether the method moved it in the right direction."""
    before, after = errors(found, "source"), errors(found, method)
    # The source score is off by `off`, so that the way to the truth is the other way.
    return [(after[name] - off) * -off > 0 for name, off in before.items() if abs(off) >= TOLD]


def share(told: Sequence[bool]) -> float:
    """Return the share of true values in percent."""
    return 100 * float(np.mean(told))
