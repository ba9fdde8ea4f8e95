"""Two states of a project side by side: what each estimates, and what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from app import compute
from app.project import Workspace, differences, state, visit
from app.views import parts
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import MandolineError, Project
from mandoline_core.formatting import show_interval
from mandoline_core.report import charts


def show(workspace: Workspace, moments: Sequence[compute.Moment]) -> None:
    """Let a person choose two states, and compare them."""
    if len(moments) < 2:
        return
    st.subheader("Compare two states")
    known = {moment.revision.number: moment for moment in moments}
    now = workspace.revision.number
    named = [number for number, moment in known.items() if moment.revision.snapshot and number != now]
    first = named[0] if named else min(known)
    sides = zip(st.columns(2), ("First state", "Second state"), ("left", "right"), (first, now), strict=True)
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
    """Show one of two states: its estimate, its verdict and its curve."""
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
            light = trust_words.LIGHTS[moment.summary.level]
            st.badge(light.word.capitalize(), icon=light.icon, color=light.colour)
        with parts.boundary():
            curve(workspace, moment, key)
        if number != now and not workspace.view_only:
            st.button(
                "Restore this state", key=f"restore_{key}", icon=":material/history:", on_click=restore, args=(number,)
            )
    return moment


def curve(workspace: Workspace, moment: compute.Moment, key: str) -> None:
    """Draw how slices moved the number in a state."""
    then = state.workspace_at(moment.revision)
    if workspace.model not in ("", *(model.name for model in then.project.models)):
        st.caption(f"The model {wording.plain(workspace.model)} was not there.")
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
    """List in words what tells the two apart."""
    found = differences.compare(before, after)
    if not found:
        st.info("The two states say the same.")
    for part, group in groupby(found, key=lambda one: one.part):
        st.markdown(f"**{part}**")
        st.markdown("\n".join(f"- {_line(one)}" for one in group))


def _line(one: differences.Difference) -> str:
    name, before, after = (wording.plain(text) for text in (one.name, one.before, one.after))
    said = f"{before} → {after}" if one.how == "changed" else before or after
    return f"*{name}* {one.how}: {said}"


def name_of(moment: compute.Moment, now: int) -> str:
    """Call a state by its name, or by the edit that led to it."""
    revision = moment.revision
    said = f"{revision.snapshot} ({revision.label})" if revision.snapshot else f"{revision.number}: {revision.label}"
    return f"{said}, now" if revision.number == now else said


def estimate_words(summary: compute.Summary | None) -> str:
    """Write an estimate with its interval."""
    if summary is None or summary.estimate is None:
        return "no estimate"
    return show_interval(summary.estimate, summary.interval, share=summary.share)


def restore(number: int) -> None:
    """Bring a state back."""
    try:
        state.restore(number)
    except MandolineError as error:
        visit.refuse(error)
    else:
        visit.tell("Restored. Undo brings back what was here.")
