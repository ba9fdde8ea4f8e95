"""Labels of new rows: where they are, what they say, which rows to label next, and bringing them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from app.compute import keys
from app.compute.columns import source_classes
from app.compute.data import new_labels, revealed, samples
from app.compute.edits import change
from app.compute.estimates import fit, report
from app.compute.keys import kept
from app.project import Workspace, state
from mandoline_core import MandolineError, Sample
from mandoline_core.labels import FewLabels, LabelPlan, has_label, label_column, plan_labels, use_labels
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline import Fit


@dataclass(frozen=True, eq=False)
class Labels:
    """Hold how many new rows have a label, and the new rows with those labels as a column.

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


@kept(by=keys.some_labels)
def target_labels(workspace: Workspace) -> Labels:
    """Look which new rows have a label."""
    workspace = workspace.on_draw  # which rows have one is asked of rows
    _, target = samples(workspace)
    problem = fit(workspace)
    try:
        with_labels = revealed(workspace)
    except MandolineError:  # there are none
        return Labels(0, target.n_rows, target)
    n = int(has_label(problem, with_labels).sum())
    if 0 < n < target.n_rows:
        return Labels(n, target.n_rows, with_labels)
    return Labels(n, target.n_rows, _without_labels(problem, target))


def _without_labels(problem: Fit, target: Sample) -> Sample:
    column = label_column(problem)
    if column not in target.columns:
        return target
    return target.with_rows(target.frame.drop(column), label=None)


@kept(by=keys.report)
def few_labels(workspace: Workspace) -> FewLabels:
    """Use the labels that some new rows have, by the plan that their rows were drawn by."""
    workspace = workspace.on_draw
    found = report(workspace).labelled
    if found is not None:
        return found
    labels, some = target_labels(workspace), new_labels(workspace)  # says why there is no answer
    return use_labels(fit(workspace), workspace.project.estimator, labels.known, plan=some and some.plan)


@kept(by=keys.some_labels)
def label_plan(workspace: Workspace, n: int) -> LabelPlan:
    """Draw the new rows to label next."""
    workspace = workspace.on_draw
    project, known = workspace.project, target_labels(workspace).known
    return plan_labels(fit(workspace), project.estimator, n, known, key=project.target_key)


def label_of(workspace: Workspace) -> str | None:
    """Name the column that a score is made of: the label, or the column that is averaged."""
    return workspace.project.label or workspace.project.metric.column


def label_classes(workspace: Workspace) -> tuple[str, ...]:
    """List the classes that labels are of; none where the metric is about numbers."""
    needs = get_metric(workspace.project.metric).needs
    return () if needs in ("numbers", "column") else source_classes(workspace)


def label_count(workspace: Workspace) -> tuple[int, int, str]:
    """Count the new rows that have a label, whatever the slices; refuses labels that do not fit the rows.

    Returns
    -------
    int, int, str
        The new rows that have one, all new rows, and the file that holds the labels: the new data's own, one of labels,
        or none.
    """
    project, (_, target) = workspace.project, samples(workspace)
    if project.target_labels is None and label_of(workspace) not in target.columns:
        return 0, target.n_all, ""
    name = target.name if project.target_labels is None else workspace.names.get("labels", "")
    # Of rows in a table, as many as the draw lets expect.
    return round(_n_labelled(workspace) * target.n_all / target.n_rows), target.n_all, name


@kept(by=keys.labels)
def _n_labelled(workspace: Workspace) -> int:
    return int((~revealed(workspace).series(str(label_of(workspace))).is_null()).sum())


def bring_labels(name: str, content: bytes | Path) -> None:
    """Add a file of labels of new rows. Those of some join the estimate, those of all are shown when revealed.

    Parameters
    ----------
    name : str
        What the file is called.
    content : bytes or Path
        With one label for each new row, in their order.
    """
    path = state.keep_file(name, content)
    change("add labels", lambda project: replace(project, target_labels=path, target_key=None))
    # Beside the project, in the same step: undo goes back to what was there before.
    state.look(names={**state.workspace().names, "labels": name}, revealed=False)


def drop_labels() -> None:
    """Remove the file of labels."""
    change("remove labels", lambda project: replace(project, target_labels=None))
    state.look(revealed=False)
