"""History: every edit and what it did to the number; name a state, compare two, bring one back."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.views.history import comparing
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import MandolineError
from mandoline_core.formatting import show_points
from mandoline_core.report import charts

LINES = 50


def main() -> None:
    """Show the page."""
    st.title("History")
    st.caption(
        "Every edit with the estimate it led to. Name a state to find it again; compare any two; bring one back."
    )
    workspace = compute.current()
    with st.spinner("Looking back ..."):
        moments = compute.moments(workspace)
    picture(moments, workspace)
    if not workspace.view_only:
        name_field(workspace)
    table(moments, workspace)
    comparing.show(workspace, moments)


def picture(moments: tuple[compute.Moment, ...], workspace: Workspace) -> None:
    """Draw how the number moved along the edits that led here; other metrics than today's have no place on its axis."""
    line = compute.way_to(moments, workspace.revision.number)
    known = [
        (one.revision, one.summary) for one in line if one.summary is not None and one.summary.estimate is not None
    ]
    known = [(revision, found) for revision, found in known if found.metric == known[-1][1].metric]
    if len(known) < 2:
        st.info("There is one state so far. Edit the slices, and the way of the number shows here.")
        return
    points = [
        charts.TimelinePoint(revision.label, found.estimate or 0.0, found.interval, revision.snapshot)
        for revision, found in known
    ]
    figure = charts.timeline(points, share=known[-1][1].share, dark=parts.is_dark())
    parts.chart(figure, "timeline", alt="How the estimate moved from edit to edit")


def name_field(workspace: Workspace) -> None:
    """Let a person give the current state a name."""
    number = workspace.revision.number
    with st.form("name_snapshot", clear_on_submit=False, border=False):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        left.text_input(
            "Name of this state",
            key=visit.bind(f"snapshot:{number}", workspace.revision.snapshot),
            placeholder="such as: before the corrections",
        )
        right.form_submit_button(
            "Keep as a snapshot", icon=":material/bookmark:", on_click=take_name, args=(number,), width="stretch"
        )


def take_name(number: int) -> None:
    """Give the current state the name that was typed."""
    name = str(visit.typed(f"snapshot:{number}") or "").strip()
    try:
        state.name_snapshot(number, name)
    except MandolineError as error:
        visit.refuse(error)
    else:
        visit.tell(f"Kept as {name}." if name else "The state has no name any more.")


def table(moments: tuple[compute.Moment, ...], workspace: Workspace) -> None:
    """List the states, the newest first."""
    now, here = time.time(), {one.revision.number for one in compute.way_to(moments, workspace.revision.number)}
    lines = [
        {
            "": "now" if one.revision.number == workspace.revision.number else "",
            "edit": one.revision.label + ("" if one.revision.number in here else " (undone)"),
            "snapshot": one.revision.snapshot,
            "when": wording.ago(now - one.revision.made) if one.revision.made else "earlier",
            "estimate": comparing.estimate_words(one.summary),
            "moved": "" if one.moved is None else show_points(one.moved, share=one.summary.share),  # type: ignore[union-attr]
            "verdict": ""
            if one.summary is None or not one.summary.level
            else trust_words.LIGHTS[one.summary.level].word,
        }
        for one in moments[:LINES]
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True)
    if len(moments) > LINES:
        st.caption(f"The newest {LINES} of {len(moments):,} states.")


main()
