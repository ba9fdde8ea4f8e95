"""What goes wrong with saved projects."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from mandoline_core import MandolineError


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
    """Tell whether an error speaks of what is in the database, not of what is around it."""
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
            "There is no room left on the disk, so nothing was saved. Delete a project you no longer need, or make "
            "room in another way, and try again."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError("Another program keeps the saved projects to itself, so nothing was saved. Try again.")
    if code in _SURROUNDINGS:
        return StoreError(f"Saved projects cannot be reached: {error}. Nothing was saved. Mend that, and try again.")
    return StoreError(
        f"The file of saved projects is damaged: {error}. Nothing was saved. Start the app again: where it finds the "
        "damage, it sets the file aside, whole, and says what it is called."
    )


def _code(error: sqlite3.Error | UnicodeDecodeError) -> int | None:
    """Find the kind of an error: the low byte, above which SQLite says more about it."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
