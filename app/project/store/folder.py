"""The folder in which projects are kept: where it is, and what is in it."""

from __future__ import annotations

import os
from pathlib import Path

from app.project.store.errors import StoreError


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
        self._make()

    def _make(self) -> None:
        try:
            for place in (self.files, self.incoming):
                place.mkdir(parents=True, exist_ok=True)
            for place in (self.path, self.files, self.incoming):
                place.chmod(0o700)
        except (FileExistsError, NotADirectoryError):
            raise self.unusable("there is a file where the folder should be") from None
        except OSError as error:
            raise self.unusable(error.strerror or str(error)) from None

    def unusable(self, why: str) -> StoreError:
        """Say why nothing can be kept here."""
        return StoreError(
            f"Projects cannot be kept in {self.path.name!r}: {why}. Mend that, or name another place with --data-dir."
        )


def default_folder() -> Path:
    """Return where a person's projects are kept unless told otherwise."""
    given = os.environ.get("MANDOLINE_DATA_DIR")
    if given:
        return Path(given).expanduser().resolve()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "mandoline"
