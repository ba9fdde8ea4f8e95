"""Offers: buttons that say what will happen, each tried before it is shown; also for what is pointed at in a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import islice

import plotly.graph_objects as go
import streamlit as st

from app import compute
from app.project import Remedy, Workspace, remedies, state, visit
from app.views import parts
from app.words import offers as words
from app.words import wording
from mandoline_core import Slice
from mandoline_core.report import charts


def worth_offering(
    workspace: Workspace, remedies: Iterable[Remedy], most: int
) -> list[tuple[Remedy, compute.EditEffect]]:
    """Try remedies, in order; keep those that end in an estimate, and stop after a number of tries."""
    tried = [(remedy, compute.edit_effect(workspace, remedy.edit)) for remedy in islice(remedies, most)]
    return [(remedy, effect) for remedy, effect in tried if effect is not None]


def button(remedy: Remedy, found: compute.EditEffect, key: str) -> None:
    """Offer a remedy, with the estimate it will give."""
    said = wording.step_to(found.before, found.after, share=found.share)
    rows = None
    if found.source is not None and found.target is not None:
        rows = f"Matches {found.source:,} labelled rows and {found.target:,} new rows."
    said += " on a sample" if found.on_draw else ""
    st.button(wording.plain(f"{remedy.label}, {said}"), key=key, help=rows, on_click=_apply, args=(remedy,))


def offer_slice(workspace: Workspace, rule: Slice, key: str) -> None:
    """Offer a rule as a slice with what it would do, or say why not."""
    if rule.key in [known.key for known in workspace.project.slices]:
        st.caption(wording.plain(f"{rule.describe()}: already a slice."))
        return
    tried = worth_offering(workspace, [remedies.slice_remedy(rule)], 1)
    for remedy, found in tried:
        button(remedy, found, key)
    if not tried:
        st.caption(wording.plain(words.not_offered(rule.describe(), compute.rows_inside(workspace, rule))))


def _apply(remedy: Remedy) -> None:
    """Do what a remedy says; undo brings it back. A slice that it adds is the one that is open on its page."""
    label = remedy.label[:1].lower() + remedy.label[1:]
    before = {rule.name for rule in state.workspace().project.slices}
    if compute.attempt(label, remedy.edit, f"Done: {label}."):
        for rule in state.workspace().project.slices:
            if rule.name not in before:
                visit.remember("editing", rule.name)


def histogram(workspace: Workspace, column: str, bounds: Mapping[str, float | date], key: str, *, alt: str) -> None:
    """Show the values of a column in both samples; a range that is brushed is offered as a slice."""
    source, target, _, _ = compute.column_values(workspace, column)
    dates = compute.holds_dates(workspace, column)
    scores = compute.row_scores(workspace, column)
    figure = charts.histogram_with_cut(
        source, target, column=column, bounds=bounds, dates=dates, scores=scores, dark=parts.is_dark()
    )
    figure.update_layout(dragmode="select", selectdirection="h")  # a drag selects a range at once, without a tool
    with st.container(key=f"brush:{key}", gap="small"):
        found = parts.chart(figure, key, alt=alt, tools={"box": ""}).stretch
        if found is None:
            st.caption("Drag across a range to make a slice of it.")
            return
        rule = compute.stretch_rule(workspace, column, found)
        if rule is None:
            st.caption("This range contains no rows, or all rows. Drag across another range.")
        else:
            offer_slice(workspace, rule, f"brushed:{key}")


def clickable(
    workspace: Workspace, figure: go.Figure, rules: Mapping[str, Slice], key: str, *, alt: str, what: str = "bar"
) -> None:
    """Show a figure of bars or dots; the rule of one that is clicked, by its name, is offered as a slice."""
    figure.update_layout(clickmode="event+select")
    written = {charts.mark(name): rule for name, rule in rules.items()}
    for name in parts.chart(figure, key, alt=alt, tools={"points": ""}).names[:1]:
        if name in written:
            offer_slice(workspace, written[name], f"clicked:{key}")
            return
    if rules:
        st.caption(f"Click a {what} to make a slice of it.")
