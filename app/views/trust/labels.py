"""Trust: what a few labels of new rows say, which rows to label next, and how labels come back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st

from app import charts, compute
from app.charts import TARGET, palette
from app.project import Workspace, opening, state
from app.views import parts
from app.views.trust.frame import section
from app.words import supposing as supposing_words
from app.words import wording
from mandoline_core import DataError
from mandoline_core.formatting import counted
from mandoline_core.metrics import get_metric

FIRST, MOST_PATTERNS = 50, 10


@st.fragment
def labels() -> None:
    """Show what the labels at hand say, and plan the next ones."""
    with section("labels", wording.TOOLTIPS["few labels"]):
        workspace = state.workspace()
        found = compute.target_labels(workspace)
        if found.some:
            st.markdown(f"**{found.n_labelled:,}** of {found.n_target:,} new rows have a label.")
            with parts.boundary():
                _used(workspace)
        elif found.n_labelled:
            aside = "" if workspace.revealed else ", put aside until you reveal the truth on the Estimate page"
            st.caption(f"The new data come with all their labels{aside}. The plan below does not look at them.")
        else:
            st.markdown("No new row has a label yet. A few, drawn by a plan, say whether the slices tell all.")
        _plan(workspace, found)
        if found.some or not found.n_labelled:
            _bring_back(workspace)


def _used(workspace: Workspace) -> None:
    """Show labels only, the estimate and both together on one axis, and the test in words."""
    found = compute.few_labels(workspace, _plan_file(workspace))
    metric, ink = get_metric(workspace.project.metric.name), palette(parts.is_dark()).ink
    rows = [
        charts.IntervalRow("labels only", *found.labels_only, "square", TARGET),
        charts.IntervalRow("estimate without labels", *found.mandoline, "diamond-open", ink),
        charts.IntervalRow("both together", *found.combined, "diamond", ink),
    ]
    agrees = found.test is None or found.test.interval[0] <= 0 <= found.test.interval[1]
    title = "The labels do not contradict the estimate" if agrees else "The labels contradict the estimate"
    st.markdown(supposing_words.few_labels_sentence(found, metric))
    if found.test is not None:
        show = st.info if agrees else st.warning  # few labels find little: agreement is no proof
        show(wording.tell(found.test.words), icon=":material/info:" if agrees else ":material/warning:")
    parts.chart(
        charts.interval_rows(rows, title=title, metric=metric.spoken, share=metric.share, dark=parts.is_dark()),
        "few_labels",
        alt="Labels only, the estimate without them, and both together",
    )
    for finding in found.findings:
        parts.show_finding(finding)


def _plan(workspace: Workspace, found: compute.Labels) -> None:
    """Let a person say how many rows to label, and take away which."""
    most = max(found.n_target - (found.n_labelled if found.some else 0), 1)
    n = st.number_input(
        "How many rows could you label?",
        min_value=1,
        max_value=most,
        step=10,
        key=state.bind("n_labels", min(state.typed("n_labels") or FIRST, most)),
    )
    plan = compute.label_plan(workspace, int(n))
    metric = get_metric(workspace.project.metric.name)
    st.markdown(supposing_words.plan_sentence(plan, share=metric.share))
    st.download_button(
        f"Download which {counted(len(plan.rows), 'row')} to label",
        plan.to_csv().encode(),
        file_name="rows-to-label.csv",
        mime="text/csv",
        key="download_plan",
        icon=":material/download:",
        on_click="ignore",
    )
    with st.expander("Which rows the plan prefers"):
        st.table(supposing_words.plan_table(plan, most=MOST_PATTERNS), hide_index=True)


def _bring_back(workspace: Workspace) -> None:
    """Take a plan back once a column of labels was added to it."""
    label = workspace.project.label
    if label is None:
        return
    with st.expander("Bring labels back", icon=":material/upload:"):
        st.markdown(
            f"Add a column called **{wording.plain(label)}** to the downloaded file, fill in the labels that you know, "
            "leave the others empty, and give it back here. Undo takes it out again."
        )
        upload = st.file_uploader("Plan with labels (CSV)", type=["csv"], key="plan_upload")
        if upload is None:
            return
        content = upload.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        if state.remember("plan_taken") == digest:
            st.caption("These labels are in use.")
            return
        with parts.boundary():
            _take(workspace, content, label)
            state.remember("plan_taken", digest)
            st.rerun()


def _take(workspace: Workspace, content: bytes, label: str) -> None:
    """Put labels beside the new rows they belong to, and keep the plan they were drawn by."""
    found = compute.target_labels(workspace)
    known = found.known.series(label).to_list() if found.some else [None] * found.n_target
    path = state.keep_file("labels.csv", join_labels(known, content, label))
    plan = state.keep_file("plan.csv", content)
    state.change("bring labels", lambda project: replace(project, target_labels=path))
    # Beside the project, in the same step: undo goes back to what was there before.
    state.look(names={**workspace.names, "labels": "labels.csv"}, plan=str(plan))


def join_labels(known: Sequence[object], content: bytes, label: str) -> bytes:
    r"""Make a file of labels, one line a new row, of those known and of a plan to which labels were added.

    >>> join_labels(["bad", None, None], b"row,weight,y\n3,1.5,good\n2,1.5,\n", "y")
    b'y\nbad\n""\ngood\n'
    """
    table = opening.read_upload("plan.csv", content)
    rows = pd.to_numeric(table.series("row").to_pandas(), errors="coerce")
    if rows.isna().any() or not rows.between(1, len(known)).all() or rows.duplicated().any():
        raise DataError(
            f"Column 'row' of the file must hold different numbers from 1 to {len(known):,}. "
            "Use the plan as it was downloaded."
        )
    values = table.series(label).to_pandas()
    there = values.notna().to_numpy()
    if not there.any():
        raise DataError(f"Column {label!r} of the file is empty. Fill in the labels that you know.")
    found = pd.Series(list(known), dtype=object)
    found.iloc[rows[there].astype(int).to_numpy() - 1] = values[there].astype(object).to_numpy()
    return found.to_frame(label).to_csv(index=False).encode()


def _plan_file(workspace: Workspace) -> bytes | None:
    kept = workspace.revision.document.get("plan")
    return Path(kept).read_bytes() if kept and Path(kept).is_file() else None
