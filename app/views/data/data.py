"""Data: what is in use; say which column is what; see what is there."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import live, offers, parts
from app.views.data import contents, role_controls, target_labels
from app.words import wording
from mandoline_core import MandolineError, Prediction, Slice
from mandoline_core.formatting import show_interval
from mandoline_core.metrics import get_metric
from mandoline_core.report import charts


def main() -> None:
    """Show the page."""
    st.title("Data")
    workspace = compute.current()
    problem = live.summary(workspace)
    st.caption("Labelled rows, on which the score is known, and new rows, on which it is wanted.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"In use: {wording.plain(workspace.project.name)}", width="content")
        st.page_link(parts.PROJECTS, label="Use other data", icon=":material/add:")
    if opened := visit.remember("opened"):
        st.success(opened, icon=":material/check:")
        st.page_link(parts.ESTIMATE, label="See the estimate", icon=":material/monitoring:")
        visit.remember("opened", "")
    with parts.boundary(said=problem):
        sizes(workspace)
        target_labels.show(workspace)
    with parts.boundary(said=problem):
        role_controls.show(workspace)
    with parts.boundary(said=problem):
        scores(workspace)
        overview(workspace)


def sizes(workspace: Workspace) -> None:
    """Say how much there is."""
    for column, title, sample, n_rows, sentence in zip(
        st.columns(2),
        ("Labelled rows", "New rows"),
        compute.samples(workspace),
        compute.n_rows(workspace),
        ("the model's answers can be checked here.", "nobody has checked the model's answers here."),
        strict=True,
    ):
        column.metric(title, f"{n_rows:,}")
        column.caption(f"{wording.plain(sample.name)}: {len(sample.columns)} columns; {sentence}")


def scores(workspace: Workspace) -> None:
    """Show how each model does on the labelled data."""
    st.markdown("**How each model does on the labelled data**")
    lines, share = [], get_metric(workspace.project.metric.name).share
    for name, score in compute.source_scores(workspace).items():
        if isinstance(score, MandolineError):
            st.error(f"{wording.plain(name)}: {wording.plain(score.sentence)}", icon=":material/error:")
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
    parts.draw_caption(workspace, "Columns, classes and rows below are from")
    percent, whole = (st.column_config.NumberColumn(format=how) for how in ("percent", "localized"))
    table = compute.column_table(workspace)
    st.dataframe(
        table, hide_index=True, column_config={"missing, labelled": percent, "missing, new": percent, "distinct": whole}
    )
    contents.look_at_column(workspace)
    if shares := compute.class_shares(workspace):
        labels, answers = st.columns(2)
        dark = parts.is_dark()
        with labels:
            st.markdown("**Class balance of the labels**")
            parts.chart(
                charts.class_balance(shares[0], None, what="label", dark=dark), "labels", alt="Share of each label"
            )
        with answers:
            st.markdown(f"**Class balance of {wording.plain(workspace.model)}'s answers**")
            figure = charts.class_balance(*shares[1:], what="predicted class", dark=dark)
            rules: dict[str, Slice] = {name: Prediction(f"predicts {name}", value=name) for name in shares[2] if name}
            offers.clickable(workspace, figure, rules, "answers", alt="Share of each predicted class in both files")
    st.markdown("**First rows**")
    contents.rows(workspace)


main()
