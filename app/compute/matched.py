"""The rows inside a rule, a few at a time, with what the model says of them and whether it is right."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.compute.data import model_of, samples
from app.compute.estimates import codes_of, scores
from app.project import Workspace
from mandoline_core import MandolineError, Slice
from mandoline_core.metrics import ClassLabels
from mandoline_core.slices import resolve


class MatchedRows(NamedTuple):
    """Hold the rows of a sample that a rule matches.

    Parameters
    ----------
    n : int
        How many it matches.
    n_shown : int
        Of these, those that were asked for.
    frame : DataFrame
        Some of them.
    right : list of bool or None
        Whether the model is right on each, where labels are classes.
    label, prediction : str or None
        Their columns.
    """

    n: int
    n_shown: int
    frame: pd.DataFrame
    right: list[bool | None]
    label: str | None
    prediction: str | None


def matched_rows(
    workspace: Workspace, rule: Slice, *, first: int = 0, most: int = 5, mistakes: bool = False
) -> dict[str, MatchedRows]:
    """Find the rows of both samples that a rule matches, and show some; of labelled rows only mistakes on request."""
    workspace = workspace.on_draw
    source, target = samples(workspace)
    others = [other for other in workspace.project.slices if other.name != rule.name]
    rules = resolve([*others, replace(rule, enabled=True)], source, target, model_of(workspace))
    resolved = next(found for found in rules if found.name == rule.name)
    labels, model, found = labelled_answers(workspace), model_of(workspace), {}
    for side, sample in (("source", source), ("target", target)):
        rows = inside = np.flatnonzero(codes_of(sample, [resolved])[:, 0] == 1)
        right = None if labels is None or side == "target" else labels.truth == labels.predicted
        if right is not None and labels is not None and mistakes:
            rows = rows[~right[rows] & (labels.truth[rows] >= 0)]
        some = rows[first : first + most].tolist()
        found[side] = MatchedRows(
            len(inside),
            len(rows),
            sample.frame[some].to_pandas(),
            [None if right is None or labels is None or labels.truth[row] < 0 else bool(right[row]) for row in some],
            sample.label,
            None if model is None else model.prediction,
        )
    return found


def labelled_answers(workspace: Workspace) -> ClassLabels | None:
    """Return labels and predictions of the labelled rows; None where they are no classes, or cannot be scored."""
    try:
        return scores(workspace.on_draw).labels
    except MandolineError:
        return None
