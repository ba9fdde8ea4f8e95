"""Projects: what there is, each with its estimate; open, copy, rename, put away and delete; start another one."""

from __future__ import annotations

import time

import streamlit as st

from app import compute
from app.project import SavedProject, links, people, state, visit
from app.views import parts
from app.views.data import ways_in
from app.views.projects import gallery
from app.words import wording
from mandoline_core import MandolineError, Project
from mandoline_core.formatting import show_interval

MOST = 20  # at first: a card takes time to draw


def main() -> None:
    """Show the page."""
    st.title("Projects")
    st.markdown("Estimate how well a model does on new data that nobody has labelled.")
    if visit.remember("lost"):
        st.warning("The project of this link no longer exists. Open another, or start one.", icon=":material/link_off:")
        visit.remember("lost", "")
    entries = _with_open(links.projects())
    aside = state.store().set_aside
    if aside is not None:
        st.warning(
            f"The file of saved projects was damaged. It is kept unchanged as {aside.name}, next to a new one. "
            "To restore a backup, replace the new file with it.",
            icon=":material/warning:",
        )
    if entries:
        mine(entries)
    st.subheader("Start a project")
    ways_in.ways_in()
    gallery.show()


def _with_open(entries: list[SavedProject]) -> list[SavedProject]:
    """Add the open project where it is not listed yet, such as a sample that nobody has edited."""
    found = links.reached_link()
    if found is None or found.kind != "project" or any(entry.id == found.project for entry in entries):
        return entries
    return [SavedProject(found.project, state.head(), time.time(), archived=False), *entries]


def mine(entries: list[SavedProject]) -> None:
    """Show the projects that are there, those put away only on request."""
    st.subheader("My projects")
    if people.asks():
        st.caption("Only you and people with a link can open them.")
    elif links.is_local():
        st.caption("All projects on this computer. Anyone with a project's link can open it.")
    else:
        st.caption("Projects of this visit. Keep a project's link to return to it. Anyone with the link can open it.")
    in_use = [entry for entry in entries if not entry.archived]
    away = len(entries) - len(in_use)
    shown(entries if away and st.toggle(f"Show archived ({away:,})", key="show_archived") else in_use)


def shown(entries: list[SavedProject]) -> None:
    """Show a card for each project, the newest first."""
    everything = len(entries) <= MOST or visit.remember("all_projects")
    for entry in entries if everything else entries[:MOST]:
        card(entry)
    if not everything:
        st.button(f"Show all {len(entries):,}", on_click=visit.remember, args=("all_projects", "yes"))


def card(entry: SavedProject) -> None:
    """Show one project; one that cannot be read can still be deleted."""
    try:
        project = state.project_in(entry)
    except MandolineError as error:
        project = None
        problem = error
    with st.container(border=True, key=f"card:{entry.id}"):
        left, middle, right = st.columns([3, 3, 2], vertical_alignment="center")
        with left:
            name = "Unreadable project" if project is None else project.name
            st.markdown(f"**{wording.plain(name)}**{' (archived)' if entry.archived else ''}")
            st.caption(f"Changed {wording.ago(time.time() - entry.touched)}")
        with middle:
            if project is None:
                parts.show_error(problem)
            else:
                estimated(entry, project)
        with right, st.container(horizontal=True, horizontal_alignment="right"):
            if project is not None and st.button("Open", key=f"open:{entry.id}", type="primary"):
                state.go_to(entry.id)
                st.switch_page(parts.RESULT)
            more(entry, name)


def estimated(entry: SavedProject, project: Project) -> None:
    """Say what was last estimated, on what data."""
    names = entry.head.document["names"]
    models = [model.name for model in project.models] or [""]
    wanted = entry.head.document.get("model")
    model = wanted if wanted in models else models[0]
    summary = compute.read_summary(entry.head, model)
    if summary is None or summary.estimate is None:
        st.markdown("No estimate yet")
    else:
        value = show_interval(summary.estimate, summary.interval, share=summary.share)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{wording.plain(summary.metric)} **{value}**", width="content")
            if summary.level:
                parts.level_badge(summary.level)
    rows = "" if summary is None else f": {summary.n_source:,} labelled rows, {summary.n_target:,} new rows"
    alone = "" if summary is None or summary.estimate is None else " Interval for sampling error alone."
    st.caption(f"{wording.plain(names['source'])} and {wording.plain(names['target'])}{rows}.{alone}")


def more(entry: SavedProject, name: str) -> None:
    """Offer what can be done with a project next to opening it."""
    with st.popover("More", key=f"more:{entry.id}"):
        key = visit.bind(f"rename:{entry.id}", name)
        st.text_input("Name", key=key, on_change=rename, args=(entry.id, key))
        st.button(
            "Duplicate",
            key=f"duplicate:{entry.id}",
            icon=":material/content_copy:",
            on_click=duplicate,
            args=(entry.id,),
        )
        st.button(
            "Unarchive" if entry.archived else "Archive",
            key=f"archive:{entry.id}",
            icon=":material/archive:",
            on_click=archive,
            args=(entry, name),
        )
        if st.button("Delete", key=f"delete:{entry.id}", icon=":material/delete:"):
            confirm_delete(entry.id, name)


def rename(project_id: str, key: str) -> None:
    """Take the name that was typed."""
    name = str(visit.typed(key)).strip()
    with visit.refusing():
        if name:
            state.rename_project(project_id, name)


def duplicate(project_id: str) -> None:
    """Make a copy next to a project, and open it: who duplicates means to change the copy."""
    with visit.refusing():
        copy = state.copy_project(project_id)
        state.go_to(copy)
        visit.tell(f"Opened the copy: {state.workspace().project.name}.")


def archive(entry: SavedProject, name: str) -> None:
    """Put a project away, or take it out again."""
    with visit.refusing():
        state.store().archive(entry.id, archived=not entry.archived)
        visit.tell(f"{'Unarchived' if entry.archived else 'Archived'} {name}.")


@st.dialog("Delete this project?")
def confirm_delete(project_id: str, name: str) -> None:
    """Ask once."""
    st.write(f"**{wording.plain(name)}**, its history and its uploaded files will be deleted. This cannot be undone.")
    if st.button("Delete", key="really_delete", type="primary"):
        with parts.stopping():
            state.delete_project(project_id)
        st.rerun()


main()
