"""What an estimate can be trusted for: every check kept by the problem it belongs to, and by where a slider stands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from app.compute.estimates import prepared, problem_key, report
from app.project import Workspace
from mandoline_core import MandolineError, ModelReport
from mandoline_core.estimating import METHODS, Attribution, CorrectionSlope, attribute, correction_slopes
from mandoline_core.trust import (
    SensitivityPoint,
    SliceStrength,
    TheoremBound,
    Trimming,
    caps,
    crossing,
    sensitivity_bounds,
    sensitivity_curve,
    slice_strengths,
    theorem_bound,
    trim,
)

PAPER = "mandoline"
REDRAWS = 100  # of both samples, for the intervals of slices' parts
MOST_GAMMA = 5.0
_N_GAMMAS, _N_INTERVALS = 41, 9
Key = tuple[object, ...]


@dataclass(frozen=True)
class WeightedReport:
    """Hold an estimate that is a mean of weighted rows: the project's own or, where that is none, the paper's.

    Parameters
    ----------
    workspace : Workspace
        The project as it would be with that method.
    instead : bool
        Whether the paper's weights stand in for the project's own method.
    """

    report: ModelReport
    workspace: Workspace
    instead: bool

    @property
    def name(self) -> str:
        """The method."""
        return self.workspace.project.estimator.name


@dataclass(frozen=True)
class Curve:
    """Hold the bounds under hidden shift: many without sampling error, and a few with it."""

    gammas: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    points: tuple[SensitivityPoint, ...]


def weighted(workspace: Workspace) -> WeightedReport:
    """Find weights that may be changed: those of the project's method or, where it has none, the paper's."""
    if _weights_rows(problem_key(workspace, None), report(workspace), workspace.project.estimator.name):
        return WeightedReport(report(workspace), workspace, instead=False)
    other = _with_method(workspace, PAPER)
    return WeightedReport(report(other), other, instead=True)


def _with_method(workspace: Workspace, name: str) -> Workspace:
    project = workspace.project
    return replace(workspace, project=replace(project, estimator=replace(project.estimator, name=name)))


@st.cache_resource(max_entries=64, show_spinner=False)
def _weights_rows(key: Key, _report: ModelReport, name: str) -> bool:
    if name == PAPER or _report.problem.metric.ranked:  # with such a metric no method will do
        return True
    try:
        trim(_report, math.inf, estimator=name)
    except MandolineError:
        return False
    return True


def trimmings(workspace: Workspace) -> tuple[Trimming, ...]:
    """Estimate with every cap worth trying on how much a row may count; the last is none."""
    found = weighted(workspace)
    return _trimmings(problem_key(found.workspace, None), found.report, found.workspace)


@st.cache_resource(max_entries=32, show_spinner=False)
def _trimmings(key: Key, _report: ModelReport, _workspace: Workspace) -> tuple[Trimming, ...]:
    settings = _workspace.project.estimator
    return tuple(trim(_report, cap, confidence=settings.confidence, estimator=settings.name) for cap in caps(_report))


def attribution(workspace: Workspace) -> tuple[Attribution, bool]:
    """Share out the way from source score to estimate; also say whether the paper's weights stand in."""
    instead = workspace.project.estimator.name not in METHODS
    chosen = _with_method(workspace, PAPER) if instead else workspace
    return _attribution(problem_key(chosen, None), chosen), instead


@st.cache_resource(max_entries=32, show_spinner="Sharing the difference out among slices ...")
def _attribution(key: Key, _workspace: Workspace) -> Attribution:
    return attribute(prepared(_workspace), _workspace.project.estimator, replicates=REDRAWS)


def has_noisy_slices(workspace: Workspace) -> bool:
    """Tell whether any slice is not taken at its word."""
    return not prepared(workspace).problem.corrections().takes_codes_at_their_word


def slopes(workspace: Workspace) -> tuple[CorrectionSlope, ...]:
    """Say how fast the estimate moves with every correction of a noisy slice."""
    noisy = set(_noisy(workspace))
    found = _slopes(problem_key(workspace, None), workspace)
    return tuple(slope for slope in found if slope.slice in noisy)


def _noisy(workspace: Workspace) -> list[str]:
    problem = prepared(workspace).problem
    corrections, word = problem.corrections(), np.array([0.0, 1.0])
    doubted = [(table[:, [0, 2]] != word).any(axis=1) for table in (corrections.source, corrections.target)]
    abstains = (problem.patterns.rates("source")[:, 1] + problem.patterns.rates("target")[:, 1]) > 0
    noisy = doubted[0] | doubted[1] | abstains
    return [name for name, one in zip(problem.patterns.names, noisy.tolist(), strict=True) if one]


@st.cache_resource(max_entries=32, show_spinner=False)
def _slopes(key: Key, _workspace: Workspace) -> tuple[CorrectionSlope, ...]:
    return correction_slopes(prepared(_workspace), _workspace.project.estimator)


def hidden_shift(workspace: Workspace, gamma: float) -> SensitivityPoint:
    """Bound the estimate under hidden shift of one strength."""
    found = weighted(workspace)
    return _hidden_shift(problem_key(found.workspace, None), gamma, found.report, found.workspace)


@st.cache_resource(max_entries=400, show_spinner=False)
def _hidden_shift(key: Key, gamma: float, _report: ModelReport, _workspace: Workspace) -> SensitivityPoint:
    settings = _workspace.project.estimator
    return sensitivity_curve(_report, [gamma], settings.confidence, estimator=settings.name)[0]


def hidden_shift_curve(workspace: Workspace) -> Curve:
    """Bound the estimate under hidden shift of every strength up to the axis's end."""
    found = weighted(workspace)
    return _curve(problem_key(found.workspace, None), found.report, found.workspace)


@st.cache_resource(max_entries=32, show_spinner=False)
def _curve(key: Key, _report: ModelReport, _workspace: Workspace) -> Curve:
    settings = _workspace.project.estimator
    gammas = tuple(float(g) for g in np.geomspace(1.0, MOST_GAMMA, _N_GAMMAS))
    bounds = [sensitivity_bounds(_report, gamma) for gamma in gammas]
    some = [float(g) for g in np.geomspace(1.0, MOST_GAMMA, _N_INTERVALS)]
    return Curve(
        gammas=gammas,
        lows=tuple(low for low, _ in bounds),
        highs=tuple(high for _, high in bounds),
        points=sensitivity_curve(_report, some, settings.confidence, estimator=settings.name),
    )


def crossing_gamma(workspace: Workspace, threshold: float) -> float | None:
    """Find how strong a hidden shift takes the estimate to a threshold; None where none does."""
    return crossing(weighted(workspace).report, threshold)


def strengths(workspace: Workspace) -> tuple[SliceStrength, ...]:
    """Measure every slice as if it were the hidden shift."""
    found = weighted(workspace)
    return _strengths(problem_key(found.workspace, None), found.report, found.name)


@st.cache_resource(max_entries=32, show_spinner=False)
def _strengths(key: Key, _report: ModelReport, estimator: str) -> tuple[SliceStrength, ...]:
    return slice_strengths(_report, estimator=estimator)


def promise(workspace: Workspace, correction_error: float, unknown: float) -> TheoremBound:
    """Compute the paper's bound on the error."""
    failure = 1 - workspace.project.estimator.confidence
    return theorem_bound(
        weighted(workspace).report, correction_error=correction_error, unknown=unknown, failure=failure
    )
