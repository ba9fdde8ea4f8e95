"""The ways to a new project: a sample, two files, a project file, data on the server. Errors are next to controls."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app import compute
from app.project import imports, server_files, state, uploads, visit
from app.views import parts
from app.views.data import drafts
from app.words import wording
from mandoline_core import MandolineError, Model, Project, Sample
from mandoline_core.formatting import counted, listed
from mandoline_core.project import are_numbers, start_project

Roles = tuple[str | None, tuple[Model, ...], bool]  # the label, the models, and whether both are numbers
TITLES = {"source": "Labelled data", "target": "New data"}


def ways_in() -> None:
    """Show them all; data on the server where some are allowed."""
    ways = {"Pick a sample": samples, "Use my files": files, "Open a project file": project_file}
    if server_files.folders():
        ways["Use data on the server"] = on_server
    for tab, show in zip(st.tabs(list(ways)), ways.values(), strict=True):
        with tab:
            show()


def samples() -> None:
    """Offer the sample projects."""
    for column, (name, sentence) in zip(
        st.columns(len(wording.SAMPLE_SENTENCES)), wording.SAMPLE_SENTENCES.items(), strict=True
    ):
        with column.container(border=True):
            st.markdown(f"**{name}**  \n{sentence}")
            if st.button(f"Open {name}", key=f"sample:{name}"):
                state.open_project(state.load_sample(name))
                st.switch_page(parts.RESULT)


def files() -> None:
    """Upload two tables, check the roles that were guessed, and use them."""
    found = {}
    for column, side in zip(st.columns(2), TITLES, strict=True):
        with column:
            found[side] = one_file(side)
    source, target = found["source"], found["target"]
    if source is None or target is None:
        st.caption("CSV, CSV.gz or Parquet, one row per example.")
        drafts.needed_columns()
        return
    if source.fingerprint == target.fingerprint:
        st.warning("Both files contain the same rows. Choose other new data.", icon=":material/warning:")
    roles = chosen_roles(source, target, "Use these files", "use_files")
    if roles is not None:
        use(*roles)


def chosen_roles(source: Sample, target: Sample, label: str, key: str) -> Roles | None:
    """Show the roles that were guessed, to be changed; return them once they fit and the button was pressed."""
    guess = compute.guessed_roles(source, target.columns)
    roles = drafts.draft_roles(source, target, guess)
    with parts.boundary():
        imports.check_chosen(*roles)
        imports.check_roles(start_project("", Path(), Path(), *roles), source, target)
        if st.button(label, key=key, type="primary", icon=":material/check:"):
            return *roles, are_numbers(source, *roles)
    return None


def one_file(side: str) -> Sample | None:
    """Show one uploader with what it read, or why it could not."""
    key = visit.renewable(f"upload_{side}")
    st.file_uploader(TITLES[side], key=key, on_change=keep, args=(side, key))
    kept = visit.remember(f"file:{side}")
    if not kept:
        return None
    name, path = kept
    try:
        if isinstance(path, MandolineError):
            raise path
        sample = compute.table_at(path, name)
    except MandolineError as error:
        parts.show_error(error)
        return None
    st.caption(f"{wording.plain(name)}: {sample.n_all:,} rows, {counted(len(sample.columns), 'column')}.")
    return sample


def keep(side: str, key: str) -> None:
    """Write what was uploaded to disk for this visit, and empty the uploader, which holds it in memory."""
    file = visit.typed(key)
    if not isinstance(file, UploadedFile):  # none, or one whose bytes are gone: a second click while it was read
        return
    try:
        visit.remember(f"file:{side}", (file.name, uploads.receive(file, keep=False)))
    except MandolineError as error:
        visit.remember(f"file:{side}", (file.name, error))
    visit.renew(f"upload_{side}")


def use(label: str | None, models: tuple[Model, ...], numbers: bool) -> None:
    """Start a project on the two files, and show it."""
    kept = {side: visit.remember(f"file:{side}") for side in TITLES}
    name = Path(kept["source"][0]).name.split(".")[0] or "my data"
    project = start_project(name, Path(), Path(), label, models, numbers=numbers)
    state.open_project(project, files=kept)
    for side in TITLES:
        compute.forget(kept[side][1])
        visit.remember(f"file:{side}", ())
    drafts.say_opened(project)


def project_file() -> None:
    """Open a project file with the data files it names, or a zip of both; files in use need not come again."""
    given = st.file_uploader(
        "Project file (.toml) with its data files, or a .zip of both",
        key="upload_project",
        accept_multiple_files=True,
    )
    if not given:
        st.caption("From Save and share, or written by hand.")
        return
    zips = [file for file in given if file.name.lower().endswith(".zip")]
    tomls = [file for file in given if file.name.lower().endswith(".toml")]
    if len(zips) == 1 and not tomls:
        open_zip(zips[0])
    elif len(tomls) != 1 or zips:
        st.error(
            f"Expected one .toml file or one .zip file. Got {len(tomls)} .toml and {len(zips)} .zip files.",
            icon=":material/error:",
        )
    else:
        open_toml(tomls[0], given)


def open_zip(file: UploadedFile) -> None:
    """Open a project that brings its data."""
    with parts.boundary():
        project, files = uploads.unpack(file, imports.read_zip_upload)
        tables = {role: compute.table_at(path, name) for role, (name, path) in files.items()}
        offer(project, tables, files=files)


def open_toml(toml: UploadedFile, given: Sequence[UploadedFile]) -> None:
    """Open a project file with what came next to it; what did not come may be in use."""
    with parts.boundary():
        project = imports.read_project_upload(toml.name, toml.getvalue())
        wanted = imports.wanted_files(project)
        st.caption(f"Data files: {wording.plain(listed(wanted.values()))}.")
        uploaded = {imports.base_name(file.name): file for file in given}
        come = {role: uploaded[name] for role, name in wanted.items() if name in uploaded}
        on_disk = imports.paths_on_server(project, come)
        paths = files_in_use(project, wanted, {*come, *on_disk})
        files = {role: (wanted[role], uploads.receive(file)) for role, file in come.items()}
        tables = {role: compute.table_at(path, name) for role, (name, path) in files.items()}
        tables |= {role: compute.table_at(path, wanted[role], guarded=True) for role, path in on_disk.items()}
        old = {role: compute.table_at(path, wanted[role]) for role, path in paths.items()}
        if old:
            say_taken(wanted, old)
        names = {**wanted, **{role: server_files.name_of(path) for role, path in on_disk.items()}}
        guarded = {*on_disk, *(state.workspace().server if old else ())} & {*on_disk, *old}
        offer(imports.use_here(project, {**paths, **on_disk}, come), {**old, **tables}, names, files, guarded)


def offer(
    project: Project,
    tables: Mapping[str, Sample],
    names: Mapping[str, str] | None = None,
    files: imports.Files | None = None,
    server: Collection[str] = (),
) -> None:
    """Check that a project fits its data, and offer to open it."""
    imports.check_roles(project, tables["source"], tables["target"])
    if st.button("Open this project", key="open_project", type="primary", icon=":material/check:"):
        state.open_project(project, dict(names or {}), files, server)
        st.switch_page(parts.RESULT)


def files_in_use(project: Project, wanted: Mapping[str, str], come: Collection[str]) -> dict[str, Path]:
    """Find what did not come among the files in use, or ask for it: a file of that name may be another project's."""
    found = {}
    if state.has_project():
        workspace = state.workspace()
        found = imports.paths_in_use(workspace.project, workspace.names, wanted)
    paths = {role: path for role, path in found.items() if role not in come}
    if "target" not in paths:
        paths.pop("labels", None)  # labels go with the rows they are the labels of
    tables = {role: path for role, path in paths.items() if role != "labels"}
    fit = all(imports.fits(project, role, compute.table_at(path, wanted[role])) for role, path in tables.items())
    imports.check_complete(wanted, {*come, *paths} if fit else come, others=() if fit else tables)
    return paths


def say_taken(wanted: Mapping[str, str], old: Mapping[str, Sample]) -> None:
    """Name the files that are taken from the project in use, which may not be those that were meant."""
    taken = listed(f"{wanted[role]} ({table.n_all:,} rows)" for role, table in old.items())
    name = state.workspace().project.name
    st.caption(wording.plain(f"From the open project {name}: {taken}. To use other files, add them above."))


ENGINE = "server_engine"


def on_server() -> None:
    """Choose files or patterns for both samples, check the roles that were guessed, and use them."""
    st.caption(
        wording.plain(
            f"Pick a file under {server_files.where()}, or type a path or a pattern such as weekly/*.parquet. "
            "Files are read in place."
        )
    )
    names = server_files.offered()
    found: dict[str, tuple[Path, Sample] | None] = {}
    places = list(zip(st.columns(2), TITLES, strict=True))
    engines = server_files.engines()
    engine = st.selectbox(
        "Engine",
        list(engines),
        key=ENGINE,
        format_func=engines.__getitem__,
        help="By size: small files are read into memory, large files are counted in place.",
    )
    for column, side in places:
        with column:
            found[side] = one(side, names, engine)
    source, target = found["source"], found["target"]
    if source is None or target is None:
        return
    if source[1].fingerprint == target[1].fingerprint:
        st.warning("Both files contain the same rows. Choose other new data.", icon=":material/warning:")
    roles = chosen_roles(source[1], target[1], "Use this data", "use_server")
    if roles is not None:
        _start(source[0], target[0], roles, engine)


def one(side: str, names: list[str], engine: str) -> tuple[Path, Sample] | None:
    """Choose one sample, and say what is there, or why it cannot be taken."""
    chosen = st.selectbox(
        f"{TITLES[side]} on the server",
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
    st.caption(f"{wording.plain(chosen)}: {sample.n_all:,} rows, {counted(len(sample.columns), 'column')}.")
    return path, sample


def _start(source: Path, target: Path, roles: Roles, engine: str) -> None:
    label, models, numbers = roles
    chosen = None if engine == "auto" else engine
    name = server_files.name_of(source).replace("*", "").strip("./").split("/")[0].split(".")[0] or "server data"
    project = start_project(name, source, target, label, models, engine=chosen, numbers=numbers)
    names = {"source": server_files.name_of(source), "target": server_files.name_of(target)}
    state.open_project(project, names, server=("source", "target"))
    drafts.say_opened(project)
