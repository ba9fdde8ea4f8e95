"""Downloads: the written report and the numbers, the same as the command line's."""

from __future__ import annotations

import json
from datetime import date

from app.compute import keys, spreads
from app.compute.data import new_labels, revealed
from app.compute.estimates import curves, memo, quoted_report, request
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core.report import Groups, complete, gather_parts, report
from mandoline_core.report import weights_csv as csv_of


def report_html(workspace: Workspace) -> str:
    """Write the current report: the model on show first, the truth only once it was revealed."""
    return _written(workspace, date.today())


@kept(by=keys.written)
def _written(workspace: Workspace, made_on: date) -> str:
    whole = quoted_report(workspace, revealed(workspace) if workspace.revealed else None)
    return gather_parts(whole, curves=curves(workspace), made_on=made_on).to_html()


def estimate_json(workspace: Workspace) -> str:
    """Write the estimate as `mandoline estimate --json` prints it for this project: the truth is left aside."""
    made = report(request(workspace), memo(workspace))
    if spreads.is_wanted(workspace):
        made = made.with_spreads(spreads.spreads(workspace))
    made = complete(made, some=new_labels(workspace), labelled=None)
    return json.dumps(made.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


@kept(by=keys.every_model)
def groups(workspace: Workspace, column: str) -> Groups:
    """Estimate the new rows of each value of a column."""
    return report(request(workspace), memo(workspace)).by(column)


def weights_csv(workspace: Workspace) -> str:
    """Write one weight a labelled row and model, as `mandoline estimate --weights` does."""
    return csv_of({name: found.weights for name, found in report(request(workspace), memo(workspace)).models.items()})
