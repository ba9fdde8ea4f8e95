"""The map of rows, laid out in the background once for the data; rules for what was selected on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.compute import keys
from app.compute.columns import feature_columns
from app.compute.data import samples
from app.compute.estimates import report, scores
from app.compute.jobs import Job, JobKind, Task
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core import Description, MandolineError, RowMap, Sample, describe_selection, map_rows
from mandoline_core.arrays import Index
from mandoline_core.domain_classifier import one_thread
from mandoline_core.report import charts

MOST_HOVERED = 6  # columns that hovering shows


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """Hold a map, what it is of, and what hovering shows of its rows, escaped."""

    key: str
    rows: RowMap
    hover: tuple[list[str], list[str]]


_MAPS = JobKind[DrawnMap]("map")


def row_map(workspace: Workspace) -> DrawnMap | None:
    """Return the map of both samples, if it has been laid out."""
    return _MAPS.result(_key(workspace))


def map_job(workspace: Workspace) -> Job | None:
    """Find the job that lays the map of a project out, or was stopped doing so."""
    return _MAPS.find(workspace, {_key(workspace)})


def start_map(workspace: Workspace) -> Job:
    """Lay the rows out in the background."""
    key, both, seed = _key(workspace), samples(workspace.on_draw), workspace.project.estimator.seed
    columns = [column for column in feature_columns(workspace)[0] if column != workspace.project.metric.column]

    def work(job: Job) -> DrawnMap:
        with one_thread():  # threads would take the page's turn
            rows = map_rows(*both, columns, seed=seed, step=job.step)
        source, target = both
        hover = _hover(source, rows.source_rows, rows.columns), _hover(target, rows.target_rows, rows.columns)
        return DrawnMap(repr(key), rows, hover)

    return _MAPS.start(workspace, [Task(key, "Computing the map", work)])


def _key(workspace: Workspace) -> keys.Key:
    project = workspace.project
    return (*keys.samples(workspace.on_draw), repr(project.metric.column), repr(project.estimator.seed))


def _hover(sample: Sample, rows: Index, columns: Sequence[str]) -> list[str]:
    shown = columns[:MOST_HOVERED]
    frame = sample.frame.select(*shown)[rows.tolist()]
    return charts.hover_lines(
        [
            [(name, "(missing)" if value is None else str(value)) for name, value in zip(shown, row, strict=True)]
            for row in frame.iter_rows()
        ]
    )


def map_scores(workspace: Workspace, found: RowMap) -> charts.Shade:
    """Colour the labelled rows of a map by their score; where a metric has no score of a row, by right and wrong."""
    scored = scores(workspace.on_draw)
    if scored.statistics.shape[1] > 1 and scored.labels is not None:
        values = (scored.labels.truth == scored.labels.predicted).astype(float)
    else:
        values = scored.statistics[:, 0]
    values = np.where(scored.known, values, np.nan)[found.source_rows]
    return charts.score_shade(values, scored.metric.spoken)


def map_weights(workspace: Workspace, found: RowMap) -> charts.Shade:
    """Colour the labelled rows of a map by how much they count."""
    weights = report(workspace.on_draw).weights
    return charts.weight_shade((weights * np.count_nonzero(scores(workspace.on_draw).known))[found.source_rows])


@kept(by=_key)
def described(workspace: Workspace, side: str, selected: Sequence[int]) -> tuple[Description, ...]:
    """Find rules for rows of one side of the map, told from the other rows of that side on it."""
    drawn = row_map(workspace)
    if drawn is None:
        raise MandolineError("The map has expired. Close it and open it again.")
    source, target = samples(workspace.on_draw)
    sample, rows = (source, drawn.rows.source_rows) if side == "source" else (target, drawn.rows.target_rows)
    return describe_selection(sample, rows[list(selected)], among=rows, columns=drawn.rows.columns)
