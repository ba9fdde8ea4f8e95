"""The list of slices: a row for each, with a switch, a name that opens it, and numbers; the open one right under it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.views.slices import opened
from app.words import slice_rows, wording
from mandoline_core import MandolineError, Slice, SliceRow
from mandoline_core.metrics import get_metric

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
    with st.container(key=slice_rows.KEY):
        for number, rule in enumerate(rules):
            _controls(rule, is_open=rule.name == name)
            effect = _effect(rule, effects, share)
            note = notes.get(rule.name, "")
            row = slice_rows.slice_row(rows.get(rule.name, ()), on=rule.enabled, effect=effect, note=note, share=share)
            # Not by itself: a style alone goes where messages go, and takes the place of one.
            st.html(row if number else slice_rows.STYLE + row)
            if rule.name == name:
                with st.container(border=True, key="open_slice"), parts.boundary(said):
                    if note:
                        st.warning(wording.tell(note), icon=":material/warning:")
                    opened.show(workspace, rule, said)


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
        return slice_rows.effect_words(effects[rule.name], share=share)
    return "open it" if rule.enabled else "off"


def _open(name: str) -> None:
    """Open a slice, or close it."""
    visit.remember(OPEN, "" if visit.remember(OPEN) == name else name)


def _switch(name: str, key: str) -> None:
    """Use a slice for the estimate, or not."""
    on = bool(visit.typed(key))
    word = "switch on" if on else "switch off"
    compute.attempt(f"{word} {name}", partial(edits.switch_slice, name=name, on=on))
