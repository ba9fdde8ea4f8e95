"""Processes to kill: one that edits saved projects and says on a pipe what is done, one that changes their form."""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import signal
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from app.project.store import Store
from app.project.store.database import Database

THREADS = 3
MOST = 4  # projects of one thread; the oldest goes first
Say = Callable[[tuple[Any, ...]], None]


@dataclass
class Track:
    """Hold what a project should be like, by the same rules as the store, written again in the plainest way."""

    documents: dict[int, dict[str, Any]]
    parents: dict[int, int | None] = field(default_factory=lambda: {0: None})
    names: dict[int, str] = field(default_factory=dict)
    head: int = 0
    files: frozenset[str] = frozenset()

    def after(self, act: str, *given: Any) -> Track | None:
        """Return what one act makes of it; nothing where it is deleted."""
        found = Track(dict(self.documents), dict(self.parents), dict(self.names), self.head, self.files)
        if act == "save":
            found.head = max(found.documents) + 1
            found.documents[found.head], found.parents[found.head] = given[0], self.head
        elif act == "amend":
            found.documents[found.head] = {**found.documents[found.head], **given[0]}
        elif act == "name":
            found.names[given[0]] = given[1]
        elif act == "step":
            others = (n for n, parent in found.parents.items() if parent == self.head) if given[0] > 0 else ()
            to = max(others, default=None) if given[0] > 0 else found.parents[self.head]
            found.head = self.head if to is None else to
        elif act == "add_file":
            found.files |= {given[0]}
        elif act == "delete":
            return None
        return found


def edit(folder: Path, seed: int, pipe: Connection) -> None:
    """Edit with several threads, each on projects of its own and all on a shared one, until killed."""
    lock = threading.Lock()

    def say(message: tuple[Any, ...]) -> None:
        with lock:
            pipe.send(message)

    say(("starting",))
    store = Store(folder)
    shared = store.create({"n": -1})
    say(("shared", shared))
    for number in range(THREADS):
        draw = random.Random(f"{seed} {number}")  # noqa: S311  what to do next is no secret
        threading.Thread(target=_work, args=(store, shared, draw, say)).start()


def _work(store: Store, shared: str, draw: random.Random, say: Say) -> None:
    mine: dict[str, Track] = {}
    while True:
        if not mine or (len(mine) < MOST and draw.random() < 0.1):
            document = _document(draw)
            say(("creating",))
            project = store.create(document)
            mine[project] = Track({0: document})
            say(("created", project, document))
        project = draw.choice(list(mine))
        act, *given = _choose(draw, mine[project])
        if act == "share":
            say(("sharing", shared, given[0]))
            say(("shared_as", shared, store.save(shared, given[0], "together"), given[0]))
            continue
        say(("begins", project, act, *(given[:1] if act == "add_file" else given)))
        _do(store, project, act, given)
        found = mine[project].after(act, *given)
        if found is None:
            del mine[project]
        else:
            mine[project] = found
        say(("done", project))


def _do(store: Store, project: str, act: str, given: list[Any]) -> None:
    if act == "add_file":
        store.add_file(project, given[1], ".csv")
    elif act == "save":
        store.save(project, given[0], f"change {given[0]['n']}")  # each an edit of its own
    else:
        getattr(store, act)(project, *given)


def _choose(draw: random.Random, track: Track) -> tuple[Any, ...]:
    act = draw.choices(
        ["save", "amend", "name", "step", "add_file", "share", "delete"],
        [8, 2, 2, 3, 3, 4, 0.3 + len(track.documents) / 60],
    )[0]
    if act == "save":
        return act, {**_document(draw), "files": sorted(track.files)}
    if act == "amend":
        return act, {"model": secrets.token_hex(4)}
    if act == "name":
        return act, draw.choice(list(track.documents)), secrets.token_hex(4)
    if act == "step":
        return act, draw.choice([-1, -1, 1])
    if act == "add_file":
        content = draw.randbytes(draw.choice([10, 1_000, 300_000]))
        return act, file_name(content), content
    return (act, _document(draw)) if act == "share" else (act,)


def file_name(content: bytes) -> str:
    """Return what the store calls a file."""
    return f"{hashlib.sha256(content).hexdigest()}.csv"


def _document(draw: random.Random) -> dict[str, Any]:
    return {"n": draw.random(), "text": secrets.token_hex(draw.choice([20, 500, 8_000]))}


def die_at(folder: Path, statement: int) -> None:
    """Bring projects to the present form, and be killed before one of the statements that do it."""
    opened, left = Database._open, statement

    def watched(self: Database) -> sqlite3.Connection:
        def count(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        database = opened(self)
        database.set_trace_callback(count)
        return database

    Database._open = watched
    Store(folder).close()
