"""The truth that people bring: labels of new rows, from a file of their own, put aside until they are revealed."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, label_files, uploads, visit
from app.views import parts
from app.words import wording
from mandoline_core import MandolineError, Sample

_ASIDE = "They are put aside until you reveal the truth on the Estimate page, and used for nothing else."


def show(workspace: Workspace) -> None:
    """Say whether the new rows have labels, and let a person bring some."""
    label = compute.label_of(workspace)
    if label is None:
        return
    with st.expander("Do you have labels for the new data?", icon=":material/fact_check:", key="truth"):
        try:
            n_labelled, n_target, name = compute.label_count(workspace)
        except MandolineError as error:
            parts.show_error(error)
            n_labelled, n_target, name = 0, 1, ""  # others may be brought in the place of those that do not fit
        in_table = workspace.project.target_labels is None and bool(name)
        if n_labelled:
            where = f"{name} has a column {label} itself: labels of" if in_table else f"{name} holds labels of"
            _say(where, n_labelled, n_target, in_table=in_table)
        if not in_table and n_labelled < n_target:
            _bring(workspace, label)


def _say(where: str, n_labelled: int, n_target: int, *, in_table: bool) -> None:
    """Say where the labels are that there are, and what they are for."""
    if n_labelled == n_target:
        st.markdown(wording.plain(f"{where} all {n_target:,} new rows. {_ASIDE}"))
    else:
        st.markdown(
            wording.plain(
                f"{where} {n_labelled:,} of {n_target:,} new rows. They stand beside the estimate on the "
                "Trust page; for a truth to reveal, every row needs one."
            )
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        if not in_table:
            st.button("Take the labels out", key="drop_labels", icon=":material/close:", on_click=compute.drop_labels)
        st.page_link("views/estimate/estimate.py", label="Go to Estimate", icon=":material/monitoring:")


def _bring(workspace: Workspace, label: str) -> None:
    """Take a file, say how it was understood, and use it when told to."""
    if compute.in_tables(workspace.on_all_rows):
        st.caption(
            wording.plain(
                "Labels in a file of their own go by the order of rows, and rows stay in a table here. Put them beside "
                f"the new rows, as a column called {label}."
            )
        )
        return
    given = st.file_uploader("File of labels (CSV or Parquet)", key=visit.renewable("truth_file"))
    if given is None:
        st.caption(
            wording.plain(
                "One row for each new row, in their order, or with a column that names rows in both files; the labels "
                f"in a column called {label}. Some may stay empty. {_ASIDE}"
            )
        )
        return
    with parts.boundary():
        table = compute.table_at(uploads.receive(given), given.name)
        _, target = compute.samples(workspace)
        column = _column(table, target, label)
        if column is None:
            return
        match = label_files.match_labels(table, target, column, compute.label_classes(workspace))
        st.caption(_understood(table, target, column, match))
        if st.button("Use these labels", key="use_labels", type="primary", icon=":material/check:"):
            as_it_is = not match.by and column == label
            content = uploads.receive(given) if as_it_is else label_files.write_labels(match.labels, label)
            compute.bring_labels(given.name if as_it_is else label_files.name_in_order(given.name), content)
            visit.renew("truth_file")
            visit.tell(f"Labels of {match.n_labelled:,} new rows are put aside. Undo takes them out.")
            st.rerun()


def _column(table: Sample, target: Sample, label: str) -> str | None:
    """Find the column of labels, or let a person choose it."""
    columns = label_files.label_columns(table, target, label)
    if len(columns) == 1:
        return columns[0]
    return st.selectbox(
        f"Which column of {wording.plain(table.name)} holds the labels?",
        columns,
        index=None,
        key=f"truth_column:{table.fingerprint[:12]}",
    )


def _understood(table: Sample, target: Sample, column: str, match: label_files.Match) -> str:
    how = f"rows are matched by {match.by}" if match.by else f"rows are in the order of {target.name}"
    strange = f" {match.n_strange:,} of its rows belong to no new row and are left out." if match.n_strange else ""
    return wording.plain(
        f"{table.name}: {table.n_rows:,} rows. Labels are taken from column {column}; {how}. {match.n_labelled:,} of "
        f"{target.n_rows:,} new rows get a label.{strange}"
    )
