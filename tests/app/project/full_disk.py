"""Saved projects on a disk that is really full: run in a space of its own, where anyone may have a small disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from app.project.store import Store, StoreError

PAGE = 4096
SIZE = 4 * 2**20
FREE = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)  # pages


def main(disk: Path) -> None:
    """Fill a disk but for some pages, again and again, and tell what happened."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(disk)], check=False).returncode:
        print("cannot mount")
        return
    found = {"disks": 0, "refused": 0, "worked": 0, "deleted when full": 0, "long history": _long_history(disk)}
    said: set[str] = set()
    for free in FREE:
        folder = disk / f"free-{free}"
        with closing(Store(folder)) as store:
            _try(store, disk, free, found, said)
        subprocess.run(["rm", "-r", str(folder)], check=True)
        found["disks"] += 1
    print(json.dumps({**found, "said": sorted(said), "read-only": _read_only(disk)}))


def _try(store: Store, disk: Path, free: int, found: dict[str, int], said: set[str]) -> None:
    kept, large = store.create({"n": 0}), store.create({"n": 0})
    store.add_file(large, os.urandom(2**20), ".csv")
    acts: list[Callable[[], object]] = [
        lambda: store.save(kept, {"n": 1, "text": "x" * 20_000}, "change"),
        lambda: store.amend(kept, {"model": os.urandom(3000).hex()}),
        lambda: store.add_file(kept, os.urandom(30_000), ".csv"),
        lambda: store.create({"text": "x" * 50_000}),
    ]
    for act in acts:
        _fill(disk, free)
        before = _look(store)
        try:
            act()
            found["worked"] += 1
        except StoreError as error:
            said.add(str(error))
            found["refused"] += 1
            assert _look(store) == before, "something was half done"
        assert list(store.incoming.iterdir()) == []
    _fill(disk, 0)
    store.delete(large)
    found["deleted when full"] += not store.exists(large)
    for act in acts:  # there is room again
        act()
    (disk / "filler").unlink()


def _long_history(disk: Path) -> bool:
    """Delete a project of many states on a full disk: there is less room than its journal would take."""
    place = disk / "long"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4 * SIZE}", "none", str(place)], check=True)
    with closing(Store(place / "data")) as store:
        kept, long = store.create({"n": 0}), store.create({"n": 0})
        for number in range(300):
            store.save(long, {"n": number, "text": os.urandom(3000).hex()}, f"change {number}")
        store._database.shorten_journal()  # which others may have done as well
        _fill(place, 0)
        store.delete(long)
        gone = not store.exists(long) and store.head(kept).document == {"n": 0}
    subprocess.run(["umount", str(place)], check=True)
    place.rmdir()
    return gone


def _look(store: Store) -> object:
    return [(entry.id, store.history(entry.id)) for entry in store.entries()], sorted(store.files.iterdir())


def _fill(disk: Path, free: int) -> None:
    filler = disk / "filler"
    filler.unlink(missing_ok=True)
    room = os.statvfs(disk)
    filler.write_bytes(bytes(max(0, room.f_bavail * room.f_bsize - free * PAGE)))


def _read_only(disk: Path) -> list[str]:
    """Tell what is said where nothing may be written any more, and what a new start says."""
    with closing(Store(disk / "data")) as store:
        project = store.create({"n": 0})
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    said = []
    for act in (lambda: store.save(project, {}, "change"), lambda: Store(disk / "data")):
        try:
            act()
        except StoreError as error:
            said.append(str(error))
    return said


if __name__ == "__main__":
    main(Path(sys.argv[1]))
