"""What a visitor is working on: the only module that touches session state and the URL."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.project import access, incoming, people
from app.project.access import LOOKING, is_view_only, projects, reached, store
from app.project.documents import document_of as _document
from app.project.documents import project_of as _project
from app.project.saving import ConflictError, save_edit
from app.project.store import Entry, Revision, StoreError
from app.project.tracking import TrackPlan, save_plan
from app.words import plain, wording
from mandoline_core import MandolineError, Project, load_project
from mandoline_core.project import base_name, data_files, place_files

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
MOST_UPLOADS = 50  # of a visit that are remembered: many more than a page shows
T = TypeVar("T")
_NOTHING = object()


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
    view_only : bool
        Whether the visitor may look but not change anything.
    server : tuple of str
        Which of the data, "source" and "target", a visitor chose among those that lie on the server.
    drawn : bool
        Whether only the rows that were drawn from tables are looked at, such as while all are being counted.
    """

    id: str
    project: Project
    names: dict[str, str]
    model: str
    revealed: bool
    revision: Revision
    view_only: bool = False
    server: tuple[str, ...] = ()
    drawn: bool = False

    @property
    def on_all_rows(self) -> Workspace:
        """The same, looked at on all rows."""
        return replace(self, drawn=False)

    @property
    def on_draw(self) -> Workspace:
        """The same, looked at on the rows that were drawn from tables; what is in memory is looked at whole."""
        return replace(self, drawn=True)


# What the visitor works on


def workspace() -> Workspace:
    """Return the visitor's project: the one in the URL, or a new one on the starting project."""
    revision = head()
    st.session_state["latest"] = revision.number
    return workspace_at(revision)


def head() -> Revision:
    """Return the current state as it is saved, which can be stepped back from even where it cannot be read."""
    found = store().head(_project_id())
    looking = st.session_state.get("looking", {}) if is_view_only() else {}
    return replace(found, document={**found.document, **looking})


def workspace_at(revision: Revision) -> Workspace:
    """Return the visitor's project as it was at some revision."""
    return _workspace(_project_id(), revision, view_only=is_view_only())


def _workspace(project_id: str, revision: Revision, *, view_only: bool = False) -> Workspace:
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
        view_only=view_only,
        server=tuple(document.get("server", ())),
    )


def before(workspace: Workspace) -> Workspace | None:
    """Return the project as it was before the last edit, looked at in the same way."""
    revision = store().before(workspace.id)
    if revision is None:
        return None
    document = revision.document
    server = tuple(document.get("server", ()))
    return replace(workspace, project=_project(document), names=document["names"], revision=revision, server=server)


def change(
    label: str, edit: Callable[[Project], Project], check: Callable[[Workspace, Workspace], None] = lambda *_: None
) -> None:
    """Change the project and save it as a new revision.

    Parameters
    ----------
    edit : callable
        Made again on what someone else has saved in the meantime, so that no change is lost; refused where it would
        put back what someone else has changed since this visitor looked.
    check : callable
        Given the workspace before and after; raises what speaks against the change.
    """
    project_id = _editable_id()

    def compared(revision: Revision, changed: Project) -> None:
        before = _workspace(project_id, revision)
        check(before, replace(before, project=changed))

    before = store().head(project_id)
    try:
        number = save_edit(store(), project_id, label, edit, seen=st.session_state.get("seen"), check=compared)
    except ConflictError:
        _see(None)
        forget_widgets()
        raise
    _see(number)
    if before.can_redo or not before.can_undo:
        st.session_state["redraw"] = []  # Undo and Redo stand outside of the part of the page that is drawn again


def look(**view: Any) -> None:
    """Change how the project is looked at (model, revealed), which is no step of undo."""
    try:
        if is_view_only():
            st.session_state["looking"] = {**st.session_state.get("looking", {}), **view}
        else:
            store().amend(_project_id(), view)
    except StoreError as error:
        forget_widgets()
        refuse(error)


def change_track(label: str, edit: Callable[[TrackPlan], TrackPlan]) -> None:
    """Change what is tracked beside the project, as a step of undo."""
    _see(save_plan(store(), _editable_id(), label, edit))


def keep_file(name: str, content: bytes | Path) -> Path:
    """Keep one uploaded file with the project, and return where it is."""
    return store().add_file(_editable_id(), content, _suffix(name))


def step(by: int) -> None:
    """Undo (-1) or redo (1), and say what; not what someone else has done since this visitor looked."""
    try:
        _step(_editable_id(), by)
    except StoreError as error:
        refuse(error)


def _step(project_id: str, by: int) -> None:
    seen = st.session_state.get("seen")
    now = store().head(project_id)
    word = "undo" if by < 0 else "redo"
    if seen not in (None, now.number):
        tell(f"Someone else has changed the project in the meantime: {now.label}. Press again to {word} that.")
    else:
        label = store().step(project_id, by)
        done = "Undone" if by < 0 else "Redone"
        tell(f"{done}: {label}" if label else f"Nothing to {word}.")
    _see(None)
    forget_widgets()


def restore(number: int) -> None:
    """Bring an earlier state back, as a change of its own that can be undone."""
    project_id = _editable_id()
    old, now = store().revision(project_id, number), store().head(project_id)
    if old is None:
        raise StoreError("This state is too old: it is no longer kept.")
    _project(old.document)  # or say that it is damaged
    name = old.snapshot or f"{old.number}: {old.label}"
    if store().save(project_id, old.document, f"restore {name}", after=now.number) is None:
        raise StoreError("Someone else has just changed this project. Nothing was restored; try again.")
    _see(None)
    forget_widgets()


def name_snapshot(number: int, name: str) -> None:
    """Give a state a name, under which it is kept."""
    store().name(_editable_id(), number, name)


# Where projects come from, and where they go


def open_project(
    project: Project,
    names: dict[str, str] | None = None,
    files: Mapping[str, tuple[str, Path]] | None = None,
    server: Collection[str] = (),
) -> None:
    """Start a project of its own and go to it; what was open stays where its link leads.

    Parameters
    ----------
    files : mapping of str to pairs of str and Path, optional
        Data to keep with it, by role, each with its name; the project's own files stay where they are.
    server : collection of str
        Roles of files that a visitor chose among those that lie on the server.
    """
    go_to(_create(project, names, files or {}, listed=True, server=server))


def receive(file: UploadedFile, *, keep: bool = True) -> Path:
    """Write an upload to disk, once, and refuse one that unpacks to too much.

    Parameters
    ----------
    keep : bool
        Whether its uploader goes on showing it. If not, the framework lets go of its bytes.
    """
    path = _once("received", file, lambda: _receive(file))
    context = get_script_run_ctx()
    if not keep and context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    return path


def unpack(file: UploadedFile, read: Callable[[str, Path, Path], T]) -> T:
    """Read an uploaded zip into a folder of its own, once."""

    def work() -> T:
        path = receive(file)
        folder = path.with_name("unpacked")
        try:
            folder.mkdir(exist_ok=True)
            return read(file.name, path, folder)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"{base_name(file.name)} could not be unpacked: {error.strerror or error}.") from None

    return _once("unpacked", file, work)


def _receive(file: UploadedFile) -> Path:
    path = store().receive(file, file.name)
    try:
        if path.suffix.lower() not in (".toml", ".zip"):
            incoming.check_size(path, base_name(file.name))
    except MandolineError:
        path.unlink()
        raise
    return path


def _once(what: str, file: UploadedFile, make: Callable[[], T]) -> T:
    """Do something with an upload once, however often a page is drawn; what is wrong with it stays wrong.

    What is wrong with the disk does not.
    """
    known: dict[str, T | MandolineError] = st.session_state.setdefault(what, {})
    if file.file_id not in known:
        for old in [*known][: -MOST_UPLOADS + 1]:
            del known[old]
        try:
            known[file.file_id] = make()
        except StoreError:
            raise
        except MandolineError as error:
            known[file.file_id] = error
    found = known[file.file_id]
    if isinstance(found, MandolineError):
        raise found
    return found


def go_to(project_id: str) -> None:
    """Work on a project from now on."""
    access.point_home(project_id)
    forget_widgets()
    _see(None)


def copy_project(project_id: str, name: str | None = None) -> str:
    """Save the current state of a project as one of its own, and return its id."""
    document = store().head(project_id).document
    project = _project(document)
    copy = replace(project, name=name or f"{project.name} (copy)")
    found = store().create({**document, **_document(copy, document["names"])}, owner=people.visitor_id(), label="copy")
    access.note_own(found)
    return found


def rename_project(project_id: str, name: str) -> None:
    """Give a project another name."""
    save_edit(store(), project_id, "rename project", lambda project: replace(project, name=name))


def delete_project(project_id: str) -> None:
    """Delete a project with its data; whoever works on it starts anew."""
    store().delete(project_id)
    if access.is_open(project_id):
        mine = st.session_state.get("mine", ())
        st.session_state.clear()
        st.session_state["mine"] = mine
        st.query_params.clear()


def project_in(entry: Entry) -> Project:
    """Read the project of a line of the list."""
    return _project(entry.head.document)


def has_project() -> bool:
    """Tell whether the visitor has come with a link, or has opened a project since."""
    return reached() is not None


def comes_home() -> bool:
    """Tell whether a visitor who names no project has some to choose from."""
    return not has_project() and _given() is None and any(not entry.archived for entry in projects())


def exporter(workspace: Workspace, write: Callable[[Workspace], str | bytes]) -> Callable[[], str | bytes]:
    """Return what writes the project as it stands when called: an edit redraws only part of a page.

    It is called outside the visitor's session, and so must not look at it.
    """
    saved, project_id = store(), workspace.id

    def written() -> str | bytes:
        try:
            return write(_workspace(project_id, saved.head(project_id)))
        except MandolineError as error:
            return error.sentence

    return written


def load_sample(name: str) -> Project:
    """Load one of the sample projects."""
    return load_project(SAMPLES / name / "project.toml")


def is_sample(workspace: Workspace, name: str) -> bool:
    """Tell whether a project is on one of the samples."""
    return workspace.project.source_path.is_relative_to(SAMPLES / name)


def _create(
    project: Project,
    names: dict[str, str] | None,
    files: Mapping[str, tuple[str, Path]],
    *,
    listed: bool,
    server: Collection[str] = (),
) -> str:
    project_id = store().create({}, owner=people.visitor_id(), listed=False)
    try:
        paths = {role: store().add_file(project_id, content, _suffix(name)) for role, (name, content) in files.items()}
        known = {**{role: name for role, (name, _) in files.items()}, **(names or {})}
        document = _document(place_files(project, paths), known)
        store().amend(project_id, {**document, "server": list(server)} if server else document)
    except BaseException:
        with suppress(StoreError):  # what is not listed goes after a day
            store().delete(project_id)
        raise
    if listed:
        store().show(project_id)
    access.note_own(project_id)
    return project_id


def _start() -> str:
    """Make a project for a visitor who brings none: the one named on the command line, or the reviews sample."""
    given = _given()
    project = load_project(given or SAMPLES / "reviews" / "project.toml")
    files = {}
    if given is not None and given.suffix.lower() == ".zip":  # what was unpacked goes when the server ends
        files = {role: (path.name, project.base / path) for role, path in data_files(project).items()}
    return _create(project, None, files, listed=False)


def _given() -> Path | None:
    """Return the project named on the command line."""
    return next((Path(one) for one in sys.argv[1:] if one.lower().endswith((".toml", ".zip"))), None)


# What a visit remembers


def visit() -> str:
    """Return the framework's mark for this visit."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def is_part_of_a_page() -> bool:
    """Tell whether only a part of a page is being drawn."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def tell(message: str) -> None:
    """Say what was done, in a corner of the screen. It stays long enough to be read while the page is being redrawn."""
    _toast(plain(message), None)


def refuse(error: MandolineError) -> None:
    """Say why something was not done, in a corner of the screen."""
    _toast(wording.tell(error), ":material/error:")


def _toast(text: str, icon: str | None) -> None:
    if "redraw" in st.session_state:
        st.session_state["redraw"] = [*st.session_state["redraw"], (text, icon)]
    st.toast(text, icon=icon, duration="long")


def remember(key: str, value: Any = _NOTHING) -> Any:
    """Return something kept for this visit only, or set it when a value is given, which may be None."""
    if value is not _NOTHING:
        st.session_state[f"kept:{key}"] = value
    return st.session_state.get(f"kept:{key}")


def bind(key: str, value: Any) -> str:
    """Make a widget show a value of the project whenever the project changed under it; return the widget's key.

    What a person has just typed stays, even if it could not be saved yet.
    """
    if "redraw" in st.session_state:
        st.session_state["to_say"] = st.session_state.pop("redraw")  # what was said goes with the page that is left
        st.rerun()
    st.session_state["seen"] = st.session_state.get("latest")
    bound = st.session_state.setdefault("bound", {})
    if key not in st.session_state or key not in bound or bound[key] != value:
        # Setting a value that is there already would take a slider back from where it has gone in the meantime.
        if key not in st.session_state or st.session_state[key] != value:
            st.session_state[key] = value
        bound[key] = value
    return key


def shown(key: str) -> Any:
    """Return the project's value that a widget was drawn with, before a person changed it."""
    return st.session_state.get("bound", {}).get(key)


def typed(key: str) -> Any:
    """Return what a widget holds."""
    return st.session_state.get(key)


def empty(key: str) -> None:
    """Take away what a box holds, once it has been taken in."""
    st.session_state[key] = ""


def forget_widgets() -> None:
    """Let every widget take the project's value again."""
    st.session_state["bound"] = {}


def drawn(revision: Revision) -> None:
    """Note that the whole page is being drawn, and what of."""
    st.session_state.pop("redraw", None)
    for text, icon in st.session_state.pop("to_say", ()):
        _toast(text, icon)
    _see(revision.number)


def _see(number: int | None) -> None:
    st.session_state["seen"] = st.session_state["latest"] = number


def _editable_id() -> str:
    project_id = _project_id()
    if is_view_only():
        forget_widgets()
        raise StoreError(LOOKING)
    return project_id


def _project_id() -> str:
    """Find the project of this visit, or start one."""
    found = reached()
    if found is None:
        if access.is_asked_for():
            st.session_state["kept:lost"] = True
        project_id = _start()
        access.point_home(project_id)
        return project_id
    access.point(found.kind, found.token)
    return found.project


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    return "".join(suffixes[-2:]) if suffixes[-1:] == [".gz"] else "".join(suffixes[-1:])
