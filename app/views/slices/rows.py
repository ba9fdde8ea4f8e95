"""The rows of a slice, a page at a time: label, prediction, and whether the model is right."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import parts
from app.words import highlighted, slice_rows, wording
from mandoline_core import Slice
from mandoline_core.slices import TEXT, WRITTEN

_SIDE, _MISTAKES, _PAGE = "rows_side", "rows_mistakes", "rows_page"
_ROWS = 10  # a page
_MARKS = {True: ":green[:material/check:]", False: ":red[:material/close:]", None: ""}
_WORDS = {True: "right", False: "wrong", None: ""}


def show(workspace: Workspace, rule: Slice) -> None:
    """Show the rows that the rule matches, a page at a time; of a family its members."""
    if rule.is_family:
        known = compute.table(workspace)
        st.html(slice_rows.members([known[name] for name in compute.members(workspace)[rule.name]]))
        return
    turned_for, page = visit.remember(_PAGE) or ("", 0)
    page = page if turned_for == rule.name else 0
    sides, answers = {word: side for side, word in wording.SIDES.items()}, compute.labelled_answers(workspace)
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.segmented_control(
            "Rows of", list(sides), key=visit.bind(_SIDE, visit.remember(_SIDE) or next(iter(sides))), required=True,
            format_func=lambda word: f"{word} rows", label_visibility="collapsed", on_change=_turn, args=(_SIDE, _SIDE),
        )  # fmt: skip
        side, mistakes = sides[str(chosen)], False
        if side == "source" and answers is not None:
            mistakes = st.toggle(
                "Only mistakes", key=visit.bind(_MISTAKES, bool(visit.remember(_MISTAKES))), on_change=_turn,
                args=(_MISTAKES, _MISTAKES),
            )  # fmt: skip
    all_found = compute.matched_rows(workspace, rule, first=page * _ROWS, most=_ROWS, mistakes=mistakes)
    counts = " and ".join(f"{all_found[one].n:,} {word} rows" for one, word in wording.SIDES.items())
    st.markdown(f"**Matches {counts}**")
    parts.draw_caption(workspace)
    found = all_found[side]
    _one_page(found, rule)
    if found.n_shown > _ROWS:
        _pager(rule.name, page, found.n_shown)


def _pager(name: str, page: int, n: int) -> None:
    """Lead to the rows before and after."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, icon, to in (("Back", "chevron_left", page - 1), ("Next", "chevron_right", page + 1)):
            st.button(
                label, key=f"rows:{label}", icon=f":material/{icon}:", disabled=not 0 <= to * _ROWS < n,
                on_click=visit.remember, args=(_PAGE, (name, to)),
            )  # fmt: skip
        st.caption(f"Rows {page * _ROWS + 1:,} to {min((page + 1) * _ROWS, n):,} of {n:,}")


def _one_page(found: compute.MatchedRows, rule: Slice) -> None:
    """Show some rows, with what the model says of each and whether it is right; of a text, what the rule found."""
    texts = [column for column, need in rule.needs.items() if need in (TEXT, WRITTEN)]
    if len(texts) == 1:
        marked = highlighted([str(text) for text in found.frame[texts[0]]], rule)
        for text, right, (_, row) in zip(marked, found.right, found.frame.iterrows(), strict=True):
            said = {"label": row.get(found.label), "predicted": row.get(found.prediction)}
            told = ", ".join(f"{name} {wording.plain(str(one))}" for name, one in said.items() if pd.notna(one))
            st.markdown(f"{_MARKS[right]} :gray[{told}] {text}")
    elif len(found.frame):
        first = [column for column in (found.label, found.prediction) if column in found.frame]
        table, head = found.frame[list(dict.fromkeys([*first, *found.frame]))], "model is"
        while head in table:  # a column of the data
            head += " "
        if any(right is not None for right in found.right):
            table.insert(0, head, [_WORDS[right] for right in found.right])
        st.dataframe(table, hide_index=True, height=min(38 + 35 * len(table), 300))


def _turn(name: str, key: str) -> None:
    """Show other rows, from the first."""
    visit.keep(name, key)
    visit.remember(_PAGE, ("", 0))
