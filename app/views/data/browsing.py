"""Browsing rows: filter both samples with an expression, and keep the filter as a slice."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from mandoline_core import Expression, MandolineError

PREVIEW_ROWS = 50


def rows(workspace: Workspace) -> None:
    """Show the first rows of both samples, or the first that a filter lets through."""
    source, target = compute.plain_samples(workspace)
    text = st.text_input(
        "Show only rows where",
        key="filter",
        placeholder='words(text) < 10 and contains(text, "not")',
        help="The language of expression slices: columns by name, comparisons, and, or, not, contains(...).",
    ).strip()
    if not text:
        for tab, sample in zip(st.tabs(["Labelled", "New"]), (source, target), strict=True):
            tab.dataframe(sample.frame.head(PREVIEW_ROWS).to_pandas(), hide_index=True, height=300)
        return
    if not parts.expression_is_sound(workspace, text):
        return
    rule = Expression("filter", text=text)
    try:
        found = compute.matches(workspace, rule, PREVIEW_ROWS)
    except MandolineError as error:
        parts.show_error(error)
        return
    parts.draw_caption(workspace, "Filtered:")
    tabs = st.tabs([f"Labelled ({found['source'][0]:,} rows)", f"New ({found['target'][0]:,} rows)"])
    for tab, side in zip(tabs, ("source", "target"), strict=True):
        tab.dataframe(found[side][2], hide_index=True, height=300)
    st.button("Save this filter as a slice", icon=":material/content_cut:", on_click=keep, args=(rule,))


def keep(rule: Expression) -> None:
    """Add the filter to the project's slices."""
    name = edits.free_name(state.workspace().project, rule.name)
    done = f"Saved as the slice {name}. Rename it on the Slices page."
    if compute.attempt(f"add {name}", lambda project: edits.add_slice(project, rule), done):
        visit.remember("editing", name)
