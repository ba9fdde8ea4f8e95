"""Computing for the pages: the only module that caches. Keys are our own fingerprints and settings, never rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from app import tables
from app.opening import read_upload
from app.roles import RoleGuess, guess_roles
from app.state import Workspace
from mandoline_core import (
    Ablation,
    Correction,
    EstimatorSettings,
    MandolineError,
    Model,
    ModelReport,
    Sample,
    Slice,
    SliceRow,
    ablation,
    read_table,
    report_model,
    slice_table,
)
from mandoline_core.assemble import Counted, Prepared, count_rows, make_problem, state_problem
from mandoline_core.balance import (
    Balance,
    HeavyPattern,
    column_balance,
    heaviest_patterns,
    slice_balance,
)
from mandoline_core.data import class_codes, class_name
from mandoline_core.diagnostics import interval_of
from mandoline_core.estimators import get_estimator
from mandoline_core.graph import edge_threshold, pair_gaps, score_tests
from mandoline_core.metrics import get_metric, score_rows
from mandoline_core.patterns import Codes, count_patterns
from mandoline_core.slices import resolve, slice_codes


@dataclass(frozen=True)
class FileKey:
    """Tell one state of a file from another without reading it."""

    path: str
    modified: int
    size: int
    name: str


def file_key(path: Path, name: str) -> FileKey:
    """Make the key of a file, or of one that is missing."""
    try:
        status = path.stat()
    except OSError:
        return FileKey(str(path), 0, 0, name)
    return FileKey(str(path), status.st_mtime_ns, status.st_size, name)


def samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples with the project's roles."""
    project = workspace.project
    source = _frame(file_key(project.source_path, workspace.names["source"]))
    target = _frame(file_key(project.target_path, workspace.names["target"]))
    return (
        _with_roles(source, project.label, project.models),
        _with_roles(target, project.label if project.label in target.columns else None, project.models),
    )


def plain_samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples without roles: what can be read whatever the roles say."""
    project = workspace.project
    return (
        table_at(project.source_path, workspace.names["source"]),
        table_at(project.target_path, workspace.names["target"]),
    )


def table_at(path: Path, name: str) -> Sample:
    """Read a table that is in use, without roles."""
    return _frame(file_key(path, name))


@st.cache_resource(max_entries=8, show_spinner="Reading the file ...")
def _frame(key: FileKey) -> Sample:
    """Read one file; a frame is read once, whatever the roles."""
    return Sample(read_table(key.path), name=key.name)


def _with_roles(sample: Sample, label: str | None, models: tuple[Model, ...]) -> Sample:
    return _sample_with_roles(f"{sample.fingerprint} {sample.name!r} {label!r} {models!r}", sample, label, models)


@st.cache_resource(max_entries=32, show_spinner=False)
def _sample_with_roles(key: str, _sample: Sample, _label: str | None, _models: tuple[Model, ...]) -> Sample:
    return Sample(_sample.frame, label=_label, models=_models, name=_sample.name)


def model_of(workspace: Workspace, name: str | None = None) -> Model | None:
    """Return the model on show, or another by name."""
    wanted = name or workspace.model
    return next((model for model in workspace.project.models if model.name == wanted), None)


def codes_of(sample: Sample, slices: Sequence[Slice]) -> Codes:
    """Evaluate slices, each cached on its own: editing one slice re-evaluates only that one."""
    columns = [_codes_of_one(sample.fingerprint, _rule_key(rule), sample, rule) for rule in slices]
    return np.asfortranarray(np.column_stack(columns))


@st.cache_resource(max_entries=400, show_spinner=False)
def _codes_of_one(fingerprint: str, rule: str, _sample: Sample, _rule: Slice) -> Codes:
    return slice_codes(_sample, _rule)


def _rule_key(rule: Slice) -> str:
    return repr(rule.key)


def counted(workspace: Workspace, model: str | None = None, *, everything: bool = False) -> Counted:
    """Count the patterns of a model; corrections, edges and settings do not matter here.

    Parameters
    ----------
    everything : bool
        Count slices that are switched off, too.
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
    )
    return _counted(key, workspace, model, rules, source, target)


@st.cache_resource(max_entries=48, show_spinner=False)
def _counted(
    key: tuple[object, ...],
    _workspace: Workspace,
    _model: str | None,
    _rules: tuple[Slice, ...],
    _source: Sample,
    _target: Sample,
) -> Counted:
    return count_rows(
        _source,
        _target,
        _rules,
        model=model_of(_workspace, _model),
        metric=_workspace.project.metric,
        codes_of=codes_of,
        revealed=_revealed(_workspace, _target),
    )


def _revealed(workspace: Workspace, target: Sample) -> Sample | None:
    """Put the target's labels beside its rows once a person asked for the truth."""
    return workspace.project.reveal(target) if workspace.revealed else None


def prepared(workspace: Workspace, model: str | None = None) -> Prepared:
    """State the problem of a model."""
    return _prepared(_problem_key(workspace, model), counted(workspace, model), workspace)


def _problem_key(workspace: Workspace, model: str | None) -> tuple[str, ...]:
    source, target = samples(workspace)
    project = workspace.project
    return (
        source.fingerprint,
        target.fingerprint,
        repr(project.slices),
        repr(project.edges),
        repr(project.estimator),
        repr(project.metric),
        repr(project.label),
        repr(model_of(workspace, model)),
        repr(workspace.revealed),
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _prepared(key: tuple[str, ...], _counted_table: Counted, _workspace: Workspace) -> Prepared:
    project = _workspace.project
    return state_problem(_counted_table, project.slices, edges=project.edges, settings=project.estimator)


def report(workspace: Workspace, model: str | None = None) -> ModelReport:
    """Estimate one model: the same function as the command line and the library."""
    return _report(_problem_key(workspace, model), prepared(workspace, model), workspace)


@st.cache_resource(max_entries=64, show_spinner=False)
def _report(key: tuple[str, ...], _prepared_problem: Prepared, _workspace: Workspace) -> ModelReport:
    return report_model(_prepared_problem, _workspace.project.estimator)


def reports(workspace: Workspace) -> dict[str, ModelReport]:
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
    key = (*_problem_key(workspace, None), repr(order))
    return _curves(key, prepared(workspace), workspace, order)


@st.cache_resource(max_entries=64, show_spinner=False)
def _curves(
    key: tuple[str, ...], _prepared_problem: Prepared, _workspace: Workspace, _order: tuple[str, ...] | None
) -> Ablation:
    return ablation(_prepared_problem, _workspace.project.estimator, order=_order)


def table(workspace: Workspace) -> dict[str, SliceRow]:
    """Describe every slice, also those switched off, by name."""
    everything = counted(workspace, everything=True)
    rules = tuple(replace(rule, noise=None, enabled=True) for rule in workspace.project.slices)
    rows = slice_table(state_problem(everything, rules), confidence=workspace.project.estimator.confidence)
    return {row.name: row for row in rows}


@dataclass(frozen=True)
class CorrectionRow:
    """Hold the corrections of one slice as they are used, with what they make of its rate."""

    source: Correction
    target: Correction
    source_abstains: bool
    target_abstains: bool
    source_sentence: str
    target_sentence: str
    measured_on: str


def correction_row(workspace: Workspace, rule: str) -> CorrectionRow:
    """Look up the corrections in use for a rule; a family's are those of its first member."""
    everything = counted(workspace, everything=True)
    name = members(workspace)[rule][0]
    rules = tuple(replace(one, enabled=True) for one in workspace.project.slices)
    problem = state_problem(everything, rules).problem
    place = problem.patterns.names.index(name)
    corrections = problem.corrections()
    found = []
    for side, table in (("source", corrections.source), ("target", corrections.target)):
        rates = problem.patterns.rates(side)[place]
        outside, abstain, inside = table[place]
        rate = float(rates @ table[place])
        said = float(rates[2])
        found.append(
            (
                _loose_correction(float(inside), float(outside), float(abstain)),
                bool(rates[1] > 0),
                f"The slice says in for {said:.1%} of the rows; corrected, {rate:.1%} are.",
            )
        )
    gold = everything.gold.get(name)
    n = "" if gold is None else f"Measured on {gold.counts[[0, 2]][:, [0, 2]].sum():,.0f} labelled rows."
    return CorrectionRow(
        source=found[0][0],
        target=found[1][0],
        source_abstains=found[0][1],
        target_abstains=found[1][1],
        source_sentence=found[0][2],
        target_sentence=found[1][2],
        measured_on=n,
    )


def _loose_correction(inside: float, outside: float, abstain: float) -> Correction:
    """Hold derived corrections, which may say that a slice tells nothing; a stated one may not."""
    loose = object.__new__(Correction)
    for field, value in (("inside", inside), ("outside", outside), ("abstain", abstain)):
        object.__setattr__(loose, field, value)
    return loose


@dataclass(frozen=True)
class Pairs:
    """Hold every pair of slices in use: its shift before and after weighting, and whether tests suggest an edge."""

    names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    all: tuple[tuple[str, str], ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    suggested: tuple[tuple[str, str, float], ...]


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


def pairs(workspace: Workspace) -> Pairs:
    """Compare every pair's joint frequency before and after weighting, and test those without an edge."""
    return _pairs(_problem_key(workspace, None), prepared(workspace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _pairs(key: tuple[str, ...], _prepared_problem: Prepared) -> Pairs:
    problem = _prepared_problem.problem
    names = problem.patterns.names
    gaps = pair_gaps(problem)
    tests = score_tests(problem)
    threshold = edge_threshold(len(names))
    return Pairs(
        names=names,
        edges=tuple((names[i], names[j]) for i, j in problem.edges),
        all=tuple((names[i], names[j]) for i, j in gaps),
        before=tuple(before for before, _ in gaps.values()),
        after=tuple(after for _, after in gaps.values()),
        suggested=tuple((names[t.edge[0]], names[t.edge[1]], t.z) for t in tests if abs(t.z) > threshold),
    )


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


def column_values(workspace: Workspace, column: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return a numeric column of both samples (at most 20,000 rows each) with its least and largest value."""
    source, target = samples(workspace)
    return _column_values(source.fingerprint, target.fingerprint, column, source, target)


@st.cache_resource(max_entries=64, show_spinner=False)
def _column_values(
    source_print: str, target_print: str, column: str, _source: Sample, _target: Sample
) -> tuple[np.ndarray, np.ndarray, float, float]:
    values = [sample.series(column).drop_nulls().to_numpy().astype(float) for sample in (_source, _target)]
    everything = np.concatenate(values)
    # Evenly spaced rows of the sorted column keep its shape, and its ends, whatever its length.
    thin = [np.sort(v)[np.unique(np.linspace(0, len(v) - 1, 20_000).astype(int))] if len(v) else v for v in values]
    low, high = (everything.min(), everything.max()) if len(everything) else (0.0, 0.0)
    return thin[0], thin[1], float(low), float(high)


def value_counts(workspace: Workspace, column: str, most: int = 200) -> dict[str | int | float, tuple[int, int]]:
    """Count a column's values in both samples, the source's most frequent first."""
    source, target = samples(workspace)
    return _value_counts(source.fingerprint, target.fingerprint, column, most, source, target)


@st.cache_resource(max_entries=64, show_spinner=False)
def _value_counts(
    source_print: str, target_print: str, column: str, most: int, _source: Sample, _target: Sample
) -> dict[str | int | float, tuple[int, int]]:
    counts = [sample.series(column).drop_nulls().to_pandas().value_counts() for sample in (_source, _target)]
    values = counts[0].add(counts[1], fill_value=0).sort_values(ascending=False, kind="stable").index[:most]
    plain = [value.item() if hasattr(value, "item") else value for value in values]
    return {value: (int(counts[0].get(value, 0)), int(counts[1].get(value, 0))) for value in plain}


def predicted_classes(workspace: Workspace) -> list[str]:
    """List the classes that the model on show predicts in either sample."""
    model = model_of(workspace)
    if model is None or model.prediction is None:
        return []
    return [str(value) for value in value_counts(workspace, model.prediction)]


@st.cache_resource(max_entries=8, show_spinner="Reading the file ...")
def uploaded(upload: str, name: str, _content: bytes) -> Sample:
    """Read a table that was uploaded but is not in use yet; `upload` tells one upload from another."""
    return read_upload(name, _content)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={Sample: lambda sample: sample.fingerprint})
def guessed_roles(source: Sample, target_columns: tuple[str, ...]) -> RoleGuess:
    """Guess the roles of the columns of two tables."""
    return guess_roles(source, target_columns)


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
    metric = get_metric(settings.name)
    try:
        scores = score_rows(
            metric, _source, label=_source.label, model=_model, column=settings.column, merge=settings.merge
        )
    except MandolineError as error:
        return SourceScore(None, None, metric.bounds == (0.0, 1.0), str(error))
    statistics = scores.statistics[scores.known]
    everything = np.ones((len(statistics), 1), dtype=np.int8)  # one slice that holds every row
    problem = make_problem(
        count_patterns(everything, everything[:1], statistics),
        statistics,
        metric,
        EstimatorSettings(),
        np.zeros(len(statistics), dtype=np.int8),
    )
    outcome = get_estimator("source").estimate(problem)
    return SourceScore(outcome.value, interval_of(problem, outcome, confidence), metric.bounds == (0.0, 1.0))


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={Sample: lambda sample: sample.fingerprint})
def _column_table(source: Sample, target: Sample, roles: str) -> pd.DataFrame:
    return tables.column_table(source, target)


def column_table(workspace: Workspace) -> pd.DataFrame:
    """Describe every column of both samples."""
    source, target = samples(workspace)
    return _column_table(source, target, repr((source.label, source.models)))


def class_shares(workspace: Workspace) -> tables.ClassShares | None:
    """Count the classes among the labels and among the answers of the model on show."""
    source, target = samples(workspace)
    model = model_of(workspace)
    return _class_shares(
        (source.fingerprint, target.fingerprint, repr(source.label), repr(model)), source, target, model
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _class_shares(
    key: tuple[str, ...], _source: Sample, _target: Sample, _model: Model | None
) -> tables.ClassShares | None:
    return tables.class_shares(_source, _target, _model)


def balance(workspace: Workspace) -> tuple[Balance, ...]:
    """Compare the modelled slices and the columns that are not modelled, before and after weighting."""
    return _balance(_problem_key(workspace, None), report(workspace), *samples(workspace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _balance(key: tuple[str, ...], _model_report: ModelReport, _source: Sample, _target: Sample) -> tuple[Balance, ...]:
    return (*column_balance(_model_report, _source, _target), *slice_balance(_model_report))


def heaviest(workspace: Workspace) -> tuple[HeavyPattern, ...]:
    """Describe the labelled rows that count most."""
    return heaviest_patterns(report(workspace))


def classes(workspace: Workspace, model: Model, most: int = 40) -> list[str]:
    """List the classes of a model: those it has probabilities for, and those among labels and predictions."""
    source, target = plain_samples(workspace)
    label = workspace.project.label
    columns = [(source, label), (source, model.prediction), (target, model.prediction)]
    key = (source.fingerprint, target.fingerprint, repr(label), repr(model.prediction))
    known = {class_name(class_) for class_ in model.probabilities}
    found = _classes(key, [(sample, column) for sample, column in columns if column in sample.columns])
    return [*model.probabilities, *(class_ for class_ in found if class_name(class_) not in known)][:most]


@st.cache_resource(max_entries=32, show_spinner=False)
def _classes(key: tuple[str, ...], _columns: list[tuple[Sample, str]]) -> tuple[str, ...]:
    return class_codes(*(sample.series(column) for sample, column in _columns))[1] if _columns else ()
