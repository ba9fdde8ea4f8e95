"""Estimates and what they are made from: codes by slice, counts by rule, solutions by setting."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, cast

import numpy as np

from app.compute import counting, keys, spreads
from app.compute.data import model_of, new_labels, revealed, samples
from app.compute.jobs import A_MOMENT, Job
from app.compute.keys import kept
from app.project import Workspace, state
from mandoline_core import (
    Ablation,
    EstimatorSettings,
    MandolineError,
    ModelReport,
    Report,
    Sample,
    Slice,
    SliceRow,
    ablation,
    slice_table,
)
from mandoline_core.arrays import CodeArray, Floats, Interval
from mandoline_core.checks import (
    Experience,
    SecondOpinionOn,
    add_labels,
    experience_of,
    second_opinion_on,
)
from mandoline_core.estimators import get_estimator
from mandoline_core.metrics import Metric, Scores, score_rows
from mandoline_core.patterns import SampleDesign, count_patterns
from mandoline_core.pipeline import (
    Attribution,
    AttributionPart,
    Cells,
    Estimate,
    Fit,
    Memo,
    Request,
    attribute,
    design_cells,
    design_rows,
    estimate,
    evaluate_slices,
    interval_of,
    make_problem,
    request_of,
)
from mandoline_core.pipeline import fit as fit_cells
from mandoline_core.report import complete, report_of, with_spreads, with_truth
from mandoline_core.report import report as full_report

T = TypeVar("T")
_MOST_WORK = 100_000  # slices times patterns: effects then take a quarter of a second


def request(workspace: Workspace) -> Request:
    """Ask for what the project asks for, of its samples as they are looked at."""
    return request_of(workspace.project, *samples(workspace))


def memo(workspace: Workspace) -> Memo:
    """Return the pipeline's hook: results are kept for all visitors, and tables are counted in the background."""

    def recall(key: tuple[Hashable, ...], make: Callable[[], T], /) -> T:
        return cast("T", counting.sample_cells(workspace)) if key[0] == "tables" else keys.recall(key, make)

    return recall


def codes_of(sample: Sample, slices: Sequence[Slice]) -> CodeArray:
    """Evaluate slices, each cached on its own: editing one slice re-evaluates only that one."""
    return evaluate_slices(sample, slices, keys.recall)


def cells(workspace: Workspace, *, need_slices: bool = True) -> Cells:
    """Count the patterns of the model on show; corrections, edges and settings are irrelevant here.

    Parameters
    ----------
    need_slices : bool
        Refuse a project without slices.
    """
    return request(workspace).cells(model_of(workspace), memo(workspace), need_slices=need_slices)


def scores(workspace: Workspace) -> Scores:
    """Score the labelled rows, whatever the slices."""
    (source, _), model, metric = samples(workspace), model_of(workspace), workspace.project.metric
    make = partial(score_rows, metric, source, label=source.label, model=model)
    return keys.recall(("scores", source, model, metric), make)


def with_every_slice(workspace: Workspace) -> Workspace:
    """Switch all slices on."""
    rules = tuple(replace(rule, enabled=True) for rule in workspace.project.slices)
    return replace(workspace, project=replace(workspace.project, slices=rules))


def shown_model(workspace: Workspace, model: str) -> Workspace:
    """Look at another model, with the truth left aside."""
    return replace(workspace, model=model, revealed=False)


def fit(workspace: Workspace, *, need_slices: bool = True) -> Fit:
    """Fit the model on show."""
    return request(workspace).fit(model_of(workspace), memo(workspace), need_slices=need_slices)


def drawn_fit(workspace: Workspace, whole: Fit) -> Fit | None:
    """Fit to the rows in memory, for what looks at rows where these stay in a table."""
    return request(workspace).fit_of_draw(whole, memo(workspace)) if whole.in_table else None


@kept(by=keys.solution)
def trial(workspace: Workspace) -> Estimate:
    """Estimate without the checks, and without redraws: a trial need not wait for them."""
    whole, settings = fit(workspace), replace(workspace.project.estimator, interval="influence")
    return estimate(whole, settings, draw=drawn_fit(workspace, whole))


def report(workspace: Workspace) -> ModelReport:
    """Report on the model on show, by the steps of the command line and the library; with the truth, if revealed.

    Its intervals allow for the choice of slices once that is known. Labels of some new rows join it. Showing the truth
    walks no step again. A target that brings its labels along has a truth before anyone asked for it; pages show it
    only once they did.
    """
    project, (_, target) = workspace.project, samples(workspace)
    if workspace.revealed or project.target_labels or (project.metric.column or project.label) in target.columns:
        return _with_labels(workspace, _moved(workspace))
    return _checked(workspace)


def _moved(workspace: Workspace) -> float | None:
    """Return how far other plausible slices move the estimate; None where it is not known."""
    found = spreads.spread(workspace)
    return None if found is None else found.moved


def _checked(workspace: Workspace) -> ModelReport:
    found, moved = report_of(request(workspace), model_of(workspace), memo(workspace)), _moved(workspace)
    return found if moved is None or not found.converged else found.allow_for_choice(moved)


@kept(by=keys.report)
def _with_labels(workspace: Workspace, moved: float | None) -> ModelReport:
    found, some = _checked(workspace), new_labels(workspace)
    if some is not None:
        found = add_labels(found, *some)
    return with_truth(found, revealed(workspace) if workspace.revealed else samples(workspace)[1])


def second_opinion(workspace: Workspace) -> SecondOpinionOn | None:
    """Say what the model's own confidence adds to the estimate."""
    return _second_opinion(workspace, _moved(workspace))


@kept(by=keys.solution)
def _second_opinion(workspace: Workspace, moved: float | None) -> SecondOpinionOn | None:
    found = _checked(workspace)
    return second_opinion_on(found, drawn_fit(workspace, found.fit))


def experience(workspace: Workspace) -> Experience | None:
    """Say how far estimates with the same verdict were off: first in this project's own record."""
    found = _checked(workspace)
    opinion = second_opinion(workspace) if found.is_red else None
    return experience_of(found, state.store().track_memory(workspace.id), opinion)


def ask_spread(workspace: Workspace) -> Job | None:
    """Find out how far other plausible slices move the estimates; return the job while it is not known."""
    if not spreads.is_wanted(workspace) or spreads.spread(workspace) is not None:
        return None
    job = spreads.spread_job(workspace)
    if job is None:
        job = spreads.start(workspace, whole_report(workspace))
        job.wait(A_MOMENT)
    return job if spreads.spread(workspace) is None else None


def quoted_report(workspace: Workspace, labelled: Sample | None) -> Report:
    """Report on all models as they are quoted: intervals allow for the choice of slices, which may take seconds."""
    found = whole_report(workspace)
    if spreads.is_wanted(workspace):
        found = with_spreads(found, spreads.spreads(workspace))
    return complete(found, some=new_labels(workspace), labelled=labelled)


def whole_report(workspace: Workspace) -> Report:
    """Report on all models, the one on show first; another is left out where it has no report."""
    asked, recall = request(workspace), memo(workspace)
    models = [model_of(workspace)]
    for model in asked.source.models:
        if model not in models:
            try:
                report_of(asked, model, recall)
            except MandolineError:
                continue
            models.append(model)
    return full_report(asked, recall, models=models)


_ASIDE = ("name", "note", "target_labels", "target_key")  # settings that are no edit of the estimate


@dataclass(frozen=True)
class LastEdit:
    """Hold the last edit: its name, and the report before it, if there was one."""

    label: str
    before: ModelReport | None
    earlier: Workspace


def last_edit(workspace: Workspace) -> LastEdit | None:
    """Name the last edit, with the report before it where there was an estimate; None where data or metric differ."""
    earlier, label = state.before(workspace), workspace.revision.label
    if earlier is None or earlier.project.metric != workspace.project.metric:
        return None
    if replace(earlier.project, **{key: getattr(workspace.project, key) for key in _ASIDE}) == workspace.project:
        return None
    try:
        if keys.answers(earlier) != keys.answers(workspace):
            return None
        found = report(earlier) if counting.is_known(earlier) else None  # nothing is counted for it
    except MandolineError:
        found = None
    return LastEdit(label, found if found is not None and found.converged else None, earlier)


def reports(workspace: Workspace) -> Mapping[str, ModelReport]:
    """Estimate every model; a model that cannot be estimated is left out."""
    found = {}
    for model in workspace.project.models:
        try:
            found[model.name] = report(replace(workspace, model=model.name))
        except MandolineError:
            continue
    return found


@kept(by=keys.solution)
def curves(workspace: Workspace, order: tuple[str, ...] | None = None, *, leave_one_out: bool = True) -> Ablation:
    """Compute the ablation curves of the model on show."""
    return ablation(fit(workspace), workspace.project.estimator, order=order, leave_one_out=leave_one_out)


@kept(by=keys.solution)
def effects(workspace: Workspace) -> Attribution:
    """Divide the way from the labelled score to the estimate among the slices."""
    return attribute(fit(workspace), workspace.project.estimator)


def quick_effects(workspace: Workspace) -> dict[str, AttributionPart]:
    """Find the effect of each rule; nothing where it does not apply, or takes too long for an edit."""
    patterns = fit(workspace).problem.patterns
    if len(patterns) * len(patterns.names) > _MOST_WORK:
        return {}
    try:
        return {part.rule: part for part in effects(workspace).parts}
    except MandolineError:
        return {}


def effects_in_order(workspace: Workspace) -> dict[str, AttributionPart]:
    """Find how far each rule moves the estimate when rules are added in the order of the list."""
    found: dict[str, AttributionPart] = {}
    first, *points = curves(workspace, leave_one_out=False).cumulative
    before = first.estimate
    for point in points:
        if point.slice is not None and point.estimate is not None and before is not None:
            found[point.slice] = AttributionPart(point.slice, point.estimate - before, None)
            before = point.estimate
    return found


@kept(by=keys.every_slice)
def table(workspace: Workspace) -> dict[str, SliceRow]:
    """Describe every slice, also those switched off, by name."""
    rules = tuple(replace(rule, noise=None, audit=None, enabled=True) for rule in workspace.project.slices)
    problem = fit_cells(cells(with_every_slice(workspace)), rules)
    return {row.name: row for row in slice_table(problem, confidence=workspace.project.estimator.confidence)}


def slice_notes(workspace: Workspace) -> dict[str, str]:
    """Collect what the report doubts about single slices, by rule."""
    try:
        findings, origins = report(workspace).findings, fit(workspace).cells.origins
    except MandolineError:
        return {}
    notes: dict[str, list[str]] = {}
    for finding in (one for one in findings if one.severity != "info"):
        for rule in dict.fromkeys(origins.get(name, name) for name in finding.slices):
            notes.setdefault(rule, []).append(finding.message)
    return {rule: " ".join(said) for rule, said in notes.items()}


def members(workspace: Workspace) -> dict[str, list[str]]:
    """List the slices of each rule."""
    origins = cells(with_every_slice(workspace)).origins
    found: dict[str, list[str]] = {rule.name: [] for rule in workspace.project.slices}
    for name, rule in origins.items():
        found[rule].append(name)
    return found


def source_scores(workspace: Workspace) -> dict[str, tuple[float, Interval] | MandolineError]:
    """Score every model on the labelled data, or say why it cannot be; slices are irrelevant here."""
    names = [model.name for model in workspace.project.models]
    found: dict[str, tuple[float, Interval] | MandolineError] = {}
    for name in names or [""]:
        try:
            score: tuple[float, Interval] | MandolineError = _source_score(replace(workspace, model=name))
        except MandolineError as error:
            score = error
        found[name or str(workspace.project.metric.column)] = score
    return found


@kept(by=keys.source_score)
def _source_score(workspace: Workspace) -> tuple[float, Interval]:
    metric, statistics, (rows, design) = _scored(workspace)
    everything = np.ones((len(statistics), 1), dtype=np.int8)  # one slice that holds every row
    designs = design, SampleDesign()
    count = count_patterns(everything, everything[:1], statistics, source_rows=rows, design=designs)
    problem = make_problem(count, statistics, metric, EstimatorSettings())
    outcome = get_estimator("source").estimate(problem)
    return outcome.value, interval_of(problem, outcome, workspace.project.estimator.confidence)


def _scored(workspace: Workspace) -> tuple[Metric, Floats, tuple[Floats | None, SampleDesign]]:
    """Score the labelled rows that count, or cells of them, with how much each counts and how they were drawn."""
    if counting.in_tables(workspace):
        source_cells, _ = counting.sample_cells(workspace)
        found = source_cells.score(workspace.project.metric, model_of(workspace))
        return found.metric, found.statistics[found.known], design_cells(source_cells, found.known)
    found, source = scores(workspace), samples(workspace)[0]
    counted = found.known if source.design_weights is None else found.known & (source.design_weights > 0)
    return found.metric, found.statistics[counted], design_rows(source, counted)
