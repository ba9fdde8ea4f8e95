"""Saved projects survive whatever happens, and belong to whoever has the link."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from app.project import store as module
from app.project.store import Store, StoreError


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_changes_can_be_undone_and_redone(store: Store) -> None:
    """Undo goes back one change and redo forward again, each with the change's label."""
    project = store.create({"n": 0})
    store.save(project, {"n": 1}, "first")
    store.save(project, {"n": 2}, "second")
    assert store.step(project, -1) == "second"
    assert store.head(project).document == {"n": 1}
    assert store.head(project).can_undo
    assert store.head(project).can_redo
    assert store.step(project, 1) == "second"
    assert store.head(project).document == {"n": 2}
    assert store.step(project, 1) is None


def test_a_change_after_undo_drops_what_was_undone(store: Store) -> None:
    """History is a line: a new change replaces the undone ones."""
    project = store.create({"n": 0})
    store.save(project, {"n": 1}, "first")
    store.step(project, -1)
    store.save(project, {"n": 9}, "other")
    assert store.head(project).document == {"n": 9}
    assert not store.head(project).can_redo
    assert store.step(project, -1) == "other"
    assert store.head(project).document == {"n": 0}


def test_looking_is_no_step_of_undo(store: Store) -> None:
    """Amending replaces the current state."""
    project = store.create({"n": 0})
    store.amend(project, {"n": 0, "model": "lr"})
    assert store.head(project).document["model"] == "lr"
    assert not store.head(project).can_undo


def test_projects_are_kept_apart(store: Store) -> None:
    """Two projects share nothing, and ids are long and different."""
    one, two = store.create({"n": 1}), store.create({"n": 2})
    store.save(one, {"n": 10}, "change")
    assert store.head(two).document == {"n": 2}
    assert one != two
    assert min(len(one), len(two)) >= 20


def test_another_server_finds_the_same_projects(store: Store, tmp_path: Path) -> None:
    """A new store on the same folder has everything."""
    project = store.create({"n": 0})
    store.save(project, {"n": 1}, "first")
    assert Store(tmp_path).head(project).document == {"n": 1}


def test_files_are_kept_once_by_content_and_go_with_their_last_project(store: Store) -> None:
    """The same bytes are stored once; deleting the last project that uses them deletes them."""
    one, two = store.create({}), store.create({})
    first = store.add_file(one, b"a,b\n1,2\n", ".csv")
    assert store.add_file(two, b"a,b\n1,2\n", ".csv") == first
    assert first.read_bytes() == b"a,b\n1,2\n"
    store.delete(one)
    assert first.exists()
    store.delete(two)
    assert not first.exists()
    assert not store.exists(one)


def test_a_full_store_refuses_files_and_keeps_the_rest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the size limit a file is refused with a sentence that says what to do."""
    project = store.create({"n": 0})
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(StoreError, match="Delete a project you no longer need"):
        store.add_file(project, b"x" * 11, ".csv")
    assert store.head(project).document == {"n": 0}
    assert list(store.files.iterdir()) == []


def test_an_unknown_project_is_a_clear_error(store: Store) -> None:
    """A wrong link gets a sentence, not a traceback."""
    with pytest.raises(StoreError, match="the link is wrong"):
        store.head("nowhere")
    with pytest.raises(StoreError, match="the link is wrong"):
        store.save("nowhere", {}, "change")


def test_old_history_is_dropped_at_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the latest states are kept."""
    monkeypatch.setattr(module, "MAX_REVISIONS", 3)
    project = store.create({"n": 0})
    for n in range(1, 8):
        store.save(project, {"n": n}, str(n))
    undone = 0
    while store.step(project, -1):
        undone += 1
    assert undone == 2


def _save_until_killed(folder: Path, project: str) -> None:
    store, n = Store(folder), 0
    while True:
        n += 1
        store.save(project, {"n": n, "check": n}, "change")


def test_a_killed_server_leaves_a_whole_project(store: Store, tmp_path: Path) -> None:
    """Killing the process in the middle of saving leaves the last whole change."""
    project = store.create({"n": 0, "check": 0})
    context = multiprocessing.get_context("spawn")
    writer = context.Process(target=_save_until_killed, args=(tmp_path, project))
    writer.start()
    while store.head(project).document["n"] < 5:
        pass
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    document = store.head(project).document
    assert document["n"] == document["check"] >= 5


def _save_many(folder: Path, project: str, times: int) -> None:
    store = Store(folder)
    for _ in range(times):
        store.save(project, {"by": os.getpid()}, "change")


def test_two_writers_never_lose_a_revision(store: Store, tmp_path: Path) -> None:
    """Two processes that save at the same time both get all their revisions in."""
    project = store.create({})
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_save_many, args=(tmp_path, project, 20)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.head(project).number == 40
