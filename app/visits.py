"""Visits: which browser each belongs to, whether it was let in, and whether its link still leads to its project.

The framework serves files to anyone who has their address, and takes files for any visit. Both ask here first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

COOKIE = "mandoline_browser"  # whose random value marks a browser
_MOST = 10_000  # visits at a time; the oldest have to be noted again, which drawing a page does


class Visit(NamedTuple):
    """Hold what is known of a visit.

    Parameters
    ----------
    browser : str
        What its browser keeps in a cookie; nothing where it keeps none.
    is_admitted : bool
        Whether the visitor has signed in, or nobody is asked.
    may_see : callable
        Whether what the page showed may still be fetched: a link may have been revoked since.
    """

    browser: str
    is_admitted: bool
    may_see: Callable[[], bool]


_visits: dict[str, Visit] = {}
_noting = threading.Lock()  # every visitor's pages are drawn in a thread of their own


def note(mark: str, visit: Visit) -> None:
    """Note a visit whose page is being drawn.

    Parameters
    ----------
    mark : str
        The framework's mark for it, which is in the address that files are sent to.
    """
    with _noting:
        _visits.pop(mark, None)
        _visits[mark] = visit
        while len(_visits) > _MOST:
            del _visits[next(iter(_visits))]


def may_send(mark: str, browser: str) -> bool:
    """Tell whether a browser may send a file to a visit: to its own, once let in."""
    visit = _visits.get(mark)
    return visit is not None and visit.is_admitted and visit.browser == browser


def may_fetch(mark: str, browser: str) -> bool:
    """Tell whether a browser may fetch a file of a visit: of its own, as long as the visit may see its project."""
    visit = _visits.get(mark)
    return visit is not None and visit.browser == browser and visit.may_see()
