"""Data on the server: only what lies under allowed folders is found, and whoever asks for more gets one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.project import server_files
from mandoline_core import DataError


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Allow a folder with a few tables, beside one that is not allowed."""
    (tmp_path / "data" / "weekly").mkdir(parents=True)
    (tmp_path / "data-elsewhere").mkdir()
    for name in ("data/a.csv", "data/weekly/1.parquet", "data/weekly/2.parquet", "data-elsewhere/secret.csv"):
        (tmp_path / name).write_text("x\n1\n")
    monkeypatch.setenv(server_files.VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def test_files_and_patterns_are_found_from_an_allowed_folder_on_and_in_full(data: Path) -> None:
    assert server_files.find("a.csv") == data / "a.csv"
    assert server_files.find(" weekly/*.parquet ") == data / "weekly" / "*.parquet"
    assert server_files.find(str(data / "weekly" / "1.parquet")) == data / "weekly" / "1.parquet"
    assert server_files.name_of(data / "weekly" / "*.parquet") == "weekly/*.parquet"


@pytest.mark.parametrize(
    "text",
    [
        "../data-elsewhere/secret.csv",
        "weekly/../../data-elsewhere/secret.csv",
        "weekly/../a.csv",
        "/etc/passwd",
        "/etc/pass*",
        "/*",
        "**/*.parquet",
        "no-such.csv",
        "",
        "a.csv\0.parquet",
        "{elsewhere}/secret.csv",
        "{elsewhere}/*.csv",
        "weekly",
    ],
)
def test_everything_else_is_refused_in_a_sentence(data: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"^[^\n]+\.$"):
        server_files.find(text.format(elsewhere=f"{data}-elsewhere"))


def test_what_is_not_there_and_what_is_not_allowed_sound_the_same(data: Path) -> None:
    said = []
    for name in ("secret.csv", "no-such.csv"):
        with pytest.raises(DataError) as refused:
            server_files.find(f"{data}-elsewhere/{name}")
        said.append(str(refused.value).replace(name, "NAME"))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["link.csv", "*.csv", "out/secret.csv", "out/*.csv"])
def test_links_that_lead_out_are_refused(data: Path, name: str) -> None:
    (data / "link.csv").symlink_to(f"{data}-elsewhere/secret.csv")
    (data / "out").symlink_to(f"{data}-elsewhere")
    with pytest.raises(DataError, match="is a link to a place outside"):
        server_files.find(name)


def test_links_within_are_followed(data: Path) -> None:
    (data / "latest.parquet").symlink_to(data / "weekly" / "1.parquet")
    assert server_files.find("latest.parquet") == data / "latest.parquet"


def test_a_file_is_checked_again_when_it_is_opened(data: Path) -> None:
    path = server_files.find("a.csv")
    path.unlink()
    path.symlink_to(f"{data}-elsewhere/secret.csv")
    with pytest.raises(DataError, match="is a link to a place outside"):
        server_files.check(path)


def test_what_is_no_longer_allowed_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = server_files.find("a.csv")
    monkeypatch.setenv(server_files.VARIABLE, f"{data}-elsewhere")
    with pytest.raises(DataError, match="no longer in an allowed folder"):
        server_files.check(path)


def test_nothing_is_allowed_unless_the_server_was_told(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server_files.VARIABLE)
    assert server_files.folders() == ()
    assert server_files.offered() == []
    with pytest.raises(DataError, match="allows no folders"):
        server_files.find(str(data / "a.csv"))


def test_tables_are_offered_one_by_one_and_as_patterns(data: Path) -> None:
    (data / "notes.docx").touch()
    (data / ".hidden").mkdir()
    (data / ".hidden" / "b.csv").touch()
    assert server_files.offered() == ["a.csv", "weekly/*.parquet", "weekly/1.parquet", "weekly/2.parquet"]
