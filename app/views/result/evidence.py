"""The evidence for an estimate: the slices one by one, and what pages about it share."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.words import tables, wording
from mandoline_core.checks import Evidence, ModelReport
from mandoline_core.pipeline import is_share, steps
from mandoline_core.report import charts

ORDERS = ("as listed", "largest shift first", "largest effect first", "my own")
MOST_NAMED = 5  # columns that are not compared


def effects(workspace: Workspace) -> None:
    """Show the effect of each slice."""
    parts.effects(workspace)


def ablation(workspace: Workspace) -> None:
    """Show the estimate as slices are added in an order of the person's choice, and without each."""
    report = compute.report(workspace)
    order = slice_order(workspace, report)
    if not order:
        st.info("Choose at least one slice to draw the curve.")
        return
    curves = compute.curves(workspace, order)
    share, dark = is_share(report), parts.is_dark()
    curve, bars = st.columns([3, 2])
    with curve:
        truth = report.truth if workspace.revealed else None
        figure = charts.ablation_curve(curves, truth=truth, share=share, dark=dark)
        parts.chart(figure, "curve", alt="The estimate and its interval as slices are added from left to right")
    with bars:
        full = curves.cumulative[-1].estimate
        if full is not None:
            figure = charts.leave_one_out(curves, full=full, share=share, dark=dark)
            parts.chart(figure, "without", alt="How the estimate would change without each slice")
    download(tables.curve_table(curves), "slice ablation")


def slice_order(workspace: Workspace, report: ModelReport) -> tuple[str, ...]:
    """Let the user choose the order in which slices are added."""
    members = steps(report.fit)
    names = tuple(members)
    slices = report.problem.patterns.names
    view = workspace.revision.document
    how = st.segmented_control(
        "Slice order",
        ORDERS,
        key=visit.bind("order_how", view.get("order_how", ORDERS[0])),
        on_change=keep_order,
    )
    if how == ORDERS[1]:
        rows = compute.table(workspace)
        return tuple(sorted(names, key=lambda name: -max(abs(rows[slices[i]].shift) for i in members[name])))
    if how == ORDERS[2]:
        with parts.boundary():
            size = {part.rule: abs(part.value) for part in compute.effects(workspace).parts}
            return tuple(sorted(names, key=lambda name: -size[name]))
    if how != ORDERS[3]:
        return names
    mine = [name for name in view.get("order", names) if name in names]
    key = visit.bind("order", mine)
    st.multiselect(
        "Slices, first to last",
        names,
        key=key,
        on_change=keep_order,
        help="Remove one and add it again to move it to the end.",
    )
    return tuple(visit.typed(key))


def keep_order() -> None:
    """Remember the order with the project."""
    state.look(
        order_how=visit.typed("order_how"),
        order=visit.typed("order") or state.workspace().revision.document.get("order", []),
    )


def fine_print(workspace: Workspace, found: Evidence) -> None:
    """Say on how many rows a comparison of columns rests, and what is not compared besides labels and predictions."""
    roles = compute.samples(workspace)[0].roles
    left = [f"{column} ({why})" for column, why in found.left_out.items() if column not in roles]
    said = [found.note] if found.note else []
    said += [f"Not compared: {', '.join(left[:MOST_NAMED])}."] if left else []
    if said:
        st.caption(wording.tell(" ".join(said)))


def download(table: pd.DataFrame, name: str) -> None:
    """Offer a table as CSV."""
    file_name = f"{name}.csv".replace(" ", "-")
    parts.download("Download as CSV", tables.as_csv(table), file_name, f"download:{name}")
