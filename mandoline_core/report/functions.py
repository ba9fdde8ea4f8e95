"""What belongs to an estimate, as functions: for a project, for two samples and slices, or for a fit.

Each makes the estimate and calls the report's method of that name; with a report at hand, call the method.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Unpack

from mandoline_core import labels as _labels
from mandoline_core import pipeline as _pipeline
from mandoline_core.arrays import Floats
from mandoline_core.data import Sample
from mandoline_core.labels import FewLabels, LabelPlan
from mandoline_core.pipeline import Ablation, Attribution, Fit, Options, Request, SliceTable, with_options
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.report.api import estimate
from mandoline_core.report.report import Report
from mandoline_core.slices import SliceLike

Given = Project | Sample | Request | Fit


@with_options
def slice_table(
    source: Given,
    target: Sample | None = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    model: str | None = None,
    **options: Unpack[Options],
) -> SliceTable:
    """Describe every slice: its shares, its shift, and the score in it and elsewhere.

    Parameters
    ----------
    source, target, slices, **options
        As in `estimate`; or a fit alone.
    model : str, optional
        The first when left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> rules = [Category("b", column="place", values=("b",))]
    >>> (row,) = slice_table(Sample(source, label="y", prediction="p"), Sample(target), rules)
    >>> row.source, row.target
    (0.2, 0.5)
    """
    if isinstance(source, Fit):
        return _pipeline.slice_table(source, confidence=options.get("confidence", 0.95))
    return _plain(source, target, slices, options).slices(model)


@with_options
def ablation(
    source: Given,
    target: Any = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    model: str | None = None,
    order: Sequence[str] | None = None,
    leave_one_out: bool = True,
    progress: Any = None,
    **options: Unpack[Options],
) -> Ablation:
    """Estimate with the first slice, the first two and so on, and with each left out.

    Parameters
    ----------
    source, target, slices, **options
        As in `estimate`; or a fit and its settings.
    order : sequence of str, optional
        The order in which slices are added; the project's when left out.
    progress : callable, optional
        Called with the share done.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> rules = [Category("b", column="place", values=("b",))]
    >>> curve = ablation(Sample(source, label="y", prediction="p"), Sample(target), rules).cumulative
    >>> [(point.slice, round(point.estimate, 2)) for point in curve]
    [(None, 0.9), ('b', 0.75)]
    """
    fit, settings = (source, target) if isinstance(source, Fit) else _fit(source, target, slices, model, options)
    return _pipeline.ablation(fit, settings, order=order, leave_one_out=leave_one_out, progress=progress)


@with_options
def attribute(
    source: Given,
    target: Any = None,
    slices: Sequence[SliceLike] | None = None,
    *,
    model: str | None = None,
    **options: Unpack[Options],
) -> Attribution:
    """Divide the difference between estimate and labelled score among the slices, whatever their order.

    Parameters
    ----------
    source, target, slices, **options
        As in `estimate`; or a fit and its settings.
    """
    fit, settings = (source, target) if isinstance(source, Fit) else _fit(source, target, slices, model, options)
    return _pipeline.attribute(fit, settings)


@with_options
def plan_labels(
    source: Given,
    target: Any = None,
    slices: Any = None,
    n: Any = 50,
    *,
    model: str | None = None,
    **options: Unpack[Options],
) -> LabelPlan:
    """Choose the new rows to label next.

    Parameters
    ----------
    source, target, slices, **options
        As in `estimate`; or a fit, its settings, the number of rows and the new data.
    n : int
        How many rows to label.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> rules = [Category("b", column="place", values=("b",))]
    >>> len(plan_labels(Sample(source, label="y", prediction="p"), Sample(target), rules, n=20).rows)
    20
    """
    if isinstance(source, Fit):
        return _labels.plan_labels(source, target, slices, n)
    return _plain(source, target, slices, options).plan(n, model)


@with_options
def use_labels(
    source: Given,
    target: Any = None,
    slices: Any = None,
    *,
    labels: Sample | Iterable[Any] | Path | None = None,
    model: str | None = None,
    plan: LabelPlan | Floats | None = None,
    key: str | None = None,
    **options: Unpack[Options],
) -> FewLabels:
    """Combine the estimate with labels of some new rows.

    Parameters
    ----------
    source, target, slices, **options
        As in `estimate`; or a fit, its settings and the new data with its labels.
    labels : Sample, frame, path, or one value per new row
        As in `Report.use_labels`: a plan's sheet with its labels filled in, say. When left out, the new data's own
        label column.
    plan : LabelPlan or array, optional
        The plan that chose the labelled rows; without one or its sheet they must be a random draw.
    key : str, optional
        The column that names rows in the new data and in the table of labels.
    """
    if isinstance(source, Fit):
        return _labels.use_labels(source, target, slices, plan=plan.weights if isinstance(plan, LabelPlan) else plan)
    made = _plain(source, target, slices, options)
    return made.use_labels(made.asked.target if labels is None else labels, model, plan=plan, key=key)


def _fit(source: Any, target: Any, slices: Any, model: str | None, options: Options) -> tuple[Fit, EstimatorSettings]:
    made = _plain(source, target, slices, options)
    return made.of(model).fit, made.settings


def _plain(source: Any, target: Any, slices: Any, options: Options) -> Report:
    """Estimate without other plausible slices: nothing made from it asks for the quoted interval."""
    options["spread"] = False
    return estimate(source, target, slices, **options)
