"""A damaged file of saved projects is set aside whole, or works as far as it can be read: never a traceback."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app.project.documents import document_of, project_of
from app.project.state import _workspace
from app.project.store import Store
from mandoline_core import MandolineError, load_project
from tests.core.projects import REVIEWS

DAMAGES = int(os.environ.get("DAMAGES", "40"))
PAGE = 4096
Parts = dict[str, bytes]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """Make a database with some history, and with changes that are only in its journal yet."""
    folder = tmp_path_factory.mktemp("whole")
    document = document_of(load_project(REVIEWS))
    with closing(Store(folder)) as store:
        for _ in range(3):
            project = store.create(document)
            path = store.add_file(project, b"a,b\n1,2\n", ".csv")
            for number in range(8):
                store.save(project, {**document, "n": number, "path": str(path)}, f"change {number}")
                store.summarise(project, number, "lr", {"estimate": 0.5})
            store.name(project, 3, "kept")
            store.sharing.share(project, "view")
    with closing(Store(folder)) as store:
        store.save(project, {**document, "n": 9}, "change 9")
        return {path.name: path.read_bytes() for path in folder.glob("projects.sqlite*") if "shm" not in path.name}


def cut(content: bytearray, draw: random.Random) -> None:
    """Lose the end."""
    del content[draw.randrange(1, len(content)) :]


def flip(content: bytearray, draw: random.Random) -> None:
    """Turn over some bits."""
    for _ in range(draw.choice([1, 1, 3, 30])):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)


def flip_in_head(content: bytearray, draw: random.Random) -> None:
    """Turn over a bit where the file says what it is, or which tables it has."""
    content[draw.randrange(min(PAGE, len(content)))] ^= 1 << draw.randrange(8)


def empty_page(content: bytearray, draw: random.Random) -> None:
    """Lose a page."""
    at = PAGE * draw.randrange(max(1, len(content) // PAGE))
    content[at : at + PAGE] = bytes(min(PAGE, len(content) - at))


def swap_pages(content: bytearray, draw: random.Random) -> None:
    """Put one page where another belongs."""
    one, other = (PAGE * draw.randrange(max(1, len(content) // PAGE)) for _ in range(2))
    content[one : one + PAGE] = content[other : other + PAGE].ljust(PAGE, b"\0")


KINDS = [cut, flip, flip, flip_in_head, empty_page, swap_pages]


def use(store: Store) -> Iterator[Callable[[], object]]:
    """List everything that can be done with a store."""
    projects = [entry.id for entry in store.entries()]
    yield lambda: [project_of(entry.head.document) for entry in store.entries()]
    for one in projects:
        yield lambda one=one: _workspace(one, store.head(one))
        yield lambda one=one: [_workspace(one, revision) for revision in store.history(one)]
        yield lambda one=one: (store.before(one), store.revision(one, 3))
        yield lambda one=one: (store.step(one, -1), store.step(one, 1))
        yield lambda one=one: (store.amend(one, {"model": "lr"}), store.summarise(one, 2, "svm", {}))
        yield lambda one=one: (store.name(one, 2, "x"), store.archive(one, archived=True), store.show(one))
        yield lambda one=one: (store.save(one, {}, "y"), store.sharing.leads_to("view", "nothing"))
        yield lambda one=one: (store.sharing.share(one, "view"), store.sharing.end(one, "edit"))
        yield lambda one=one: store.add_file(one, b"a,b\n1,2\n", ".csv")
        yield lambda one=one: store.delete(one)
    yield lambda: store.head(store.create({"n": 1}))


def use_all(store: Store) -> None:
    """Do everything; what does not work is said in a sentence, and whatever else happens is our bug."""
    with suppress(MandolineError):
        for act in use(store):
            with suppress(MandolineError):
                act()


def test_a_damaged_database_is_set_aside_to_the_byte_or_used_as_far_as_it_goes(parts: Parts, place: Path) -> None:
    """Cut, with bits turned over, and with pages lost or swapped, in the database or in its journal."""
    draw, aside, refused = random.Random(14), 0, 0  # noqa: S311  repeatable, not secret
    for number in range(DAMAGES):
        kind, part = draw.choice(KINDS), draw.choice(["projects.sqlite", "projects.sqlite", "projects.sqlite-wal"])
        damaged = {**parts, part: bytearray(parts[part])}
        kind(damaged[part], draw)
        folder = place / str(number)
        folder.mkdir(parents=True)
        for name, content in damaged.items():
            (folder / name).write_bytes(content)
        try:
            store = Store(folder)
        except MandolineError:
            refused += 1
            assert {name: (folder / name).read_bytes() for name in damaged} == damaged
            continue
        with closing(store):
            if store.set_aside is not None:
                aside += 1
                there = {end: store.set_aside.with_name(store.set_aside.name + end) for end in ("", "-wal")}
                assert {f"projects.sqlite{end}": path.read_bytes() for end, path in there.items()} == damaged
                assert store.entries() == []
            use_all(store)
    print(f"\n{DAMAGES} damaged: {aside} set aside, {refused} refused, {DAMAGES - aside - refused} used")
    assert aside > DAMAGES / 4


def test_altered_text_is_no_state(parts: Parts, tmp_path: Path) -> None:
    """A bit that turns over inside a text leaves a good database; what was saved is shown, or nothing of it."""
    with closing(Store(tmp_path)) as store:
        project = store.create({"note": "n" * 2000})
        store.save(project, {"note": "m" * 2000}, "l" * 200)
        store.summarise(project, 1, "lr", {"word": "s" * 2000})
        store.name(project, 1, "k" * 200)
        whole = store.head(project)
    path = tmp_path / "projects.sqlite"
    content = path.read_bytes()
    for letter, other in ((b"m", b"o"), (b"l", b"o"), (b"s", b"o"), (b"k", b"o")):
        at = content.index(letter * 50)
        path.write_bytes(content[:at] + other + content[at + 1 :])
        with closing(Store(tmp_path)) as store:
            assert store.set_aside is None
            found = store.head(project)
            if letter == b"s":
                assert (found.summaries, found.document, found.snapshot) == ({}, whole.document, whole.snapshot)
                continue
            assert (found.document, found.snapshot, found.summaries) == ({}, "", whole.summaries)
            assert found.label == "damaged"
            with pytest.raises(MandolineError, match="damaged on the disk"):  # rather than made to look whole
                store.name(project, 1, "again")
            assert store.step(project, -1)
            assert store.head(project).document == {"note": "n" * 2000}
            store.step(project, 1)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_database_that_is_deleted_while_the_server_runs_is_noticed(tmp_path: Path, *, replaced: bool) -> None:
    """The system would go on writing to it, and throw it away with the last who has it open."""
    with closing(Store(tmp_path)) as store:
        project = store.create({"n": 0})
        path = tmp_path / "projects.sqlite"
        path.unlink()
        if replaced:
            path.write_bytes(b"")
        for act in (lambda: store.save(project, {"n": 1}, "change"), lambda: store.head(project)):
            with pytest.raises(MandolineError, match="was deleted or replaced while the app was running"):
                act()


def test_damage_while_the_server_runs_is_a_sentence(parts: Parts, tmp_path: Path) -> None:
    """What comes to light only when a page is needed."""
    draw = random.Random(14)  # noqa: S311  repeatable, not secret
    said = 0
    for number in range(max(5, DAMAGES // 10)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "projects.sqlite").write_bytes(parts["projects.sqlite"])
        with closing(Store(folder)) as store:
            (first, *_) = store.entries()
            with (folder / "projects.sqlite").open("r+b") as file:
                file.seek(PAGE)
                file.write(draw.randbytes(len(parts["projects.sqlite"]) - PAGE))
            store._database.close()  # and with them what they remember of its pages
            with pytest.raises(MandolineError, match="The file of saved projects is damaged: "):
                store.history(first.id)
            use_all(store)
            said += 1
    assert said


def test_changes_without_their_database_are_set_aside(parts: Parts, tmp_path: Path) -> None:
    """SQLite would throw away a journal whose database is gone."""
    (tmp_path / "projects.sqlite-wal").write_bytes(parts["projects.sqlite-wal"])
    with closing(Store(tmp_path)) as store:
        assert store.set_aside is not None
        aside = store.set_aside.with_name(f"{store.set_aside.name}-wal")
        assert aside.read_bytes() == parts["projects.sqlite-wal"]


def test_two_files_set_aside_in_one_second_are_both_kept(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / "projects.sqlite").write_bytes(b"no database %d" % number * 100)
        Store(tmp_path).close()
    found = {path.read_bytes()[:13] for path in tmp_path.glob("projects.sqlite.damaged-*")}
    assert found == {b"no database %d" % number for number in range(3)}
