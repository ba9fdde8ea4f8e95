"""Whose a saved project is, and the links that lead others to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.project.store import Share, Store, StoreError, projects
from app.project.store.revisions import revision_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Open an empty store."""
    return Store(tmp_path)


def test_a_project_is_listed_for_its_owner(store: Store) -> None:
    """And for who asks for all; one that nobody owns is in nobody's list."""
    anns, bobs, nobodys = store.create({}, owner="ann"), store.create({}, owner="bob"), store.create({})
    assert [entry.id for entry in store.entries("ann")] == [anns]
    assert [entry.id for entry in store.entries("bob")] == [bobs]
    assert store.entries("") == []
    assert {entry.id for entry in store.entries()} == {anns, bobs, nobodys}
    assert store.sharing.access(anns) == {"owner": "ann", "view": None, "edit": None}
    assert store.sharing.access(nobodys) == {"owner": None, "view": None, "edit": None}
    assert store.sharing.access("no-such") is None


def test_the_list_of_one_owner_reads_no_other_projects(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are long, and a server may hold those of thousands."""
    anns, _ = store.create({}, owner="ann"), store.create({}, owner="bob")
    read = []
    monkeypatch.setattr(projects, "revision_of", lambda row: read.append(row[-1]) or revision_of(row))
    assert [entry.id for entry in store.entries("ann")] == [anns]
    assert read == [anns]


@pytest.mark.parametrize("kind", ["view", "edit"])
def test_a_link_leads_to_a_project_until_it_is_ended(store: Store, kind: Share) -> None:
    """It is the same for as long as it is there, does what its kind says, and a new one is another."""
    project = store.create({}, owner="ann")
    token, other = store.sharing.share(project, kind), "edit" if kind == "view" else "view"
    assert store.sharing.share(project, kind) == token != project
    assert len(token) >= 20
    assert store.sharing.leads_to(kind, token) == project
    assert store.sharing.leads_to(other, token) is None
    assert store.sharing.leads_to(kind, project) is None
    store.sharing.end(project, kind)
    assert store.sharing.leads_to(kind, token) is None
    assert store.sharing.share(project, kind) != token


def test_what_is_gone_is_not_shared(store: Store) -> None:
    """Nor does its link lead anywhere."""
    project = store.create({})
    token = store.sharing.share(project, "edit")
    store.delete(project)
    assert store.sharing.leads_to("edit", token) is None
    with pytest.raises(StoreError, match="not here"):
        store.sharing.share(project, "edit")
