"""Which project a visitor reaches: by a link, by having opened it in this visit, or because it is theirs.

There are three kinds of links. `project` is for who made it: where nobody signs in, that is anyone with the link.
`edit` and `view` are for those it is shared with; where people sign in, its owner makes them, and ends them.
"""

from __future__ import annotations

import ipaddress
from typing import Literal, NamedTuple, get_args
from urllib.parse import urljoin, urlsplit

import streamlit as st

from app.project import people
from app.project.store import SavedProject, Share, Store, StoreError, default_folder

Kind = Literal["project", "edit", "view"]
LOOKING = "This link is view-only. Make a copy to edit."
_NOT_YOURS = "Only the owner can share a project. Make a copy to share."
_KINDS: tuple[Kind, ...] = ("view", "edit", "project")


class ProjectLink(NamedTuple):
    """Hold how a visitor reaches a project."""

    kind: Kind
    token: str
    project: str


@st.cache_resource
def store() -> Store:
    """Open the store of saved projects, once a server."""
    return Store(default_folder())


def reached_link() -> ProjectLink | None:
    """Find what the visitor asks for, if they may: in the URL, which survives a refresh, or since in the session."""
    # The URL first: a link that is pasted into a tab wins over what the tab had open. A page that is switched to comes
    # without parameters; then the session knows where the visitor was.
    for place in (st.query_params, st.session_state):
        for kind in _KINDS:
            if token := place.get(kind):
                return _follow(kind, str(token))
    return None


def _follow(kind: Kind, token: str) -> ProjectLink | None:
    project = token if kind == "project" else store().sharing.leads_to(kind, token)
    found = None if project is None else store().sharing.access(project)
    if project is None or found is None:
        return None
    if kind == "project" and people.asks() and found["owner"] not in (None, people.visitor_id()):
        return None
    return ProjectLink(kind, token, project)


def is_asked_for() -> bool:
    """Tell whether the visitor has come with a link, wherever it leads."""
    return any(st.query_params.get(kind) for kind in _KINDS)


def point(kind: Kind, token: str) -> None:
    """Let the URL and the session lead to a project, by one of its links."""
    for place in (st.query_params, st.session_state):
        for other in _KINDS:
            if other != kind and other in place:
                del place[other]
        if place.get(kind) != token:
            place[kind] = token
    if kind == "project":
        note_own(token)


def point_home(project: str) -> None:
    """Let the URL and the session lead to a project that is the visitor's own."""
    point("project", project)


def note_own(project: str) -> None:
    """Note a project as one of this visit."""
    if project not in st.session_state.get("mine", ()):
        st.session_state["mine"] = [*st.session_state.get("mine", ()), project]


def is_open(project: str) -> bool:
    """Tell whether a project is the one that this visit is at."""
    return st.session_state.get("project") == project


def is_view_only() -> bool:
    """Tell whether the visitor may look but not change anything."""
    found = reached_link()
    return found is not None and found.kind == "view"


def shareable() -> dict[Share, str]:
    """Return the links to the project that the visitor may hand on; one for looking does not give the other away."""
    found = reached_link()
    if found is None:
        return {}
    base = st.context.url or ""
    if not people.asks() and found.kind == "project":
        view = store().sharing.share(found.project, "view")
        return {"edit": f"{base}?project={found.project}", "view": f"{base}?view={view}"}
    if found.kind != "project":
        return {found.kind: f"{base}?{found.kind}={found.token}"}
    sharing, kinds = store().sharing.access(found.project) or {}, get_args(Share)
    return {kind: f"{base}?{kind}={sharing[kind]}" for kind in kinds[::-1] if sharing.get(kind)}


def slides_link() -> str:
    """Return the link to the slides that may be handed to who only looks; empty where its owner has made none."""
    view = shareable().get("view", "")
    return urljoin(view, f"present?{urlsplit(view).query}") if view else ""


def can_share() -> bool:
    """Tell whether the visitor decides who else reaches the project."""
    found = reached_link()
    return people.asks() and found is not None and found.kind == "project"


def share(kind: Share, *, shared: bool) -> None:
    """Make a link that leads others to the project, or let it lead nowhere."""
    found = reached_link()
    if found is None or not can_share():
        raise StoreError(_NOT_YOURS)
    if shared:
        store().sharing.share(found.project, kind)
    else:
        store().sharing.end(found.project, kind)


def projects() -> list[SavedProject]:
    """List the projects that this visitor may see.

    Their own, where people sign in; else all on a computer of one's own, and those of this visit on any other.
    """
    if people.asks():
        return store().entries(people.visitor_id() or "nobody")
    entries = store().entries()
    return entries if is_local() else [entry for entry in entries if entry.id in st.session_state.get("mine", ())]


def is_local() -> bool:
    """Tell whether only this computer can reach the server."""
    address = str(st.get_option("server.address") or "")
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
