"""Saved projects survive a loss of power: what had reached the disk by then is a whole history up to some change."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from app.project.store import Store
from app.project.store import folder as folders

EVERY_BYTE = bool(os.environ.get("EVERY_BYTE"))  # of the journal, instead of those around its frames and some others
SAVES = 6


class Disk(NamedTuple):
    """Hold a database and its journal as they lie on the disk, and how long the journal was after each change."""

    database: bytes
    journal: bytes
    lengths: list[int]
    project: str
    page: int

    @property
    def frame(self) -> int:
        """Bytes of a page in the journal, with its header."""
        return 24 + self.page

    def write(self, folder: Path, journal: bytes) -> None:
        """Put the database into a folder with another journal."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "projects.sqlite").write_bytes(self.database)
        (folder / "projects.sqlite-wal").write_bytes(journal)


def _document(number: int) -> dict[str, object]:
    return {"n": number, "text": random.Random(number).randbytes(400).hex()}  # noqa: S311  repeatable, not secret


def _in_use(folder: Path, page: int) -> int:
    """Count the bytes of the journal that are in use; after them may lie what was there before it began anew."""
    frames = int.from_bytes((folder / "projects.sqlite-shm").read_bytes()[16:20], "little")
    return 32 + (24 + page) * frames


# Small pages, so that every byte can be tried, and those that there are in fact.
@pytest.fixture(scope="module", params=[(512, "begun"), (512, "begun anew"), (4096, "begun anew")], ids=str)
def disk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """Save some changes, and look at the disk while the server still runs."""
    folder = tmp_path_factory.mktemp("disk")
    page, journal = request.param
    with closing(sqlite3.connect(folder / "projects.sqlite")) as empty:
        empty.execute(f"PRAGMA page_size = {page}")
        empty.execute("VACUUM")
    with closing(Store(folder)) as first:
        project = first.create(_document(0))
    with closing(Store(folder)) as store:
        if journal == "begun anew":
            for number in range(40):
                store.amend(project, {"before": number})
            with closing(sqlite3.connect(folder / "projects.sqlite")) as other:
                other.execute("PRAGMA wal_checkpoint(RESTART)")
            store.amend(project, {**_document(0), "before": 0})
        lengths = [0]
        for number in range(1, SAVES + 1):
            store.save(project, _document(number), "change")
            lengths.append(_in_use(folder, page))
        parts = [(folder / f"projects.sqlite{end}").read_bytes() for end in ("", "-wal")]
    return Disk(parts[0], parts[1], lengths, project, page)


def check(disk: Disk, folder: Path, cut: int) -> None:
    """Check that the store has every change whose end lies before the cut, and no half of another."""
    with closing(Store(folder)) as store:
        assert store.set_aside is None
        history = store.history(disk.project)
        there = sum(length <= cut for length in disk.lengths)
        assert [one.number for one in history] == list(range(there)), cut
        assert all(one.document["text"] == _document(one.number)["text"] for one in history)
        assert store.head(disk.project).number == there - 1
        with closing(sqlite3.connect(folder / "projects.sqlite")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def cuts(disk: Disk) -> list[int]:
    """List where to cut: around every frame, and at some places within."""
    size = disk.lengths[-1]
    if EVERY_BYTE and disk.page == 512:
        return list(range(size + 1))
    around = {end + by for end in range(32, size + 1, disk.frame) for by in (-1, 0, 24) if end + by <= size}
    return sorted({0, 1, 31, *around, *random.Random(14).sample(range(size), 20)})  # noqa: S311  repeatable


def test_a_journal_cut_at_any_byte_is_a_history_up_to_there(disk: Disk, place: Path) -> None:
    """Every change whose last byte was written is there, and nothing of the one that was being written."""
    for cut in cuts(disk):
        disk.write(place, disk.journal[:cut])
        check(disk, place, cut)
    print(f"\n{len(cuts(disk)):,} of {disk.lengths[-1]:,} bytes")


@pytest.mark.parametrize("rest", ["zeros", "noise"])
def test_a_journal_whose_end_is_something_else_is_a_history_up_to_there(disk: Disk, place: Path, rest: str) -> None:
    """A disk may have made room for what it did not come to write."""
    draw = random.Random(14)  # noqa: S311  repeatable, not secret
    for cut in draw.sample(range(disk.lengths[-1]), 400 if EVERY_BYTE else 15):
        left = len(disk.journal) - cut
        disk.write(place, disk.journal[:cut] + (bytes(left) if rest == "zeros" else draw.randbytes(left)))
        check(disk, place, cut)


def test_moving_the_journal_into_the_database_may_be_cut_short(disk: Disk, place: Path) -> None:
    """Whichever of the pages have been written, the journal is there to write them again."""
    disk.write(place, disk.journal)
    with closing(sqlite3.connect(place / "projects.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(FULL)")
        after = (place / "projects.sqlite").read_bytes()
    before, draw = disk.database.ljust(len(after), b"\0"), random.Random(14)  # noqa: S311  repeatable, not secret
    for _ in range(200 if EVERY_BYTE else 10):
        pages = [draw.choice([before, after])[at : at + disk.page] for at in range(0, len(after), disk.page)]
        disk._replace(database=b"".join(pages)).write(place, disk.journal)
        check(disk, place, len(disk.journal))


def test_a_save_waits_for_the_disk(tmp_path: Path) -> None:
    """On every connection, whatever SQLite was built to do by itself."""
    with closing(Store(tmp_path)) as store, store._connection() as one, store._connection() as other:
        for database in (one, other):
            assert database.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
            assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_is_on_the_disk_before_anything_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First its bytes, then its name in the folder, then the note that it is used."""
    told: list[tuple[str, int]] = []
    wait = os.fsync
    with closing(Store(tmp_path)) as store:
        project = store.create({})

        def note(opened: int) -> None:
            with closing(sqlite3.connect(tmp_path / "projects.sqlite")) as database:
                (uses,) = database.execute("SELECT COUNT(*) FROM uses").fetchone()
            told.append((Path(f"/proc/self/fd/{opened}").readlink().name, len(list(store.files.iterdir())) + uses))
            wait(opened)

        if not Path("/proc/self/fd").is_dir():
            pytest.skip("This system does not say which files are open.")
        monkeypatch.setattr(folders.os, "fsync", note)
        store.add_file(project, b"a,b\n1,2\n", ".csv")
    assert told == [("file.csv", 0), ("files", 1)]
