"""The list of slices: a row for each, with a switch, a name that opens it, and numbers; then suggestions.

The chosen slice comes right under its row, where a phone shows it; a wide window shows it next to the list.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.views.slices import chosen, names_of, suggestions
from app.views.slices.names_of import OPEN
from app.words import markup, wording
from mandoline_core import MandolineError, Slice, SliceRow
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline import AttributionPart


def show(workspace: Workspace, said: MandolineError | None) -> None:
    """Show every slice in its row; one that cannot be evaluated has no numbers, and what was said is not repeated."""
    rules = workspace.project.slices
    names = [rule.name for rule in rules]
    name = names_of.now(visit.remember(OPEN) or "", names)
    if name and name not in names:
        st.info(wording.plain(f"Slice {name} no longer exists."))
        visit.remember(OPEN, "")
        name = ""
    name = name or next((rule.name for rule in rules), "")
    rows, notes, effects = _numbers(workspace)
    bars = _waterfall(workspace, effects)
    metric = get_metric(workspace.project.metric)
    share = metric.share
    # The key becomes a class name in the page, which the style of the rows is scoped to.
    with st.container(key=markup.ROWS_KEY):
        # With something to see: a style alone goes where messages go, and takes the place of one.
        st.html(markup.ROWS_STYLE + markup.slice_heads(metric.spoken))
        for rule in rules:
            _controls(rule, is_open=rule.name == name)
            effect = markup.effect_bar(effects.get(rule.name), bars[rule.name], share=share)
            note = notes.get(rule.name, "")
            row = markup.slice_row(rows.get(rule.name, ()), on=rule.enabled, effect=effect, note=note, share=share)
            st.html(row)
            if rule.name == name:
                with st.container(border=True, key="chosen_pane"), parts.boundary(said):
                    if note:
                        st.warning(wording.tell(note), icon=":material/warning:")
                    chosen.show(workspace, rule, said)
        if not rules:
            with st.container(border=True, key="chosen_pane"):
                chosen.show_none(workspace)
    suggestions.show(workspace)


def _numbers(
    workspace: Workspace,
) -> tuple[dict[str, list[SliceRow]], dict[str, str], dict[str, AttributionPart]]:
    """Describe the slices of every rule, with what the checks say of it and what it does; as far as can be."""
    try:
        table, members = compute.table(workspace), compute.members(workspace)
        rows = {rule: [table[one] for one in names] for rule, names in members.items()}
    except MandolineError:  # the bar says why
        return {}, {}, {}
    try:
        return rows, compute.slice_notes(workspace), compute.quick_effects(workspace)
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
        icon=":material/chevron_right:" if is_open else None,
        type="tertiary",
        width="stretch",
        on_click=visit.remember,
        args=(OPEN, rule.name),
    )


def _waterfall(workspace: Workspace, effects: dict[str, AttributionPart]) -> dict[str, tuple[float, float]]:
    """Place the effects end to end, from the labelled score (0) down or up to the estimate, in shares of the way."""
    ends = [0.0]
    for rule in workspace.project.slices:
        ends.append(ends[-1] + (effects[rule.name].value if rule.name in effects else 0.0))
    low, width = min(ends), (max(ends) - min(ends)) or 1.0
    steps = zip(workspace.project.slices, ends, ends[1:], strict=False)
    return {rule.name: ((start - low) / width, (end - low) / width) for rule, start, end in steps}


def _switch(name: str, key: str) -> None:
    """Use a slice for the estimate, or not."""
    on = bool(visit.typed(key))
    compute.attempt(f"{name} {'on' if on else 'off'}", partial(edits.switch_slice, name=name, on=on))
