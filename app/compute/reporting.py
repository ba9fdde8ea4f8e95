"""Downloads: the written report and the numbers, the same as the command line's."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

from app.compute import keys
from app.compute.comparisons import DRAWS, backtest
from app.compute.data import new_labels, revealed, samples
from app.compute.estimates import curves, memo, request, whole_report
from app.compute.keys import kept
from app.compute.slice_suggestions import spread
from app.project import Workspace
from mandoline_core import Report, Spread
from mandoline_core.report import EarlierReport, Groups, gather_parts, report
from mandoline_core.report import weights_csv as csv_of


def report_html(workspace: Workspace, earlier: EarlierReport | None = None) -> str:
    """Write the current report: the model on show first, the truth only once it was revealed.

    Parameters
    ----------
    earlier : EarlierReport, optional
        What to compare with.
    """
    draws = next((n for n in DRAWS[::-1] if backtest(workspace, n) is not None), 0)
    return _written(workspace, date.today(), spread(workspace), draws, earlier)


@kept(by=keys.written)
def _written(
    workspace: Workspace, made_on: date, known: Spread | None, draws: int, earlier: EarlierReport | None
) -> str:
    whole = whole_report(workspace, revealed(workspace) if workspace.revealed else None)
    if known is not None:
        whole = replace(whole, spreads={workspace.model: known})
    tried = backtest(workspace, draws) if draws else None
    return gather_parts(
        whole, curves=curves(workspace), made_on=made_on, names=workspace.names, backtest=tried, earlier=earlier
    ).to_html()


def estimate_json(workspace: Workspace) -> str:
    """Write the estimate as `mandoline estimate --json` prints it for this project."""
    return json.dumps(_report(workspace).as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


@kept(by=keys.every_model)
def groups(workspace: Workspace, column: str) -> Groups:
    """Estimate the new rows of each value of a column."""
    return _report(workspace).by(column)


def weights_csv(workspace: Workspace) -> str:
    """Write one weight a labelled row and model, as `mandoline estimate --weights` does."""
    return csv_of({name: found.weights for name, found in _report(workspace).models.items()})


def _report(workspace: Workspace) -> Report:
    """Report on every model with the truth left aside: downloads hold what was estimated."""
    return report(request(workspace), memo(workspace), labelled=samples(workspace)[1], some=new_labels(workspace))
