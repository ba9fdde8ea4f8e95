"""One column in both samples: its histogram, to brush, or its values as bars, to click."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import brushing, parts
from mandoline_core import Category, Slice, charts


def look(workspace: Workspace) -> None:
    """Let a person look at a column; what they point at in its figure is offered as a slice."""
    kinds = compute.column_kinds(workspace)
    if not kinds:
        return
    column = st.selectbox(
        "Look at a column in both samples", list(kinds), index=None, placeholder="Choose a column", key="looked_at"
    )
    if column is None:
        return
    alt = f"Values of {column} in both samples"
    if kinds[column] == "number":
        brushing.histogram(workspace, column, {}, f"column:{column}", alt=alt)
        return
    counts = compute.value_counts(workspace, column)
    totals = [max(sum(found[side] for found in counts.values()), 1) for side in (0, 1)]
    shares = [{str(value): found[side] / totals[side] for value, found in counts.items()} for side in (0, 1)]
    rules: dict[str, Slice] = {
        str(value): Category(f"{column} is {value}", column=column, values=(value,)) for value in counts
    }
    figure = charts.class_balance(*shares, what=column, dark=parts.is_dark())
    brushing.clickable(workspace, figure, rules, f"column:{column}", alt=alt)
