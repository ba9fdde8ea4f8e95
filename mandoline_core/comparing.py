"""Comparing: every method that applies, for every model of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mandoline_core.assemble import CodesOf, EdgeNames
from mandoline_core.comparison import Comparison, compare_model, summarise
from mandoline_core.data import Sample
from mandoline_core.estimators import ESTIMATORS, get_estimator
from mandoline_core.model_report import Progress
from mandoline_core.project import Project
from mandoline_core.settings import MethodSettings, MetricSettings
from mandoline_core.slices import Slice, codes
from mandoline_core.stating import state


def compare(
    source: Project | Sample,
    target: Sample | None = None,
    slices: Sequence[Slice] | None = None,
    *,
    edges: EdgeNames | str = (),
    metric: str | MetricSettings = "accuracy",
    methods: MethodSettings | None = None,
    estimators: Sequence[str] | None = None,
    reveal: bool = False,
    progress: Progress | None = None,
    codes_of: CodesOf = codes,
    **settings: Any,
) -> Comparison:
    """Estimate each model on the target with every method that applies.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself; then only `estimators`, `reveal` and `progress` may follow.
    target : Sample
    slices : sequence of Slice
        May be empty: methods on slices then do not apply.
    edges : sequence of pairs of slice names, or "auto"
    metric : str or MetricSettings
    methods : MethodSettings
        What methods look at that do not work on slices.
    estimators : sequence of str, optional
        Names in the registry; all when left out.
    reveal : bool
        Read the project's file of target labels, to judge the methods by the truth.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1.
    codes_of : callable
        Evaluates slices on a sample; a caller may put a cache here.
    **settings
        Fields of EstimatorSettings: split, overlap, ridge, confidence, seed, interval, replicates.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> found = compare(
    ...     Sample(source, label="y", prediction="p"), Sample(target), [Category("b", column="place", values=("b",))],
    ...     estimators=["source", "mandoline", "atc"],
    ... )
    >>> entries = found.models["model"].entries
    >>> round(entries["mandoline"].estimate, 3), entries["mandoline"].direction, entries["atc"].available
    (0.75, 'down', False)
    """
    names = list(ESTIMATORS if estimators is None else estimators)
    for name in names:
        get_estimator(name)  # refuse an unknown name before any work
    stated = state(
        source,
        target,
        slices,
        edges=edges,
        metric=metric,
        methods=methods,
        settings=settings,
        caller="compare",
        reveal=reveal,
    )
    found = {
        prepared.model: compare_model(prepared, stated.settings, estimators=names, progress=said)
        for prepared, said in stated.each_model(progress, codes_of)
    }
    return summarise(stated.name, found, stated.settings.confidence)
