"""One column in both samples: its histogram, to brush, or its values as bars, to click."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import brushing, parts
from mandoline_core import Category, Slice
from mandoline_core.report import charts


def look(workspace: Workspace) -> None:
    """Let a person look at a column; what they point at in its figure is offered as a slice."""
    source, target = compute.samples(workspace)
    shared = [column for column in source.columns if column in target.columns and column not in source.roles]
    column = st.selectbox(
        "Look at a column in both samples", shared, index=None, placeholder="Choose a column", key="looked_at"
    )
    if column is None:
        return
    kind, alt = compute.column_kind(workspace, column), f"Values of {column} in both samples"
    if kind == "number":
        brushing.histogram(workspace, column, {}, f"column:{column}", alt=alt)
    elif kind in ("category", "flag"):
        _bars(workspace, column, alt)
    else:
        st.caption(
            f"There is no figure of a column such as this ({kind}). The map on the Slices page shows whole rows."
        )


def _bars(workspace: Workspace, column: str, alt: str) -> None:
    counts = compute.value_counts(workspace, column)
    rows = [sample.n_rows for sample in compute.samples(workspace)]
    shares = [{str(value): found[side] / rows[side] for value, found in counts.items()} for side in (0, 1)]
    rules: dict[str, Slice] = {
        str(value): Category(f"{column} is {value}", column=column, values=(value,)) for value in counts
    }
    figure = charts.class_balance(*shares, what=column, dark=parts.is_dark())
    brushing.clickable(workspace, figure, rules, f"column:{column}", alt=alt)
