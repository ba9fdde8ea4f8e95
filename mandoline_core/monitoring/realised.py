"""Realised performance: the score on the labels of a batch, which arrive later in its own column or in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import Model, Sample, complete_models, key_column, match_labels, read_table, with_labels
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators import influence_interval
from mandoline_core.labels import LabelledRows, from_labels
from mandoline_core.metrics import Metric, evaluate, get_metric, read_class_labels, score_rows
from mandoline_core.project import Project

FEWEST_LABELS = 5
LabelFile = tuple[str, Path]  # its name in messages, and where it is


def share_labels(files: Iterable[LabelFile], targets: Iterable[str]) -> dict[str, tuple[LabelFile, ...]]:
    """Give each batch its files of labels: the one with its name, or those with no batch's name, joined by key.

    >>> files = [("week-1.csv", Path("labels/week-1.csv")), ("later.csv", Path("later.csv"))]
    >>> shared = share_labels(files, ["week-1.parquet", "week-2.parquet"])
    >>> {target: [name for name, _ in found] for target, found in shared.items()}
    {'week-1.parquet': ['week-1.csv'], 'week-2.parquet': ['later.csv']}
    """
    batches = {target: short_name(target) for target in targets}
    own = {short_name(name): (name, path) for name, path in files}
    rest = tuple(file for name, file in own.items() if name not in batches.values())
    return {target: (own[name],) if name in own else rest for target, name in batches.items()}


def short_name(target: str) -> str:
    """Name a file without its folder and extension.

    >>> short_name("weekly/2026-01-05.csv.gz")
    '2026-01-05'
    """
    name = Path(target).name
    return Path(name.removesuffix(".gz")).stem or name


def realised(project: Project, source: Sample, target: Sample, files: Sequence[LabelFile]) -> dict[str, dict[str, Any]]:
    """Score the labels that a batch has by now, by model; nothing where there are too few.

    Parameters
    ----------
    files : sequence of pairs
        Files of labels, each with its name. Without any, the batch's own column counts.
    """
    column = str(project.metric.column if project.label is None else project.label)
    if target.table is not None:  # beyond memory: rows have no order to match labels by
        return {}
    for name, path in files:
        target = _with_file(project, target, Sample(read_table(path, project.codes_with(path)), name=name), column)
    if column not in target.columns:
        return {}
    source, target = complete_models(source, target)
    labelled = ~np.asarray(target.series(column).is_null().to_numpy(), dtype=bool)
    if labelled.sum() < FEWEST_LABELS:
        return {}
    rows = target.with_rows(target.frame.filter(labelled.tolist()), label=column)
    found = {}
    for model in target.models or (None,):
        known = _classes(project, source, model)
        scores = score_rows(project.metric, rows, label=column, model=model, known=known)
        if scores.known.sum() >= FEWEST_LABELS:
            name, weights = model.name if model is not None else "score", rows.design_weights
            counted = np.ones(rows.n_rows) if weights is None else weights
            confidence = project.estimator.confidence
            found[name] = _score(scores.metric, scores.statistics[scores.known], counted[scores.known], confidence)
    return found


def _classes(project: Project, source: Sample, model: Model | None) -> tuple[str, ...]:
    """Return the classes of the labelled data: a batch may lack some that the metric averages over."""
    by_class = get_metric(project.metric).needs not in ("numbers", "own", "column")
    if not by_class or source.table is not None or source.label is None or model is None or model.prediction is None:
        return ()
    merge = project.metric.merge
    return read_class_labels(source, label=source.label, prediction=model.prediction, merge=merge).classes


def _with_file(project: Project, target: Sample, table: Sample, column: str) -> Sample:
    """Put the labels of a file next to a batch's rows, on top of those that are there."""
    table.series(column)
    key = project.target_key
    if short_name(table.name) != short_name(target.name):
        key = key or key_column(table, target, column)
        if key is None:
            raise DataError(
                f"{table.name} is not named like a batch and has no column of row IDs. Name it like its batch, or set "
                "key in [target] to a column of both."
            )
    found = match_labels(table, target, column, key=key).labels
    if column in target.columns:
        old = target.series(column).to_list()
        found = [before if value is None else value for before, value in zip(old, found, strict=True)]
    return with_labels(target, column, found)


def _score(metric: Metric, statistics: Floats, counted: Floats, confidence: float) -> dict[str, Any]:
    if not counted.any():
        raise DataError("Every row with a label has design weight 0. Label rows with a weight above 0.")
    n, shares = len(statistics), counted / counted.sum()
    if metric.ranked:
        whole = evaluate(metric, statistics, shares)
        error, rows = float(np.linalg.norm(shares * whole.slopes)), 1 / float(shares @ shares)
        ends = influence_interval(
            whole.value, error, confidence=confidence, bounds=metric.bounds, effective_rows=rows, student=True
        )
        return {"value": whole.value, "interval": list(ends), "n_labels": n}
    indicators = bool(np.isin(statistics, (0.0, 1.0)).all() and (statistics.sum(axis=1) <= 1).all())
    none = np.zeros_like(statistics)
    alone = LabelledRows(statistics, none, shares, none[0], n, indicators, shares)
    found = from_labels(metric, alone, confidence=confidence)
    return {"value": found.value, "interval": list(found.interval), "n_labels": n}


def update_record(
    record: Sequence[Mapping[str, Any]], target: str, metric: str, models: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Add what labels showed to the record; an entry keeps the estimate that stood when its first labels arrived.

    Otherwise, changing slices until old batches fit would polish the record.
    """
    kept = {_key(one): dict(one) for one in record}
    for model, point in models.items():
        shown = point["realised"]
        if shown is None or not point["converged"]:
            continue
        stood = {name: point[name] for name in ("estimate", "interval", "verdict", "n_target")}
        entry = {"target": short_name(target), "model": model, "metric": metric, **stood}
        measured = {
            "realised": shown["value"],
            "realised_interval": shown["interval"],
            "n_labels": shown["n_labels"],
        }
        kept[_key(entry)] = kept.get(_key(entry), entry) | measured
    return list(kept.values())


def _key(one: Mapping[str, Any]) -> tuple[object, ...]:
    """Name an entry; another file with a batch's name has other rows."""
    return tuple(one[name] for name in ("target", "model", "metric", "n_target"))


def try_realised(
    project: Project, source: Sample, target: Sample, files: Sequence[LabelFile]
) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Score the labels of a batch, or say what is wrong with them: the estimate needs none."""
    try:
        return realised(project, source, target, files), None
    except MandolineError as error:
        return {}, str(error)
