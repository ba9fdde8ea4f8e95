"""Downloads: the written report and the numbers, the same as the command line's."""

from __future__ import annotations

import json
from datetime import date

import numpy as np

from app.compute import keys, spreads
from app.compute.comparisons import DRAWS, backtest
from app.compute.data import new_labels, revealed
from app.compute.estimates import curves, memo, quoted_report, request
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core.report import EarlierReport, Groups, complete, gather_parts, report, with_spreads
from mandoline_core.report import weights_csv as csv_of


def report_html(workspace: Workspace, earlier: EarlierReport | None = None) -> str:
    """Write the current report: the model on show first, the truth only once it was revealed.

    Parameters
    ----------
    earlier : EarlierReport, optional
        What to compare with.
    """
    draws = next((n for n in DRAWS[::-1] if backtest(workspace, n) is not None), 0)
    return _written(workspace, date.today(), draws, earlier)


@kept(by=keys.written)
def _written(workspace: Workspace, made_on: date, draws: int, earlier: EarlierReport | None) -> str:
    whole = quoted_report(workspace, revealed(workspace) if workspace.revealed else None)
    tried = backtest(workspace, draws) if draws else None
    return gather_parts(
        whole, curves=curves(workspace), made_on=made_on, names=workspace.names, backtest=tried, earlier=earlier
    ).to_html()


def estimate_json(workspace: Workspace) -> str:
    """Write the estimate as `mandoline estimate --json` prints it for this project: the truth is left aside."""
    made = report(request(workspace), memo(workspace))
    if spreads.is_wanted(workspace):
        made = with_spreads(made, spreads.spreads(workspace))
    made = complete(made, some=new_labels(workspace), labelled=None)
    return json.dumps(made.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)


@kept(by=keys.every_model)
def groups(workspace: Workspace, column: str) -> Groups:
    """Estimate the new rows of each value of a column."""
    return report(request(workspace), memo(workspace)).by(column)


def weights_csv(workspace: Workspace) -> str:
    """Write one weight a labelled row and model, as `mandoline estimate --weights` does, after the row's number."""
    made = report(request(workspace), memo(workspace))
    weights = {name: found.weights for name, found in made.models.items()}
    name = "row" if "row" not in weights else "labelled row"
    return csv_of({name: np.arange(1, 1 + max(map(len, weights.values()), default=0)), **weights})
