"""What is asked for: samples, slices and settings, from a project or given one by one; and the steps up to a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mandoline_core.data import Model, Sample, current_progress, progress_to
from mandoline_core.errors import MandolineError, ProjectError, SliceError
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline.cells import Cells, count
from mandoline_core.pipeline.codes import Memo, code, no_memo
from mandoline_core.pipeline.estimates import Progress
from mandoline_core.pipeline.fits import EdgeNames, Fit, fit
from mandoline_core.project import EstimatorSettings, MethodSettings, MetricSettings, Project, TrustSettings
from mandoline_core.slices import Slice

_UNCOUNTED: dict[str, Any] = {"noise": None, "audit": None, "note": ""}


@dataclass(frozen=True, eq=False)
class Request:
    """Hold what is asked for.

    Parameters
    ----------
    note : str
        What a person wants to remember about the project.
    overrides : tuple of str
        Settings of a project that the caller put others in the place of.
    """

    name: str
    source: Sample
    target: Sample
    slices: Sequence[Slice]
    edges: EdgeNames | str = ()
    metric: MetricSettings = field(default_factory=MetricSettings)
    settings: EstimatorSettings = field(default_factory=EstimatorSettings)
    methods: MethodSettings = field(default_factory=MethodSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    note: str = ""
    overrides: tuple[str, ...] = ()

    @property
    def in_memory(self) -> Request:
        """The same of the rows in memory: all, or a draw of those that stay in a table."""
        return replace(self, source=self.source.drawn, target=self.target.drawn)

    @property
    def models(self) -> tuple[Model | None, ...]:
        """The models to report on; the metric "mean" needs none."""
        if self.source.models:
            return self.source.models
        if get_metric(self.metric.name).needs == "column":
            return (None,)
        raise ProjectError(Sentence("The {source} names no model. Say which column holds the predictions."))

    def cells(self, model: Model | None, memo: Memo = no_memo, *, need_slices: bool = False) -> Cells:
        """Code and count the rows of both samples for one model.

        Parameters
        ----------
        need_slices : bool
            Refuse a request without slices, as every method on slices must.
        """
        if need_slices and not any(rule.enabled for rule in self.slices):
            raise SliceError("There are no slices, so there is nothing to reweight by. Add or enable at least one.")
        return memo(
            self.cells_key(model),
            lambda: count(code(self.source, self.target, self.slices, model, memo), self.metric, memo),
        )

    def cells_key(self, model: Model | None) -> tuple[Any, ...]:
        """Say what cells depend on: not how sure a person is of a slice, nor what is noted about it."""
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
        """Say what a checked report depends on: the fit, the method, and what was put in the place of a setting."""
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


def part_of(progress: Progress | None, i: int, n: int) -> Progress | None:
    """Report the progress of one part out of n as progress of the whole."""
    return None if progress is None else lambda what, share: progress(what, (i + share) / n)


def prepare(
    source: Sample,
    target: Sample,
    rules: Sequence[Slice],
    *,
    model: Model | None,
    edges: EdgeNames | str = (),
    metric: MetricSettings | None = None,
    settings: EstimatorSettings | None = None,
    methods: MethodSettings | None = None,
    need_slices: bool = True,
) -> Fit:
    """Walk the steps up to the fit for one model of two samples.

    Parameters
    ----------
    model : Model or None
        None only for the metric "mean".
    need_slices : bool
        Refuse an empty list of slices, as every method on slices must.
    """
    request = Request(
        "prepare",
        source,
        target,
        rules,
        edges,
        metric or MetricSettings(),
        settings or EstimatorSettings(),
        methods or MethodSettings(),
    )
    return request.fit(model, need_slices=need_slices)


def state(
    caller: str,
    source: Project | Sample,
    target: Sample | None,
    slices: Sequence[Slice] | None,
    **asked: Any,
) -> Request:
    """Read a project's samples, or take those given; settings given beside a project take the place of its own.

    Parameters
    ----------
    caller : str
        The function that was called, for messages.
    **asked
        estimator, edges, metric, methods, harmless, and the fields of EstimatorSettings, which are listed there alone:
        whoever adds one adds the argument.
    """
    if isinstance(source, Project):
        if target is not None or slices is not None:
            raise ProjectError("A project already says which data and slices to use. Change the project.")
        return _override(state_project(source), asked)
    if target is None or slices is None:
        raise MandolineError(f"{caller}() needs a project, or a source sample, a target sample and slices.")
    for sample in (source, target):
        if not isinstance(sample, Sample):
            raise MandolineError(
                f"{caller}() needs samples, and got a {type(sample).__name__}. "
                "Say Sample(frame, label=..., prediction=...) for the source and Sample(frame) for the target."
            )
    return replace(_override(Request(caller, source, target, slices), asked), overrides=())


def state_project(project: Project) -> Request:
    """Read a project's samples, and ask for what it asks for."""
    return request_of(project, *project.read())


def request_of(project: Project, source: Sample, target: Sample) -> Request:
    """Ask for what a project asks for, of samples that have been read."""
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
    )


def _override(request: Request, asked: Mapping[str, Any]) -> Request:
    """Put what is asked for in the place of a request's own."""
    fields: dict[str, Any] = {}
    settings: dict[str, Any] = dict(asked)
    estimator = settings.pop("estimator", request.settings)
    if isinstance(estimator, str):
        estimator = replace(request.settings, name=estimator)
    for name in ("edges", "methods"):
        if name in settings:
            fields[name] = settings.pop(name)
    if "metric" in settings:
        metric = settings.pop("metric")
        fields["metric"] = metric if isinstance(metric, MetricSettings) else MetricSettings(name=metric)
    if "harmless" in settings:
        fields["trust"] = TrustSettings(harmless=settings.pop("harmless"))
    fields["settings"] = replace(estimator, **settings)
    changed = tuple(name for name in asked if name != "harmless")
    return replace(request, **fields, overrides=changed)
