"""Tables for pages and downloads: data in, pandas frame out. Nothing here knows of the app's framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mandoline_core import Ablation, Model, ModelReport, Sample
from mandoline_core.checks import BalanceLine
from mandoline_core.data import class_codes, profile_column
from mandoline_core.formatting import csv_text, show_times
from mandoline_core.pipeline import HeavyPattern, MeanShift


def column_table(source: Sample, target: Sample) -> pd.DataFrame:
    """Describe every column of both samples: its role, its type, what is missing, and an example."""
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
                "holds": first.holds,
                "in": "both" if all(sides) else "labelled only" if here else "new only",
                "missing, labelled": here and here.missing,
                "missing, new": there and there.missing,
                "distinct": first.distinct[0],
                "example": "" if first.example is None else str(first.example)[:80],
            }
        )
    return pd.DataFrame(lines)


def role_names(sample: Sample) -> dict[str, str]:
    """Say the role of each column that has one."""
    roles = {
        column: f"probability ({model.name})" for model in sample.models for column in model.probabilities.values()
    }
    roles |= {model.prediction: f"prediction ({model.name})" for model in sample.models if model.prediction is not None}
    return roles | ({sample.label: "label"} if sample.label is not None else {})


def class_shares(source: Sample, target: Sample, model: Model | None) -> list[dict[str, float]]:
    """Share out the labels, and the answers on both samples, among the classes; empty without a label or answers."""
    if source.label is None or model is None or model.prediction is None:
        return []
    columns = (source.series(source.label), source.series(model.prediction), target.series(model.prediction))
    codes, names = class_codes(*columns)
    shares = [np.bincount(known, minlength=len(names)) / max(len(known), 1) for known in (c[c >= 0] for c in codes)]
    return [dict(zip(names, share.tolist(), strict=True)) for share in shares]


def pattern_table(patterns: Sequence[HeavyPattern]) -> pd.DataFrame:
    """List patterns in words, heaviest first."""
    return pd.DataFrame(
        [
            {"in slices": slices, "each counts": show_times(ratio), "labelled": source, "new": target, "share": weight}
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
            "set aside": report.set_aside,
        }
        lines.append({**line, "truth": report.truth} if reveal else line)
    return pd.DataFrame(lines)


def curve_table(curves: Ablation) -> pd.DataFrame:
    """List both curves: the estimate with the first slices, and without each."""
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


def effects(curves: Ablation) -> list[tuple[str, float]]:
    """List how much leaving each slice out would change the estimate, the largest change first."""
    full = curves.cumulative[-1].estimate
    found = [
        (point.slice, point.estimate - full)
        for point in curves.leave_one_out
        if point.slice is not None and point.estimate is not None and full is not None
    ]
    return sorted(found, key=lambda pair: -abs(pair[1]))


def balance_table(lines: Sequence[MeanShift | BalanceLine]) -> pd.DataFrame:
    """List what the weights did to slices and columns."""
    return pd.DataFrame(
        [
            {
                "what": line.name,
                "modelled": isinstance(line, MeanShift),
                **shift_columns(line),
            }
            for line in lines
        ]
    )


def shift_columns(line: MeanShift | BalanceLine) -> dict[str, float]:
    """List what a mean is in both samples and after weighting, and how far off before and after."""
    means = {"labelled data": line.source, "reweighted": line.weighted, "new data": line.target}
    return {**means, "shift before": line.before, "shift after": line.after}


def as_csv(table: pd.DataFrame) -> bytes:
    """Write a table as CSV; a cell that a spreadsheet would take for a formula gets a quote in front.

    >>> as_csv(pd.DataFrame({"slice": ["=1+1"]})).decode().split()
    ['slice', "'=1+1"]
    """
    known = table.astype(object).where(table.notna(), None)
    return csv_text([table.columns, *known.itertuples(index=False, name=None)]).encode()
