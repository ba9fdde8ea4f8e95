"""Labels of some new rows: what they say, and which rows to label next."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import streamlit as st

from app.compute.estimates import prepared, problem_key
from app.compute.frames import samples
from app.project import Workspace, read_upload
from mandoline_core import MandolineError, Sample
from mandoline_core.estimating import ModelProblem
from mandoline_core.labelling import FewLabels, LabelPlan, has_label, label_column, plan_labels, read_plan, use_labels


@dataclass(frozen=True, eq=False)
class Labels:
    """Hold how many new rows have a label, and the new rows with those labels beside them.

    Parameters
    ----------
    known : Sample
        With labels that may be used: where only some rows have one. Where all have, they are the truth, and left out.
    """

    n_labelled: int
    n_target: int
    known: Sample

    @property
    def some(self) -> bool:
        """Whether some rows have a label and some have none."""
        return 0 < self.n_labelled < self.n_target


def target_labels(workspace: Workspace) -> Labels:
    """Look which new rows have a label."""
    key = (*problem_key(workspace, None), repr(workspace.project.target_labels))
    return _target_labels(key, workspace)


@st.cache_resource(max_entries=16, show_spinner=False)
def _target_labels(key: tuple[object, ...], _workspace: Workspace) -> Labels:
    _, target = samples(_workspace)
    problem = prepared(_workspace)
    try:
        revealed = _workspace.project.reveal(target)
    except MandolineError:  # there are none
        return Labels(0, target.n_rows, target)
    n = int(has_label(problem, revealed).sum())
    if 0 < n < target.n_rows:
        return Labels(n, target.n_rows, revealed)
    return Labels(n, target.n_rows, _without_labels(problem, target))


def _without_labels(problem: ModelProblem, target: Sample) -> Sample:
    column = label_column(problem)
    if column not in target.columns:
        return target
    return Sample(target.frame.drop(column), models=target.models, name=target.name)


def few_labels(workspace: Workspace, plan: bytes | None = None) -> FewLabels:
    """Use the labels that some new rows have.

    Parameters
    ----------
    plan : bytes, optional
        The file of the plan that the rows were drawn by.
    """
    key = (*problem_key(workspace, None), repr(workspace.project.target_labels), _digest(plan))
    return _few_labels(key, workspace, plan)


@st.cache_resource(max_entries=16, show_spinner=False)
def _few_labels(key: tuple[object, ...], _workspace: Workspace, _plan: bytes | None) -> FewLabels:
    labels = target_labels(_workspace)
    weights = None if _plan is None else read_plan(read_upload("plan.csv", _plan), labels.n_target)
    return use_labels(prepared(_workspace), _workspace.project.estimator, labels.known, plan=weights)


def label_plan(workspace: Workspace, n: int) -> LabelPlan:
    """Draw the new rows to label next."""
    key = (*problem_key(workspace, None), repr(workspace.project.target_labels), n)
    return _label_plan(key, workspace, n)


@st.cache_resource(max_entries=64, show_spinner=False)
def _label_plan(key: tuple[object, ...], _workspace: Workspace, n: int) -> LabelPlan:
    return plan_labels(prepared(_workspace), _workspace.project.estimator, n, target_labels(_workspace).known)


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()
