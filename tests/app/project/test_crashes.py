"""Saved projects survive a process that is killed at any moment, and everything that was acknowledged is there."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from app.project.store import Store
from tests.app.project.editor import Track, edit

KILLS = int(os.environ.get("KILLS", "10"))


@dataclass
class Ledger:
    """Hold what was acknowledged, and what was begun and may be there or not."""

    tracks: dict[str, Track] = field(default_factory=dict)
    begun: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    shared: dict[str, dict[int, Any]] = field(default_factory=dict)
    sharing: list[Any] = field(default_factory=list)
    creating: int = 0
    acknowledged: int = 0

    def hear(self, kind: str, *said: Any) -> None:
        """Take one message of the editor in."""
        if kind == "creating":
            self.creating += 1
        elif kind == "created":
            self.creating -= 1
            self.tracks[said[0]] = Track({0: said[1]})
        elif kind == "begins":
            self.begun[said[0]] = said[1:]
        elif kind == "done":
            self._settle(said[0], self.tracks[said[0]].after(*self.begun.pop(said[0])))
        elif kind == "shared":
            self.shared[said[0]] = {0: {"n": -1}}
        elif kind == "sharing":
            self.sharing.append(said[1])
        elif kind == "shared_as":
            self.shared[said[0]][said[1]] = said[2]
        self.acknowledged += kind in ("created", "done", "shared", "shared_as")

    def _settle(self, project: str, track: Track | None) -> None:
        if track is None:
            del self.tracks[project]
        else:
            self.tracks[project] = track

    def check(self, store: Store) -> None:
        """Hold what is saved against what was acknowledged; what was begun is done in full or not at all."""
        for project, track in list(self.tracks.items()):
            found = _read(store, project)
            after = track.after(*self.begun[project]) if project in self.begun else track
            assert found in (_plain(track), _plain(after)), (project, self.begun.get(project))
            self._settle(project, track if found == _plain(track) else after)
        for project, states in self.shared.items():
            found = {one.number: one.document for one in store.history(project)}
            assert {number: found.get(number) for number in states} == states
            assert all(document in self.sharing for number, document in found.items() if number not in states)
            assert store.head(project).number == max(found)
        strangers = {entry.id for entry in store.entries()} - set(self.tracks) - set(self.shared)
        assert len(strangers) <= self.creating + 1  # each was whole enough to be listed; one may be the shared one
        store.delete(*strangers, *self.shared)
        self.shared, self.sharing, self.begun, self.creating = {}, [], {}, 0


def _plain(track: Track | None) -> object:
    if track is None:
        return None
    return track.documents, track.parents, {n: name for n, name in track.names.items() if name}, track.head


def _read(store: Store, project: str) -> object:
    if not store.exists(project):
        return None
    history = store.history(project)
    return (
        {one.number: one.document for one in history},
        {one.number: one.parent for one in history},
        {one.number: one.snapshot for one in history if one.snapshot},
        store.head(project).number,
    )


def check_folder(store: Store, ledger: Ledger) -> None:
    """Check that the database is sound, and each file whole, noted, and there if a state names it; no other is."""
    with closing(sqlite3.connect(store.folder / "projects.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        noted = dict(database.execute("SELECT hash, bytes FROM file"))
    there = {path.name: path.read_bytes() for path in store.files.iterdir()}
    assert {name: len(content) for name, content in there.items()} == noted
    assert all(f"{hashlib.sha256(content).hexdigest()}.csv" == name for name, content in there.items())
    for track in ledger.tracks.values():
        assert track.files <= set(there)
        assert all(set(document.get("files", ())) <= set(there) for document in track.documents.values())
    assert list(store.incoming.iterdir()) == []


def run_and_kill(processes: ForkServerContext, folder: Path, seed: int, ledger: Ledger, draw: random.Random) -> None:
    """Let an editor work for a random while, now and then only as long as it takes to open, and kill it."""
    ours, theirs = processes.Pipe(duplex=False)
    editor = processes.Process(target=edit, args=(folder, seed, theirs))
    editor.start()
    theirs.close()
    wait, opening = draw.uniform(0, 0.25), draw.random() < 0.1
    deadline = None
    try:
        while deadline is None or time.monotonic() < deadline:
            if ours.poll(0.001):
                message = ours.recv()
                ledger.hear(*message)
                if deadline is None and (opening or message[0] == "created"):
                    deadline = time.monotonic() + (wait / 20 if opening else wait)
        os.kill(editor.pid, signal.SIGKILL)
        editor.join()
        while ours.poll():
            ledger.hear(*ours.recv())
    except (EOFError, OSError):  # the last message was not sent to its end
        pass
    finally:
        editor.kill()
        editor.join()
        ours.close()
    assert editor.exitcode == -signal.SIGKILL


def forget_what_came(folder: Path) -> int:
    """Make what was left in the middle of coming look as if it were left long ago; return how much there is."""
    found = list((folder / "incoming").iterdir()) if folder.exists() else []
    for path in found:
        os.utime(path, (0, 0))
    return len(found)


@pytest.mark.slow
def test_whatever_was_acknowledged_is_there_after_a_kill(processes: ForkServerContext, tmp_path: Path) -> None:
    """Several threads create, save, amend, name, step, add files and delete; killed at random, again and again."""
    ledger, draw, left = Ledger(), random.Random(14), 0  # noqa: S311  repeatable, not secret
    for seed in range(KILLS):
        run_and_kill(processes, tmp_path, seed, ledger, draw)
        left += forget_what_came(tmp_path)
        store = Store(tmp_path)
        assert store.set_aside is None
        ledger.check(store)
        check_folder(store, ledger)
        for project in list(ledger.tracks)[:-20]:  # whoever works for long has a few on the desk
            store.delete(project)
            del ledger.tracks[project]
        store.close()
    print(f"\n{KILLS} kills, {ledger.acknowledged:,} acknowledged changes, {left} uploads left half way")
    assert ledger.acknowledged > 2 * KILLS
