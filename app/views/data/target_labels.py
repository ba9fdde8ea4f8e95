"""The truth that people bring: labels of new rows, from a file of their own, put aside until they are revealed."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, label_files, uploads, visit
from app.views import parts
from app.words import wording
from mandoline_core import MandolineError, Sample
from mandoline_core.data import Match, label_columns, match_labels

_HIDDEN = "The estimate does not use them. They stay hidden until you reveal the truth on the Result page."
_USED = "Labels of some rows join the estimate. Labels of all rows stay hidden until you reveal the truth."


def show(workspace: Workspace) -> None:
    """Say whether the new rows have labels, and let the user bring some."""
    label = compute.label_of(workspace)
    if label is None:
        return
    with st.expander("Labels of the new data", icon=":material/fact_check:", key="truth"):
        try:
            n_labelled, n_target, name = compute.label_count(workspace)
        except MandolineError as error:
            parts.show_error(error)
            n_labelled, n_target, name = 0, 1, ""  # others may be brought in the place of those that do not fit
        in_table = workspace.project.target_labels is None and bool(name)
        if n_labelled:
            _say(name, n_labelled, n_target, in_table=in_table)
        if not in_table and n_labelled < n_target:
            _bring(workspace, label)


def _say(name: str, n_labelled: int, n_target: int, *, in_table: bool) -> None:
    """Say where the labels are that there are, and what they are for."""
    if n_labelled == n_target:
        st.markdown(wording.plain(f"{name} has labels of all {n_target:,} new rows. {_HIDDEN}"))
    else:
        st.markdown(
            wording.plain(
                f"{name} has labels of {n_labelled:,} of {n_target:,} new rows. They join the estimate. "
                "To reveal the truth, label every row."
            )
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        if not in_table:
            st.button("Remove labels", key="drop_labels", icon=":material/close:", on_click=compute.drop_labels)
        st.page_link("views/result/result.py", label="Go to Result", icon=":material/monitoring:")


def _bring(workspace: Workspace, label: str) -> None:
    """Take a file, say how it was understood, and use it when told to."""
    if compute.in_tables(workspace.on_all_rows):
        st.caption(
            wording.plain(
                f"The new rows stay in a table, which has no row order. Add the labels to it as a column {label}."
            )
        )
        return
    given = st.file_uploader("Labels file (CSV or Parquet)", key=visit.renewable("truth_file"))
    if given is None:
        st.caption(
            wording.plain(
                f"A column {label} with one row per new row, in the same order or matched by an ID column of both "
                f"files. Cells may be empty. {_USED}"
            )
        )
        return
    with parts.boundary():
        table = compute.labels_at(workspace, uploads.receive(given), given.name)
        _, target = compute.samples(workspace)
        column = _column(table, target, label)
        if column is None:
            return
        match = match_labels(table, target, column, compute.label_classes(workspace))
        st.caption(_understood(table, target, column, match))
        if st.button("Use these labels", key="use_labels", type="primary", icon=":material/check:"):
            as_it_is = not match.by and column == label
            content = (
                uploads.receive(given) if as_it_is else label_files.write_labels(match.labels, label, match.weights)
            )
            compute.bring_labels(given.name if as_it_is else label_files.name_in_order(given.name), content)
            visit.renew("truth_file")
            visit.tell(f"Added labels of {match.n_labelled:,} new rows.")
            st.rerun()


def _column(table: Sample, target: Sample, label: str) -> str | None:
    """Find the column of labels, or let the user choose it."""
    columns = label_columns(table, target, label)
    if len(columns) == 1:
        return columns[0]
    return st.selectbox(
        f"Label column of {wording.plain(table.name)}",
        columns,
        index=None,
        key=f"truth_column:{table.fingerprint[:12]}",
    )


def _understood(table: Sample, target: Sample, column: str, match: Match) -> str:
    how = f"matched by {match.by}" if match.by else f"in the order of {target.name}"
    strange = f" {match.n_strange:,} rows match no new row and are left out." if match.n_strange else ""
    return wording.plain(
        f"{table.name}: {table.n_rows:,} rows, labels in column {column}, {how}. {match.n_labelled:,} of "
        f"{target.n_rows:,} new rows get a label.{strange}"
    )
