"""What is asked for: samples, slices and settings, from a project or given one by one; and the steps up to a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from mandoline_core.data import Model, Sample, complete_models, current_progress, progress_to
from mandoline_core.errors import MandolineError, ProjectError, SliceError
from mandoline_core.metrics import Metric, OwnMetric, check_worst, get_metric
from mandoline_core.pipeline.cells import Cells, count
from mandoline_core.pipeline.codes import Memo, code, no_memo
from mandoline_core.pipeline.estimates import Progress
from mandoline_core.pipeline.fits import EdgeNames, Fit, fit
from mandoline_core.pipeline.options import Options
from mandoline_core.project import (
    TESTS,
    DecisionSettings,
    EstimatorSettings,
    MethodSettings,
    MetricSettings,
    Project,
    TrustSettings,
    track_memory,
)
from mandoline_core.slices import Slice, SliceLike, read_slices

_UNCOUNTED: dict[str, Any] = {"noise": None, "audit": None, "note": ""}


@dataclass(frozen=True, eq=False, repr=False)
class Request:
    """Hold what is asked for.

    Parameters
    ----------
    note : str
        Notes about the project.
    key : str, optional
        The column of the target that names its rows.
    overrides : tuple of str
        Settings of a project that the caller overrides.
    memory : Path, optional
        Where tracking keeps the project's own record.
    project : Project, optional
        The project that asks, if one does.
    """

    name: str
    source: Sample
    target: Sample
    slices: Sequence[Slice]
    edges: EdgeNames | str = TESTS
    metric: MetricSettings = field(default_factory=MetricSettings)
    settings: EstimatorSettings = field(default_factory=EstimatorSettings)
    methods: MethodSettings = field(default_factory=MethodSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    note: str = ""
    overrides: tuple[str, ...] = ()
    key: str | None = None
    memory: Path | None = None
    project: Project | None = None

    @property
    def decision(self) -> DecisionSettings:
        """What the estimate is for, as the project says."""
        return DecisionSettings() if self.project is None else self.project.decision

    @property
    def in_memory(self) -> Request:
        """The same of the rows in memory: all, or a draw of those that stay in a table."""
        return replace(self, source=self.source.drawn, target=self.target.drawn)

    @property
    def models(self) -> tuple[Model | None, ...]:
        """The models to report on; the metric "mean" needs none."""
        if self.source.models:
            return self.source.models
        if get_metric(self.metric).needs == "column":
            return (None,)
        raise ProjectError("There is no model. Set prediction to the column with the predictions.")

    def cells(self, model: Model | None, memo: Memo = no_memo, *, need_slices: bool = False) -> Cells:
        """Code and count the rows of both samples for one model.

        Parameters
        ----------
        need_slices : bool
            Refuse a request without slices, as every method on slices must.
        """
        if need_slices and not any(rule.enabled for rule in self.slices):
            raise SliceError("There are no slices. Add or enable at least one.")
        return memo(
            self.cells_key(model),
            lambda: count(code(self.source, self.target, self.slices, model, memo), self.metric, memo),
        )

    def cells_key(self, model: Model | None) -> tuple[Any, ...]:
        """Return what the cells depend on, without corrections and notes."""
        plain = tuple(
            rule if (rule.noise, rule.audit, rule.note) == (None, None, "") else replace(rule, **_UNCOUNTED)
            for rule in self.slices
        )
        return ("cells", self.source, self.target, model, self.metric, plain)

    def fit(self, model: Model | None, memo: Memo = no_memo, *, need_slices: bool = False) -> Fit:
        """Walk the steps up to the fit for one model."""
        return memo(
            self.fit_key(model),
            lambda: fit(
                self.cells(model, memo, need_slices=need_slices),
                self.slices,
                edges=self.edges,
                settings=self.settings,
                methods=self.methods,
                trust=self.trust,
            ),
        )

    def fit_key(self, model: Model | None) -> tuple[Any, ...]:
        """Say what a fit depends on: not the method that will use it."""
        return ("fit", *self._parts(model), replace(self.settings, name="source"))

    def report_key(self, model: Model | None) -> tuple[Any, ...]:
        """Say what a checked report depends on: the fit, the method, and overridden settings."""
        return ("report", *self._parts(model), self.settings, self.overrides)

    def _parts(self, model: Model | None) -> tuple[Any, ...]:
        rules = tuple(replace(rule, note="") if rule.note else rule for rule in self.slices)
        return (self.source, self.target, model, self.metric, rules, self.edges, self.methods, self.trust)

    def fit_of_draw(self, whole: Fit, memo: Memo = no_memo) -> Fit:
        """Fit to the rows in memory alone, with the edges of all rows: for methods that look at rows.

        Where no row stays in a table, that is the fit itself.
        """
        if not whole.in_table or whole.cells.rows is None:
            return whole
        return replace(self.in_memory, edges=whole.edges).fit(whole.cells.rows.model, memo)

    def each_model(
        self, progress: Progress | None = None, *, need_slices: bool = False
    ) -> Iterator[tuple[Fit, Progress | None]]:
        """Fit every model, with the part of the progress that is its own."""
        for i, model in enumerate(self.models):
            if progress is not None:
                progress(f"model {model.name}" if model else "score", i / len(self.models))
            own = part_of(progress, i, len(self.models))
            with progress_to(own or current_progress()):
                fitted = self.fit(model, need_slices=need_slices)
            yield fitted, own


def revealed(source: Project | Sample | Request, request: Request, *, reveal: bool) -> Sample | None:
    """Return the target with its labels, for the true value; None where nobody asked for it.

    The label column of a sample was named by the caller, who asked by that.
    """
    if isinstance(source, Sample):
        return request.target
    if not reveal:
        return None
    return source.reveal(request.target) if isinstance(source, Project) else request.target


def part_of(progress: Progress | None, i: int, n: int) -> Progress | None:
    """Report the progress of one part out of n as progress of the whole."""
    return None if progress is None else lambda what, share: progress(what, (i + share) / n)


def prepare(
    source: Sample,
    target: Sample,
    rules: Sequence[SliceLike],
    *,
    model: Model | None,
    edges: EdgeNames | str = (),
    metric: MetricSettings | None = None,
    settings: EstimatorSettings | None = None,
    methods: MethodSettings | None = None,
    need_slices: bool = True,
) -> Fit:
    """Code, count and fit two samples for one model.

    Parameters
    ----------
    model : Model or None
        None for the metric "mean" only.
    need_slices : bool
        Refuse an empty list of slices, as every method on slices must.
    """
    source, target = complete_models(source, target)
    model = next((one for one in source.models if model is not None and one.name == model.name), model)
    request = Request(
        "prepare",
        source,
        target,
        read_slices(rules, source, target),
        edges,
        metric or MetricSettings(),
        settings or EstimatorSettings(),
        methods or MethodSettings(),
    )
    return request.fit(model, need_slices=need_slices)


def state(
    caller: str,
    source: Project | Sample | Request,
    target: Sample | None,
    slices: Sequence[SliceLike] | None,
    **options: Unpack[Options],
) -> Request:
    """Read a project's samples, or use those given; settings given with a project override its own.

    Parameters
    ----------
    caller : str
        The function that was called, for messages.
    **options
        estimator, edges, metric, methods, harmless, and the fields of EstimatorSettings, which are listed there alone:
        adding one there adds the argument.
    """
    if isinstance(source, (Project, Request)):
        if target is not None or slices is not None:
            raise ProjectError("A project already defines data and slices. Change the project.")
        return _override(state_project(source) if isinstance(source, Project) else source, options)
    if target is None or slices is None:
        raise MandolineError(f"{caller}() needs a project, or labelled data, new data and slices.")
    for sample in (source, target):
        if not isinstance(sample, Sample):
            raise MandolineError(
                f"{caller}() needs samples. Got {type(sample).__name__}. "
                "Use Sample(frame, label=..., prediction=...) for the labelled data and Sample(frame) for the new data."
            )
    source, target = complete_models(source, target)
    asked = Request(caller, source, target, read_slices(slices, source, target))
    return replace(_override(asked, options), overrides=())


def state_project(project: Project) -> Request:
    """Read a project's samples, and ask for what it asks for."""
    return request_of(project, *project.read())


def request_of(project: Project, source: Sample, target: Sample) -> Request:
    """Ask for what a project asks for, of samples that have been read."""
    if project.decision.threshold is not None:
        check_worst("threshold", project.decision.threshold, get_metric(project.metric))
    return Request(
        project.name,
        source,
        target,
        project.slices,
        project.edges,
        project.metric,
        project.estimator,
        project.placed_methods,
        project.trust,
        project.note,
        key=project.target_key,
        memory=None if project.path is None else track_memory(project.path),
        project=project,
    )


def settings_of(metric: str | MetricSettings | Metric) -> MetricSettings:
    """Take a metric's name, its settings, or a metric of your own."""
    if isinstance(metric, Metric):
        return OwnMetric.hold(metric)
    return metric if isinstance(metric, MetricSettings) else MetricSettings(name=metric)


def _override(request: Request, options: Mapping[str, Any]) -> Request:
    """Replace settings of a request."""
    fields: dict[str, Any] = {}
    settings: dict[str, Any] = dict(options)
    estimator = settings.pop("estimator", request.settings)
    if isinstance(estimator, str):
        estimator = replace(request.settings, name=estimator)
    for name in ("edges", "methods"):
        if name in settings:
            fields[name] = settings.pop(name)
    if "metric" in settings:
        metric = settings.pop("metric")
        fields["metric"] = settings_of(metric)
    if "harmless" in settings:
        fields["trust"] = replace(request.trust, harmless=settings.pop("harmless"))
    fields["settings"] = replace(estimator, **settings)
    changed = tuple(name for name in options if name != "harmless")
    return replace(request, **fields, overrides=changed)
