"""Columns declared harmless: a button beside what a column is found guilty of, and the list of what was declared."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.words import wording
from mandoline_core import Finding

CHECKS = ("columns", "apart")  # the checks that look at columns


def columns_of(findings: Iterable[Finding], check: str | None = None) -> list[str]:
    """List the columns that findings speak of, of one check or of all, that a person may declare harmless."""
    some = [one for one in findings if one.check in CHECKS and check in (None, one.check) and one.severity != "info"]
    return list(dict.fromkeys(column for one in some for column in one.numbers["columns"]))


def buttons(columns: Iterable[str], place: str) -> None:
    """Offer to declare each of some columns harmless.

    Parameters
    ----------
    place : str
        Where on the page: a column may be offered in several places.
    """
    with st.container(horizontal=True):
        for column in columns:
            _button(column, f"harmless:{place}:{column}")


def _button(column: str, key: str) -> None:
    label = f"{wording.plain(column)}: this does not matter, because ..."
    with st.popover(label, icon=":material/verified:", key=f"{key}:open"):
        st.caption(
            "No check looks at the column any more, and your reason is printed with the verdict and in the report, as "
            "something that is assumed. Undo takes it back."
        )
        with st.form(f"{key}:form", border=False):
            reason = visit.bind(f"{key}:reason", "")
            st.text_input(f"Why a change of {wording.plain(column)} does not matter", key=reason)
            st.form_submit_button("Declare harmless", key=f"{key}:declare", on_click=_declare, args=(column, reason))
        parts.show_refusal(reason)


def _declare(column: str, key: str) -> None:
    """Declare a column harmless for the reason that was typed, or keep beside the button why that cannot be."""
    edit = partial(edits.declare_harmless, column=column, reason=str(visit.typed(key) or ""))
    parts.change_beside(key, f"declare {column} harmless", edit, key)


def declared(workspace: Workspace) -> None:
    """List what was declared harmless and why, each with a button to take it back."""
    for column, reason in workspace.project.trust.harmless.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            why = f"because {wording.plain(reason)}" if reason else "and nobody said why"
            st.markdown(f"Declared harmless: **{wording.plain(column)}** does not matter, {why}")
            st.button(
                f"Take back: {wording.plain(column)}",
                key=f"take_back:{column}",
                icon=":material/undo:",
                type="tertiary",
                on_click=_take_back,
                args=(column,),
            )


def _take_back(column: str) -> None:
    compute.attempt(f"let {column} matter again", partial(edits.take_back, column=column))
