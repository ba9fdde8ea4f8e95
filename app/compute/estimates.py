"""Estimates and what stands behind them: codes by slice, counts by rule, solutions by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from app.compute.frames import model_of, samples
from app.project import Workspace
from mandoline_core import (
    Ablation,
    EstimatorSettings,
    MandolineError,
    Model,
    ModelReport,
    Sample,
    Slice,
    SliceRow,
    ablation,
    report_model,
    slice_table,
)
from mandoline_core.arrays import Codes
from mandoline_core.estimating import (
    HeavyPattern,
    ModelCount,
    ModelProblem,
    count_rows,
    heaviest_patterns,
    interval_of,
    make_problem,
    state_problem,
)
from mandoline_core.estimators import get_estimator
from mandoline_core.metrics import get_metric, score_rows
from mandoline_core.patterns import count_patterns
from mandoline_core.slices import resolve, slice_codes
from mandoline_core.trust import CheckedReport


def codes_of(sample: Sample, slices: Sequence[Slice]) -> Codes:
    """Evaluate slices, each cached on its own: editing one slice re-evaluates only that one."""
    columns = [_codes_of_one(sample.fingerprint, _rule_key(rule), sample, rule) for rule in slices]
    return np.asfortranarray(np.column_stack(columns))


@st.cache_resource(max_entries=400, show_spinner=False)
def _codes_of_one(fingerprint: str, rule: str, _sample: Sample, _rule: Slice) -> Codes:
    return slice_codes(_sample, _rule)


def _rule_key(rule: Slice) -> str:
    return repr(rule.key)


def counted(
    workspace: Workspace, model: str | None = None, *, everything: bool = False, need_slices: bool = True
) -> ModelCount:
    """Count the patterns of a model; corrections, edges and settings do not matter here.

    Parameters
    ----------
    everything : bool
        Count slices that are switched off, too.
    need_slices : bool
        Refuse a project without slices.
    """
    source, target = samples(workspace)
    rules = tuple(replace(rule, noise=None, enabled=rule.enabled or everything) for rule in workspace.project.slices)
    key = (
        source.fingerprint,
        target.fingerprint,
        repr(rules),
        repr(model_of(workspace, model)),
        repr(workspace.project.metric),
        repr(workspace.project.label),
        workspace.revealed,
        repr(workspace.project.target_labels),
        need_slices,
    )
    return _counted(key, workspace, model, rules, source, target, need_slices)


@st.cache_resource(max_entries=48, show_spinner=False)
def _counted(
    key: tuple[object, ...],
    _workspace: Workspace,
    _model: str | None,
    _rules: tuple[Slice, ...],
    _source: Sample,
    _target: Sample,
    _need_slices: bool,
) -> ModelCount:
    return count_rows(
        _source,
        _target,
        _rules,
        model=model_of(_workspace, _model),
        metric=_workspace.project.metric,
        codes_of=codes_of,
        revealed=_revealed(_workspace, _target),
        need_slices=_need_slices,
    )


def _revealed(workspace: Workspace, target: Sample) -> Sample | None:
    """Put the target's labels beside its rows once a person asked for the truth."""
    return workspace.project.reveal(target) if workspace.revealed else None


def prepared(workspace: Workspace, model: str | None = None, *, need_slices: bool = True) -> ModelProblem:
    """State the problem of a model."""
    table = counted(workspace, model, need_slices=need_slices)
    return _prepared(problem_key(workspace, model), table, workspace)


def problem_key(workspace: Workspace, model: str | None) -> tuple[str, ...]:
    """Name everything that an estimate depends on."""
    source, target = samples(workspace)
    project = workspace.project
    return (
        source.fingerprint,
        target.fingerprint,
        repr(project.slices),
        repr(project.edges),
        repr(project.estimator),
        repr(project.methods),
        repr(project.metric),
        repr(project.label),
        repr(model_of(workspace, model)),
        repr(workspace.revealed),
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _prepared(key: tuple[str, ...], _counted_table: ModelCount, _workspace: Workspace) -> ModelProblem:
    project = _workspace.project
    return state_problem(
        _counted_table, project.slices, edges=project.edges, settings=project.estimator, methods=project.methods
    )


def report(workspace: Workspace, model: str | None = None) -> CheckedReport:
    """Estimate one model: the same function as the command line and the library."""
    return _report(problem_key(workspace, model), prepared(workspace, model), workspace)


@st.cache_resource(max_entries=64, show_spinner=False)
def _report(key: tuple[str, ...], _prepared_problem: ModelProblem, _workspace: Workspace) -> CheckedReport:
    return report_model(_prepared_problem, _workspace.project.estimator)


def reports(workspace: Workspace) -> Mapping[str, ModelReport]:
    """Estimate every model; a model that cannot be estimated is left out."""
    found = {}
    for model in workspace.project.models:
        try:
            found[model.name] = report(workspace, model.name)
        except MandolineError:
            continue
    return found


def curves(workspace: Workspace, order: tuple[str, ...] | None = None) -> Ablation:
    """Compute the ablation curves of the model on show."""
    key = (*problem_key(workspace, None), repr(order))
    return _curves(key, prepared(workspace), workspace, order)


@st.cache_resource(max_entries=64, show_spinner=False)
def _curves(
    key: tuple[str, ...], _prepared_problem: ModelProblem, _workspace: Workspace, _order: tuple[str, ...] | None
) -> Ablation:
    return ablation(_prepared_problem, _workspace.project.estimator, order=_order)


def table(workspace: Workspace) -> dict[str, SliceRow]:
    """Describe every slice, also those switched off, by name."""
    everything = counted(workspace, everything=True)
    rules = tuple(replace(rule, noise=None, enabled=True) for rule in workspace.project.slices)
    rows = slice_table(state_problem(everything, rules), confidence=workspace.project.estimator.confidence)
    return {row.name: row for row in rows}


def slice_notes(workspace: Workspace) -> dict[str, str]:
    """Collect what the report says about single slices, by rule."""
    try:
        findings, origins = report(workspace).findings, prepared(workspace).counted.origins
    except MandolineError:
        return {}
    notes: dict[str, str] = {}
    for finding in findings:
        for name in finding.slices:
            rule = origins.get(name, name)
            notes[rule] = f"{notes[rule]} {finding.message}" if rule in notes else finding.message
    return notes


def members(workspace: Workspace) -> dict[str, list[str]]:
    """List the slices that each rule stands for."""
    origins = counted(workspace, everything=True).origins
    found: dict[str, list[str]] = {rule.name: [] for rule in workspace.project.slices}
    for name, rule in origins.items():
        found[rule].append(name)
    return found


def matches(workspace: Workspace, rule: Slice, most: int = 5) -> dict[str, tuple[int, int, pd.DataFrame]]:
    """Find the rows inside a rule: for each sample the number inside, the number abstained, and the first few."""
    source, target = samples(workspace)
    others = [other for other in workspace.project.slices if other.name != rule.name]
    rules = resolve([*others, replace(rule, enabled=True)], source, target, model_of(workspace))
    resolved = next(found for found in rules if found.name == rule.name)
    found = {}
    for side, sample in (("source", source), ("target", target)):
        codes = codes_of(sample, [resolved])[:, 0]
        rows = np.flatnonzero(codes == 1)
        found[side] = (len(rows), int((codes == 0).sum()), sample.frame[rows[:most].tolist()].to_pandas())
    return found


@dataclass(frozen=True)
class SourceScore:
    """Hold a model's score on the labelled data, or why there is none."""

    value: float | None
    interval: tuple[float, float] | None
    share: bool
    problem: str = ""


def source_scores(workspace: Workspace) -> dict[str, SourceScore]:
    """Score every model on the labelled data; slices do not matter here."""
    source, _ = samples(workspace)
    project = workspace.project
    models: tuple[Model | None, ...] = project.models or (None,)
    key = (source.fingerprint, repr(project.label), repr(project.metric), project.estimator.confidence)
    return {
        model.name if model is not None else str(project.metric.column): _source_score(
            (*key, repr(model)), workspace, source, model
        )
        for model in models
    }


@st.cache_resource(max_entries=64, show_spinner=False)
def _source_score(key: tuple[object, ...], _workspace: Workspace, _source: Sample, _model: Model | None) -> SourceScore:
    settings, confidence = _workspace.project.metric, _workspace.project.estimator.confidence
    share = get_metric(settings.name).share
    try:
        scores = score_rows(settings, _source, label=_source.label, model=_model)
        statistics = scores.statistics[scores.known]
        everything = np.ones((len(statistics), 1), dtype=np.int8)  # one slice that holds every row
        count = count_patterns(everything, everything[:1], statistics)
        problem = make_problem(count, statistics, scores.metric, EstimatorSettings())
        outcome = get_estimator("source").estimate(problem)
    except MandolineError as error:
        return SourceScore(None, None, share, error.sentence)
    return SourceScore(outcome.value, interval_of(problem, outcome, confidence), share)


def heaviest(workspace: Workspace) -> tuple[HeavyPattern, ...]:
    """Describe the labelled rows that count most."""
    return heaviest_patterns(report(workspace))
