"""The next step: one card that says what is worth doing now, and offers only what was tried and works."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, remedies, state
from app.views import offers, parts
from app.views.data import column_types
from app.words import wording
from mandoline_core import Finding, ModelReport
from mandoline_core.checks import NOT_RUN

_MOST_TRIED = 2  # remedies of one finding: each is an estimate


def show(workspace: Workspace, report: ModelReport, edit: compute.LastEdit | None) -> None:
    """Show the card: undo what made the verdict red, fix what a check found, or label a few rows."""
    with st.container(border=True, key="next_step_card", gap="xsmall"):
        st.markdown("**Next step**")
        worst = next((one for one in report.findings if one.severity != "info"), None)
        if edit is not None and edit.before is not None and report.is_red and not edit.before.is_red:
            _undo(edit.label)
        elif column_types.point_out(workspace):
            return
        elif worst is not None:
            _fix(workspace, report, worst)
        else:
            st.caption(f"{_nothing_found(report)} Labels of a few new rows would test the estimate.")
            st.page_link(parts.DATA, label="Label a few new rows", icon=":material/label:")


def _nothing_found(report: ModelReport) -> str:
    """Say that no check found a problem, and which could not run."""
    checks = () if report.verdict is None else report.verdict.checks
    waiting = [check.question for check in checks if check.state == NOT_RUN]
    return f"No check found a problem. Not run: {wording.plain(waiting[0])}" if waiting else "No check found a problem."


def _undo(label: str) -> None:
    """Offer the way back, which always works."""
    st.caption("A check fails since your last edit.")
    words = wording.plain(f"Undo: {label}")
    st.button(words, icon=":material/undo:", key="next_undo", on_click=state.step, args=(-1,))


def _fix(workspace: Workspace, report: ModelReport, worst: Finding) -> None:
    """Say what was found, with the first remedy that ends in an estimate; without one, what a person can do."""
    could = remedies.remedies(worst, report, workspace.project)
    tried = offers.worth_offering(workspace, could, _MOST_TRIED)
    if tried:
        offers.button(*tried[0], "next_remedy")
        st.caption(wording.tell(worst.message))
    else:
        st.caption(f"{wording.tell(worst.message)} {wording.tell(worst.remedy)}")
