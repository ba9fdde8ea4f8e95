"""Saved projects of every earlier form open, and a change of form is made in full or not at all."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from contextlib import closing
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from app.project.store import Store, StoreError, schema
from mandoline_core import MandolineError
from tests.app.project.editor import die_at
from tests.app.project.faults import while_failing, why_not
from tests.app.project.test_faults import FAULTS

FIRST_FORM = """
CREATE TABLE project (id TEXT PRIMARY KEY, head INTEGER NOT NULL, touched REAL NOT NULL);
CREATE TABLE revision (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE TABLE file (hash TEXT PRIMARY KEY, suffix TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE uses (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (project, hash)
);
INSERT INTO project VALUES ('edited', 1, 1000.0), ('untouched', 0, 2000.0);
INSERT INTO revision VALUES ('edited', 0, 'start', '{"n": 0}'), ('edited', 1, 'first', '{"n": 1}');
INSERT INTO revision VALUES ('edited', 2, 'undone', '{"n": 2}'), ('untouched', 0, 'start', '{"n": 9}');
INSERT INTO file VALUES ('abc.csv', '.csv', 3);
INSERT INTO uses VALUES ('edited', 'abc.csv');
"""
# As a form that made its tables at one go, which the second once did, left them.
SECOND_FORM = """
CREATE TABLE project (
    id TEXT PRIMARY KEY,
    head INTEGER NOT NULL,
    touched REAL NOT NULL,
    created REAL NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    listed INTEGER NOT NULL DEFAULT 1,
    view TEXT UNIQUE
);
CREATE TABLE revision (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    document TEXT NOT NULL,
    parent INTEGER,
    made REAL NOT NULL DEFAULT 0,
    summaries TEXT NOT NULL DEFAULT '{}',
    snapshot TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (project, number)
);
CREATE TABLE file (hash TEXT PRIMARY KEY, suffix TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE uses (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (project, hash)
);
PRAGMA user_version = 2;
INSERT INTO project VALUES ('edited', 1, 1000.0, 900.0, 0, 1, 'look'), ('untouched', 0, 2000.0, 2000.0, 0, 1, NULL);
INSERT INTO revision VALUES ('edited', 0, 'start', '{"n": 0}', NULL, 0, '{}', '');
INSERT INTO revision VALUES ('edited', 1, 'first', '{"n": 1}', 0, 0, '{}', '');
INSERT INTO revision VALUES ('edited', 2, 'undone', '{"n": 2}', 1, 0, '{}', '');
INSERT INTO revision VALUES ('untouched', 0, 'start', '{"n": 9}', NULL, 0, '{}', '');
INSERT INTO file VALUES ('abc.csv', '.csv', 3);
INSERT INTO uses VALUES ('edited', 'abc.csv');
"""
OLD = {1: FIRST_FORM, 2: SECOND_FORM}


def make(folder: Path, form: int) -> None:
    """Make a folder as an earlier version left it."""
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "abc.csv").write_text("a,b")
    with closing(sqlite3.connect(folder / "projects.sqlite")) as database:
        database.executescript(OLD[form])


def content(path: Path) -> list[str]:
    """Read all that is in a database."""
    with closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def check_everything(store: Store) -> None:
    """Check that all projects are there with their history and files, and that they can be worked on."""
    assert [entry.id for entry in store.entries()] == ["untouched", "edited"]
    assert store.head("untouched").document == {"n": 9}
    assert store.step("edited", 1) == "undone"
    assert [store.step("edited", -1) for _ in range(3)] == ["undone", "first", None]
    assert store.save("edited", {"n": 5}, "new") == 3
    assert store.sharing.leads_to("view", store.sharing.share("edited", "view")) == "edited"
    store.delete("edited")
    assert not (store.files / "abc.csv").exists()


@pytest.mark.parametrize("form", OLD)
def test_an_older_form_opens_with_everything(tmp_path: Path, form: int) -> None:
    """Undo and redo go on; what is new works on them; another start finds nothing left to do."""
    make(tmp_path, form)
    Store(tmp_path).close()
    with closing(Store(tmp_path)) as store:
        check_everything(store)


def test_a_copy_of_the_older_form_is_kept(tmp_path: Path) -> None:
    """As it was, for its owner alone, and no other."""
    make(tmp_path, 1)
    before = content(tmp_path / "projects.sqlite")
    Store(tmp_path).close()
    (copy,) = tmp_path.glob("projects.sqlite.*")
    assert copy.name == "projects.sqlite.form-1"
    assert content(copy) == before
    assert copy.stat().st_mode & 0o777 == 0o600


def test_all_forms_lead_to_the_same_columns(tmp_path: Path) -> None:
    columns = []
    for name in ("new", *OLD):
        folder = tmp_path / str(name)
        if name in OLD:
            make(folder, name)
        Store(folder).close()
        with closing(sqlite3.connect(folder / "projects.sqlite")) as database:
            assert database.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
            columns.append(schema._columns(database))
    assert columns[0] == columns[1] == columns[2]


def test_a_new_form_is_one_more_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the form before."""
    forms = (*schema._FORMS, "ALTER TABLE project ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';")
    monkeypatch.setattr(schema, "_FORMS", forms)
    monkeypatch.setattr(schema, "VERSION", len(forms))
    for form in OLD:
        make(tmp_path / str(form), form)
        with closing(Store(tmp_path / str(form))) as store:
            with store._connection() as database:
                assert database.execute("SELECT colour FROM project").fetchall() == [("red",), ("red",)]
            check_everything(store)


def test_projects_of_a_newer_version_are_refused_and_not_touched(tmp_path: Path) -> None:
    """One sentence says what to do, and the file stays as it is."""
    with closing(Store(tmp_path)) as store:
        store.create({"n": 1})
    with closing(sqlite3.connect(tmp_path / "projects.sqlite")) as database:
        database.execute("PRAGMA user_version = 99")
    before = (tmp_path / "projects.sqlite").read_bytes()
    with pytest.raises(
        MandolineError, match=r"newer Mandoline wrote the saved projects \(format 99; this version reads \d\)"
    ):
        Store(tmp_path)
    assert (tmp_path / "projects.sqlite").read_bytes() == before
    assert list(tmp_path.glob("*damaged*")) == []


def test_a_kill_at_any_step_leaves_the_old_form_or_the_new_one(processes: ForkServerContext, tmp_path: Path) -> None:
    """And the next start comes to the new one, with everything."""
    make(tmp_path / "old", 1)
    old, kills = content(tmp_path / "old" / "projects.sqlite"), 0
    while True:
        folder = tmp_path / str(kills)
        shutil.copytree(tmp_path / "old", folder)
        worker = processes.Process(target=die_at, args=(folder, kills + 1))
        worker.start()
        worker.join()
        if worker.exitcode == 0:
            break
        assert worker.exitcode == -signal.SIGKILL
        kills += 1
        with closing(sqlite3.connect(folder / "projects.sqlite")) as database:
            assert database.execute("PRAGMA user_version").fetchone() in ((0,), (schema.VERSION,))
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            is_new = schema.form_of(database) == schema.VERSION
        assert is_new or content(folder / "projects.sqlite") == old
        assert not is_new or content(folder / "projects.sqlite.form-1") == old
        with closing(Store(folder)) as store:
            assert store.set_aside is None
            check_everything(store)
    print(f"\n{kills} kills")
    assert kills > 15


@pytest.mark.parametrize("fault", ["no room", "a broken disk", "what was written does not arrive", "no renaming"])
def test_a_change_of_form_that_fails_leaves_the_old_one(tmp_path: Path, fault: str) -> None:
    """It is said, and done at the next start."""
    if reason := why_not():
        pytest.skip(reason)
    make(tmp_path, 1)
    before = content(tmp_path / "projects.sqlite")
    raised = while_failing(*FAULTS[fault], lambda: Store(tmp_path))
    assert isinstance(raised, StoreError), raised
    assert str(raised).startswith(f"Cannot save projects in '{tmp_path.name}': ")
    assert content(tmp_path / "projects.sqlite") == before
    assert list(tmp_path.glob("*.part")) == list(tmp_path.glob("*damaged*")) == []
    with closing(Store(tmp_path)) as store:
        check_everything(store)
