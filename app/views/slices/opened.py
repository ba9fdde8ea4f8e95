"""The open slice: what can be done with it, its form, and the rows that it matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.views.slices import forms
from app.words import highlighted, slice_rows
from mandoline_core import MandolineError, Project, Slice
from mandoline_core.slices import TEXT

_SIDES = {"source": "labelled", "target": "new"}


class _Action(NamedTuple):
    """Hold what can be done with a slice: the words on the button, its icon, the edit, and what it is called."""

    word: str
    icon: str
    edit: Callable[[Project, str], Project]
    label: str


_ACTIONS = (
    _Action("Up", "arrow_upward", lambda project, name: edits.move_slice(project, name, -1), "move up"),
    _Action("Down", "arrow_downward", lambda project, name: edits.move_slice(project, name, 1), "move down"),
    _Action("Duplicate", "content_copy", edits.duplicate_slice, "duplicate"),
    _Action("Delete", "delete", edits.remove_slice, "delete"),
)


def show(workspace: Workspace, rule: Slice, said: MandolineError | None) -> None:
    """Show the open slice."""
    with st.container(horizontal=True):
        for action in _ACTIONS:
            icon = f":material/{action.icon}:"
            st.button(action.word, icon=icon, key=f"do:{action.word}", on_click=_act, args=(action, rule.name))
    forms.edit_form(workspace, rule)
    with parts.boundary(said):
        _matching_rows(workspace, rule)


def _act(action: _Action, name: str) -> None:
    """Move, copy or delete a slice; undo brings it back."""
    deletes = action.edit is edits.remove_slice
    done = f"Deleted {name}. Undo brings it back." if deletes else ""
    # One that someone else has renamed or deleted meanwhile is refused with a sentence.
    compute.attempt(
        f"{action.label} {name}", lambda project: action.edit(project, edits.find_slice(project, name).name), done
    )
    if deletes and name not in [rule.name for rule in state.workspace().project.slices]:
        visit.remember("editing", "")


def _matching_rows(workspace: Workspace, rule: Slice) -> None:
    """Show a few rows of both samples that the rule matches, with what matched marked; of a family its members."""
    if rule.is_family:
        rows = compute.table(workspace)
        st.html(slice_rows.members([rows[name] for name in compute.members(workspace)[rule.name]]))
        return
    found = compute.matches(workspace, rule)
    counts = " and ".join(f"{found[side][0]:,} {word} rows" for side, word in _SIDES.items())
    st.markdown(f"**{counts} are inside.**")
    parts.draw_caption(workspace, "Of")
    texts = [column for column, need in rule.needs.items() if need == TEXT]
    for side, word in _SIDES.items():
        rows = found[side][2]
        if len(texts) == 1:
            for text in highlighted([str(text) for text in rows[texts[0]]], rule):
                st.markdown(f":gray[{word}] {text}")
        elif len(rows):
            st.caption(f"First rows of the {word} data that are inside")
            st.dataframe(rows, hide_index=True, height=150)
