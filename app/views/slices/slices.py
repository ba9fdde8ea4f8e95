"""Slices: the workbench, with the live panel beside it."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.views import live, parts
from app.views.slices import add_line, row_map, slice_list


def main() -> None:
    """Show the page."""
    st.title("Slices")
    st.caption("Say how the new data differ. Each slice is a rule; the estimate above it follows every edit.")
    workbench()


# A fragment, so that an edit draws only the work and the number: title, sidebar, scroll and focus stay as they are.
@st.fragment
def workbench() -> None:
    """Show the work and the live panel; edits rerun only this."""
    workspace = compute.current()
    problem = live.summary(workspace)
    with parts.boundary(said=problem):
        add_line.show(workspace)
        row_map.show(workspace)
    work, beside = st.columns([3, 2])
    with work:
        slice_list.show(workspace, problem)
    with beside:
        live.panel(workspace)


main()
