"""Served files: addresses that nobody can work out, one for each visit; files that are sent, within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server.server_util import get_url

from app import opening, served
from app.served import ServedFiles, VisitFileManager, VisitFiles


def keep(files: MemoryMediaFileStorage, visit: str, content: bytes = b"a,b") -> str:
    """Keep a download of a visit, and return the name it has in its address."""
    token = served._writes_for.set(visit)
    try:
        found = files.load_and_get_id(content, "text/csv", MediaFileKind.DOWNLOADABLE, "a.csv")
    finally:
        served._writes_for.reset(token)
    return files.get_url(found).rpartition("/")[2]


def test_the_same_content_has_another_address_in_every_visit() -> None:
    """The framework's own is made of the content: who has seen a file once knows where it is for others."""
    files, plain = VisitFiles("/media"), keep(MemoryMediaFileStorage("/media"), "one")
    names = {visit: keep(files, visit) for visit in ("one", "two")}
    assert len({*names.values(), plain}) == 3
    assert names["one"] == keep(files, "one")  # a page that is drawn again shows the same address
    for visit, name in names.items():
        assert files.visit_of(name) == visit
        assert files.get_file(name).content == b"a,b"
    assert files.visit_of(plain) is None
    files.delete_file(names["one"].partition(".")[0])
    assert files.visit_of(names["one"]) is None
    with pytest.raises(MediaFileStorageError):
        files.get_file(names["one"])


def test_a_download_that_is_written_when_asked_for_is_for_the_visit_that_offers_it() -> None:
    """It is written in a thread of the web server, outside of any visit."""
    files = VisitFiles("/media")
    manager = VisitFileManager(files)
    offered = manager.add_deferred(lambda: "later", "text/csv", "here", file_name="a.csv")
    manager._deferred_callables[offered]["session_id"] = "one"
    url = manager.execute_deferred(offered)
    assert files.visit_of(url.rpartition("/")[2]) == "one"


def test_a_visit_sends_what_its_page_asked_for_and_no_more_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever else is refused before it is read; what a visit held is free once it ends."""
    monkeypatch.setattr(served, "MOST_BYTES", 100)
    monkeypatch.setattr(served, "MOST_IN_ALL", 150)
    sent = ServedFiles().sent
    one, two = (sent.get_upload_urls(visit, ["a.csv", "b.csv"]) for visit in ("one", "two"))
    assert sent.why_not("one", one[0].file_id, 100) == ""
    for visit, file, size in (("one", "made-up", 1), ("one", two[0].file_id, 1), ("three", one[0].file_id, 1)):
        assert sent.why_not(visit, file, size).startswith("No uploader of this page asked")
    assert sent.why_not("one", one[0].file_id, 101).startswith("Too many uploads")
    for visit, (first, _) in (("one", one), ("two", two)):
        sent.add_file(visit, UploadedFileRec(first.file_id, "a.csv", "text/csv", bytes(70)))
    assert sent.why_not("two", two[1].file_id, 20).startswith("Too many uploads")
    sent.remove_session_files("one")
    assert sent.why_not("two", two[1].file_id, 20) == ""
    assert sent.why_not("one", one[1].file_id, 1).startswith("No uploader")
    many = sent.get_upload_urls("four", [str(number) for number in range(10 * served.MOST_FILES)])
    assert len(many) == served.MOST_FILES


def test_the_page_that_opens_the_browser_is_its_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser's command line is for every account to see, and so has no token in it."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "data"))
    url = f"{get_url('127.0.0.1')}/?token=secret"
    page = opening._page_to(url)
    assert page.stat().st_mode & 0o777 == 0o600
    assert url in page.read_text(encoding="utf-8")
    assert opening._page_to(url) == page
