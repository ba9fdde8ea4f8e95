"""Renaming a slice: the field, the refusal beside it, and whatever goes by the old name."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import edits, state, visit
from app.words import wording
from mandoline_core import MandolineError, Slice


def name_field(rule: Slice) -> None:
    """Show a slice's name as a field; a name that cannot be is refused under it."""
    key = visit.bind(f"name:{rule.name}", rule.name)
    st.text_input(
        "Name",
        key=key,
        on_change=_take,
        args=(rule.name, key),
        help="Pairs and combinations that this slice is part of follow.",
    )
    problem = visit.remember("name_problem")
    if problem and problem[:2] == (key, visit.typed(key)):
        st.error(wording.tell(problem[2]), icon=":material/error:")


def rename(name: str, new: str) -> None:
    """Rename a slice in the project, and in what this visitor has open and in order."""
    workspace = compute.current()
    try:
        members = compute.members(workspace)
    except MandolineError:
        members = {}  # some rule cannot be evaluated, which is shown where the slices are
    edits.check_members(members, name, new)
    compute.change(f"rename {name}", lambda project: edits.rename_slice(project, name, new))
    visit.remember("editing", new)
    if visit.remember("correcting") == name:
        visit.remember("correcting", new)
    order = workspace.revision.document.get("order")
    if order and name in order:
        state.look(order=[new if one == name else one for one in order])


def _take(name: str, key: str) -> None:
    try:
        rename(name, str(visit.typed(key)).strip())
    except MandolineError as error:
        visit.remember("name_problem", (key, visit.typed(key), error.sentence))
    else:
        visit.remember("name_problem", ())
