"""A cache bounded in bytes; each value is computed once, even if several threads ask."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")
V = TypeVar("V")
_MINIMUM = 500  # bytes of any object
_MOST_PARTS = 20_000  # that are looked at: an answer of more is not worth weighing to the last byte
_PLAIN = (str, bytes, int, float, bool, type(None), type)
_ABSENT: Any = object()


_CGROUPS, _OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def memory_budget(share: float = 0.1) -> int:
    """Return the bytes of memory that one file or one cache may use."""
    return int(share * min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_granted(_CGROUPS)]))


def _granted(root: Path) -> list[int]:
    """List what the control groups of this process grant it: a container has less than the machine's memory.

    Parameters
    ----------
    root : Path
        Where they are mounted.
    """
    try:
        groups = [line.split(":", 2) for line in _OWN_GROUPS.read_text(encoding="utf-8").splitlines()]
    except OSError:  # no such thing on this system
        groups = []
    names = [group[2].strip("/") for group in groups if len(group) == 3 and group[1] in ("", "memory")]
    found = []
    for name in dict.fromkeys(("", *names)):
        for limit in (root / name / "memory.max", root / "memory" / name / "memory.limit_in_bytes"):
            try:
                found.append(int(limit.read_text(encoding="utf-8")))
            except (OSError, ValueError):  # the second, where there is no limit
                continue
    return found


class Cache(Generic[T]):
    """Keep values by key up to a number of bytes; the least recently used is dropped first.

    Parameters
    ----------
    max_bytes : int
        The limit. The newest value stays even if it is larger.
    size : callable, optional
        The bytes of a value. By default, `n_bytes` of the value and its key.
    drop : callable, optional
        Called with every value after it is dropped.

    Examples
    --------
    >>> cache = Cache(2, size=lambda value: 1)
    >>> [cache(letter, letter.upper) for letter in "abac"]
    ['A', 'B', 'A', 'C']
    >>> cache.get("a"), cache.get("b"), len(cache)
    ('A', None, 2)
    """

    def __init__(
        self, max_bytes: int, size: Callable[[T], int] | None = None, drop: Callable[[T], None] | None = None
    ) -> None:
        self.max_bytes, self._size, self._drop = max_bytes, size, drop
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._total = 0
        self._lock = threading.Lock()
        # By key: the lock of whoever computes, and how many hold it or wait for it. It goes with the last of them, so
        # that nobody makes a second lock for a key that others still wait for.
        self._making: dict[Hashable, tuple[threading.RLock, int]] = {}
        self._dead: deque[weakref.ref[Any]] = deque()

    def __call__(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the cached value, or compute it; other threads that ask for the same key wait."""
        with self._making_of(key):
            value = self._look_up(key)
            if value is _ABSENT:
                value = make()
                self.put(key, cast("T", value))
            return cast("V", value)

    def of(self, objects: tuple[object, ...], key: Hashable, make: Callable[[], V]) -> V:
        """Return what was computed for some objects, or compute it; dropped with the first of them.

        Examples
        --------
        >>> import pandas as pd
        >>> from mandoline_core.data import Sample
        >>> sample, cache = Sample(pd.DataFrame({"a": [1, 2]})), Cache(10_000)
        >>> cache.of((sample,), "rows", lambda: sample.n_rows), len(cache)
        (2, 1)
        >>> del sample
        >>> len(cache)
        0
        """
        # References, not the objects: a key that held its sample would keep it alive for good.
        return self((*(weakref.ref(subject, self._forget) for subject in objects), key), make)

    def get(self, key: Hashable) -> T | None:
        """Return a value, if there is one."""
        value = self._look_up(key)
        return None if value is _ABSENT else cast("T", value)

    def put(self, key: Hashable, value: T) -> None:
        """Store a value, replacing the old one."""
        size = _MINIMUM + n_bytes(key) + n_bytes(value) if self._size is None else self._size(value)
        with self._locked() as gone:
            self._take(key, gone)
            self._values[key], self._sizes[key] = value, size
            self._total += size
            while len(self._values) > 1 and self._total > self.max_bytes:
                self._take(next(iter(self._values)), gone)

    def pop(self, key: Hashable) -> T | None:
        """Remove a value, and return it if there was one."""
        with self._locked() as gone:
            value = self._values.get(key)
            self._take(key, gone)
        return value

    def clear(self) -> None:
        """Remove everything."""
        with self._locked() as gone:
            for key in list(self._values):
                self._take(key, gone)

    def keys(self) -> list[Hashable]:
        """List the keys, the least recently used first."""
        with self._locked():
            return list(self._values)

    def values(self) -> list[T]:
        """List the values, the least recently used first."""
        with self._locked():
            return list(self._values.values())

    def __len__(self) -> int:
        """Count the values."""
        return len(self.keys())

    @property
    def total_bytes(self) -> int:
        """Bytes of all values."""
        return self._total

    def _look_up(self, key: Hashable) -> Any:
        with self._locked():
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key, _ABSENT)

    def _take(self, key: Hashable, gone: list[T]) -> None:
        if key in self._values:
            self._total -= self._sizes.pop(key)
            gone.append(self._values.pop(key))

    @contextmanager
    def _locked(self) -> Iterator[list[T]]:
        """Work on the values alone; what went is dropped when others may go on, for that may take long."""
        gone: list[T] = []
        with self._lock:
            while self._dead:
                dead = self._dead.popleft()
                for key in [key for key in self._values if isinstance(key, tuple) and dead in key]:
                    self._take(key, gone)
            yield gone
        if self._drop is not None:
            for value in gone:
                self._drop(value)

    @contextmanager
    def _making_of(self, key: Hashable) -> Iterator[None]:
        with self._lock:
            lock, users = self._making.get(key, (threading.RLock(), 0))
            self._making[key] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                _, users = self._making.pop(key)
                if users > 1:
                    self._making[key] = lock, users - 1

    def _forget(self, dead: weakref.ref[Any]) -> None:
        # The collector may call this in the middle of anything, also of our own work under the lock: then it must not
        # wait, and whoever takes the lock next sweeps.
        self._dead.append(dead)
        if self._lock.acquire(blocking=False):
            self._lock.release()
            self.keys()


class TemporaryFolder:
    """Own a temporary folder: it is removed with this object, or when the program ends.

    Examples
    --------
    >>> folder = TemporaryFolder()
    >>> path = folder.path
    >>> del folder
    >>> path.exists()
    False
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="mandoline-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    @property
    def n_bytes(self) -> int:
        """Bytes of all files in it."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())


def n_bytes(answer: object) -> int:
    """Add up the bytes of the arrays in a result, each once.

    Samples, tables and parts with `kept_elsewhere` are excluded: they are cached under their own key.

    Examples
    --------
    >>> n_bytes((np.zeros(1000), {"a": np.zeros(1000)})) > 16_000
    True
    """
    from mandoline_core.data import Sample, Table  # which keep what they compute in a cache

    total, seen, left, looked = 0, set[int](), [answer], 0
    while left and looked < _MOST_PARTS:
        part, looked = left.pop(), looked + 1
        if isinstance(part, str | bytes):
            total += len(part)
        if isinstance(part, _PLAIN) or id(part) in seen:
            continue
        seen.add(id(part))
        total += _MINIMUM
        if isinstance(part, np.ndarray):
            # A view keeps all of what it looks at.
            base = part if part.base is None or not isinstance(part.base, np.ndarray) else part.base
            if base is part or id(base) not in seen:
                seen.add(id(base))
                total += base.nbytes
        elif isinstance(part, pd.DataFrame | pd.Series):
            total += int(np.sum(part.memory_usage()))
        elif isinstance(part, pa.Table | pa.ChunkedArray | pa.Array):
            total += part.nbytes
        elif isinstance(part, nw.Series):
            total += int(part.to_frame().estimated_size())
        elif isinstance(part, nw.DataFrame):
            total += int(part.estimated_size())
        elif not isinstance(part, Sample | Table) and (part is answer or not hasattr(part, "kept_elsewhere")):
            left.extend(_parts(part))
    return total


def _parts(whole: Any) -> list[Any]:
    if isinstance(whole, dict):
        return [*whole.keys(), *whole.values()]
    if isinstance(whole, list | tuple | set | frozenset):
        return list(whole)
    parts = list(getattr(whole, "__dict__", {}).values())  # what was computed once and kept, too
    if is_dataclass(whole) and not parts:
        parts = [getattr(whole, field.name) for field in fields(whole)]
    return parts


# What was computed of samples, for all who ask in this process.
SAMPLE_CACHE: Cache[Any] = Cache(memory_budget())
