"""Labels: what a few labels of new rows say, which rows to label next, and how labels come back."""

from __future__ import annotations

import hashlib

import numpy as np
import streamlit as st

from app import compute
from app.project import Workspace, imports, label_files, visit
from app.views import parts
from app.words import trust as trust_words
from app.words import wording
from mandoline_core.checks import LABELS
from mandoline_core.data import match_labels
from mandoline_core.formatting import counted
from mandoline_core.metrics import get_metric
from mandoline_core.report import charts
from mandoline_core.report.charts import TARGET, palette
from mandoline_core.report.words import TOOLTIPS, methods

MOST_PATTERNS = 10
_TITLES = {
    "confirmed": "The labels confirm the estimate",
    "undecided": "The labels do not contradict the estimate",
    "contradicted": "The labels contradict the estimate",
}
_SHOWN = {
    "confirmed": (st.success, ":material/verified:"),
    "undecided": (st.info, ":material/info:"),
    "contradicted": (st.error, ":material/dangerous:"),
}


@st.fragment
def show(workspace: Workspace) -> None:
    """Show what the labels at hand say, and plan the next ones."""
    with parts.answer(TOOLTIPS["few labels"]):
        found = compute.target_labels(workspace)
        if found.some:
            st.markdown(f"**{found.n_labelled:,}** of {found.n_target:,} new rows have a label.")
            with parts.boundary():
                _used(workspace)
        elif found.n_labelled:
            st.caption("All new rows have labels. The plan does not use them.")
        else:
            st.markdown("No new row has a label yet.")
        parts.draw_caption(workspace)
        _plan(workspace, found)
        if found.some or not found.n_labelled:
            _bring_back(workspace)


def _used(workspace: Workspace) -> None:
    """Show labels only, the estimate and both together on one axis, and the test in words."""
    found = compute.few_labels(workspace)
    metric, ink = get_metric(workspace.project.metric), palette(parts.is_dark()).ink
    rows = [
        charts.IntervalRow("labels only", *found.labels_only, "square", TARGET),
        charts.IntervalRow("estimate without labels", *found.mandoline, "diamond-open", ink),
        charts.IntervalRow("combined", *found.combined, "diamond", ink),
    ]
    state = "undecided" if found.test is None else found.test.state
    title = _TITLES[state]
    st.markdown(wording.tell(methods.few_labels(found, metric)))
    if found.test is not None:
        show, icon = _SHOWN[state]
        show(wording.tell(found.test.words), icon=icon)
    figure = charts.interval_rows(rows, title=title, metric=metric.spoken, share=metric.share, dark=parts.is_dark())
    parts.chart(figure, "few_labels", alt="Labels only, the estimate without them, and both combined")
    st.caption(wording.SAMPLING_ONLY)
    for finding in found.findings:
        parts.show_finding(finding)


def _plan(workspace: Workspace, found: compute.Labels) -> None:
    """Let the user say how many rows to label, and take away which."""
    most = max(found.n_target - (found.n_labelled if found.some else 0), 1)
    n = st.number_input(
        "Rows to label",
        min_value=1,
        max_value=most,
        step=10,
        key=visit.bind("n_labels", min(visit.typed("n_labels") or LABELS, most)),
    )
    plan = compute.label_plan(workspace, int(n))
    metric = get_metric(workspace.project.metric)
    st.markdown(wording.tell(methods.plan(plan, metric)))
    st.download_button(
        f"Download {counted(len(plan.rows), 'row')} to label",
        plan.to_csv().encode(),
        file_name="rows-to-label.csv",
        mime="text/csv",
        key="download_plan",
        icon=":material/download:",
        on_click="ignore",
    )
    with st.expander("Rows in the plan", type="compact"):
        st.table(trust_words.plan_table(plan, most=MOST_PATTERNS), hide_index=True)


def _bring_back(workspace: Workspace) -> None:
    """Take a plan back once a column of labels was added to it, or any file of labels."""
    label = workspace.project.label
    if label is None:
        return
    if compute.in_tables(workspace.on_all_rows):
        st.caption("Add the labels as a column of the table. Its rows have no order, so a file cannot be matched.")
        return
    with st.expander("Upload labels", icon=":material/upload:", type="compact"):
        st.markdown(f"Fill in the column **{wording.plain(label)}** of the downloaded file, and upload it.")
        upload = st.file_uploader("Plan with labels (CSV)", type=["csv"], key="plan_upload")
        if upload is None:
            return
        content = upload.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        if visit.remember("plan_taken") == digest:
            st.caption("These labels are in use.")
            return
        with parts.boundary():
            _take(workspace, upload.name, content, label)
            visit.remember("plan_taken", digest)
            st.rerun()


def _take(workspace: Workspace, name: str, content: bytes, label: str) -> None:
    """Match labels with their new rows, add those that are known, with the weights of the plan they came by."""
    found = compute.target_labels(workspace)
    table = imports.read_upload(name, content)
    match = match_labels(table, found.known, label, compute.label_classes(workspace))
    known = found.known.series(label).to_list() if found.some else [None] * found.n_target
    weights, old = match.weights, compute.new_labels(workspace)
    if old is not None and old.plan is not None:  # rows of an earlier plan keep their weights
        weights = old.plan if weights is None else np.where(np.isnan(weights), old.plan, weights)
    merged = label_files.merge(known, match.labels)
    compute.bring_labels("labels.csv", label_files.write_labels(merged, label, weights))
