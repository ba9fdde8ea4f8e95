"""Labels of some new rows: what they say, and which rows to label next."""

from __future__ import annotations

from dataclasses import dataclass

from app.compute import keys
from app.compute.estimates import prepared
from app.compute.keys import kept
from app.compute.reading import samples
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


@kept(by=keys.some_labels, entries=16)
def target_labels(workspace: Workspace) -> Labels:
    """Look which new rows have a label."""
    _, target = samples(workspace)
    problem = prepared(workspace)
    try:
        revealed = workspace.project.reveal(target)
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


@kept(by=keys.some_labels, entries=16)
def few_labels(workspace: Workspace, plan: bytes | None = None) -> FewLabels:
    """Use the labels that some new rows have.

    Parameters
    ----------
    plan : bytes, optional
        The file of the plan that the rows were drawn by.
    """
    labels = target_labels(workspace)
    weights = None if plan is None else read_plan(read_upload("plan.csv", plan), labels.n_target)
    return use_labels(prepared(workspace), workspace.project.estimator, labels.known, plan=weights)


@kept(by=keys.some_labels, entries=64)
def label_plan(workspace: Workspace, n: int) -> LabelPlan:
    """Draw the new rows to label next."""
    return plan_labels(prepared(workspace), workspace.project.estimator, n, target_labels(workspace).known)
