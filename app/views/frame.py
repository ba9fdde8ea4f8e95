"""The frame around every page: signing in, the project, the model, undo and redo, what to take away, and the tour."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from app import access, compute
from app.project import Share, Workspace, documents, links, people, state, visit
from app.views import parts
from app.words import wording
from mandoline_core import MandolineError
from mandoline_core.formatting import file_stem
from mandoline_core.metrics import get_metric
from mandoline_core.project import pack_project

_LINKS: dict[Share, str] = {
    "edit": "Anyone with this link can edit the project:",
    "view": "Anyone with this link can view the project:",
}
_SHARING: dict[Share, str] = {"edit": "Edit link", "view": "View link"}


def sidebar(*, at_home: bool) -> None:
    """Show the project, the model, undo and redo, and what to take away.

    Undo comes first of all, in its place below: whatever else breaks, the way back is there.

    Parameters
    ----------
    at_home : bool
        Whether the visitor has yet to choose a project, on the page that lists them.
    """
    with st.sidebar:
        _account()
        if not at_home:
            _work()
        st.page_link("views/guide/guide.py", label="Guide", icon=":material/menu_book:")


def _work() -> None:
    """Show the project, undo and redo, and what to take away."""
    revision = state.head()
    visit.drawn(revision)
    # Containers keep the order of the screen whatever the order of the code: Undo is drawn before what may fail.
    above, below = st.container(), st.container()
    if not state.is_view_only():
        with below, st.container(horizontal=True):
            st.button("Undo", icon=":material/undo:", on_click=state.step, args=(-1,), disabled=not revision.can_undo)
            st.button("Redo", icon=":material/redo:", on_click=state.step, args=(1,), disabled=not revision.can_redo)
    try:
        workspace = state.workspace()
    except MandolineError:  # the page says what is wrong
        return
    with suppress(MandolineError):  # the page says what is wrong
        workspace = compute.settled(workspace)
    with above:
        _project(workspace)
    with below:
        _take_away(workspace)
        _note(workspace)


def _account() -> None:
    """Show who has signed in, and the way out."""
    person = people.person()
    if person is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(wording.plain(person.name))
            st.button("Sign out", icon=":material/logout:", type="tertiary", on_click=st.logout)


def _project(workspace: Workspace) -> None:
    """Show what is open, and how it does."""
    project = workspace.project
    if workspace.view_only:
        parts.style("view_only.css")
        st.badge("View only", icon=":material/visibility:", color="gray")
        st.markdown(f"**{wording.plain(project.name)}**")
        if st.button("Make my own copy", icon=":material/content_copy:", type="primary"):
            state.go_to(state.copy_project(workspace.id))
            st.rerun()
    else:
        st.text_input("Project", key=visit.bind("project_name", project.name), on_change=_rename)
    models = [model.name for model in project.models]
    if len(models) > 1:
        key = visit.bind("model", workspace.model)
        st.selectbox("Model", models, key=key, on_change=state.look_by, args=("model", key))
    with suppress(MandolineError):  # the page says what is wrong
        source, target = compute.n_rows(workspace)
        metric = get_metric(project.metric).spoken
        st.caption(f"{source:,} labelled rows, {target:,} new rows. Metric: {metric}.")
    compute.note_summary(workspace)


def _note(workspace: Workspace) -> None:
    """Let the user write down what to remember about the project."""
    note = workspace.project.note
    if workspace.view_only:
        if note:
            st.caption(wording.plain(note))
        return
    with st.expander("Note" if note else "Add a note", icon=":material/sticky_note_2:"):
        st.text_area(
            "Project note",
            key=visit.bind("project_note", note),
            on_change=_write_note,
            help="Saved in the project file and the report.",
        )


def _take_away(workspace: Workspace) -> None:
    """Offer links, files and numbers; each file is made when it is asked for."""
    with st.popover("Save and share", icon=":material/download:"):
        _share()
        says = "Save it next to the two data files and run: mandoline estimate"
        _download(workspace, "Download project file", "toml", _as_text, says)
        in_table = _is_in_table(workspace)
        if in_table:
            st.caption(
                "The data stay in a table, so the download leaves them out. For the weights, run: "
                "mandoline estimate PROJECT.toml --weights FILE.parquet"
            )
        else:
            says = "One file for this app and the command line."
            _download(workspace, "Download project with its data", "zip", _as_zip, says)
        try:
            compute.report(workspace)
        except MandolineError:
            st.caption("No estimate to download yet.")
            return
        says = "One web page with everything, as on the Share page."
        _download(workspace, "Download report", "html", compute.report_html, says)
        says = "Same as mandoline estimate --json."
        _download(workspace, "Download estimate (JSON)", "json", compute.estimate_json, says)
        if not in_table:
            says = "The weight of each labelled row, by its number in the file; one column per model."
            _download(workspace, "Download weights (CSV)", "csv", compute.weights_csv, says)


def _share() -> None:
    """Show the links to the project; where people sign in, its owner decides whether there are any."""
    shown = links.shareable()
    if not links.is_view_only():
        st.caption("Changes are saved automatically.")
    for kind, says in _LINKS.items():
        if links.can_share():
            key = visit.bind(f"share_{kind}", kind in shown)
            st.toggle(_SHARING[kind], key=key, on_change=_change_sharing, args=(kind, key))
        if kind in shown:
            st.caption(says)
            st.code(shown[kind], language=None, wrap_lines=True)


def _change_sharing(kind: Share, key: str) -> None:
    with visit.refusing():
        links.share(kind, shared=bool(visit.typed(key)))


def _is_in_table(workspace: Workspace) -> bool:
    try:
        return compute.in_tables(workspace.on_all_rows)
    except MandolineError:
        return False


def _download(
    workspace: Workspace, label: str, ending: str, write: Callable[[Workspace], str | bytes], says: str
) -> None:
    kind = f"{'text' if ending in ('csv', 'html') else 'application'}/{ending}"
    name = file_stem(workspace.project.name) + {"csv": "-weights", "html": "-report"}.get(ending, "")
    st.download_button(
        label, state.exporter(workspace, write), file_name=f"{name}.{ending}", mime=kind, help=says, on_click="ignore"
    )


def _as_text(workspace: Workspace) -> str:
    return documents.project_text(workspace.project, workspace.names)


def _as_zip(workspace: Workspace) -> bytes:
    return pack_project(workspace.project, workspace.names)


def _rename() -> None:
    name = str(visit.typed("project_name")).strip()
    if name:
        compute.attempt("rename project", lambda project: replace(project, name=name))


def _write_note() -> None:
    note = str(visit.typed("project_note")).strip()
    compute.attempt("edit note", lambda project: replace(project, note=note))


def is_signed_in() -> bool:
    """Tell whether the visitor may go on: nobody is asked, or they have signed in and are let in."""
    if not people.asks():
        return True
    person = people.person()
    if person is None or not people.is_allowed(person):
        return False
    access.admit(visit.mark())
    return True


def ask_to_sign_in() -> None:
    """Ask who the visitor is, or say why that is not enough."""
    st.title("Mandoline")
    person = people.person()
    if person is not None:
        st.warning(
            f"{wording.plain(person.email or person.name)} has no access to this server. "
            "Ask its administrator, or sign in with another account.",
            icon=":material/lock:",
        )
        st.button("Sign out", icon=":material/logout:", on_click=st.logout)
        return
    st.write("Sign in to see your projects and those shared with you.")
    for provider in people.providers():
        label = "Sign in" if provider is None else f"Sign in with {wording.plain(provider)}"
        st.button(label, type="primary", icon=":material/login:", on_click=st.login, args=(provider,))


_LEADS = {
    "Result": ("views/result/result.py", ":material/monitoring:"),
    "Slices": ("views/slices/slices.py", ":material/content_cut:"),
    "Projects": ("views/projects/projects.py", ":material/upload:"),
}

# What is open when the tour comes to a step, by its number.
_OPENED: dict[int, dict[str, str]] = {
    2: {"editing": "negation", "chosen_view": "Rule"},
    3: {"chosen_view": "Rule"},
    4: {"editing": "negation", "chosen_view": "Reliability"},
    5: {parts.TAB: "Checks"},
}


def show_tour(page: str) -> None:
    """Show the current step above the page it is about, and nothing on others."""
    if page not in _LEADS or visit.remember("tour_done") or not state.has_project():
        return
    with suppress(MandolineError):  # the page says what is wrong
        workspace = state.workspace()
        # It speaks of that sample.
        if workspace.revision.document.get("tour") is not False and state.is_sample(workspace, "reviews"):
            _tour_step(page)


def _tour_step(page: str) -> None:
    number = visit.remember("tour_step") or 1
    (spoken_of, title, text), last = wording.TOUR[number - 1], number == len(wording.TOUR)
    with st.container(border=True, key="tour"):
        st.markdown(f":material/explore: **{number} of {len(wording.TOUR)}: {title}.** {text}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if spoken_of != page:
                path, icon = _LEADS[spoken_of]
                st.page_link(path, label="Use my data" if last else f"Go to {spoken_of}", icon=icon)
            if not last and st.button("Next", key="next_step"):
                visit.remember("tour_step", number + 1)
                for name, what in _OPENED.get(number + 1, {}).items():
                    visit.remember(name, what)
                st.switch_page(_LEADS[wording.TOUR[number][0]][0])
            st.button("Close the tour", key="close_tour", type="tertiary", on_click=_close_tour)


def _close_tour() -> None:
    """Put the tour away, for this project and for this visit."""
    state.look(tour=False)
    visit.remember("tour_done", "yes")
