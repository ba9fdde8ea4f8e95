"""Figures that answer: a range brushed on a histogram, or bars clicked, become a slice that was tried before."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

from app import compute
from app.project import Workspace
from app.views import offers, parts
from mandoline_core import Slice, charts


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


def bars(workspace: Workspace, figure: go.Figure, rules: Mapping[str, Slice], key: str, *, alt: str) -> None:
    """Show bars; the rule of one that is clicked, by its name, is offered as a slice."""
    figure.update_layout(clickmode="event+select")
    for name in parts.chart(figure, key, alt=alt, tools={"points": ""}).names[:1]:
        if name in rules:
            offers.offer_slice(workspace, rules[name], f"clicked:{key}")
            return
    st.caption("Click a bar: its rows become a slice if you want them to.")
