"""The chosen slice: its rule, its rows, its reliability, its links to other slices, and the map, one at a time."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.views.result import unmodelled
from app.views.slices import forms, links, reliability, row_map, rows
from mandoline_core import MandolineError, Project, Slice

VIEWS = ("Rule", "Rows", "Reliability", "Links", "Map")
MAP = VIEWS[-1]  # of all rows: it needs no slice
_VIEW = "chosen_view"

# What can be done with a slice: the words on the button, its icon, the edit, and what it is called.
_ACTIONS: tuple[tuple[str, str, Callable[[Project, str], Project], str], ...] = (
    ("Up", "arrow_upward", lambda project, name: edits.move_slice(project, name, -1), "move up"),
    ("Down", "arrow_downward", lambda project, name: edits.move_slice(project, name, 1), "move down"),
    ("Duplicate", "content_copy", edits.duplicate_slice, "duplicate"),
    ("Delete", "delete", edits.remove_slice, "delete"),
)


def show(workspace: Workspace, rule: Slice, said: MandolineError | None) -> None:
    """Show what can be done with a slice, and the view of it that was asked for."""
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        view = st.segmented_control(
            "View", VIEWS, key=visit.bind(_VIEW, visit.remember(_VIEW) or VIEWS[0]), required=True,
            label_visibility="collapsed", on_change=visit.keep, args=(_VIEW, _VIEW),
        )  # fmt: skip
        for word, icon, edit, label in _ACTIONS:
            args = (edit, label, rule.name)
            st.button(word, icon=f":material/{icon}:", key=f"do:{word}", on_click=_act, args=args)
    if view == "Rule":
        forms.edit_form(workspace, rule)
        return
    with parts.boundary(said):
        if view == "Rows":
            rows.show(workspace, rule)
        elif view == "Reliability":
            reliability.show(workspace, rule)
        elif view == "Links":
            links.show(workspace)
        else:
            columns = st.expander("Columns that still differ", key="columns_open", on_change="rerun")
            if columns.open:
                with columns:
                    unmodelled.remaining(workspace)
            row_map.show(workspace)


def show_none(workspace: Workspace) -> None:
    """Offer the map where there is no slice to choose."""
    key = visit.bind(_VIEW, MAP if visit.remember(_VIEW) == MAP else None)
    view = st.segmented_control(
        "View", [MAP], key=key, label_visibility="collapsed", on_change=visit.keep, args=(_VIEW, _VIEW)
    )
    if view == MAP:
        with parts.boundary():
            row_map.show(workspace)


def _act(edit: Callable[[Project, str], Project], label: str, name: str) -> None:
    """Move, copy or delete a slice; undo brings it back."""
    deletes = edit is edits.remove_slice
    done = f"Deleted {name}. Undo restores it." if deletes else ""
    # One that someone else has renamed or deleted meanwhile is refused with a sentence.
    compute.attempt(f"{label} {name}", lambda project: edit(project, edits.find_slice(project, name).name), done)
    if deletes and name not in [rule.name for rule in state.workspace().project.slices]:
        visit.remember("editing", "")
