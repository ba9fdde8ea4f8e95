"""Suggestions: slices worth trying, each tried; look at one, accept it, or never see it again."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.words import offers as words
from app.words import wording
from mandoline_core import Suggestion, Suggestions
from mandoline_core.discovery import GIVE_A_REASON
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

KEY = "suggestions"
_PREVIEW = "previewed"


def show(workspace: Workspace) -> None:
    """Offer suggestions; nothing is looked for before somebody wants them."""
    place = st.expander("Suggested slices", icon=":material/lightbulb:", key=KEY, on_change="rerun")
    if place.open:
        with place, parts.boundary():
            _opened(workspace)


def _opened(workspace: Workspace) -> None:
    """Show what was found, or how far the search is."""
    found = compute.suggestions(workspace)
    if found is not None:
        _list(workspace, found)
        return
    job = compute.suggestion_job(workspace)
    parts.show_job_error(job)
    if job is None:
        job = compute.start_suggestions(workspace)
    if job.running:
        parts.job_panel(lambda: compute.suggestion_job(compute.current()), "suggest")
    else:
        parts.offer_job(job, "Retry", "suggest", partial(compute.start_suggestions, workspace))


def _list(workspace: Workspace, found: Suggestions) -> None:
    st.caption(
        "Accept only what you can explain. Slices chosen by their score make the interval a little too narrow.",
        help=TOOLTIPS["suggestions"],
    )
    parts.draw_caption(workspace)
    if found.note:
        st.caption(wording.tell(found.note))
    if not found.suggestions:
        st.success("No remaining shift affects the score significantly.", icon=":material/check:")
    for number, one in enumerate(found.suggestions):
        _suggestion(workspace, one, number, share=found.share)
    if gone := compute.refused(workspace):
        label = f"Suggest again: {wording.plain(', '.join(gone))}"
        st.button(label, type="tertiary", key="allow_again", on_click=state.look, kwargs={"never": []})


def _suggestion(workspace: Workspace, one: Suggestion, number: int, *, share: bool) -> None:
    """Show one: its rule, what it covers and does, why it is here, and what can be done with it."""
    trial = one.trials.get(workspace.model, one.first)
    with st.container(border=True, gap="xsmall", key=f"suggestion_{number}"):
        badge = "" if one.stands_out else " :gray-badge[not significant]"
        st.markdown(f"**{wording.plain(one.words)}**{badge}")
        st.markdown(
            f"{wording.plain(words.effect(trial, share=share))}. {wording.plain(words.coverage(one, workspace.model))}."
        )
        st.caption(f"{wording.tell(one.reason_for(workspace.model))} {wording.plain(words.left_open(one.unexplained))}")
        if trial.needs_reason:
            st.caption(f":material/help: {GIVE_A_REASON}")
        opened = visit.remember(_PREVIEW) == one.name
        with st.container(horizontal=True):
            st.button(
                "Close" if opened else "Preview",
                key=f"preview:{number}",
                icon=":material/visibility_off:" if opened else ":material/visibility:",
                on_click=visit.remember,
                args=(_PREVIEW, "" if opened else one.name),
            )
            st.button("Accept", key=f"accept:{number}", icon=":material/check:", on_click=_accept, args=(one,))
            st.button("Dismiss", key=f"never:{number}", icon=":material/block:", on_click=_never, args=(one.name,))
        if opened:
            _preview(compute.previewed(workspace, one))


def _preview(then: Workspace) -> None:
    """Show the estimate and the curve as if it were accepted."""
    with parts.boundary():
        report = compute.report(then)
        strip = charts.small_strip(report, reveal=then.revealed, alt="The estimate as if accepted")
        curve = charts.small_curve(
            compute.curves(then, leave_one_out=False),
            truth=report.truth if then.revealed else None,
            share=is_share(report),
            alt="The curve as if accepted",
        )
        st.html(charts.side_by_side([strip, curve]))


def _accept(one: Suggestion) -> None:
    """Add it to the project; undo takes it away again."""
    label = f"accept {one.name}"
    compute.attempt(label, compute.accepting(one), f"Accepted: {one.words}.")


def _never(name: str) -> None:
    """Do not suggest this again in this project."""
    state.look(never=list(dict.fromkeys([*compute.refused(state.workspace()), name])))
