"""Slices: the workbench, with the live panel beside it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, edits, state
from app.views import parts
from app.views.slices import forms, renaming
from app.words import highlighted, wording
from mandoline_core import MandolineError, Slice, SliceError, SliceRow
from mandoline_core.formatting import show_interval
from mandoline_core.slices import KINDS, TEXT

_SIDES = {"source": "labelled", "target": "new"}


def main() -> None:
    """Show the page."""
    st.title("Slices")
    st.caption("Say how the new data differ. Each slice is a rule; the estimate beside it follows every edit.")
    workbench()


@st.fragment
def workbench() -> None:
    """Show the work and the live panel; edits rerun only this."""
    workspace = state.workspace()
    parts.live_summary(workspace)
    with parts.boundary():
        slice_switches(workspace, compute_rows(workspace))
        add_buttons(workspace)
    work, live = st.columns([3, 2])
    with work, parts.boundary():
        if workspace.project.slices:
            editor(workspace)
    with live:
        parts.live_panel(workspace)


def compute_rows(workspace: Workspace) -> dict[str, list[SliceRow]]:
    """Describe the slices of every rule; a rule that cannot be evaluated has none and shows its error instead."""
    if not workspace.project.slices:
        st.info("There are no slices yet. Add one below: a word that is more frequent now, say.")
        return {}
    try:
        table, members = compute.table(workspace), compute.members(workspace)
    except MandolineError as error:
        parts.show_error(error)
        return {}
    return {rule: [table[name] for name in names] for rule, names in members.items()}


def slice_switches(workspace: Workspace, rows: dict[str, list[SliceRow]]) -> None:
    """Show the table of slices, with a switch for each."""
    if not workspace.project.slices:
        return
    notes = compute.slice_notes(workspace)
    frame = pd.DataFrame(
        [
            {**table_line(rule, rows.get(rule.name, [])), "note": notes.get(rule.name, "")}
            for rule in workspace.project.slices
        ]
    )
    key = f"table:{workspace.revision.number}"
    columns: dict[str, Any] = {
        "on": st.column_config.CheckboxColumn("on", help="Use this slice for the estimate", width=60),
        "name": st.column_config.TextColumn(
            "name", help="Double-click to rename, or use the field below", required=True
        ),
        "rule": st.column_config.TextColumn("rule in words", width="medium"),
        "source": _share_column("labelled", "Share of labelled rows inside"),
        "target": _share_column("new", "Share of new rows inside"),
        "shift": st.column_config.NumberColumn("shift", format="%+.1f", help=wording.TOOLTIPS["shift"], width=60),
        "inside": st.column_config.TextColumn("score inside", help=wording.TOOLTIPS["score inside"]),
        "outside": st.column_config.TextColumn("score outside", help=wording.TOOLTIPS["score inside"]),
        "note": st.column_config.TextColumn("note", help="What to know about this slice"),
    }
    st.data_editor(
        frame,
        key=key,
        hide_index=True,
        num_rows="fixed",
        disabled=[column for column in frame.columns if column not in ("on", "name")],
        column_config=columns,
        on_change=apply_table,
        args=(key, tuple(rule.name for rule in workspace.project.slices)),
    )


def _share_column(side: str, meaning: str) -> Any:
    return st.column_config.ProgressColumn(
        side, help=meaning, format="percent", min_value=0.0, max_value=1.0, width=110
    )


def table_line(rule: Slice, rows: list[SliceRow]) -> dict[str, object]:
    """Write one line of the table; a family shows the member that shifts most."""
    line: dict[str, object] = {"on": rule.enabled, "name": rule.name, "rule": rule.describe()}
    row = max(rows, key=lambda member: abs(member.shift), default=None)
    if row is None:
        return {**line, "source": None, "target": None, "shift": None, "inside": "", "outside": ""}
    if rule.is_family:
        line["rule"] = f"{rule.describe()} ({len(rows)} slices; most shifted: {row.name})"
    return {
        **line,
        "source": row.source,
        "target": row.target,
        "shift": 100 * row.shift,
        "inside": part_text(row.inside.score, row.inside.interval, row.inside.n),
        "outside": part_text(row.outside.score, row.outside.interval, row.outside.n),
    }


def part_text(score: float | None, interval: tuple[float, float] | None, n: int) -> str:
    """Write the score on one side of a slice, with its rows."""
    if score is None or interval is None:
        return "no rows"
    share = interval[0] >= 0 and interval[1] <= 1
    return f"{show_interval(score, interval, share=share)}, {n:,} rows"


def apply_table(key: str, names: tuple[str, ...]) -> None:
    """Take switches and new names from the table into the project."""
    for number, given in state.typed(key)["edited_rows"].items():
        name = names[int(number)]
        try:
            if "on" in given:
                word = "switch on" if given["on"] else "switch off"
                state.change(f"{word} {name}", partial(edits.switch_slice, name=name, on=given["on"]))
            if given.get("name"):
                renaming.rename(name, given["name"].strip())
        except MandolineError as error:
            state.refuse(error)


def add_buttons(workspace: Workspace) -> None:
    """Offer the kinds that the data allow."""
    source, target = compute.samples(workspace)
    starts = edits.starters(workspace.project, source, target, compute.identifiers(workspace))
    frequent = [kind for kind in starts if KINDS[kind].is_frequent]
    with st.container(horizontal=True):
        for kind in frequent:
            st.button(KINDS[kind].title, icon=":material/add:", key=f"add:{kind}", on_click=add, args=(starts[kind],))
        with st.popover("More kinds", icon=":material/add:"):
            for kind in starts:
                if kind not in frequent:
                    st.button(KINDS[kind].title, key=f"more:{kind}", on_click=add, args=(starts[kind],))


def add(rule: Slice | SliceError) -> None:
    """Add a slice and open it, or say what is to be done before."""
    if isinstance(rule, SliceError):
        state.refuse(rule)
        return
    name = edits.free_name(state.workspace().project, rule.name)
    state.change(f"add {name}", lambda project: edits.add_slice(project, rule))
    state.remember("editing", name)


def editor(workspace: Workspace) -> None:
    """Edit one slice, with the rows it matches."""
    names = [rule.name for rule in workspace.project.slices]
    wanted = state.remember("editing")
    current = wanted if wanted in names else names[0]
    with st.container(border=True):
        chosen = st.selectbox("Edit slice", names, key=state.bind("edit_which", current), on_change=choose)
        rule = edits.find_slice(workspace.project, chosen if chosen in names else current)
        with st.container(horizontal=True):
            for label, icon, action, extra in (
                ("Up", "arrow_upward", edits.move_slice, (-1,)),
                ("Down", "arrow_downward", edits.move_slice, (1,)),
                ("Duplicate", "content_copy", edits.duplicate_slice, ()),
                ("Delete", "delete", edits.remove_slice, ()),
            ):
                st.button(
                    label,
                    icon=f":material/{icon}:",
                    key=f"do:{label}",
                    on_click=act,
                    args=(label, action, rule.name, extra),
                )
        forms.edit_form(workspace, rule)
        with parts.boundary():
            matching_rows(workspace, rule)


def choose() -> None:
    """Open the slice that was chosen."""
    state.remember("editing", state.typed("edit_which"))


def act(label: str, action: object, name: str, extra: tuple[object, ...]) -> None:
    """Move, copy or delete a slice; undo brings it back."""
    done = f"Deleted {name}. Undo brings it back." if label == "Delete" else ""
    state.attempt(f"{label.lower()} {name}", lambda project: action(project, name, *extra), done)  # type: ignore[operator]


def matching_rows(workspace: Workspace, rule: Slice) -> None:
    """Show a few rows of both samples that the rule matches, with what matched marked."""
    if rule.is_family:
        rows = compute.table(workspace)
        lines = [
            {"slice": name, "labelled data": rows[name].source, "new data": rows[name].target}
            for name in compute.members(workspace)[rule.name]
        ]
        st.dataframe(
            pd.DataFrame(lines),
            hide_index=True,
            column_config={
                side: st.column_config.ProgressColumn(side, format="percent", min_value=0.0, max_value=1.0)
                for side in ("labelled data", "new data")
            },
        )
        return
    found = compute.matches(workspace, rule)
    counts = " and ".join(f"{found[side][0]:,} {word} rows" for side, word in _SIDES.items())
    st.markdown(f"**{counts} are inside.**")
    texts = [column for column, need in rule.needs.items() if need == TEXT]
    for side, word in _SIDES.items():
        rows = found[side][2]
        if len(texts) == 1:
            for text in rows[texts[0]]:
                st.markdown(f":gray[{word}] {highlighted(str(text), rule)}")
        elif len(rows):
            st.caption(f"First rows of the {word} data that are inside")
            st.dataframe(rows, hide_index=True, height=150)


main()
