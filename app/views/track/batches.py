"""Batches of new data: given by upload or from the server, taken out again, and opened as projects of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app import compute
from app.project import Batch, Workspace, server_files, state, track_plan, uploads, visit
from app.views import parts
from app.words import track as words
from app.words import wording
from mandoline_core import MandolineError
from mandoline_core.formatting import listed
from mandoline_core.monitoring import natural_order, short_name
from mandoline_core.project import base_name

UPLOAD, LABELS, ON_SERVER = "Files, one per batch", "Labels that arrived later", "Files on the server"
OUT = "Batches to remove"


def show(workspace: Workspace, *, first: bool = False) -> None:
    """Let the user give batches, and take them out again; who may only look cannot."""
    if workspace.view_only:
        return
    refused = visit.remember("track_refused") or ()  # stays in sight until the next attempt
    with st.container(border=True) if first else st.expander("Add or remove batches", expanded=bool(refused)):
        _upload()
        if server_files.folders():
            _on_server()
        if not first:
            _upload_labels(workspace)
            _take_out(workspace)
        for sentence in refused:
            st.error(sentence, icon=":material/error:")


def use_sample(workspace: Workspace) -> None:
    """Track the weeks of the reviews sample: in this project, if it is on that sample, else in one of its own."""
    if not state.is_sample(workspace, "reviews"):
        state.open_project(state.load_sample("reviews"))
    files = sorted((state.SAMPLES / "reviews" / "weekly").glob("*.csv"), key=lambda path: natural_order(path.name))
    _add([Batch(path.name, path) for path in files])


def _upload() -> None:
    key = visit.renewable("track_upload")
    st.file_uploader(UPLOAD, accept_multiple_files=True, key=key, on_change=_take_in, args=(key,))
    st.caption("CSV, CSV.gz or Parquet with the columns of the new data, ordered by the numbers in their names.")


def _upload_labels(workspace: Workspace) -> None:
    key = visit.renewable("track_labels")
    st.file_uploader(LABELS, accept_multiple_files=True, key=key, on_change=_take_in, args=(key, "track_labels"))
    column = wording.plain(workspace.project.label or workspace.project.metric.column or "")
    st.caption(f"Files with a column {column}: one named like its batch, or one for all batches with an ID column.")


def _take_in(key: str, role: str = "track_upload") -> None:
    """Keep what was uploaded with the project; what is no table is refused, each file in its sentence."""
    given = [file for file in visit.typed(key) or [] if isinstance(file, UploadedFile)]
    if key == visit.renewable(role):
        visit.renew(role)
        visit.remember("track_refused", [])
    # Files of one attempt may arrive in two runs: what the first refused stays in sight.
    batches, refused = [], list(visit.remember("track_refused") or ())
    for file in given:
        name = base_name(file.name)
        try:
            batches.append(Batch(name, _keep(name, uploads.receive(file, keep=False))))
        except MandolineError as error:
            refused.append(words.about(name, error))
    visit.remember("track_refused", list(dict.fromkeys(refused)))
    if batches and role == "track_labels":
        names = listed((file.name for file in batches), most=3)
        with visit.refusing():
            state.change_track(f"add labels {names}", lambda plan: track_plan.add_labels(plan, batches))
    elif batches:
        _add(batches)


def _keep(name: str, path: Path) -> Path:
    """Keep a file with the project if it is a table."""
    try:
        compute.check_table(path)
    except MandolineError:
        path.unlink()
        raise
    return state.keep_file(name, path)


def _on_server() -> None:
    key = visit.renewable("track_server")
    st.selectbox(
        ON_SERVER,
        server_files.offered(),
        index=None,
        key=key,
        placeholder="Pick or type, such as weekly/*.parquet",
        accept_new_options=True,
        help=f"Under {wording.plain(server_files.where())}. Later files that match a pattern are added.",
        on_change=_take_from_server,
        args=(key,),
    )


def _take_from_server(key: str) -> None:
    chosen = visit.typed(key)
    if not chosen:
        return
    try:
        path = server_files.find(chosen)
    except MandolineError as error:
        visit.remember("track_refused", [wording.tell(error)])
        return
    visit.remember("track_refused", [])
    visit.renew("track_server")
    _add([Batch(server_files.name_of(path), path, server=True)])


def _take_out(workspace: Workspace) -> None:
    names = track_plan.removable(track_plan.plan_of(workspace.revision.document))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(OUT, names, key="track_out", placeholder="Choose batches")
        st.button(
            "Remove",
            key="take_out",
            icon=":material/delete:",
            disabled=not chosen,
            on_click=_drop,
            args=(tuple(chosen),),
            help="" if chosen else "Choose batches first.",
        )


def _drop(names: tuple[str, ...]) -> None:
    with visit.refusing():
        state.change_track(f"remove {listed(names, most=3)}", lambda plan: track_plan.drop_batches(plan, names))
        visit.tell(f"Removed {listed(names, most=3)}. Undo restores them.")


def _add(batches: list[Batch]) -> None:
    names = listed((batch.name for batch in batches), most=3)
    with visit.refusing():
        state.change_track(f"track {names}", lambda plan: track_plan.add_batches(plan, batches))


def look_into(workspace: Workspace) -> None:
    """Offer each batch, the newest first."""
    batches, _ = track_plan.batches_of(track_plan.plan_of(workspace.revision.document))
    if not batches:
        return
    by_name = {batch.name: batch for batch in reversed(batches)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Batch", list(by_name), key="track_look")
        pressed = st.button(
            "Open as a project",
            key="track_open",
            icon=":material/folder_open:",
            help="A new project with this batch as new data, and the same labelled data, slices and settings.",
        )
    if pressed:
        _open_batch(workspace, by_name[name])
        st.switch_page(parts.RESULT)


def _open_batch(workspace: Workspace, batch: Batch) -> None:
    project = replace(
        workspace.project,
        name=f"{workspace.project.name}, {short_name(batch.name)}",
        target_path=batch.path,
        target_engine=None,
        target_table=None,
        target_master=None,
        target_labels=None,
        target_key=None,
    )
    names = {role: name for role, name in workspace.names.items() if role == "source"}
    server = [*({"source"} & set(workspace.server)), *(["target"] if batch.server else [])]
    state.open_project(project, {**names, "target": batch.name}, server=server)
