"""What a visit remembers: what its widgets hold and were drawn with, what was said, and what it last looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.project.store import Revision
from app.words import plain, wording
from mandoline_core import MandolineError

_NOTHING = object()


def mark() -> str:
    """Return the framework's mark for this visit."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def is_part_of_a_page() -> bool:
    """Tell whether only a part of a page is being drawn."""
    # The framework says so nowhere else. Only from within a fragment has the whole page to be asked for.
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def tell(message: str) -> None:
    """Say what was done, in a corner of the screen. It stays long enough to be read while the page is being redrawn."""
    _toast(plain(message), None)


def refuse(error: MandolineError) -> None:
    """Say why something was not done, in a corner of the screen."""
    _toast(wording.tell(error), ":material/error:")


@contextmanager
def refusing() -> Iterator[None]:
    """Do something, or say in a corner of the screen why it was not done."""
    try:
        yield
    except MandolineError as error:
        refuse(error)


def _toast(text: str, icon: str | None) -> None:
    if "redraw" in st.session_state:
        st.session_state["redraw"] = [*st.session_state["redraw"], (text, icon)]
    st.toast(text, icon=icon, duration="long")


def remember(key: str, value: Any = _NOTHING) -> Any:
    """Return something kept for this visit only, or set it when a value is given, which may be None."""
    # Under a prefix of its own: the framework drops the state of widgets that a page did not draw, and this must stay.
    if value is not _NOTHING:
        st.session_state[f"kept:{key}"] = value
    return st.session_state.get(f"kept:{key}")


def keep(name: str, key: str) -> None:
    """Keep what a widget holds under a name, before anything is drawn with it: widgets that go take theirs along."""
    remember(name, typed(key))


def renewable(key: str) -> str:
    """Name a widget that `renew` can empty.

    The framework lets nobody take away what an uploader holds; one with another key is another uploader.
    """
    return f"{key}:{remember(f'turn:{key}') or 0}"


def renew(key: str) -> None:
    """Replace the widget with a renewable key by an empty one."""
    remember(f"turn:{key}", (remember(f"turn:{key}") or 0) + 1)


def bind(key: str, value: Any) -> str:
    """Make a widget show a value of the project whenever the project changed under it; return the widget's key.

    What was just typed stays, even if it could not be saved yet.
    """
    # An edit within a fragment draws only that fragment, but Undo and Redo beside it have to follow: the first widget
    # that is bound afterwards starts the whole page over, and takes along what was to be said.
    if "redraw" in st.session_state:
        st.session_state["to_say"] = st.session_state.pop("redraw")  # what was said goes with the page that is left
        st.rerun()
    st.session_state["seen"] = st.session_state.get("latest")
    bound = st.session_state.setdefault("bound", {})
    # What the project held when the widget was last set is kept beside it. Only where the project has changed since
    # (undo, another tab, another person) is the widget set anew: else it would lose what is being typed.
    if key == st.session_state.get("left") and key in st.session_state:
        bound[key] = value
    elif key not in st.session_state or key not in bound or bound[key] != value:
        # Setting a value that is there already would take a slider back from where it has gone in the meantime.
        if key not in st.session_state or st.session_state[key] != value:
            st.session_state[key] = value
        bound[key] = value
    return key


def leave(key: str) -> None:
    """Leave a widget as it is when it is drawn, whatever the project holds: a hand is moving it. No key ends that."""
    st.session_state["left"] = key


def shown(key: str) -> Any:
    """Return the project's value that a widget was drawn with, before it was changed."""
    return st.session_state.get("bound", {}).get(key)


def typed(key: str) -> Any:
    """Return what a widget holds."""
    return st.session_state.get(key)


def choose(key: str, value: Any) -> None:
    """Set a widget that is yet to be drawn."""
    st.session_state[key] = value


def empty(key: str) -> None:
    """Take away what a box holds, once it has been taken in."""
    st.session_state[key] = ""


def forget_widgets() -> None:
    """Let every widget take the project's value again."""
    st.session_state["bound"] = {}


def drawn(revision: Revision) -> None:
    """Note that the whole page is being drawn, and what of."""
    st.session_state.pop("redraw", None)
    for text, icon in st.session_state.pop("to_say", ()):
        _toast(text, icon)
    if st.session_state.get("seen") not in (None, revision.number):
        tell(f"Changed in another tab or by someone else: {revision.label}.")
    see(revision.number)


def see(number: int | None) -> None:
    """Note which revision the visitor looks at; None where the next page will say."""
    st.session_state["seen"] = st.session_state["latest"] = number
