"""The three ways to a new project: a sample, two files, a project file. What is wrong is said beside the uploader."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app import compute
from app.project import opening, state
from app.views import parts
from app.views.data import template
from app.words import wording
from mandoline_core import MandolineError, Model, Project, Sample
from mandoline_core.formatting import listed
from mandoline_core.project import RoleGuess, choose_models

TITLES = {"source": "Labelled data", "target": "New data"}


def ways_in() -> None:
    """Show all three."""
    sample, own, project = st.tabs(["Pick a sample", "Use my files", "Open a project file"])
    with sample:
        samples()
    with own:
        files()
    with project:
        project_file()


def samples() -> None:
    """Offer the sample projects."""
    for column, (name, sentence) in zip(
        st.columns(len(wording.SAMPLE_SENTENCES)), wording.SAMPLE_SENTENCES.items(), strict=True
    ):
        with column.container(border=True):
            st.markdown(f"**{name}**  \n{sentence}")
            if st.button(f"Open {name}", key=f"sample:{name}"):
                state.open_project(state.load_sample(name))
                st.switch_page(parts.ESTIMATE)


def files() -> None:
    """Upload two tables, check the roles that were guessed, and use them."""
    found = {}
    for column, side in zip(st.columns(2), TITLES, strict=True):
        with column:
            found[side] = one_file(side)
    source, target = found["source"], found["target"]
    if source is None or target is None:
        st.caption("CSV, CSV.gz or Parquet, one row an example. Nothing changes until you say so.")
        template.needed()
        return
    if source.fingerprint == target.fingerprint:
        st.warning("Both files hold the same rows. Choose the new data again.", icon=":material/warning:")
    guess = compute.guessed_roles(source, target.columns)
    label, models = draft_roles(source, target, guess)
    with parts.boundary():
        opening.check_chosen(label, models)
        opening.check_roles(opening.start_project("", Path(), Path(), label, models), source, target)
        if st.button("Use these files", key="use_files", type="primary", icon=":material/check:"):
            use(label, models)


def one_file(side: str) -> Sample | None:
    """Show one uploader with what it read, or why it could not."""
    key = f"upload_{side}:{state.remember('uploads_used') or 0}"  # a new key empties the uploader
    st.file_uploader(TITLES[side], key=key, on_change=keep, args=(side, key))
    kept = state.remember(f"file:{side}")
    if not kept:
        return None
    name, upload, content = kept
    try:
        sample = compute.uploaded(upload, name, content)
    except MandolineError as error:
        parts.show_error(error)
        return None
    st.caption(f"{wording.plain(name)}: {sample.n_rows:,} rows, {len(sample.columns)} columns.")
    return sample


def keep(side: str, key: str) -> None:
    """Keep what was uploaded for this visit: an uploader forgets when the page changes."""
    file = state.typed(key)
    state.remember(f"file:{side}", () if file is None else (file.name, file.file_id, file.getvalue()))


def draft_roles(source: Sample, target: Sample, guess: RoleGuess) -> tuple[str | None, tuple[Model, ...]]:
    """Show the roles that were guessed, to be changed before the files are used."""
    which = f"{source.fingerprint[:12]}{target.fingerprint[:12]}"  # other files, other widgets
    left, right = st.columns(2)
    with left:
        label = st.selectbox("Label", source.columns, key=state.bind(f"draft_label:{which}", guess.label), index=None)
    with right:
        shared = [column for column in source.columns if column in target.columns]
        guessed = [model.prediction for model in guess.models if model.prediction is not None]
        chosen = st.multiselect(
            "Predictions, one column a model", shared, key=state.bind(f"draft_predictions:{which}", guessed)
        )
    for sentence in guess.problems:
        st.warning(wording.plain(sentence), icon=":material/warning:")
    models = choose_models(source, target.columns, label, chosen, guess.models)
    if guess.reasons:
        with st.expander("Why these columns"):
            st.markdown(
                "\n".join(f"- **{wording.plain(c)}**: {wording.plain(why)}" for c, why in guess.reasons.items())
            )
    return label, models


def use(label: str | None, models: tuple[Model, ...]) -> None:
    """Start a project on the two files, and show it."""
    kept = {side: state.remember(f"file:{side}") for side in TITLES}
    name = Path(kept["source"][0]).name.split(".")[0] or "my data"
    project = opening.start_project(name, Path(), Path(), label, models)
    state.open_project(project, files={side: (file[0], file[2]) for side, file in kept.items()})
    for side in TITLES:
        state.remember(f"file:{side}", ())
    state.remember("uploads_used", (state.remember("uploads_used") or 0) + 1)
    state.remember(
        "opened",
        f"Your files are in use, with one rule to start from: {wording.plain(project.slices[0].describe())}. "
        "Add your own on the Slices page.",
    )
    st.switch_page(parts.DATA)


def project_file() -> None:
    """Open a project file with the data files it names, or a zip of both; files in use need not come again."""
    given = st.file_uploader(
        "Project file (.toml) and the data files it names, or a project with its data (.zip)",
        key="upload_project",
        accept_multiple_files=True,
    )
    if not given:
        st.caption("As saved here with Save and share, or written by hand for the command line.")
        return
    zips = [file for file in given if file.name.lower().endswith(".zip")]
    tomls = [file for file in given if file.name.lower().endswith(".toml")]
    if len(zips) == 1 and not tomls:
        open_zip(zips[0])
    elif len(tomls) != 1 or zips:
        st.error(
            f"Expected one file that ends in .toml, or one that ends in .zip. Got {len(tomls)} and {len(zips)}.",
            icon=":material/error:",
        )
    else:
        open_toml(tomls[0], given)


def open_zip(file: UploadedFile) -> None:
    """Open a project that brings its data."""
    with parts.boundary():
        project, files = opening.read_zip_upload(file.name, file.getvalue())
        tables = {
            role: compute.uploaded(f"{file.file_id}:{role}", name, content) for role, (name, content) in files.items()
        }
        offer(project, tables, files=files)


def open_toml(toml: UploadedFile, given: Sequence[UploadedFile]) -> None:
    """Open a project file with what came beside it; what did not come may be in use."""
    with parts.boundary():
        project = opening.read_project_upload(toml.name, toml.getvalue())
        wanted = opening.wanted_files(project)
        st.caption(f"It names {wording.plain(listed(wanted.values()))}.")
        uploaded = {opening.base_name(file.name): file for file in given}
        come = {role: uploaded[name] for role, name in wanted.items() if name in uploaded}
        paths = files_in_use(project, wanted, come)
        tables = {role: compute.uploaded(file.file_id, file.name, file.getvalue()) for role, file in come.items()}
        old = {role: compute.table_at(path, wanted[role]) for role, path in paths.items()}
        if old:
            say_taken(wanted, old)
        files = {role: (wanted[role], file.getvalue()) for role, file in come.items()}
        offer(opening.use_here(project, paths, come), {**old, **tables}, wanted, files)


def offer(
    project: Project,
    tables: Mapping[str, Sample],
    names: Mapping[str, str] | None = None,
    files: opening.Files | None = None,
) -> None:
    """Check that a project fits its data, and offer to open it."""
    opening.check_roles(project, tables["source"], tables["target"])
    if st.button("Open this project", key="open_project", type="primary", icon=":material/check:"):
        state.open_project(project, dict(names or {}), files)
        st.switch_page(parts.ESTIMATE)


def files_in_use(project: Project, wanted: Mapping[str, str], come: Collection[str]) -> dict[str, Path]:
    """Find what did not come among the files in use, or ask for it: a file of that name may be another project's."""
    found = {}
    if state.has_project():
        workspace = state.workspace()
        found = opening.paths_in_use(workspace.project, workspace.names, wanted)
    paths = {role: path for role, path in found.items() if role not in come}
    if "target" not in paths:
        paths.pop("labels", None)  # labels go with the rows they are the labels of
    tables = {role: path for role, path in paths.items() if role != "labels"}
    fit = all(opening.fits(project, role, compute.table_at(path, wanted[role])) for role, path in tables.items())
    opening.check_complete(wanted, {*come, *paths} if fit else come, others=() if fit else tables)
    return paths


def say_taken(wanted: Mapping[str, str], old: Mapping[str, Sample]) -> None:
    """Name the files that are taken from the project in use, which may not be those that were meant."""
    taken = listed(f"{wanted[role]} ({table.n_rows:,} rows)" for role, table in old.items())
    name = state.workspace().project.name
    st.caption(
        wording.plain(f"Taken from the project in use, {name}: {taken}. If you mean other files, add them above.")
    )
