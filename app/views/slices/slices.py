"""Slices: the workbench. The add line, the list, the chosen slice, and the live estimate, in sight together."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.views import live, parts
from app.views.slices import add_line, drags, history, slice_list


def main() -> None:
    """Show the page."""
    st.title("Slices")
    workbench()


# A fragment, so that an edit draws only the work and the number: title, sidebar, scroll and focus stay as they are.
@st.fragment
def workbench() -> None:
    """Show the work and the live panel; edits rerun only this. The keys are what the stylesheet lays out as panes."""
    workspace = compute.current()
    drags.begin()
    with st.container(key="workbench"):
        problem = live.summary(workspace)
        with parts.boundary(said=problem):
            add_line.show(workspace)
        with st.container(key="list_pane"):
            slice_list.show(workspace, problem)
            with st.container(horizontal=True, vertical_alignment="center"):
                slice_list.order_control()
                slice_list.several(workspace)
            history.show(workspace)
        with st.container(key="live_pane"):
            live.panel(workspace)
        drags.listen()


main()
