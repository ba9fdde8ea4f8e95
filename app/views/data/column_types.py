"""Column types: text that reads as numbers or dates, with a preview; and what was declared, to take back."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.words import columns as words
from app.words import wording
from mandoline_core import Project
from mandoline_core.data import PLURALS, TYPES, ColumnType, Reading

_COLUMN, _KIND, _PLACE = "type_column", "type_kind", "types"


def show(workspace: Workspace) -> None:
    """Offer what was guessed, list what is declared, and let the user declare more; nothing without text."""
    text = compute.untyped_columns(workspace)
    columns = sorted({column for side in text.values() for column in side})
    if not columns:
        return
    guesses, declared = compute.type_guesses(workspace), _declared(workspace)
    if guesses or declared:
        st.markdown("**Column types**")
    with st.container(gap="small"):
        for column, readings in guesses.items():
            kind = readings[0].type
            _line(words.guess(column, readings), f"Treat {column} as {PLURALS[kind]}", column, kind)
        for column, readings in declared.items():
            _line(words.declared(column, readings), f"Treat {column} as text", column, None)
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(guesses) > 1:
            kinds = {column: readings[0].type for column, readings in guesses.items()}
            st.button("Accept all", key="type_all", icon=":material/done_all:", on_click=_set, args=(kinds,))
        with st.popover("Set a column type"):
            st.selectbox("Column", [one for one in columns if one not in declared], key=_COLUMN, index=None)
            st.segmented_control("Read as", TYPES, key=_KIND, default=TYPES[0], format_func=PLURALS.__getitem__)
            st.button("Set type", key="type_set", on_click=_set_chosen)
    parts.show_refusal(_PLACE, once=True)


def point_out(workspace: Workspace) -> bool:
    """Lead on to columns whose type is yet to be accepted; tell whether there are any."""
    guesses = compute.type_guesses(workspace)
    if guesses and not workspace.view_only:
        st.caption(words.waiting(list(guesses)))
        st.page_link(parts.DATA, label="Accept column types", icon=":material/done_all:")
    return bool(guesses)


def _declared(workspace: Workspace) -> dict[str, tuple[Reading, ...]]:
    """List the columns that are read as something else, with what became of their texts."""
    found: dict[str, tuple[Reading, ...]] = {}
    for sample in compute.plain_samples(workspace):
        for column, reading in sample.readings.items():
            found[column] = (*found.get(column, ()), reading)
    return found


def _line(said: str, label: str, column: str, kind: ColumnType | None) -> None:
    sentence, button = st.columns([3, 1], vertical_alignment="center")
    sentence.markdown(said)
    button.button(wording.plain(label), key=f"type:{column}", on_click=_set, args=({column: kind},))


def _set_chosen() -> None:
    column, kind = visit.typed(_COLUMN), visit.typed(_KIND)
    if column and kind:
        _set({column: kind})


def _set(kinds: dict[str, ColumnType | None]) -> None:
    """Change how some columns are read, in each sample where they are text."""
    text = compute.untyped_columns(state.workspace())

    def edit(project: Project) -> Project:
        for column, kind in kinds.items():
            project = edits.set_type(project, column, kind, [side for side, known in text.items() if column in known])
        return project

    parts.change_beside(_PLACE, words.label(kinds), edit)
