"""Trust: how far to believe the number, one question after the other."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import state
from app.views import parts
from app.views.trust import backtest, frame, hidden, labels, unmodelled, weights
from mandoline_core import MandolineError

SECTIONS = (
    weights.few_rows,
    weights.unlike,
    unmodelled.unmodelled,
    unmodelled.slice_parts,
    unmodelled.corrections,
    hidden.hidden,
    hidden.theory,
    hidden.meaning,
    backtest.backtest,
    labels.labels,
)


def main() -> None:
    """Show the page."""
    st.title("Trust")
    workspace = state.workspace()
    try:
        report = compute.report(workspace)
    except MandolineError as error:
        no_estimate(error)
        return
    parts.headline(report, workspace)
    frame.verdict(report)
    frame.contents()
    for section in SECTIONS:
        section()


def no_estimate(error: MandolineError) -> None:
    """Say why there is nothing to trust yet, and lead on."""
    parts.show_error(error)
    with st.container(horizontal=True):
        st.page_link("views/slices/slices.py", label="Change the slices", icon=":material/content_cut:")
        st.page_link("views/data/data.py", label="Change the data", icon=":material/table:")


main()
