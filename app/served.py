"""Files that pages show and offer, each at a random address and for one visit; and files that visitors send."""

from __future__ import annotations

import gc
import hashlib
import hmac
import secrets
import threading
from collections.abc import Sequence
from contextvars import ContextVar

from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadFileUrlInfo

MOST_FILES = 200  # that a visit has been given addresses for and that are still held
MOST_BYTES = 2**30  # of files that a visit sent and that are still held: two of the largest
MOST_IN_ALL = 4 * 2**30
_LARGE = 50 * 2**20  # bytes that are worth collecting at once
_SECRET = secrets.token_bytes(32)
_writes_for: ContextVar[str] = ContextVar("writes_for", default="")


class VisitFiles(MemoryMediaFileStorage):
    """Keep files of pages: the same content has another address in every visit, which nobody can work out."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self._visits: dict[str, str] = {}

    def load_and_get_id(
        self, path_or_data: str | bytes, mimetype: str, kind: MediaFileKind, filename: str | None = None
    ) -> str:
        """Keep a file for the visit whose page is being drawn, or whose download is being written."""
        context = get_script_run_ctx(suppress_warning=True)
        visit = _writes_for.get() or ("" if context is None else context.session_id)
        plain = super().load_and_get_id(path_or_data, mimetype, kind, filename)
        private = hmac.new(_SECRET, f"{visit}|{plain}".encode(), hashlib.sha256).hexdigest()
        file = self._files_by_id.pop(plain, None)
        if file is not None:
            self._files_by_id[private], self._visits[private] = file, visit
        return private

    def delete_file(self, file_id: str) -> None:
        """Forget a file."""
        super().delete_file(file_id)
        self._visits.pop(file_id, None)

    def visit_of(self, filename: str) -> str | None:
        """Find the visit that a file is for; None if there is no such file."""
        return self._visits.get(filename.partition(".")[0])


class VisitFileManager(MediaFileManager):
    """Let a download that is written when it is asked for belong to the visit that offers it."""

    def execute_deferred(self, file_id: str) -> str:
        """Write a download, and return its address."""
        offered = self._deferred_callables.get(file_id)
        token = _writes_for.set("" if offered is None else offered["session_id"])
        try:
            return super().execute_deferred(file_id)
        finally:
            _writes_for.reset(token)


class SentFiles(MemoryUploadedFileManager):
    """Take the files that a visit was given an address for, within its room; give it back when the visit ends."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self._expected: dict[str, dict[str, None]] = {}

    def get_upload_urls(self, session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
        """Give addresses for files, and expect files there; the oldest addresses end when there are too many."""
        urls = super().get_upload_urls(session_id, file_names[:MOST_FILES])
        with self._lock:
            expected = self._expected.setdefault(session_id, {})
            expected.update(dict.fromkeys(url.file_id for url in urls))
            while len(expected) > MOST_FILES:
                del expected[next(iter(expected))]
        return urls

    def why_not(self, session_id: str, file_id: str, size: int) -> str:
        """Say why a file cannot be taken; nothing where it can."""
        with self._lock:
            if file_id not in self._expected.get(session_id, {}):
                return "No uploader of this page asked for this file. Reload the page and choose it again.\n"
            held = sum(len(file.data) for file in self.file_storage.get(session_id, {}).values())
            if held + size > MOST_BYTES or self._total_bytes + size > MOST_IN_ALL:
                return "Too many uploads are open. Remove some, or reload the page, and try again.\n"
        return ""

    def remove_session_files(self, session_id: str) -> None:
        """Forget the files of a visit that ended, and give their memory back now: they are in cycles."""
        with self._lock:
            self._expected.pop(session_id, None)
            held = sum(len(file.data) for file in self.file_storage.get(session_id, {}).values())
        super().remove_session_files(session_id)
        if held > _LARGE:
            threading.Timer(1.0, gc.collect).start()


class ServedFiles:
    """Know the visit that each file is for."""

    def __init__(self) -> None:
        self.shown = VisitFiles("/media")
        self.sent = SentFiles("/_stcore/upload_file")
        self.visit_of, self.why_not = self.shown.visit_of, self.sent.why_not
