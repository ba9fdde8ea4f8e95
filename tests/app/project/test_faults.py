"""Storage that fails at any call: one sentence, nothing lost, nothing half-written, and work goes on afterwards."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.project.store import Store, StoreError
from tests.app.project.faults import while_failing, why_not

FAULTS = {
    "no room": (("write", "resize"), errno.ENOSPC),
    "a broken disk": (("write", "resize"), errno.EIO),
    "what was written does not arrive": (("sync",), errno.EIO),
    "no renaming": (("rename",), errno.EACCES),
    "no deleting": (("delete",), errno.EACCES),
    "no new folders": (("make",), errno.ENOSPC),
    "nothing may change": (("write", "resize", "sync", "rename", "delete", "make"), errno.EROFS),
}
CONTENT = b"a,b\n" + b"1,2\n" * 5000
ACTS: dict[str, Callable[[Store, str], object]] = {
    "create": lambda store, _: store.create({"n": 1, "text": "x" * 30_000}),
    "save": lambda store, one: store.save(one, {"n": 2, "text": "x" * 30_000}, "change"),
    "amend": lambda store, one: store.amend(one, {"model": "lr"}),
    "summarise": lambda store, one: store.summarise(one, 0, "lr", {"estimate": 0.5}),
    "name": lambda store, one: store.name(one, 0, "kept"),
    "step": lambda store, one: store.step(one, -1),
    "archive": lambda store, one: store.archive(one, archived=True),
    "share": lambda store, one: store.sharing.share(one, "view"),
    "add_file": lambda store, one: store.add_file(one, CONTENT, ".csv"),
    "delete": lambda store, one: store.delete(one),
}


@pytest.fixture(scope="module", autouse=True)
def _faults_can_be_made() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)


def look(store: Store) -> object:
    """Read everything that a person could miss."""
    return [
        (entry.id, entry.archived, entry.head, store.history(entry.id))
        for entry in sorted(store.entries(), key=lambda entry: entry.id)
    ]


def check(store: Store, *, tidy: bool = True) -> None:
    """Check that all is sound: the database, every file whole and noted, and nothing on its way in."""
    with closing(sqlite3.connect(store.folder / "projects.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        noted = {name for (name,) in database.execute("SELECT hash FROM file")}
    there = {path.name: path.read_bytes() for path in store.files.iterdir()}
    assert all(f"{hashlib.sha256(content).hexdigest()}.csv" == name for name, content in there.items())
    assert set(there) == noted
    assert not tidy or list(store.incoming.iterdir()) == []


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_is_said_and_leaves_everything_as_it_was(tmp_path: Path, fault: str, act: str) -> None:
    """And the same works once the fault is gone, also after a new start."""
    with closing(Store(tmp_path)) as store:
        one, other = store.create({"n": 0}), store.create({"n": 0})
        store.save(one, {"n": 1}, "first")
        store.add_file(one, b"own", ".csv")
        store.add_file(other, b"other's", ".csv")
        before = look(store)
        raised = while_failing(*FAULTS[fault], lambda: ACTS[act](store, one))
        if raised is not None:
            assert isinstance(raised, StoreError), raised
            assert str(raised).count("\n") == 0
            assert look(store) == before or (act, fault) == ("delete", "no deleting")
        check(store, tidy=fault not in ("no deleting", "nothing may change"))
        if raised is not None:
            ACTS[act](store, one)
            check(store, tidy=fault not in ("no deleting", "nothing may change"))
        after = look(store)
        assert (after == before) == (act in ("share", "add_file"))
    with closing(Store(tmp_path)) as again:
        assert again.set_aside is None
        assert look(again) == after
        check(again, tidy=False)


@pytest.mark.parametrize(
    ("fault", "act", "sentence"),
    [
        ("no room", "save", "The disk is full. Nothing was saved. Free some space"),
        (
            "a broken disk",
            "save",
            "Cannot open the saved projects: disk I/O error. Nothing was saved. Fix this and",
        ),
        ("what was written does not arrive", "amend", "Cannot open the saved projects: disk I/O error. Nothing was"),
        ("no room", "add_file", "The file could not be written: No space left on device. Nothing was saved."),
        ("what was written does not arrive", "add_file", "The file could not be written: Input/output error. Nothing"),
        ("no renaming", "add_file", "The file could not be written: Permission denied. Nothing was saved."),
        ("no deleting", "delete", "Could not delete an unused upload: Permission denied. The"),
    ],
)
def test_each_fault_has_its_sentence(tmp_path: Path, fault: str, act: str, sentence: str) -> None:
    with closing(Store(tmp_path)) as store:
        one = store.create({"n": 0})
        store.add_file(one, b"own", ".csv")
        raised = while_failing(*FAULTS[fault], lambda: ACTS[act](store, one))
        assert str(raised).startswith(sentence)


@pytest.mark.parametrize(
    "fault", ["no room", "a broken disk", "what was written does not arrive", "nothing may change"]
)
def test_a_start_that_fails_is_said_and_touches_nothing(tmp_path: Path, fault: str) -> None:
    """Neither set aside nor emptied: the disk is at fault, not the file."""
    with closing(Store(tmp_path)) as store:
        project = store.create({"n": 1})
        before = look(store)
    calls, error = FAULTS[fault]
    raised = while_failing((*calls, "make"), error, lambda: Store(tmp_path).create({}))
    assert isinstance(raised, StoreError), raised
    with closing(Store(tmp_path)) as again:
        assert again.set_aside is None
        assert look(again) == before
        assert again.save(project, {"n": 2}, "change") == 1


@pytest.mark.slow
def test_a_disk_that_fills_up_at_any_page(tmp_path: Path) -> None:
    """On a disk of a few megabytes, filled but for so many pages: deleting always works, and makes room again."""
    if shutil.which("unshare") is None:
        pytest.skip("There is no unshare here, which would let a small disk be made.")
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m", "tests.app.project.full_disk"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    if "cannot mount" in done.stdout or done.stderr.startswith("unshare:"):
        pytest.skip("A small disk cannot be made here.")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(f"\n{found}")
    assert found["refused"] > 20
    assert found["worked"] > 20
    assert found["deleted when full"] == found["disks"]
    assert found["long history"]
    assert all(sentence.startswith(("The disk is full", "The file could not be")) for sentence in found["said"])
    assert found["read-only"] == [
        "Cannot open the saved projects: unable to open database file. Nothing was saved. Fix this and try again.",
        "Cannot save projects in 'data': Read-only file system. Fix this, or choose another folder with --data-dir.",
    ]
