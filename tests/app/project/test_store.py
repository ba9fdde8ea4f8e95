"""Saved projects survive whatever happens, and belong to whoever has the link."""

from __future__ import annotations

import io
import math
import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.project.store import Store, StoreError, projects, uploads


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


def test_steps_under_one_label_are_one_edit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dragged slider makes many steps: undo, redo and what was before take them as one. Later ones are another."""
    project = store.create({"n": 0})
    assert store.before(project) is None
    store.save(project, {"n": 1}, "add")
    for n in (2, 3, 4):
        store.save(project, {"n": n}, "correct")
    before = store.before(project)
    assert before is not None
    assert (before.label, before.document) == ("add", {"n": 1})
    assert store.step(project, -1) == "correct"
    assert store.head(project) == before
    assert store.step(project, 1) == "correct"
    assert store.head(project).document == {"n": 4}
    later = time.time() + 60
    monkeypatch.setattr(time, "time", lambda: later)
    store.save(project, {"n": 5}, "correct")
    assert store.step(project, -1) == "correct"
    assert store.head(project).document == {"n": 4}


def test_an_edit_that_is_prolonged_stays_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand may rest on a slider: what follows still belongs to the drag, and nothing before it does."""
    project, now = store.create({"n": 0}), time.time()
    store.save(project, {"n": 1}, "correct")
    monkeypatch.setattr(time, "time", lambda: now + 10)
    first = last = store.save(project, {"n": 2}, "correct")
    assert first is not None
    for n, later in ((3, 60), (4, 120)):
        monkeypatch.setattr(time, "time", lambda later=later: now + later)
        store.prolong(project, first, last or first)
        last = store.save(project, {"n": n}, "correct")
    assert store.step(project, -1) == "correct"
    assert store.head(project).document == {"n": 1}
    store.step(project, 1)
    assert store.head(project).document == {"n": 4}


def test_a_clock_that_jumps_takes_nothing_from_anyone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits to be used, and what somebody looks at, is as old as it was."""
    waiting = store.receive(io.BytesIO(b"a,b"), "a.csv")
    looked_at = store.create({"n": 0}, listed=False)
    jumped = time.time() + 2 * projects.KEEP_UNLISTED
    monkeypatch.setattr(time, "time", lambda: jumped)
    store.receive(io.BytesIO(b"a,b"), "b.csv")
    store._dropped = -math.inf
    store.create({"n": 0})
    assert waiting.exists()
    assert store.exists(looked_at)


def test_untouched_projects_go_while_the_server_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each visitor makes one: those that nobody changed are dropped as others come, once an hour."""
    looked_at, changed = store.create({"n": 0}, listed=False), store.create({"n": 0}, listed=False)
    store.save(changed, {"n": 1}, "change")
    started = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: started + projects.KEEP_UNLISTED + 60)
    store.create({"n": 0}, listed=False)
    assert not store.exists(looked_at)
    assert store.exists(changed)


def test_redo_is_over_after_a_change(store: Store) -> None:
    """Undo walks a line: a new change takes the place of the undone ones on it."""
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
    project = store.create({})  # which a project is until its files are there
    store.amend(project, {"n": 0})
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
    monkeypatch.setattr(uploads, "MAX_BYTES", 10)
    with pytest.raises(StoreError, match="uploads are limited to"):
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
    monkeypatch.setattr(projects, "MAX_REVISIONS", 3)
    project = store.create({"n": 0})
    for n in range(1, 8):
        store.save(project, {"n": n}, str(n))
    undone = 0
    while store.step(project, -1):
        undone += 1
    assert undone == 2


def test_nothing_that_was_undone_is_lost(store: Store) -> None:
    """A change after undo leaves the other line of states where it is, and a name keeps a state beyond the limit."""
    project = store.create({"n": 0})
    store.save(project, {"n": 1}, "first")
    store.name(project, 1, "kept")
    store.step(project, -1)
    store.save(project, {"n": 2}, "second")
    found = [(one.number, one.parent, one.snapshot) for one in store.history(project)]
    assert found == [(0, None, ""), (1, 0, "kept"), (2, 0, "")]


def test_a_named_state_outlives_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "MAX_REVISIONS", 2)
    project = store.create({"n": 0})
    store.name(project, 0, "the start")
    for n in range(1, 6):
        store.save(project, {"n": n}, str(n))
    assert [one.number for one in store.history(project)] == [0, 4, 5]


def test_what_was_made_for_a_look_goes_after_a_day(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not listed until its first edit; one that was edited, or is young, stays."""
    looked, edited = (store.create({"n": 0}, listed=False) for _ in range(2))
    store.save(edited, {"n": 1}, "first")
    assert [entry.id for entry in store.entries()] == [edited]
    assert Store(tmp_path).exists(looked)
    monkeypatch.setattr(projects, "KEEP_UNLISTED", -1.0)
    again = Store(tmp_path)
    assert not again.exists(looked)
    assert again.exists(edited)


def test_a_copy_keeps_the_files_that_it_names(store: Store) -> None:
    """Whoever names an uploaded file in a state uses it, however the name came there."""
    first = store.create({})
    path = store.add_file(first, b"a\n1\n", ".csv")
    second = store.create({"toml": f"path = '{path}'"})
    store.delete(first)
    assert path.exists()
    store.delete(second)
    assert not path.exists()


def test_a_link_for_looking_gives_the_other_away_to_nobody(store: Store) -> None:
    project = store.create({})
    token = store.sharing.share(project, "view")
    assert token == store.sharing.share(project, "view") != project
    assert store.sharing.leads_to("view", token) == project
    assert store.sharing.leads_to("view", "nothing") is None
    assert not store.exists(token)


def test_what_was_estimated_stands_beside_the_state(store: Store) -> None:
    """Model by model, whatever their names."""
    project = store.create({"n": 0})
    for name in ("lr", 'a "b" $.c'):
        store.summarise(project, 0, name, {"estimate": len(name)})
    assert store.head(project).summaries == {"lr": {"estimate": 2}, 'a "b" $.c': {"estimate": 9}}


def test_what_is_kept_is_private(tmp_path):
    """Folders and files are for the owner of the server alone, whatever its mask says."""
    store = Store(tmp_path / "data")
    project = store.create({"n": 1})
    path = store.add_file(project, b"a,b\n1,2\n", ".csv")
    assert [stat.S_IMODE(place.stat().st_mode) for place in (store.folder, store.files)] == [0o700, 0o700]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((store.folder / "projects.sqlite").stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", [b"not a database at all, but long enough to be read as one" * 40, None])
def test_a_damaged_database_is_set_aside_and_nothing_is_lost(tmp_path, damage):
    """The old file keeps its bytes under another name, and the server starts with an empty one."""
    store = Store(tmp_path)
    for number in range(50):
        store.create({"n": number, "text": "x" * 500})
    store.close()
    path = tmp_path / "projects.sqlite"
    content = bytearray(path.read_bytes())
    if damage is None:
        content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(damage or bytes(content))
    before = path.read_bytes()
    again = Store(tmp_path)
    assert again.set_aside is not None
    assert again.set_aside.read_bytes() == before
    assert again.entries() == []
    assert again.exists(again.create({"n": 1}))
    assert Store(tmp_path).set_aside is None


def test_a_file_where_the_folder_should_be_is_said(tmp_path):
    """The name of the folder, and what to do."""
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreError, match="Cannot save projects in 'data': there is a file"):
        Store(tmp_path / "data")


def test_a_file_that_comes_again_while_it_is_deleted_is_there(store: Store) -> None:
    """One project goes, the last that used it, and at the same moment another brings the same bytes."""
    for number in range(30):
        content = b"a,b\n%d,2\n" % number
        goes, comes = store.create({}), store.create({})
        store.add_file(goes, content, ".csv")
        with ThreadPoolExecutor(2) as both:
            deleted = both.submit(store.delete, goes)
            path = both.submit(store.add_file, comes, content, ".csv").result()
            deleted.result()
        assert path.read_bytes() == content


def test_a_file_for_a_project_that_is_gone_is_refused_and_not_kept(store: Store) -> None:
    project = store.create({})
    store.delete(project)
    with pytest.raises(StoreError, match="This project is not here"):
        store.add_file(project, b"a\n1\n", ".csv")
    assert list(store.files.iterdir()) == list(store.incoming.iterdir()) == []


def test_uploads_left_half_way_go_after_a_day(store: Store, tmp_path: Path) -> None:
    """Until then another server may be at work on them."""
    path = store.receive(io.BytesIO(b"a"), "a.csv")
    Store(tmp_path).close()
    assert path.exists()
    os.utime(path.parent, (0, 0))
    Store(tmp_path).close()
    assert not path.parent.exists()
