"""Data that lie on the server: named or picked under the folders that whoever runs it server_files."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import compute
from app.project import imports, server_files, state
from app.views import parts
from app.views.data import drafts
from app.words import wording
from mandoline_core import MandolineError, Model, Sample
from mandoline_core.project import start_project

TITLES = {"source": "Labelled data on the server", "target": "New data on the server"}
ENGINE = "server_engine"


def show() -> None:
    """Choose files or patterns for both samples, check the roles that were guessed, and use them."""
    st.caption(
        wording.plain(
            f"Files under {server_files.where()}: pick one, or type a file or a pattern such as weekly/*.parquet. "
            "They stay where they are."
        )
    )
    names = server_files.offered()
    found: dict[str, tuple[Path, Sample] | None] = {}
    places = list(zip(st.columns(2), TITLES, strict=True))
    engines = server_files.engines()
    engine = st.selectbox(
        "Rows are read",
        list(engines),
        key=ENGINE,
        format_func=engines.__getitem__,
        help="By size: small files are read into memory, others stay where they are and are counted there.",
    )
    for column, side in places:
        with column:
            found[side] = one(side, names, engine)
    source, target = found["source"], found["target"]
    if source is not None and target is not None:
        _use(source, target, engine)


def one(side: str, names: list[str], engine: str) -> tuple[Path, Sample] | None:
    """Choose one sample, and say what is there, or why it cannot be taken."""
    chosen = st.selectbox(
        TITLES[side],
        names,
        index=None,
        key=f"server_{side}",
        placeholder="Pick or type",
        accept_new_options=True,
    )
    if not chosen:
        return None
    try:
        path = server_files.find(chosen)
        sample = compute.table_at(path, server_files.name_of(path), engine, guarded=True)
    except compute.WorkingError as error:
        parts.show_working(error, side)
        return None
    except MandolineError as error:
        parts.show_error(error)
        return None
    st.caption(f"{wording.plain(chosen)}: {sample.n_all:,} rows, {len(sample.columns)} columns.")
    return path, sample


def _use(source: tuple[Path, Sample], target: tuple[Path, Sample], engine: str) -> None:
    """Show the roles that were guessed, and start a project on both."""
    if source[1].fingerprint == target[1].fingerprint:
        st.warning("Both hold the same rows. Choose the new data again.", icon=":material/warning:")
    guess = compute.guessed_roles(source[1], target[1].columns)
    label, models = drafts.draft_roles(source[1], target[1], guess)
    with parts.boundary():
        imports.check_chosen(label, models)
        imports.check_roles(start_project("", Path(), Path(), label, models), source[1], target[1])
        if st.button("Use these data", key="use_server", type="primary", icon=":material/check:"):
            _start(source[0], target[0], label, models, engine)


def _start(source: Path, target: Path, label: str | None, models: tuple[Model, ...], engine: str) -> None:
    chosen = None if engine == "auto" else engine
    name = server_files.name_of(source).replace("*", "").strip("./").split("/")[0].split(".")[0] or "server data"
    project = start_project(name, source, target, label, models, engine=chosen)
    names = {"source": server_files.name_of(source), "target": server_files.name_of(target)}
    state.open_project(project, names, server=("source", "target"))
    drafts.say_opened("The data", project)
