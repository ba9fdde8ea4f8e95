"""How far the estimates on batches of new data are, with a way to stop and to go on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import parts
from app.words import wording

_LOOKS_EVERY = 1.0  # seconds
Seen = tuple[object, ...]


def seen(workspace: Workspace) -> Seen:
    """Say what makes a page another: one more estimate, or a run that has begun or ended."""
    run = compute.track_run(workspace)
    return (len(compute.tracked(workspace).waiting), *(() if run is None else (run.running, run.stopping)))


def progress(workspace: Workspace, drawn: Seen) -> None:
    """Show how far it is while it runs, and offer to go on where it was stopped."""
    run = compute.track_run(workspace)
    parts.show_run_error(run)
    at_work = drawn != seen(workspace) or (run is not None and (run.running or run.stopping))
    looks = itertools.count()
    st.fragment(_panel, run_every=_LOOKS_EVERY if at_work else None)(workspace, drawn, looks)


def _panel(workspace: Workspace, drawn: Seen, looks: Iterator[int]) -> None:
    """Draw the panel; once there is something else to see than was drawn, draw the whole page anew.

    At the first look the page is still being drawn, and is let finish.
    """
    if next(looks) and seen(workspace) != drawn:
        st.rerun()
    run = compute.track_run(workspace)
    if run is not None and run.running:
        with st.container(border=True):
            place = f"{run.done + 1} of {len(run.tasks)}"
            said = f"{wording.plain(run.current)}: {place}, {run.seconds:.0f} s so far"
            st.progress(min((run.done + run.share) / len(run.tasks), 1.0), text=said)
            st.button("Stop", key="stop_track", icon=":material/stop_circle:", on_click=run.stop)
        return
    waiting = len(compute.tracked(workspace).waiting)
    if waiting:
        left = "1 batch has" if waiting == 1 else f"{waiting} batches have"
        how = "It stops after the step at hand. " if run is not None and run.stopping else ""
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Go on",
                key="go_on_track",
                icon=":material/play_arrow:",
                on_click=_start,
                args=(workspace,),
            )
            st.caption(f"{how}{left} no estimate yet. What was done is kept.")


def _start(workspace: Workspace) -> None:
    compute.start_track(workspace)
