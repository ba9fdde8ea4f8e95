"""Groups: the estimate on the new rows of each value of a column."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views.result import evidence
from app.words import percent, tables
from mandoline_core.formatting import counted
from mandoline_core.metrics import get_metric

_CHOSEN = "group_by"


def show(workspace: Workspace) -> None:
    """Let the user choose a column of few values, and show a line for each."""
    columns = compute.group_columns(workspace)
    if not columns:
        st.info("No column of the new data has few enough values to make groups of.")
        return
    kept = visit.remember(_CHOSEN)
    key = visit.bind(_CHOSEN, kept if kept in columns else None)
    st.selectbox(
        "Groups by", columns, index=None, placeholder="Choose a column", key=key, on_change=visit.keep,
        args=(_CHOSEN, key), help="Each group of new rows gets an estimate of its own.",
    )  # fmt: skip
    column = visit.typed(key)
    if column is None:
        return
    with st.spinner("Estimating each group ..."):
        found = compute.groups(workspace, column)
    table = tables.group_table(found, workspace.model)
    share = get_metric(workspace.project.metric).share
    shares = ("estimate", "low", "high")
    number = st.column_config.NumberColumn(format="%.1f%%" if share else "%.4g")
    st.dataframe(
        percent(table, shares, share=share),
        hide_index=True,
        column_config={**dict.fromkeys(shares, number), "new rows": st.column_config.NumberColumn(format="localized")},
    )
    if found.left_out:
        st.caption(f"{counted(found.left_out, 'group')} with too few new rows left out.")
    evidence.download(table, f"estimate by {column}")
