"""Looking into one batch: with it as the new data, in a project of its own, every page speaks of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app.project import Batch, Workspace, state, track_plan
from app.views import parts
from mandoline_core.monitoring import short_name


def show(workspace: Workspace) -> None:
    """Offer each batch, the newest first."""
    batches, _ = track_plan.batches_of(track_plan.plan_of(workspace.revision.document))
    if not batches:
        return
    by_name = {batch.name: batch for batch in reversed(batches)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Look into a batch", list(by_name), key="track_look")
        pressed = st.button(
            "Open it as a project",
            key="track_open",
            icon=":material/folder_open:",
            help="The same labelled data, slices and settings, with this batch as the new data. This project stays.",
        )
    if pressed:
        _open(workspace, by_name[name])
        st.switch_page(parts.ESTIMATE)


def _open(workspace: Workspace, batch: Batch) -> None:
    project = replace(
        workspace.project,
        name=f"{workspace.project.name}, {short_name(batch.name)}",
        target_path=batch.path,
        target_engine=None,
        target_table=None,
        target_master=None,
        target_labels=None,
    )
    names = {role: name for role, name in workspace.names.items() if role == "source"}
    server = [*({"source"} & set(workspace.server)), *(["target"] if batch.server else [])]
    state.open_project(project, {**names, "target": batch.name}, server=server)
