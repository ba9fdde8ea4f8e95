"""Suggestions: rows of slices that are not in the list yet, each tried; look at one, add it, or never see it again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.words import offers as words
from app.words import slice_rows, wording
from mandoline_core import Suggestion, Suggestions
from mandoline_core.discovery import GIVE_A_REASON
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

KEY = "suggestions"
_PREVIEW, _KEPT = "previewed", "suggested"  # what is looked at, and what was shown, for this visit


def show(workspace: Workspace) -> None:
    """Offer suggestions; nothing is looked for before somebody wants them."""
    place = st.expander("Suggested slices", icon=":material/lightbulb:", key=KEY, on_change="rerun", type="compact")
    if not place.open:
        visit.remember(_KEPT, None)
        return
    with place, parts.boundary():
        _opened(workspace)


def _opened(workspace: Workspace) -> None:
    """Show what was found, or how far the search is; what was found before an edit stays until the next is there."""
    found = compute.suggestions(workspace)
    rows = _rows(workspace, found)
    # Two places, whatever is in them: the panel draws itself again, where it was, while rows come and go.
    above, below = st.container(), st.container()
    with above:
        if rows is not None:
            _list(workspace, rows, found)
    if found is None:
        with below:
            _search(workspace)


def _search(workspace: Workspace) -> None:
    """Look for suggestions, and show how far that is."""
    job = compute.suggestion_job(workspace)
    parts.show_job_error(job)
    if job is None:
        job = compute.start_suggestions(workspace)
    if job.running:
        parts.job_panel(lambda: compute.suggestion_job(compute.current()), "suggest")
    else:
        parts.offer_job(job, "Retry", "suggest", partial(compute.start_suggestions, workspace))


def _rows(workspace: Workspace, found: Suggestions | None) -> list[Suggestion] | None:
    """Choose what to show, in an order that holds still: what was there stays in its place, also once it is added."""
    project, kept = visit.remember(_KEPT) or ("", ())
    kept = kept if project == workspace.id else ()
    if found is None and not kept:
        return None
    if found is not None:
        fresh = {one.name: one for one in found.suggestions}
        stay = [fresh.pop(one.name, one) for one in kept if one.name in fresh or compute.is_accepted(workspace, one)]
        kept = (*stay, *fresh.values())
    visit.remember(_KEPT, (workspace.id, kept))
    gone = compute.refused(workspace)
    return [one for one in kept if one.name not in gone]


def _list(workspace: Workspace, rows: Sequence[Suggestion], found: Suggestions | None) -> None:
    st.caption(
        "Add only what you can explain. Slices chosen by their score make the interval a little too narrow.",
        help=TOOLTIPS["suggestions"],
    )
    parts.draw_caption(workspace)
    if found is not None and found.note:
        st.caption(wording.tell(found.note))
    if not rows:
        st.success("No remaining shift affects the score significantly.", icon=":material/check:")
    share = get_metric(workspace.project.metric).share
    for number, one in enumerate(rows):
        _suggestion(workspace, one, number, share=share, stale=found is None)
    if gone := compute.refused(workspace):
        label = f"Suggest again: {wording.plain(', '.join(gone))}"
        st.button(label, type="tertiary", key="allow_again", on_click=state.look, kwargs={"never": []})


def _suggestion(workspace: Workspace, one: Suggestion, number: int, *, share: bool, stale: bool) -> None:
    """Show one in a row of the list: its rule, what it covers and does, and what can be done with it."""
    trial, opened = one.trials.get(workspace.model, one.first), visit.remember(_PREVIEW) == one.name
    added = compute.is_accepted(workspace, one)
    reason, rows = one.reason_for(workspace.model), words.coverage(one, workspace.model)
    told = f"{words.effect(trial, share=share)}. {rows}. {reason} {words.left_open(one.unexplained)}"
    told += " Tried before your last edit." if stale else ""
    note = "Needs a reason" if trial.needs_reason else "" if one.stands_out else "Not significant"
    told += f" {GIVE_A_REASON}" if trial.needs_reason else ""
    with st.container(key=f"suggestion_{number}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False):
            st.button(
                "Added" if added else "Add", key=f"accept:{number}", on_click=_accept, args=(one,), disabled=added
            )  # fmt: skip
            shares = one.shares.get(workspace.model, (one.source, one.target))
            st.html(slice_rows.ghost(one.words, note, shares, trial.effect, title=told, share=share))
            look = ("Close", "visibility_off", "") if opened else ("Preview", "visibility", one.name)
            st.button(
                look[0], key=f"preview:{number}", icon=f":material/{look[1]}:", on_click=visit.remember,
                args=(_PREVIEW, look[2]),
            )  # fmt: skip
            st.button("Dismiss", key=f"never:{number}", icon=":material/block:", on_click=_never, args=(one.name,))
        if opened:
            st.caption(wording.plain(told))
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
    """Add it to the project, once; undo takes it away again."""
    if not compute.is_accepted(state.workspace(), one):
        compute.attempt(f"add {one.name}", compute.accepting(one))


def _never(name: str) -> None:
    """Do not suggest this again in this project."""
    state.look(never=list(dict.fromkeys([*compute.refused(state.workspace()), name])))
