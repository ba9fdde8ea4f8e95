"""A new project on two tables, with something to start from."""

from __future__ import annotations

from pathlib import Path

from mandoline_core.data import Model
from mandoline_core.project.project import Project
from mandoline_core.project.settings import MetricSettings
from mandoline_core.slices import Entropy, Prediction


def start_project(
    name: str,
    source: Path,
    target: Path,
    label: str | None,
    models: tuple[Model, ...],
    *,
    engine: str | None = None,
    numbers: bool = False,
) -> Project:
    """Make a project on two tables, with one family of slices to start from: no first estimate is empty.

    Parameters
    ----------
    engine : str, optional
        What goes over the rows of both.
    numbers : bool
        Whether labels and predictions are numbers, so that a slice for each class makes no sense.

    Examples
    --------
    >>> project = start_project("a", Path("a.csv"), Path("b.csv"), "y", (Model("m", "p"),))
    >>> [rule.kind for rule in project.slices], project.metric.name
    (['prediction'], 'accuracy')
    """
    has_probabilities = all(len(model.probabilities) > 1 for model in models)
    first = Entropy("entropy", buckets=6) if has_probabilities else Prediction("predicted")
    return Project(
        name=name,
        source_path=source,
        target_path=target,
        source_engine=engine,
        target_engine=engine,
        label=label,
        models=models,
        metric=MetricSettings(name="mae" if numbers else "accuracy"),
        slices=() if numbers else (first,),
    )
