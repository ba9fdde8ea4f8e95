"""Uploads on their way in: what would unpack to too much is refused before anything reads it."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from app.project import uploads
from app.project.store import Store
from mandoline_core import DataError


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave little room."""
    monkeypatch.setattr(uploads, "MOST_BYTES", 100_000)
    monkeypatch.setattr(uploads, "MOST_ROWS", 1_000)
    monkeypatch.setattr(uploads, "MOST_COLUMNS", 20)
    monkeypatch.setattr(uploads, "IN_MEMORY", 10_000)


def write(folder: Path, name: str, text: bytes) -> Path:
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return folder / name


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["bomb.csv.gz", "large.csv"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"text\n" + b"a" * 200_000, "unpacks to more than .* GB"),
        (b"n\n" + b"1\n" * 2_000, "has more than 1,000 lines"),
        (b"n" + b",n" * 30 + b"\n", "has more than 20 columns"),
    ],
)
def test_text_that_is_too_much_is_refused_with_the_limits(folder: Path, name: str, text: bytes, why: str) -> None:
    with pytest.raises(DataError, match=f"{name} {why}. The limits are .* GB unpacked, 1,000 rows and 20 columns"):
        uploads.check_size(write(folder, name, text), name)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (pd.DataFrame({"text": ["a" * 5_000] * 100}), "unpacks to more than"),
        (pd.DataFrame({"n": range(2_000)}), "more than 1,000 rows"),
        (pd.DataFrame({f"n{i}": [1] for i in range(30)}), "more than 20 columns"),
    ],
)
def test_parquet_that_is_too_much_is_refused_however_small_it_is_packed(
    folder: Path, frame: pd.DataFrame, why: str
) -> None:
    frame.to_parquet(folder / "bomb.parquet")
    assert (folder / "bomb.parquet").stat().st_size < 50_000
    with pytest.raises(DataError, match=why):
        uploads.check_size(folder / "bomb.parquet", "bomb.parquet")


def test_a_line_without_an_end_is_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="has a line of more than 8 MB"):
        uploads.check_size(write(folder, "bomb.csv.gz", b"text,n\n" + b"a" * 9 * 2**20 + b",1\n"), "bomb.csv.gz")


@pytest.mark.usefixtures("small")
def test_a_gzip_file_that_lies_about_its_size_is_refused(folder: Path) -> None:
    path = folder / "parts.csv.gz"
    path.write_bytes(gzip.compress(b"n\n" + b"12345678901234567890\n" * 900) + gzip.compress(b"1\n"))
    with pytest.raises(DataError, match="is a gzip file of several parts"):
        uploads.check_size(path, path.name)


@pytest.mark.usefixtures("small")
def test_what_there_is_room_for_is_taken(folder: Path) -> None:
    uploads.check_size(write(folder, "a.csv.gz", b"n\n1\n"), "a.csv.gz")
    uploads.check_size(write(folder, "no.parquet", b"PAR1"), "no.parquet")  # whoever reads it says what is wrong


@pytest.mark.usefixtures("small")
def test_a_large_upload_stays_on_disk(folder: Path) -> None:
    store = Store(folder / "store")
    project = store.create({})
    large = store.add_file(project, gzip.compress(b"n\n" + b"12345678901234567890\n" * 900), ".csv.gz")
    small = store.add_file(project, b"n\n1\n", ".csv")
    assert (uploads.engine_for(large), uploads.engine_for(small)) == ("polars", None)
    assert uploads.engine_for(write(folder, "elsewhere.csv", b"n\n" + b"1\n" * 9_000)) is None


def test_an_upload_leaves_nothing_behind_once_it_is_kept(folder: Path) -> None:
    store = Store(folder / "store")
    project = store.create({})
    with write(folder, "a.csv", b"n\n1\n").open("rb") as file:
        received = store.receive(file, "../a.csv")
    assert (received.name, received.parent.parent) == ("a.csv", store.incoming)
    kept = store.add_file(project, received, ".csv")
    assert kept.read_bytes() == b"n\n1\n"
    assert list(store.incoming.iterdir()) == []


def test_a_visit_remembers_only_its_last_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone who uploads all day leaves no more behind than someone who uploads a few."""
    kept: dict[str, dict[str, int]] = {}
    monkeypatch.setattr(uploads.st, "session_state", kept)
    files = [SimpleNamespace(file_id=str(number)) for number in range(3 * uploads.MOST_UPLOADS)]
    for number, file in enumerate(files):
        assert uploads._once("received", file, lambda number=number: number) == number
    assert list(kept["received"]) == [file.file_id for file in files[-uploads.MOST_UPLOADS :]]


@pytest.mark.usefixtures("small")
def test_a_table_counts_as_what_its_rows_become(folder: Path) -> None:
    """A text that is repeated is written once, and takes its room in memory for every row."""
    store = Store(folder / "store")
    path = folder / "repeated.parquet"
    pd.DataFrame({"text": ["a" * 100] * 500}).to_parquet(path)
    assert path.stat().st_size < uploads.IN_MEMORY / 2
    assert uploads.engine_for(store.add_file(store.create({}), path, ".parquet")) == "polars"
