"""Threads: one at a time for many small matrix products, which would mostly wait for each other."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Let numerical libraries use one thread for as long as the `with` block lasts.

    Examples
    --------
    >>> with one_thread():
    ...     {pool["num_threads"] for pool in ThreadpoolController().info()} <= {1}
    True
    """
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> ThreadpoolController:
    """Look for the libraries, again only after something was imported: it takes as long as a small fit."""
    return ThreadpoolController()
