"""What an estimate can be trusted for: every check kept by the problem it belongs to, and by the value of a slider."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.compute import keys
from app.compute.estimates import fit, report
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core import ModelReport
from mandoline_core.arrays import Interval
from mandoline_core.checks import (
    SensitivityPoint,
    SliceStrength,
    Trimming,
    caps,
    noisy_slices,
    sensitivity_bounds,
    sensitivity_curve,
    slice_strengths,
    trim,
    weights_can_change,
)
from mandoline_core.estimators import Mandoline
from mandoline_core.pipeline import CorrectionSlope, correction_slopes

PAPER = Mandoline.name
MOST_GAMMA = 5.0
_N_GAMMAS, _N_INTERVALS = 41, 9


def weighted(workspace: Workspace) -> tuple[ModelReport, bool]:
    """Find weights that may be changed: those of the project's method or, where it has none, the paper's.

    The second says whether the paper's are used instead.
    """
    if _weights_rows(workspace):
        return report(workspace), False
    return report(_with_method(workspace, PAPER)), True


def _with_method(workspace: Workspace, name: str) -> Workspace:
    project = workspace.project
    return replace(workspace, project=replace(project, estimator=replace(project.estimator, name=name)))


@kept(by=keys.solution)
def _weights_rows(workspace: Workspace) -> bool:
    return weights_can_change(report(workspace))


@kept(by=keys.solution)
def trimmings(workspace: Workspace) -> tuple[Trimming, ...]:
    """Estimate with every cap worth trying on how much a row may count; the last has no cap."""
    (found, _), confidence = weighted(workspace), workspace.project.estimator.confidence
    return tuple(trim(found, cap, confidence=confidence) for cap in caps(found))


@kept(by=keys.solution)
def slopes(workspace: Workspace) -> tuple[CorrectionSlope, ...]:
    """Say how fast the estimate moves with every correction of a noisy slice."""
    noisy = set(noisy_slices(fit(workspace).problem))
    found = correction_slopes(fit(workspace), workspace.project.estimator)
    return tuple(slope for slope in found if slope.slice in noisy)


@kept(by=keys.solution)
def hidden_shift(workspace: Workspace, gamma: float) -> SensitivityPoint:
    """Bound the estimate under hidden shift of one strength."""
    return _with_intervals(workspace, [gamma])[0]


def _with_intervals(workspace: Workspace, gammas: list[float]) -> tuple[SensitivityPoint, ...]:
    return sensitivity_curve(weighted(workspace)[0], gammas, workspace.project.estimator.confidence)


@kept(by=keys.solution)
def hidden_shift_curve(workspace: Workspace) -> tuple[dict[float, Interval], tuple[SensitivityPoint, ...]]:
    """Bound the estimate under hidden shift up to the axis's end: many bounds without sampling error, a few with it."""
    gammas, some = (np.geomspace(1.0, MOST_GAMMA, n).tolist() for n in (_N_GAMMAS, _N_INTERVALS))
    bounds = {gamma: sensitivity_bounds(weighted(workspace)[0], gamma) for gamma in gammas}
    return bounds, _with_intervals(workspace, some)


@kept(by=keys.solution)
def strengths(workspace: Workspace) -> tuple[SliceStrength, ...]:
    """Measure every slice as if it were the hidden shift."""
    return slice_strengths(weighted(workspace)[0])
