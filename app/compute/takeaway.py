"""What a person takes away in numbers: the same digits as the command line's, in full precision."""

from __future__ import annotations

import json

from app.compute.estimates import report, shown_model
from app.compute.reading import samples
from app.project import Workspace
from mandoline_core import Report
from mandoline_core.report import weights_csv as csv_of


def estimate_json(workspace: Workspace) -> str:
    """Write the estimate as `mandoline estimate --json` prints it for this project."""
    return json.dumps(_report(workspace).as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def weights_csv(workspace: Workspace) -> str:
    """Write one weight a labelled row and model, as `mandoline estimate --weights` does."""
    weights = {name: found.weights for name, found in _report(workspace).models.items()}
    return csv_of(weights)


def _report(workspace: Workspace) -> Report:
    """Estimate every model, with the truth left aside: whoever takes the numbers away gets what was estimated."""
    names = [model.name for model in workspace.project.models] or [""]
    found = [report(shown_model(workspace, name)) for name in names]
    source, target = samples(workspace)
    reports = {one.model: one for one in found}
    return Report(workspace.project.name, reports, workspace.project.estimator, {"source": source, "target": target})
