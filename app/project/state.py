"""What a visitor is working on: the current project, edits of it, and where projects come from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from app.project import links, people, visit
from app.project.documents import ConflictError, save_edit
from app.project.documents import document_of as _document
from app.project.documents import project_of as _project
from app.project.links import LOOKING, is_view_only, projects, reached_link, store
from app.project.store import Revision, SavedProject, StoreError
from app.project.track_plan import TrackPlan, save_plan
from mandoline_core import MandolineError, Project, load_project
from mandoline_core.project import data_files, place_files

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@dataclass(frozen=True)
class Workspace:
    """Hold the current project, and how this visitor looks at it.

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
        Which of the data, "source" and "target", a visitor chose among those that are on the server.
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
        Given the workspace before and after; raises why the change is impossible.
    """
    project_id = _editable_id()

    def compared(revision: Revision, changed: Project) -> None:
        before = _workspace(project_id, revision)
        check(before, replace(before, project=changed))

    before = store().head(project_id)
    try:
        number = save_edit(store(), project_id, label, edit, seen=st.session_state.get("seen"), check=compared)
    except ConflictError:
        visit.see(None)
        visit.forget_widgets()
        raise
    visit.see(number)
    if before.can_redo or not before.can_undo:
        st.session_state["redraw"] = []  # Undo and Redo stand outside of the part of the page that is drawn again


def prolong(first: int, last: int) -> None:
    """Go on with an edit that led to some states, as long as nobody has gone on from there."""
    if store().head(_editable_id()).number == last:
        store().prolong(_editable_id(), first, last)


def look(**view: Any) -> None:
    """Change how the project is looked at (model, revealed), which is no step of undo."""
    try:
        if is_view_only():
            st.session_state["looking"] = {**st.session_state.get("looking", {}), **view}
        else:
            store().amend(_project_id(), view)
    except StoreError as error:
        visit.forget_widgets()
        visit.refuse(error)


def look_by(name: str, key: str) -> None:
    """Change how the project is looked at to what a widget holds."""
    look(**{name: visit.typed(key)})


def change_track(label: str, edit: Callable[[TrackPlan], TrackPlan]) -> None:
    """Change what is tracked with the project, as a step of undo."""
    visit.see(save_plan(store(), _editable_id(), label, edit))


def keep_file(name: str, content: bytes | Path) -> Path:
    """Keep one uploaded file with the project, and return where it is."""
    return store().add_file(_editable_id(), content, _suffix(name))


def step(by: int) -> None:
    """Undo (-1) or redo (1), and say what; not what someone else has done since this visitor looked."""
    try:
        _step(_editable_id(), by)
    except StoreError as error:
        visit.refuse(error)


def _step(project_id: str, by: int) -> None:
    seen = st.session_state.get("seen")
    now = store().head(project_id)
    word = "undo" if by < 0 else "redo"
    if seen not in (None, now.number):
        visit.tell(f"Someone else has just changed the project: {now.label}. Press again to {word} that.")
    else:
        label = store().step(project_id, by)
        done = "Undone" if by < 0 else "Redone"
        visit.tell(f"{done}: {label}" if label else f"Nothing to {word}.")
    visit.see(None)
    visit.forget_widgets()


def restore(number: int) -> None:
    """Bring an earlier state back, as a change of its own that can be undone."""
    project_id = _editable_id()
    old, now = store().revision(project_id, number), store().head(project_id)
    if old is None:
        raise StoreError("This version is no longer kept.")
    _project(old.document)  # or say that it is damaged
    name = old.snapshot or f"{old.number}: {old.label}"
    if store().save(project_id, old.document, f"restore {name}", after=now.number) is None:
        raise StoreError("Someone else has just changed this project. Nothing was restored. Try again.")
    visit.see(None)
    visit.forget_widgets()


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
        Roles of files that a visitor chose among those that are on the server.
    """
    go_to(_create(project, names, files or {}, listed=True, server=server))


def go_to(project_id: str) -> None:
    """Work on a project from now on."""
    links.point_home(project_id)
    visit.forget_widgets()
    visit.see(None)


def copy_project(project_id: str, name: str | None = None) -> str:
    """Save the current state of a project as one of its own, and return its id."""
    document = store().head(project_id).document
    project = _project(document)
    copy = replace(project, name=name or f"{project.name} (copy)")
    found = store().create({**document, **_document(copy, document["names"])}, owner=people.visitor_id(), label="copy")
    links.note_own(found)
    return found


def rename_project(project_id: str, name: str) -> None:
    """Give a project another name."""
    save_edit(store(), project_id, "rename project", lambda project: replace(project, name=name))


def delete_project(project_id: str) -> None:
    """Delete a project with its data; those who work on it start again."""
    store().delete(project_id)
    if links.is_open(project_id):
        # Every widget and every note belongs to what is gone; only which projects are this visit's own stays.
        mine = st.session_state.get("mine", ())
        st.session_state.clear()
        st.session_state["mine"] = mine
        st.query_params.clear()


def project_in(entry: SavedProject) -> Project:
    """Read the project of a line of the list."""
    return _project(entry.head.document)


def has_project() -> bool:
    """Tell whether the visitor has come with a link, or has opened a project since."""
    return reached_link() is not None


def follows_dead_link() -> bool:
    """Tell whether a visitor has come with a link that leads nowhere, or no longer."""
    return links.is_asked_for() and reached_link() is None


def names_no_project() -> bool:
    """Tell whether a visitor has no project open and has come without a link to one."""
    return not has_project() and _given() is None


def comes_home() -> bool:
    """Tell whether a visitor who names no project has some to choose from."""
    return names_no_project() and any(not entry.archived for entry in projects())


def exporter(workspace: Workspace, write: Callable[[Workspace], str | bytes]) -> Callable[[], str | bytes]:
    """Return what writes the current project when called: an edit redraws only part of a page.

    It is called outside the visitor's session, and so must not look at it.
    """
    # The framework calls it in a thread of its web server when the button is pressed, long after the page was drawn.
    saved, project_id = store(), workspace.id

    def written() -> str | bytes:
        try:
            return write(_workspace(project_id, saved.head(project_id)))
        except MandolineError as error:
            return str(error)

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
    links.note_own(project_id)
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


def _editable_id() -> str:
    project_id = _project_id()
    if is_view_only():
        visit.forget_widgets()
        raise StoreError(LOOKING)
    return project_id


def _project_id() -> str:
    """Find the project of this visit, or start one."""
    found = reached_link()
    if found is None:
        project_id = _start()
        links.point_home(project_id)
        return project_id
    links.point(found.kind, found.token)
    return found.project


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    return "".join(suffixes[-2:]) if suffixes[-1:] == [".gz"] else "".join(suffixes[-1:])
