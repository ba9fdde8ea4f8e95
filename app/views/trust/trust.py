"""Trust: how far to believe the number: every check in a line, and the evidence one click away."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import harmless, live, parts
from app.views.trust import backtest, frame, hidden, labels, unmodelled, weights

ANSWERS = {
    "rows": weights.few_rows,
    "unlike": weights.unlike,
    "unmodelled": unmodelled.unmodelled,
    "parts": unmodelled.slice_parts,
    "corrections": unmodelled.corrections,
    "meaning": hidden.meaning,
    "hidden": hidden.hidden,
    "backtest": backtest.backtest,
    "labels": labels.labels,
    "theory": hidden.theory,
}


def main() -> None:
    """Show the page: the checks, and the evidence that was asked for or speaks loudest."""
    st.title("Trust")
    workspace = compute.current()
    if live.summary(workspace) is not None:
        no_estimate(workspace)
        return
    report = compute.report(workspace)
    parts.headline(report, workspace)
    if report.verdict is not None:
        frame.checks(report.verdict, report.findings, workspace)
    frame.questions(report.verdict, workspace, ANSWERS)


def no_estimate(workspace: Workspace) -> None:
    """Lead on from where there is nothing to trust yet."""
    harmless.declared(workspace)
    with st.container(horizontal=True):
        parts.lead_on()


main()
