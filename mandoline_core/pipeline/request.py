"""Stating: what a project, or samples and settings given one by one, ask for; and each model's problem in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np

from mandoline_core.arrays import Codes
from mandoline_core.data import Model, Sample, progress_to
from mandoline_core.errors import MandolineError, ProjectError
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline.assemble import EdgeNames, Fit, prepare
from mandoline_core.pipeline.counting import CodesOf, SampleCells, count_tables, stay_in_tables
from mandoline_core.pipeline.model_report import Progress
from mandoline_core.project import EstimatorSettings, MethodSettings, MetricSettings, Project, TrustSettings
from mandoline_core.slices import Slice, codes, resolve


@dataclass(frozen=True, eq=False)
class Request:
    """Hold what is asked for.

    Parameters
    ----------
    source, target, revealed : Sample
        Revealed is the target with its labels, where they may be looked at.
    """

    name: str
    source: Sample
    target: Sample
    revealed: Sample
    slices: Sequence[Slice]
    edges: EdgeNames | str
    metric: MetricSettings
    settings: EstimatorSettings
    methods: MethodSettings | None
    trust: TrustSettings

    @property
    def in_memory(self) -> Request:
        """The same of the rows in memory: all, or a draw of those that stay in a table."""
        source, target, revealed = (sample.drawn for sample in (self.source, self.target, self.revealed))
        return replace(self, source=source, target=target, revealed=revealed)

    def each_model(
        self, progress: Progress | None, codes_of: CodesOf = codes, *, need_slices: bool = False
    ) -> Iterator[tuple[Fit, Progress | None]]:
        """State every model's problem, with the part of the progress that is its own.

        Slices that do not look at the model are evaluated once for all.
        """
        models = models_of(self.source, self.metric)
        once = codes_of if len(models) == 1 else _CodesOnce(codes_of)
        cells = self._count_tables(models, progress)
        for i, model in enumerate(models):
            if progress is not None:
                progress(f"model {model.name}" if model else "score", i / len(models))
            prepared = prepare(
                self.source,
                self.target,
                self.slices,
                model=model,
                edges=self.edges,
                metric=self.metric,
                settings=self.settings,
                methods=self.methods,
                trust=self.trust,
                codes_of=once,
                revealed=self.revealed,
                need_slices=need_slices,
                cells=cells,
            )
            yield prepared, _within(progress, i, len(models))

    def _count_tables(self, models: Sequence[Model | None], progress: Progress | None) -> SampleCells | None:
        """Count rows that stay in tables, one pass for all models; None where all rows are in memory."""
        if not stay_in_tables(self.source, self.target):
            return None
        slices = [rule for model in models for rule in resolve(self.slices, self.source, self.target, model)]
        with progress_to(progress):
            return count_tables(self.source, self.target, slices, models, self.metric)


class _CodesOnce:
    """Evaluate each slice once on each of two samples."""

    def __init__(self, codes_of: CodesOf) -> None:
        self._codes_of = codes_of
        self._known: dict[tuple[int, object], Codes] = {}

    def __call__(self, sample: Sample, slices: Sequence[Slice]) -> Codes:
        keys = [(id(sample), rule.key) for rule in slices]
        new = {key: rule for key, rule in zip(keys, slices, strict=True) if key not in self._known}
        if new:
            self._known.update(zip(new, self._codes_of(sample, list(new.values())).T, strict=True))
        return np.asfortranarray(np.column_stack([self._known[key] for key in keys]))


class Asked(TypedDict, total=False):
    """Say what may be asked for beside samples and slices; all but the first four are fields of EstimatorSettings."""

    edges: EdgeNames | str
    metric: str | MetricSettings
    methods: MethodSettings | None
    harmless: Sequence[str] | Mapping[str, str]
    split: str
    overlap: str
    ridge: float
    confidence: float
    seed: int
    interval: str
    replicates: int


def state(
    caller: str,
    source: Project | Sample,
    target: Sample | None,
    slices: Sequence[Slice] | None,
    *,
    estimator: str | EstimatorSettings = "mandoline",
    reveal: bool = False,
    **asked: Unpack[Asked],
) -> Request:
    """Take a project at its word, or put together what was given one by one.

    Parameters
    ----------
    caller : str
        The function that was called, for messages.
    reveal : bool
        Read a project's file of target labels.
    """
    settings: dict[str, Any] = dict(asked)
    edges, methods = settings.pop("edges", ()), settings.pop("methods", None)
    metric, harmless = settings.pop("metric", "accuracy"), settings.pop("harmless", ())
    if isinstance(source, Project):
        if target is not None or slices is not None or methods is not None or settings or edges or harmless:
            raise ProjectError("A project already says which data, slices and settings to use. Change the project.")
        return state_project(source, reveal=reveal)
    if target is None or slices is None:
        raise MandolineError(f"{caller}() needs a project, or a source sample, a target sample and slices.")
    for one in (source, target):
        if not isinstance(one, Sample):
            raise MandolineError(
                f"{caller}() needs samples, and got a {type(one).__name__}. "
                "Say Sample(frame, label=..., prediction=...) for the source and Sample(frame) for the target."
            )
    chosen = metric if isinstance(metric, MetricSettings) else MetricSettings(name=metric)
    how = replace(estimator, **settings) if isinstance(estimator, EstimatorSettings) else None
    how = how or EstimatorSettings(name=str(estimator), **settings)
    trust = TrustSettings(harmless=harmless)
    return Request(caller, source, target, target, slices, edges, chosen, how, methods, trust)


def state_project(project: Project, *, reveal: bool = False) -> Request:
    """Read a project's samples, and take it at its word."""
    source, target = project.read()
    return Request(
        project.name,
        source,
        target,
        project.reveal(target) if reveal else target,
        project.slices,
        project.edges,
        project.metric,
        project.estimator,
        project.placed_methods,
        project.trust,
    )


def models_of(source: Sample, metric: MetricSettings) -> tuple[Model | None, ...]:
    """List the models to report on; the metric "mean" needs none."""
    if source.models:
        return source.models
    if get_metric(metric.name).needs == "column":
        return (None,)
    raise ProjectError(Sentence("The {source} names no model. Say which column holds the predictions."))


def _within(progress: Progress | None, i: int, n: int) -> Progress | None:
    """Report the progress of one part out of n as progress of the whole."""
    return None if progress is None else lambda what, share: progress(what, (i + share) / n)
