"""Data: what is in use; say which column is what; see what is there."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import live, offers, parts
from app.views.data import column_types, contents, role_controls, target_labels
from app.words import percent, wording
from mandoline_core import MandolineError, Prediction, Slice
from mandoline_core.formatting import counted, show_interval
from mandoline_core.metrics import get_metric
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS


def main() -> None:
    """Show the page."""
    st.title("Data")
    workspace = compute.current()
    problem = live.summary(workspace)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(wording.plain(workspace.project.name), width="content")
        st.page_link(parts.PROJECTS, label="Use other data", icon=":material/add:")
    if opened := visit.remember("opened"):
        st.success(opened, icon=":material/check:")
        st.page_link(parts.RESULT, label="Go to Result", icon=":material/monitoring:")
        visit.remember("opened", "")
    with parts.boundary(said=problem):
        sizes(workspace)
        target_labels.show(workspace)
    with parts.boundary(said=problem):
        column_types.show(workspace)
    with parts.boundary(said=problem):
        role_controls.show(workspace)
    with parts.boundary(said=problem):
        scores(workspace)
        overview(workspace)


def sizes(workspace: Workspace) -> None:
    """Say how much there is."""
    for column, word, sample, n_rows in zip(
        st.columns(2), ("labelled", "new"), compute.samples(workspace), compute.n_rows(workspace), strict=True
    ):
        column.metric(f"{word.capitalize()} rows", f"{n_rows:,}", help=TOOLTIPS[f"{word} data"])
        column.caption(f"{wording.plain(sample.name)}, {counted(len(sample.columns), 'column')}")


def scores(workspace: Workspace) -> None:
    """Show how each model does on the labelled data."""
    st.markdown("**Score on the labelled data**")
    lines, share = [], get_metric(workspace.project.metric).share
    for name, score in compute.source_scores(workspace).items():
        if isinstance(score, MandolineError):
            st.error(f"{wording.plain(name)}: {wording.plain(str(score))}", icon=":material/error:")
        else:
            lines.append({"model": name, workspace.project.metric.name: show_interval(*score, share=share)})
    if lines:
        # A width of its own: a column that fits its text would not grow when another metric has longer numbers.
        column = st.column_config.TextColumn(width=180)
        table = pd.DataFrame(lines)
        st.dataframe(table, hide_index=True, width="content", column_config={workspace.project.metric.name: column})


def overview(workspace: Workspace) -> None:
    """Show columns, classes and the first rows."""
    st.markdown("**Columns**")
    parts.draw_caption(workspace)
    missing = ["missing, labelled", "missing, new"]
    formats = {**dict.fromkeys(missing, "%.1f%%"), "distinct": "localized"}
    st.dataframe(
        percent(compute.column_table(workspace), missing, share=True),
        hide_index=True,
        column_config={
            "role": st.column_config.TextColumn(width=130),
            **{name: st.column_config.NumberColumn(format=how) for name, how in formats.items()},
        },
    )
    contents.look_at_column(workspace)
    if shares := compute.class_shares(workspace):
        labels, answers = st.columns(2)
        dark = parts.is_dark()
        with labels:
            st.markdown("**Labels**")
            parts.chart(
                charts.class_balance(shares[0], None, what="label", dark=dark), "labels", alt="Share of each label"
            )
        with answers:
            st.markdown(f"**Predictions of {wording.plain(workspace.model)}**")
            figure = charts.class_balance(*shares[1:], what="predicted class", dark=dark)
            rules: dict[str, Slice] = {name: Prediction(f"predicts {name}", value=name) for name in shares[2] if name}
            offers.clickable(workspace, figure, rules, "answers", alt="Share of each predicted class")
    st.markdown("**First rows**")
    contents.rows(workspace)


main()
