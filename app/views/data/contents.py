"""What is in the data: rows, filtered with an expression, and one column in both samples, to brush or to click."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import offers, parts
from mandoline_core import Category, Expression, Slice
from mandoline_core.report import charts

PREVIEW_ROWS = 50


def rows(workspace: Workspace) -> None:
    """Show the first rows of both samples, or the first that a filter lets through."""
    source, target = compute.plain_samples(workspace)
    text = st.text_input(
        "Filter",
        key="filter",  # not bound: a filter is for looking, and no part of the project until it is saved as a slice
        placeholder='words(text) < 10 and contains(text, "not")',
        help="Same syntax as expression slices: column names, comparisons, and, or, not, contains(...).",
    ).strip()
    if not text:
        for tab, sample in zip(st.tabs(["Labelled", "New"]), (source, target), strict=True):
            tab.dataframe(sample.frame.head(PREVIEW_ROWS).to_pandas(), hide_index=True, height=300)
        return
    if not parts.expression_is_sound(workspace, text):
        return
    rule = Expression("filter", text=text)
    with parts.boundary():
        found = compute.matched_rows(workspace, rule, most=PREVIEW_ROWS)
        parts.draw_caption(workspace)
        tabs = st.tabs([f"Labelled ({found['source'].n:,} rows)", f"New ({found['target'].n:,} rows)"])
        for tab, side in zip(tabs, ("source", "target"), strict=True):
            tab.dataframe(found[side].frame, hide_index=True, height=300)
        st.button("Save this filter as a slice", icon=":material/content_cut:", on_click=keep, args=(rule,))


def keep(rule: Expression) -> None:
    """Add the filter to the project's slices."""
    name = edits.free_name(state.workspace().project, rule.name)
    done = f"Saved as slice {name}."
    if compute.attempt(f"add {name}", lambda project: edits.add_slice(project, rule), done):
        visit.remember("editing", name)


def look_at_column(workspace: Workspace) -> None:
    """Let the user look at a column; what they point at in its figure is offered as a slice."""
    source, target = compute.samples(workspace)
    shared = [column for column in source.columns if column in target.columns and column not in source.roles]
    column = st.selectbox("Compare a column", shared, index=None, placeholder="Choose a column", key="looked_at")
    if column is None:
        return
    kind, alt = compute.column_kind(workspace, column), f"Values of {column} in labelled and new data"
    if kind == "number" or compute.holds_dates(workspace, column):
        offers.histogram(workspace, column, {}, f"column:{column}", alt=alt)
    elif kind in ("category", "flag"):
        _bars(workspace, column, alt)
    else:
        st.caption(f"No figure for a column of type {kind}. The map on the Slices page shows whole rows.")


def _bars(workspace: Workspace, column: str, alt: str) -> None:
    counts = compute.value_counts(workspace, column)
    rows = [sample.n_rows for sample in compute.samples(workspace)]
    shares = [{str(value): found[side] / rows[side] for value, found in counts.items()} for side in (0, 1)]
    rules: dict[str, Slice] = {
        str(value): Category(f"{column} is {value}", column=column, values=(value,)) for value in counts
    }
    figure = charts.class_balance(*shares, what=column, dark=parts.is_dark())
    offers.clickable(workspace, figure, rules, f"column:{column}", alt=alt)
