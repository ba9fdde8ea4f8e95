"""The list of slices: a row for each, with a switch, a name that opens it, and numbers; the open one right under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.views.slices import forms
from app.words import highlighted, markup, wording
from mandoline_core import MandolineError, Project, Slice, SliceRow
from mandoline_core.metrics import get_metric
from mandoline_core.slices import TEXT

OPEN = "editing"  # the name of the open slice, for this visit


def show(workspace: Workspace, said: MandolineError | None) -> None:
    """Show every slice in its row; one that cannot be evaluated has no numbers, and what was said is not repeated."""
    rules = workspace.project.slices
    name = visit.remember(OPEN) or ""
    if name and name not in [rule.name for rule in rules]:
        st.info(wording.plain(f"{name} is no longer there: it was renamed, deleted or undone."))
        visit.remember(OPEN, "")
    rows, notes, effects = _numbers(workspace, name)
    share = get_metric(workspace.project.metric.name).share
    # The key becomes a class name in the page, which the style of the rows is scoped to.
    with st.container(key=markup.ROWS_KEY):
        for number, rule in enumerate(rules):
            _controls(rule, is_open=rule.name == name)
            effect = _effect(rule, effects, share)
            note = notes.get(rule.name, "")
            row = markup.slice_row(rows.get(rule.name, ()), on=rule.enabled, effect=effect, note=note, share=share)
            # Not by itself: a style alone goes where messages go, and takes the place of one.
            st.html(row if number else markup.ROWS_STYLE + row)
            if rule.name == name:
                with st.container(border=True, key="open_slice"), parts.boundary(said):
                    if note:
                        st.warning(wording.tell(note), icon=":material/warning:")
                    show_open(workspace, rule, said)


def _numbers(
    workspace: Workspace, name: str
) -> tuple[dict[str, list[SliceRow]], dict[str, str], dict[str, float | None]]:
    """Describe the slices of every rule, with what the checks say of it and what it does; as far as can be."""
    try:
        table, members = compute.table(workspace), compute.members(workspace)
        rows = {rule: [table[one] for one in names] for rule, names in members.items()}
    except MandolineError:  # the bar says why
        return {}, {}, {}
    try:
        return rows, compute.slice_notes(workspace), compute.effects(workspace, name)
    except MandolineError:
        return rows, {}, {}


def _controls(rule: Slice, *, is_open: bool) -> None:
    """Show the switch, and the name that opens the slice."""
    key = visit.bind(f"on:{rule.name}", rule.enabled)
    st.toggle(
        wording.plain(f"Use {rule.name}"),
        key=key,
        label_visibility="collapsed",
        on_change=_switch,
        args=(rule.name, key),
    )
    st.button(  # without help, for which the button would be drawn twice
        f"**{wording.plain(rule.name)}** {wording.plain(rule.describe())}",
        key=f"open:{rule.name}",
        icon=":material/expand_more:" if is_open else ":material/chevron_right:",
        type="tertiary",
        width="stretch",
        on_click=_open,
        args=(rule.name,),
    )


def _effect(rule: Slice, effects: Mapping[str, float | None], share: bool) -> str:
    if rule.name in effects:
        return markup.effect_words(effects[rule.name], share=share)
    return "open it" if rule.enabled else "off"


def _open(name: str) -> None:
    """Open a slice, or close it."""
    visit.remember(OPEN, "" if visit.remember(OPEN) == name else name)


def _switch(name: str, key: str) -> None:
    """Use a slice for the estimate, or not."""
    on = bool(visit.typed(key))
    word = "switch on" if on else "switch off"
    compute.attempt(f"{word} {name}", partial(edits.switch_slice, name=name, on=on))


# What can be done with a slice: the words on the button, its icon, the edit, and what it is called.
_ACTIONS: tuple[tuple[str, str, Callable[[Project, str], Project], str], ...] = (
    ("Up", "arrow_upward", lambda project, name: edits.move_slice(project, name, -1), "move up"),
    ("Down", "arrow_downward", lambda project, name: edits.move_slice(project, name, 1), "move down"),
    ("Duplicate", "content_copy", edits.duplicate_slice, "duplicate"),
    ("Delete", "delete", edits.remove_slice, "delete"),
)


def show_open(workspace: Workspace, rule: Slice, said: MandolineError | None) -> None:
    """Show the open slice."""
    with st.container(horizontal=True):
        for word, icon, edit, label in _ACTIONS:
            args = (edit, label, rule.name)
            st.button(word, icon=f":material/{icon}:", key=f"do:{word}", on_click=_act, args=args)
    forms.edit_form(workspace, rule)
    with parts.boundary(said):
        _matching_rows(workspace, rule)


def _act(edit: Callable[[Project, str], Project], label: str, name: str) -> None:
    """Move, copy or delete a slice; undo brings it back."""
    deletes = edit is edits.remove_slice
    done = f"Deleted {name}. Undo brings it back." if deletes else ""
    # One that someone else has renamed or deleted meanwhile is refused with a sentence.
    compute.attempt(f"{label} {name}", lambda project: edit(project, edits.find_slice(project, name).name), done)
    if deletes and name not in [rule.name for rule in state.workspace().project.slices]:
        visit.remember("editing", "")


def _matching_rows(workspace: Workspace, rule: Slice) -> None:
    """Show a few rows of both samples that the rule matches, with what matched marked; of a family its members."""
    if rule.is_family:
        rows = compute.table(workspace)
        st.html(markup.members([rows[name] for name in compute.members(workspace)[rule.name]]))
        return
    found = compute.matches(workspace, rule)
    counts = " and ".join(f"{found[side][0]:,} {word} rows" for side, word in wording.SIDES.items())
    st.markdown(f"**{counts} are inside.**")
    parts.draw_caption(workspace, "Of")
    texts = [column for column, need in rule.needs.items() if need == TEXT]
    for side, word in wording.SIDES.items():
        rows = found[side][2]
        if len(texts) == 1:
            for text in highlighted([str(text) for text in rows[texts[0]]], rule):
                st.markdown(f":gray[{word}] {text}")
        elif len(rows):
            st.caption(f"First rows of the {word} data that are inside")
            st.dataframe(rows, hide_index=True, height=150)
