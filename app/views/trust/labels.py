"""Trust: what a few labels of new rows say, which rows to label next, and how labels come back."""

from __future__ import annotations

import hashlib
from pathlib import Path

import streamlit as st

from app import compute
from app.project import Workspace, imports, label_files, visit
from app.views import parts
from app.views.trust.frame import answer
from app.words import what_if as supposing_words
from app.words import wording
from mandoline_core.formatting import counted
from mandoline_core.metrics import get_metric
from mandoline_core.report import charts
from mandoline_core.report.charts import TARGET, palette
from mandoline_core.report.words import TOOLTIPS

FIRST, MOST_PATTERNS = 50, 10


@st.fragment
def labels() -> None:
    """Show what the labels at hand say, and plan the next ones."""
    with answer(TOOLTIPS["few labels"]):
        workspace = compute.current()
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
        parts.draw_caption(workspace, "Which rows have a label, and which to label, is asked of")
        _plan(workspace, found)
        if found.some or not found.n_labelled:
            _bring_back(workspace)


def _used(workspace: Workspace) -> None:
    """Show labels only, the estimate and both together on one axis, and the test in words."""
    kept = workspace.revision.document.get("plan")
    plan = Path(kept).read_bytes() if kept and Path(kept).is_file() else None
    found = compute.few_labels(workspace, plan)
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
    figure = charts.interval_rows(rows, title=title, metric=metric.spoken, share=metric.share, dark=parts.is_dark())
    parts.chart(figure, "few_labels", alt="Labels only, the estimate without them, and both together")
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
        key=visit.bind("n_labels", min(visit.typed("n_labels") or FIRST, most)),
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
    with st.expander("Which rows the plan prefers", type="compact"):
        st.table(supposing_words.plan_table(plan, most=MOST_PATTERNS), hide_index=True)


def _bring_back(workspace: Workspace) -> None:
    """Take a plan back once a column of labels was added to it, or any file of labels."""
    label = workspace.project.label
    if label is None:
        return
    if compute.in_tables(workspace.on_all_rows):
        st.caption(
            wording.plain(
                "Labels come back as a column of the table: rows that stay in one have no order to bring them back in."
            )
        )
        return
    with st.expander("Bring labels back", icon=":material/upload:", type="compact"):
        st.markdown(
            f"Add a column called **{wording.plain(label)}** to the downloaded file, fill in the labels that you know, "
            "leave the others empty, and give it back here. Undo takes it out again."
        )
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
    """Put labels beside the new rows they belong to, with those that are known, and keep the plan they came by."""
    found = compute.target_labels(workspace)
    table = imports.read_upload(name, content)
    match = label_files.match_labels(table, found.known, label, compute.label_classes(workspace))
    known = found.known.series(label).to_list() if found.some else [None] * found.n_target
    plan = content if "weight" in table.columns and match.by == label_files.ROW else None
    compute.bring_labels("labels.csv", label_files.write_labels(label_files.merge(known, match.labels), label), plan)
