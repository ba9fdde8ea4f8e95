"""History: every edit and what it did to the estimate; name a version, compare two, restore one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import groupby

import pandas as pd
import streamlit as st

from app import components, compute
from app.project import Workspace, differences, state, visit
from app.views import parts
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import Project
from mandoline_core.formatting import show_interval, show_points
from mandoline_core.report import charts

LINES, MARKS = 50, 24
OPEN = "history"  # whether it is open, for this visit, and at what
_COMPARISON = "comparison"


def show(workspace: Workspace) -> None:
    """Offer the history, with a mark for each of the last edits: it says what it did, and opens the comparison."""
    compute.note_summary(workspace)
    newest = compute.newest(workspace, MARKS)
    here = {one.revision.number for one in compute.way_to(newest, workspace.revision.number)}
    marks = [{"number": one.revision.number, "says": _says(one), "kind": _kind(one, workspace, here)} for one in newest]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("History", key="history", icon=":material/history:", on_click=visit.remember, args=(OPEN, "open"))
        if len(marks) > 1:
            components.strip(marks, _compare_with, key="history_strip")
            if not workspace.view_only:
                kept, number = bool(workspace.revision.snapshot), workspace.revision.number
                args = number, "" if kept else workspace.revision.label
                words = "Kept" if kept else "Keep"
                st.button(words, key="keep", icon=":material/star:", type="tertiary", on_click=_name, args=args)
    if visit.remember(OPEN):
        st.dialog("History", width="large", on_dismiss=_leave)(_opened)()


def _says(one: compute.Moment) -> str:
    revision, found = one.revision, one.summary
    moved = "" if one.moved is None or found is None else f" ({show_points(one.moved, share=found.share)})"
    name = f"{revision.snapshot}: " if revision.snapshot not in ("", revision.label) else ""
    return f"{name}{revision.label}: {estimate_words(found)}{moved}" if found else f"{name}{revision.label}"


def _kind(one: compute.Moment, workspace: Workspace, here: set[int]) -> str:
    if one.revision.number == workspace.revision.number:
        return "now"
    if one.revision.snapshot:
        return "kept"
    return "" if one.revision.number in here else "undone"


def _compare_with(number: int) -> None:
    """Open the history at the comparison of a version with this one."""
    visit.remember(OPEN, _COMPARISON)
    visit.choose("state_left", number)


def _leave() -> None:
    visit.remember(OPEN, "")


def _opened() -> None:
    """Show how the number moved, and every version; first the comparison, where a mark asked for it."""
    with parts.boundary():
        workspace = compute.current()
        with st.spinner("Loading history ..."):
            moments = compute.moments(workspace)
        compares = visit.remember(OPEN) == _COMPARISON
        if compares:
            compare_states(workspace, moments)
        picture(moments, workspace)
        if not workspace.view_only:
            name_field(workspace)
        table(moments, workspace)
        if not compares:
            compare_states(workspace, moments)


def picture(moments: tuple[compute.Moment, ...], workspace: Workspace) -> None:
    """Draw how the number moved along the edits that led here; other metrics than today's have no place on its axis."""
    line = compute.way_to(moments, workspace.revision.number)
    known = [
        (one.revision, one.summary) for one in line if one.summary is not None and one.summary.estimate is not None
    ]
    known = [(revision, found) for revision, found in known if found.metric == known[-1][1].metric]
    if len(known) < 2:
        st.info("No edits yet.")
        return
    points = [(revision.label, found.estimate or 0.0, found.interval, revision.snapshot) for revision, found in known]
    figure = charts.timeline(points, share=known[-1][1].share, dark=parts.is_dark())
    parts.chart(figure, "timeline", alt="How the estimate moved from edit to edit")


def name_field(workspace: Workspace) -> None:
    """Let the user give the current version a name."""
    number = workspace.revision.number
    with st.form("name_snapshot", clear_on_submit=False, border=False):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        left.text_input(
            "Name of this version",
            key=visit.bind(f"snapshot:{number}", workspace.revision.snapshot),
            placeholder="Before corrections",
        )
        right.form_submit_button(
            "Save snapshot", icon=":material/bookmark:", on_click=take_name, args=(number,), width="stretch"
        )


def take_name(number: int) -> None:
    """Give the current version the name that was typed."""
    _name(number, str(visit.typed(f"snapshot:{number}") or "").strip())


def _name(number: int, name: str) -> None:
    with visit.refusing():
        state.name_snapshot(number, name)
        visit.tell(f"Saved snapshot {name}." if name else "Removed the name.")


def table(moments: tuple[compute.Moment, ...], workspace: Workspace) -> None:
    """List the versions, the newest first."""
    now, here = time.time(), {one.revision.number for one in compute.way_to(moments, workspace.revision.number)}
    lines = [
        {
            "": "now" if one.revision.number == workspace.revision.number else "",
            "edit": one.revision.label + ("" if one.revision.number in here else " (undone)"),
            "snapshot": one.revision.snapshot,
            "when": wording.ago(now - one.revision.made) if one.revision.made else "earlier",
            "estimate": estimate_words(one.summary),
            "change": "" if one.moved is None else show_points(one.moved, share=one.summary.share),  # type: ignore[union-attr]
            "verdict": ""
            if one.summary is None or not one.summary.level
            else trust_words.LIGHTS[one.summary.level].word,
        }
        for one in moments[:LINES]
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True)
    newest = f" Newest {LINES} of {len(moments):,} versions." if len(moments) > LINES else ""
    st.caption(f"{wording.SAMPLING_ONLY}{newest}")


def compare_states(workspace: Workspace, moments: Sequence[compute.Moment]) -> None:
    """Let the user choose two versions, and compare them."""
    if len(moments) < 2:
        return
    st.subheader("Compare two versions")
    known = {moment.revision.number: moment for moment in moments}
    now = workspace.revision.number
    named = [number for number, moment in known.items() if moment.revision.snapshot and number != now]
    first = named[0] if named else min(known)
    sides = zip(st.columns(2), ("First version", "Second version"), ("left", "right"), (first, now), strict=True)
    chosen = [side(workspace, known, *one, now=now) for one in sides]
    with parts.boundary():
        told(*(state.workspace_at(moment.revision).project for moment in chosen))


def side(
    workspace: Workspace,
    known: dict[int, compute.Moment],
    column: st.delta_generator.DeltaGenerator,
    title: str,
    key: str,
    start: int,
    *,
    now: int,
) -> compute.Moment:
    """Show one of two versions: its estimate, its verdict and its curve."""
    with column:
        wanted = visit.typed(f"state_{key}")
        number = st.selectbox(
            title,
            list(known),
            key=visit.bind(f"state_{key}", wanted if wanted in known else start),
            format_func=lambda one: name_of(known[one], now),
        )
        moment = known[number]
        st.metric("Estimate", estimate_words(moment.summary))
        if moment.summary is not None and moment.summary.level:
            parts.level_badge(moment.summary.level)
        with parts.boundary():
            curve(workspace, moment, key)
        if number != now and not workspace.view_only:
            st.button(
                "Restore this version",
                key=f"restore_{key}",
                icon=":material/history:",
                on_click=restore,
                args=(number,),
            )
    return moment


def curve(workspace: Workspace, moment: compute.Moment, key: str) -> None:
    """Draw how slices moved the estimate in a version."""
    then = state.workspace_at(moment.revision)
    if workspace.model not in ("", *(model.name for model in then.project.models)):
        st.caption(f"This version has no model {wording.plain(workspace.model)}.")
        return
    then = compute.shown_model(then, workspace.model)
    st.html(
        charts.small_curve(
            compute.curves(then, leave_one_out=False),
            truth=None,
            share=moment.summary is None or moment.summary.share,
            alt=f"The estimate as slices are added, {key}",
        )
    )


def told(before: Project, after: Project) -> None:
    """List the differences in words."""
    found = differences.compare(before, after)
    if not found:
        st.info("No differences.")
    for part, group in groupby(found, key=lambda one: one.part):
        st.markdown(f"**{part}**")
        st.markdown("\n".join(f"- {_line(one)}" for one in group))


def _line(one: differences.Change) -> str:
    name, before, after = (wording.plain(text) for text in (one.name, one.before, one.after))
    said = f"{before} → {after}" if one.how == "changed" else before or after
    return f"*{name}* {one.how}: {said}"


def name_of(moment: compute.Moment, now: int) -> str:
    """Call a version by its name, or by the edit that led to it."""
    revision = moment.revision
    said = f"{revision.snapshot} ({revision.label})" if revision.snapshot else f"{revision.number}: {revision.label}"
    return f"{said}, now" if revision.number == now else said


def estimate_words(summary: compute.Summary | None) -> str:
    """Write an estimate with its interval."""
    if summary is None or summary.estimate is None:
        return "no estimate"
    return show_interval(summary.estimate, summary.interval, share=summary.share)


def restore(number: int) -> None:
    """Restore a version."""
    with visit.refusing():
        state.restore(number)
        _leave()
        visit.tell("Version restored.")
