"""The list of slices: a row for each, with a switch, a name that opens it, and numbers; then suggestions.

The chosen slice comes right under its row, where a phone shows it; a wide window shows it next to the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app import components, compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.views.slices import chosen, names_of, suggestions
from app.views.slices.names_of import OPEN
from app.words import slice_rows, wording
from mandoline_core import MandolineError, Project, Slice, SliceRow
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline import AttributionPart
from mandoline_core.report.words import TOOLTIPS

_ORDER, _AVERAGE = "effects_by", "average"
_SEVERAL = "several"
_TOGETHER: dict[str, Callable[[Project, Sequence[str]], Project]] = {
    "Turn on": partial(edits.switch_slices, on=True),
    "Turn off": partial(edits.switch_slices, on=False),
    "Delete all": edits.remove_slices,
}
_ORDERS = {_AVERAGE: "Effects in any order", "order": "In this order"}


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
    waterfall = _waterfall(workspace, effects)
    steps = {} if waterfall is None else waterfall.steps
    metric = get_metric(workspace.project.metric)
    share = metric.share
    # The key becomes a class name in the page, which the style of the rows is scoped to.
    with st.container(key=slice_rows.KEY):
        # With something to see: a style alone goes where messages go, and takes the place of one.
        st.html(slice_rows.STYLE + slice_rows.heads(metric.spoken, waterfall, share=share))
        for rule in rules:
            _controls(rule, is_open=rule.name == name)
            effect, note = slice_rows.effect_bar(steps.get(rule.name), share=share), notes.get(rule.name, "")
            st.html(slice_rows.row(rows.get(rule.name, ()), on=rule.enabled, effect=effect, note=note, share=share))
            if rule.name == name:
                with st.container(border=True, key="chosen_pane"), parts.boundary(said):
                    chosen.show(workspace, rule, said)
                    if note:  # below: what comes and goes must not move a control under the hand
                        st.warning(wording.tell(note), icon=":material/warning:")
        if waterfall is not None:
            labels = compute.report(workspace).rests_on_labels
            st.html(slice_rows.foot(waterfall, names, share=share, labels=labels))
        if not rules:
            with st.container(border=True, key="chosen_pane"):
                chosen.show_none(workspace)
    components.reveal(f".st-key-{slice_rows.KEY} button [data-testid=stIconMaterial]", name, key="in_sight")
    if not workspace.view_only:
        components.listen_to_order(f".st-key-{slice_rows.KEY} [class*=st-key-open-]", len(names), _drop, key="order")
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
        in_order = visit.remember(_ORDER) == "order"
        effects = compute.effects_in_order(workspace) if in_order else compute.quick_effects(workspace)
        return rows, compute.slice_notes(workspace), effects
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


def _waterfall(workspace: Workspace, effects: dict[str, AttributionPart]) -> slice_rows.Waterfall | None:
    """Lead from the labelled score to the estimate; nowhere without effects."""
    if not effects:
        return None
    names = [rule.name for rule in workspace.project.slices]
    return slice_rows.Waterfall.of(names, effects, compute.report(workspace).source)


def order_control() -> None:
    """Choose which effects the list shows."""
    st.segmented_control(
        "Effects",
        list(_ORDERS),
        key=visit.bind(_ORDER, visit.remember(_ORDER) or _AVERAGE),
        format_func=_ORDERS.__getitem__,
        required=True,
        label_visibility="collapsed",
        help=TOOLTIPS["attribution"],
        on_change=visit.keep,
        args=(_ORDER, _ORDER),
    )


def _drop(place: int, to: int) -> None:
    """Put the slice that was dragged where it was let go."""
    name = state.workspace().project.slices[place].name
    visit.remember(OPEN, name)
    compute.attempt(f"move {name}", lambda project: edits.move_slice(project, name, to - place))


def several(workspace: Workspace) -> None:
    """Switch or delete several slices in one step."""
    names = [rule.name for rule in workspace.project.slices]
    if len(names) < 2 or workspace.view_only:
        return
    with st.popover("Several", icon=":material/checklist:"):
        st.multiselect("Slices to change", names, key=_SEVERAL, placeholder="Choose slices")
        with st.container(horizontal=True):
            for label, edit in _TOGETHER.items():
                st.button(label, key=f"several:{label}", on_click=_change_several, args=(label, edit))


def _change_several(label: str, edit: Callable[[Project, Sequence[str]], Project]) -> None:
    known = [rule.name for rule in state.workspace().project.slices]
    chosen = [name for name in visit.typed(_SEVERAL) or () if name in known]
    if chosen and compute.attempt(f"{label.lower()} {', '.join(chosen)}", lambda project: edit(project, chosen)):
        visit.choose(_SEVERAL, [])


def _switch(name: str, key: str) -> None:
    """Use a slice for the estimate, or not."""
    on = bool(visit.typed(key))
    compute.attempt(f"{name} {'on' if on else 'off'}", partial(edits.switch_slice, name=name, on=on))
