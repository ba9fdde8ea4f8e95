"""Irrelevant columns: a button next to each finding about a column, and the list of those that are marked."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.words import wording
from mandoline_core import Finding
from mandoline_core.checks import LABELS

_LABELLING = (parts.TAB, "Label a few")
CHECKS = ("columns", "apart")  # the checks that look at columns


def columns_of(findings: Iterable[Finding], check: str | None = None) -> list[str]:
    """List the columns of findings, of one check or of all, that may be marked as irrelevant."""
    some = [one for one in findings if one.check in CHECKS and check in (None, one.check) and one.severity != "info"]
    return list(dict.fromkeys(column for one in some for column in one.numbers["columns"]))


def buttons(columns: Iterable[str], place: str, *, label: bool = False) -> None:
    """Offer to declare each of some columns harmless.

    Parameters
    ----------
    place : str
        Where on the page: a column may be offered in several places.
    label : bool
        Whether to offer to label new rows, too.
    """
    with st.container(horizontal=True):
        for column in columns:
            _button(column, f"harmless:{place}:{column}")
        if label:
            label_button(place)


def unseen(findings: Iterable[Finding]) -> bool:
    """Tell whether no labelled row has the values of the new rows in some column: no slice can help, labels can."""
    return any(one.code == "names_sample" or one.numbers.get("unseen") for one in findings)


def label_button(place: str) -> None:
    """Lead on to where one labels a few new rows."""
    words = f"Label {LABELS} new rows"
    st.button(words, key=f"label_some:{place}", icon=":material/label:", on_click=visit.remember, args=_LABELLING)


def _button(column: str, key: str) -> None:
    label = f"Mark {wording.plain(column)} as irrelevant"
    with st.popover(label, icon=":material/verified:", key=f"{key}:open"):
        st.caption("Checks skip the column. Your reason appears with the verdict and in the report.")
        with st.form(f"{key}:form", border=False):
            reason = visit.bind(f"{key}:reason", "")
            st.text_input(f"Why is {wording.plain(column)} irrelevant?", key=reason)
            st.form_submit_button("Mark as irrelevant", key=f"{key}:declare", on_click=_declare, args=(column, reason))
        parts.show_refusal(reason)


def _declare(column: str, key: str) -> None:
    """Mark a column as irrelevant for the reason that was typed, or keep next to the button why that is impossible."""
    edit = partial(edits.declare_harmless, column=column, reason=str(visit.typed(key) or ""))
    parts.change_beside(key, f"mark {column} as irrelevant", edit, key)


def declared(workspace: Workspace) -> None:
    """List what was declared harmless and why, each with a button to take it back."""
    for column, reason in workspace.project.trust.harmless.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{wording.plain(column)}** is marked as irrelevant: {wording.plain(reason) or 'no reason'}")
            st.button(
                f"Check {wording.plain(column)} again",
                key=f"take_back:{column}",
                icon=":material/undo:",
                type="tertiary",
                on_click=_take_back,
                args=(column,),
            )


def _take_back(column: str) -> None:
    compute.attempt(f"check {column} again", partial(edits.take_back, column=column))
