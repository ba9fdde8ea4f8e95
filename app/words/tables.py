"""Tables for pages and downloads: data in, pandas frame out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mandoline_core import Ablation, Model, ModelReport, Sample
from mandoline_core.checks import BalanceLine
from mandoline_core.data import class_codes, profile_column
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import csv_text, show_times
from mandoline_core.pipeline import HeavyPattern, MeanShift
from mandoline_core.report import Groups

MOST_GROUPS = 20  # each is an estimate of its own


def column_table(source: Sample, target: Sample) -> pd.DataFrame:
    """Describe every column of both samples: its role, type, missing values, and an example."""
    roles = role_names(source)
    names = [*source.columns, *(column for column in target.columns if column not in source.columns)]
    lines = []
    for name in names:
        sides = [profile_column(name, one) if name in one.columns else None for one in (source, target)]
        here, there = sides
        first = next(side for side in sides if side is not None)
        lines.append(
            {
                "column": name,
                "role": roles.get(name, ""),
                "type": first.holds,
                "in": "both" if all(sides) else "labelled only" if here else "new only",
                "missing, labelled": here and here.missing,
                "missing, new": there and there.missing,
                "distinct": first.distinct[0],
                "example": "" if first.example is None else str(first.example)[:80],
            }
        )
    return pd.DataFrame(lines)


def group_columns(target: Sample) -> list[str]:
    """List the columns of the new data that groups can be made of: two values or more, and few."""
    plain = [name for name in target.columns if name not in target.roles]
    return [name for name in plain if 2 <= profile_column(name, target).distinct[0] <= MOST_GROUPS]


def group_table(found: Groups, model: str) -> pd.DataFrame:
    """List the estimate of a model for each group, the largest group first."""
    return pd.DataFrame(
        [
            {
                found.column: value,
                "new rows": one.n_target,
                "estimate": one.estimate if one.converged else None,
                "low": one.interval[0] if one.converged else None,
                "high": one.interval[1] if one.converged else None,
                "verdict": MEANINGS[one.verdict.level] if one.verdict else "",
            }
            for value, report in found.reports.items()
            for one in [report.of(model or None)]
        ]
    )


def role_names(sample: Sample) -> dict[str, str]:
    """Name the role of each column that has one."""
    roles = {
        column: f"probability ({model.name})" for model in sample.models for column in model.probabilities.values()
    }
    roles |= {model.prediction: f"prediction ({model.name})" for model in sample.models if model.prediction is not None}
    others = {sample.weight: "weight", sample.group: "group", sample.label: "label"}
    return roles | {column: role for column, role in others.items() if column is not None}


def class_shares(source: Sample, target: Sample, model: Model | None) -> list[dict[str, float]]:
    """Compute the shares of classes among labels and predictions; empty without a label or predictions."""
    if source.label is None or model is None or model.prediction is None:
        return []
    columns = (source.series(source.label), source.series(model.prediction), target.series(model.prediction))
    codes, names = class_codes(*columns)
    shares = [np.bincount(known, minlength=len(names)) / max(len(known), 1) for known in (c[c >= 0] for c in codes)]
    return [dict(zip(names, share.tolist(), strict=True)) for share in shares]


def pattern_table(patterns: Sequence[HeavyPattern]) -> pd.DataFrame:
    """List patterns, heaviest first."""
    return pd.DataFrame(
        [
            {"in slices": slices, "weight": show_times(ratio), "labelled": source, "new": target, "share": weight}
            for slices, ratio, source, target, weight in patterns
        ]
    )


def model_table(reports: Mapping[str, ModelReport], *, reveal: bool) -> pd.DataFrame:
    """List every model's numbers, at full precision."""
    lines = []
    for name, report in reports.items():
        line = {
            "model": name,
            "metric": report.metric,
            "estimate": report.estimate if report.converged else None,
            "low": report.interval[0] if report.converged else None,
            "high": report.interval[1] if report.converged else None,
            "labelled data": report.source,
            "effective rows": report.effective_sample_size,
            "left out": report.set_aside,
        }
        lines.append({**line, "true value": report.truth} if reveal else line)
    return pd.DataFrame(lines)


def curve_table(curves: Ablation) -> pd.DataFrame:
    """List both curves: the estimate as slices are added, and without each."""
    lines = []
    for kind, points in (("added in order", curves.cumulative), ("left out", curves.leave_one_out)):
        for point in points:
            low, high = point.interval or (None, None)
            lines.append(
                {
                    "curve": kind,
                    "slice": point.slice or "(none)",
                    "estimate": point.estimate,
                    "low": low,
                    "high": high,
                    "effective rows": point.effective_sample_size,
                    "reason": point.reason or "",
                }
            )
    return pd.DataFrame(lines)


def shift_columns(line: MeanShift | BalanceLine) -> dict[str, float]:
    """List a mean in both samples and after weighting, and its shift before and after."""
    means = {"labelled data": line.source, "after weighting": line.weighted, "new data": line.target}
    return {**means, "shift before": line.before, "shift after": line.after}


def as_csv(table: pd.DataFrame) -> bytes:
    """Write a table as CSV; a cell that a spreadsheet would read as a formula gets a quote in front.

    >>> as_csv(pd.DataFrame({"slice": ["=1+1"]})).decode().split()
    ['slice', "'=1+1"]
    """
    known = table.astype(object).where(table.notna(), None)
    return csv_text([table.columns, *known.itertuples(index=False, name=None)]).encode()
