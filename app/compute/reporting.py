"""The written report of a project: the same file that the command line makes, from what is known already."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from app.compute import keys
from app.compute.estimates import curves, report
from app.compute.keys import kept
from app.compute.reading import samples
from app.compute.slice_suggestions import spread
from app.project import Workspace
from mandoline_core import MandolineError, Report, Spread
from mandoline_core.checks import ModelReport
from mandoline_core.report import gather_parts, notes_of


def report_html(workspace: Workspace) -> str:
    """Write the report as it stands: the model on show first, the truth only once it was revealed."""
    return _written(workspace, date.today(), spread(workspace))


@kept(by=keys.written)
def _written(workspace: Workspace, made_on: date, known: Spread | None) -> str:
    whole = _whole(workspace)
    if known is not None:
        whole = replace(whole, spreads={workspace.model: known})
    return gather_parts(whole, curves=curves(workspace), made_on=made_on).to_html()


def _whole(workspace: Workspace) -> Report:
    """Put all models' reports together; another model than the one on show is left out where it has none."""
    project, (source, target) = workspace.project, samples(workspace)
    found = report(workspace)
    models: dict[str, ModelReport] = {found.model: found}
    for model in project.models:
        if model.name not in models:
            try:
                models[model.name] = report(replace(workspace, model=model.name))
            except MandolineError:
                continue
    whole = Report(
        project.name,
        models,
        project.estimator,
        {"source": source, "target": target},
        project.note,
        notes_of(project.slices),
    )
    return whole if workspace.revealed else whole.without_truth()
