"""The folder in which projects are kept: where it is, how it is written down for good, and what can go wrong."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mandoline_core import MandolineError

SPARE_BYTES = 1 << 20
_STARTED = time.time() - time.monotonic()


class Folder:
    """Hold the places in a data directory, which are its owner's alone.

    Parameters
    ----------
    path : Path
        Made where it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = path / "projects.sqlite"
        self.files = path / "files"
        self.incoming = path / "incoming"
        self._spare = path / "spare"
        self._make()

    def _make(self) -> None:
        try:
            for place in (self.files, self.incoming):
                place.mkdir(parents=True, exist_ok=True)
            for place in (self.path, self.files, self.incoming):
                place.chmod(0o700)
            sync_folder(self.path)
            with suppress(PermissionError):  # what is above it may be closed to us
                sync_folder(self.path.parent)
        except (FileExistsError, NotADirectoryError):
            raise self.unusable("there is a file where the folder should be") from None
        except OSError as error:
            raise self.unusable(error.strerror or str(error)) from None

    def unusable(self, why: str) -> StoreError:
        """Say why nothing can be kept here."""
        return StoreError(
            f"Cannot save projects in {self.path.name!r}: {why}. Fix this, or choose another folder with --data-dir."
        )

    def reserve(self) -> None:
        """Put some room by: to delete anything, the database has to write, which a full disk would not let it."""
        with suppress(OSError):
            if self._spare.is_file() and self._spare.stat().st_size == SPARE_BYTES:
                return
            try:
                self._spare.write_bytes(bytes(SPARE_BYTES))
                self._spare.chmod(0o600)
            except OSError:
                self.release()

    def release(self) -> bool:
        """Give the room back that was put by, and tell whether there was any."""
        try:
            self._spare.unlink()
        except OSError:
            return False
        return True


def sync_folder(path: Path) -> None:
    """Write down for good what was made, moved or deleted in a folder, should the power fail."""
    if not hasattr(os, "O_DIRECTORY"):  # no such thing on this system
        return
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # which file systems say that have no such thing
            raise
    finally:
        os.close(opened)


def steady_time() -> float:
    """Return the seconds since 1970, as of when the server started: a clock that is set makes nothing old.

    >>> abs(steady_time() - time.time()) < 3600
    True
    """
    return _STARTED + time.monotonic()


def default_folder() -> Path:
    """Return where projects are stored unless told otherwise."""
    given = os.environ.get("MANDOLINE_DATA_DIR")
    if given:
        return Path(given).expanduser().resolve()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "mandoline"


class StoreError(MandolineError):
    """Report something that could not be saved or found."""


class NoRoomError(StoreError):
    """Report a disk that is full."""


# What speaks of the disk or of other programs, not of what is in the file.
_SURROUNDINGS = {
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}


def is_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Tell whether an error is about the content of the database, not about its surroundings."""
    return _code(error) not in _SURROUNDINGS


@contextmanager
def in_words() -> Iterator[None]:
    """Say in one sentence what the database cannot do; a wrong call is our bug and shows itself."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where what is wrong is said in what is damaged
        raise _error_of(error) from error


def _error_of(error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return NoRoomError(
            "The disk is full. Nothing was saved. Free some space, for example by deleting a project, and try again."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError("Another program has locked the saved projects. Nothing was saved. Try again.")
    if code in _SURROUNDINGS:
        return StoreError(f"Cannot open the saved projects: {error}. Nothing was saved. Fix this and try again.")
    return StoreError(
        f"The file of saved projects is damaged: {error}. Nothing was saved. Restart the app: it keeps the damaged "
        "file and starts a new one."
    )


def _code(error: sqlite3.Error | UnicodeDecodeError) -> int | None:
    """Find the kind of an error: the low byte, above which SQLite says more about it."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
