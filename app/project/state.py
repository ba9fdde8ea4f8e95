"""What a visitor is working on: the only module that touches session state and the URL."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from app.project.store import Document, Revision, Store, StoreError, default_folder
from app.words import plain, wording
from mandoline_core import MandolineError, Project, dump_project, load_project, parse_project

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
_ID = "project"


@dataclass(frozen=True)
class Workspace:
    """Hold the project as it stands, and how this visitor looks at it.

    Parameters
    ----------
    project : Project
        Its paths are absolute.
    names : dict of str to str
        What the files were called: "source", "target", "labels".
    model : str
        The model on show.
    revealed : bool
        Whether the truth is shown.
    """

    id: str
    project: Project
    names: dict[str, str]
    model: str
    revealed: bool
    revision: Revision


@st.cache_resource
def store() -> Store:
    """Open the store of saved projects, once a server."""
    return Store(default_folder())


def workspace() -> Workspace:
    """Return the visitor's project: the one in the URL, or a new one on the starting project."""
    project_id = _project_id()
    revision = store().head(project_id)
    document = revision.document
    project = _project(document)
    models = [model.name for model in project.models]
    model = document.get("model")
    return Workspace(
        id=project_id,
        project=project,
        names=document["names"],
        model=model if model in models else (models[0] if models else ""),
        revealed=bool(document.get("revealed", False)),
        revision=revision,
    )


def change(label: str, edit: Callable[[Project], Project]) -> None:
    """Change the project and save it as a new revision."""
    project_id = _project_id()
    document = store().head(project_id).document
    text = dump_project(edit(_project(document)))
    if text != document["toml"]:
        store().save(project_id, {**document, "toml": text}, label)


def attempt(label: str, edit: Callable[[Project], Project], done: str = "") -> None:
    """Change the project and say so; say why where the change is refused."""
    try:
        change(label, edit)
    except MandolineError as error:
        refuse(error)
    else:
        if done:
            tell(done)


def tell(message: str) -> None:
    """Say what was done, in a corner of the screen. It stays long enough to be read while the page is being redrawn."""
    st.toast(plain(message), duration="long")


def refuse(error: MandolineError) -> None:
    """Say why something was not done, in a corner of the screen."""
    st.toast(wording.tell(error), icon=":material/error:", duration="long")


def look(**view: Any) -> None:
    """Change how the project is looked at (model, revealed), which is no step of undo."""
    project_id = _project_id()
    store().amend(project_id, {**store().head(project_id).document, **view})


def open_project(project: Project, names: dict[str, str] | None = None, label: str = "open project") -> None:
    """Put another project in the place of the current one; undo brings it back."""
    project_id = _project_id()
    store().save(project_id, _document(project, names), label)
    forget_widgets()


def use_files(source: tuple[str, bytes], target: tuple[str, bytes], build: Callable[[Path, Path], Project]) -> None:
    """Keep two uploaded files and start a project on them."""
    project_id = _project_id()
    paths = [store().add_file(project_id, content, _suffix(name)) for name, content in (source, target)]
    project = build(*paths)
    open_project(project, {"source": source[0], "target": target[0]}, "use my data")


def keep_file(name: str, content: bytes) -> Path:
    """Keep one uploaded file with the project, and return where it is."""
    return store().add_file(_project_id(), content, _suffix(name))


def exporter(workspace: Workspace) -> Callable[[], str]:
    """Return what writes the project file as the project stands when called: an edit redraws only part of a page.

    It is called outside the visitor's session, and so must not look at it.
    """
    saved, project_id = store(), workspace.id

    def write() -> str:
        document = saved.head(project_id).document
        return _export(_project(document), document["names"])

    return write


def step(by: int) -> None:
    """Undo (-1) or redo (1), and say what."""
    label = store().step(_project_id(), by)
    word = "Undone" if by < 0 else "Redone"
    tell(f"{word}: {label}" if label else f"Nothing to {'undo' if by < 0 else 'redo'}.")
    forget_widgets()


def delete_project() -> None:
    """Delete the project with its data, and start anew."""
    store().delete(_project_id())
    st.session_state.clear()
    st.query_params.clear()


def remember(key: str, value: Any = None) -> Any:
    """Return something kept for this visit only, or set it when a value is given."""
    if value is not None:
        st.session_state[f"kept:{key}"] = value
    return st.session_state.get(f"kept:{key}")


def bind(key: str, value: Any) -> str:
    """Make a widget show a value of the project whenever the project changed under it; return the widget's key.

    What a person has just typed stays, even if it could not be saved yet.
    """
    bound = st.session_state.setdefault("bound", {})
    if key not in st.session_state or key not in bound or bound[key] != value:
        # Setting a value that is there already would take a slider back from where it has gone in the meantime.
        if key not in st.session_state or st.session_state[key] != value:
            st.session_state[key] = value
        bound[key] = value
    return key


def typed(key: str) -> Any:
    """Return what a widget holds."""
    return st.session_state.get(key)


def forget_widgets() -> None:
    """Let every widget take the project's value again."""
    st.session_state["bound"] = {}


def _project_id() -> str:
    """Find the project of this visit; the URL keeps it across refreshes, the session across pages."""
    found = st.query_params.get(_ID) or st.session_state.get(_ID)
    if found is None or not store().exists(found):
        if found is not None and st.session_state.get(_ID) != found:
            st.session_state["kept:lost"] = True
        found = store().create(_document(starting_project()))
    if st.session_state.get(_ID) != found:
        st.session_state[_ID] = found
    if st.query_params.get(_ID) != found:
        st.query_params[_ID] = found
    return str(found)


def starting_project() -> Project:
    """Load the project named on the command line, or the reviews sample."""
    given = [argument for argument in sys.argv[1:] if argument.endswith(".toml")]
    path = Path(given[0]) if given else SAMPLES / "reviews" / "project.toml"
    return load_project(path)


def load_sample(name: str) -> Project:
    """Load one of the sample projects."""
    return load_project(SAMPLES / name / "project.toml")


def _document(project: Project, names: dict[str, str] | None = None) -> Document:
    """Make the saved form of a project: paths absolute, files by the names people know."""
    base = project.base.resolve()
    paths: dict[str, Any] = {"source_path": project.source_path, "target_path": project.target_path}
    if project.target_labels is not None:
        paths["target_labels"] = project.target_labels
    known = {key.removesuffix("_path").replace("target_labels", "labels"): path.name for key, path in paths.items()}
    absolute = replace(project, base=base, **{key: base / path for key, path in paths.items()})
    return {"toml": dump_project(absolute), "names": {**known, **(names or {})}, "revealed": False}


def _export(project: Project, names: dict[str, str]) -> str:
    moved: dict[str, Any] = {"source_path": Path(names["source"]), "target_path": Path(names["target"])}
    if project.target_labels is not None:
        moved["target_labels"] = Path(names["labels"])
    return dump_project(replace(project, **moved))


def _project(document: Document) -> Project:
    try:
        return _parse(document["toml"])
    except MandolineError as error:
        raise StoreError(f"The saved project cannot be read: {error}") from error


@lru_cache(maxsize=256)
def _parse(text: str) -> Project:
    """Parse a project; a page asks for the same one several times."""
    return parse_project(tomllib.loads(text), Path("/"))


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    return "".join(suffixes[-2:]) if suffixes[-1:] == [".gz"] else "".join(suffixes[-1:])
