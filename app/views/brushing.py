"""Figures that answer: a range brushed on a histogram, or bars and dots clicked, become slices that were tried."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

from app import compute
from app.project import Workspace
from app.views import offers, parts
from mandoline_core import Slice
from mandoline_core.report import charts


def histogram(workspace: Workspace, column: str, bounds: Mapping[str, float], key: str, *, alt: str) -> None:
    """Show the values of a column in both samples; a range that is brushed is offered as a slice."""
    source, target, _, _ = compute.column_values(workspace, column)
    figure = charts.histogram_with_cut(source, target, column=column, bounds=bounds, dark=parts.is_dark())
    figure.update_layout(dragmode="select", selectdirection="h")
    with st.container(key=f"brush:{key}", gap="small"):
        found = parts.chart(figure, key, alt=alt, tools={"box": ""}).stretch
        if found is None:
            st.caption("Drag along the figure: the range becomes a slice if you want it to.")
            return
        rule = compute.stretch_rule(workspace, column, found)
        if rule is None:
            st.caption("No row is inside, or every row is. Drag along another part.")
        else:
            offers.offer_slice(workspace, rule, f"brushed:{key}")


def clickable(
    workspace: Workspace, figure: go.Figure, rules: Mapping[str, Slice], key: str, *, alt: str, what: str = "bar"
) -> None:
    """Show a figure of bars or dots; the rule of one that is clicked, by its name, is offered as a slice."""
    figure.update_layout(clickmode="event+select")
    written = {charts.mark(name): rule for name, rule in rules.items()}
    for name in parts.chart(figure, key, alt=alt, tools={"points": ""}).names[:1]:
        if name in written:
            offers.offer_slice(workspace, written[name], f"clicked:{key}")
            return
    if rules:
        st.caption(f"Click a {what}: its rows become a slice if you want them to.")
