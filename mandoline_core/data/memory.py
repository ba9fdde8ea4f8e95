"""Memory: what was computed of samples, kept for as long as they live and there is room."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from mandoline_core.data.sample import Sample

T = TypeVar("T")


class Memory(Generic[T]):
    """Keep the last few answers about some samples; an answer is forgotten with the first of its samples.

    Parameters
    ----------
    most : int
        Answers to keep.

    Examples
    --------
    >>> import pandas as pd
    >>> sample, memory = Sample(pd.DataFrame({"a": [1, 2]})), Memory(most=2)
    >>> memory.once((sample,), "rows", lambda: sample.n_rows), memory.once((sample,), "rows", lambda: 0)
    (2, 2)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[Hashable, ...], T] = OrderedDict()
        self._lock = threading.RLock()  # samples may die, and be forgotten, while an answer is being put away

    def once(self, samples: tuple[Sample, ...], key: Hashable, compute: Callable[[], T]) -> T:
        """Return the answer that is kept, or compute it."""
        name = (*(weakref.ref(sample, self._forget) for sample in samples), key)
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        answer = compute()
        with self._lock:
            self._kept[name] = answer
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer

    def _forget(self, sample: weakref.ref[Sample]) -> None:
        with self._lock:
            for name in [name for name in self._kept if any(part is sample for part in name)]:
                del self._kept[name]
