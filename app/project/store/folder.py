"""The folder in which projects are kept: where it is, what is in it, and how it is written down for good."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from app.project.store.errors import StoreError

SPARE_BYTES = 1 << 20


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
            f"Projects cannot be kept in {self.path.name!r}: {why}. Mend that, or name another place with --data-dir."
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


def default_folder() -> Path:
    """Return where a person's projects are kept unless told otherwise."""
    given = os.environ.get("MANDOLINE_DATA_DIR")
    if given:
        return Path(given).expanduser().resolve()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "mandoline"
