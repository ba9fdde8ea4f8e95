"""Columns of both samples: their values, their classes, and what they are for."""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.compute import keys
from app.compute.data import model_of, plain_samples, samples
from app.compute.estimates import scores
from app.compute.keys import kept
from app.project import Workspace
from app.words import tables
from mandoline_core import MandolineError, Model, Sample
from mandoline_core.data import Reading, class_codes, class_name, guess_types, is_date, milliseconds, profile_column
from mandoline_core.domain_classifier import default_columns
from mandoline_core.project import RoleGuess, guess_roles
from mandoline_core.report import charts


@kept(by=keys.tables)
def column_values(workspace: Workspace, column: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return a column of both samples (at most 20,000 values each), its least and largest; dates in milliseconds.

    Missing values come last, as many of them as keep their share.
    """
    known = [sample.series(column).drop_nulls() for sample in plain_samples(workspace)]
    values = [milliseconds(v) if is_date(v.dtype) else v.to_numpy().astype(float) for v in known]
    everything = np.concatenate(values)
    # Evenly spaced rows of the sorted column keep its shape, and its ends, whatever its length.
    thin = [np.sort(v)[np.unique(np.linspace(0, len(v) - 1, 20_000).astype(int))] if len(v) else v for v in values]
    low, high = (everything.min(), everything.max()) if len(everything) else (0.0, 0.0)
    for side, sample in enumerate(plain_samples(workspace)):
        n_known = len(values[side])
        n_missing = round((len(sample.frame) - n_known) * (len(thin[side]) / n_known if n_known else 1))
        thin[side] = np.append(thin[side], np.full(n_missing, np.nan))
    return thin[0], thin[1], float(low), float(high)


@kept(by=keys.source_score)
def row_scores(workspace: Workspace, column: str) -> charts.ScoresByValue | None:
    """Return the scores of labelled rows by a column's values; None where rows have no score, or it is no mean."""
    try:
        scored = scores(workspace.on_draw)
    except MandolineError:
        return None
    if not scored.metric.is_mean:
        return None
    series = samples(workspace.on_draw)[0].series(column)
    values = milliseconds(series) if is_date(series.dtype) else series.to_numpy().astype(float)
    known = scored.known & np.isfinite(values)
    return charts.ScoresByValue(values[known], scored.statistics[known, 0], scored.metric.spoken, scored.metric.share)


@kept(by=keys.tables)
def value_counts(workspace: Workspace, column: str, most: int = 200) -> dict[str | int | float, tuple[int, int]]:
    """Count a column's values in both samples, the source's most frequent first."""
    counts = [sample.series(column).drop_nulls().to_pandas().value_counts() for sample in plain_samples(workspace)]
    values = counts[0].add(counts[1], fill_value=0).sort_values(ascending=False, kind="stable").index[:most]
    plain = [value.item() if hasattr(value, "item") else value for value in values]
    return {value: (int(counts[0].get(value, 0)), int(counts[1].get(value, 0))) for value in plain}


def predicted_classes(workspace: Workspace) -> list[str]:
    """List the classes that the model on show predicts in either sample."""
    model = model_of(workspace)
    if model is None or model.prediction is None:
        return []
    if model.prediction not in plain_samples(workspace)[0].columns:  # the most probable of these
        return list(model.probabilities)
    return [str(value) for value in value_counts(workspace, model.prediction)]


@kept(by=keys.samples)
def feature_columns(workspace: Workspace) -> tuple[tuple[str, ...], dict[str, str]]:
    """Choose the columns that methods on columns look at unless told otherwise; say why others are left out."""
    return default_columns(*samples(workspace))


@kept(by=keys.tables)
def column_kind(workspace: Workspace, column: str) -> str:
    """Say what a column of both tables holds: "number", "category", "text" and so on."""
    return profile_column(column, *plain_samples(workspace)).kind


@kept(by=keys.samples)
def identifiers(workspace: Workspace) -> dict[str, str]:
    """List the columns that only tell one row from another, each with how that shows."""
    source, target = samples(workspace)
    shared = (column for column in source.columns if column in target.columns and column not in source.roles)
    profiles = (profile_column(column, source, target) for column in shared)
    return {found.name: found.drawback for found in profiles if found.kind == "identifier"}


@kept(by=keys.tables)
def type_guesses(workspace: Workspace) -> dict[str, tuple[Reading, ...]]:
    """Find columns of text whose values nearly all read as numbers or dates, with how each sample would be read."""
    found: dict[str, list[Reading]] = {}
    for sample in plain_samples(workspace):
        for column, reading in guess_types(sample.frame).items():
            if column not in found or found[column][0].type == reading.type:
                found.setdefault(column, []).append(reading)
    return {column: tuple(readings) for column, readings in found.items()}


@kept(by=keys.rows)
def guessed_roles(source: Sample, target_columns: tuple[str, ...]) -> RoleGuess:
    """Guess the roles of the columns of two tables."""
    return guess_roles(source, target_columns)


@kept(by=keys.samples)
def column_table(workspace: Workspace) -> pd.DataFrame:
    """Describe every column of both samples."""
    return tables.column_table(*samples(workspace))


@kept(by=keys.samples)
def group_columns(workspace: Workspace) -> list[str]:
    """List the columns that groups of new rows can be made of."""
    return tables.group_columns(samples(workspace)[1])


@kept(by=keys.answers)
def class_shares(workspace: Workspace) -> list[dict[str, float]]:
    """Count the classes among the labels and among the answers of the model on show."""
    return tables.class_shares(*samples(workspace), model_of(workspace))


def classes(workspace: Workspace, model: Model, most: int = 40) -> list[str]:
    """List the classes of a model: those it has probabilities for, and those among labels and predictions."""
    known = {class_name(class_) for class_ in model.probabilities}
    found = _classes(workspace, (workspace.project.label, model.prediction), (model.prediction,))
    return [*model.probabilities, *(class_ for class_ in found if class_name(class_) not in known)][:most]


def source_classes(workspace: Workspace) -> tuple[str, ...]:
    """List the classes among the labels and all models' predictions in the labelled data."""
    return _classes(workspace, (workspace.project.label, *(model.prediction for model in workspace.project.models)), ())


@kept(by=keys.tables)
def _classes(
    workspace: Workspace, in_source: tuple[str | None, ...], in_target: tuple[str | None, ...]
) -> tuple[str, ...]:
    """List the classes in some columns of both tables; a column that is not there has none."""
    asked = zip(plain_samples(workspace), (in_source, in_target), strict=True)
    found = [sample.series(name) for sample, names in asked for name in names if name in sample.columns]
    return class_codes(*found)[1] if found else ()
