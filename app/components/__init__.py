"""What the framework's widgets cannot do, in plain JavaScript: a wrapper here, the script beside it.

Scripts run in the page itself. They get data as JSON and write text only, never HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

_FOLDER = Path(__file__).parent


def _script(name: str) -> str:
    return (_FOLDER / f"{name}.js").read_text(encoding="utf-8")


_drag = st.components.v2.component("mandoline_drag", js=_script("drag"))
_order = st.components.v2.component("mandoline_order", js=_script("order"))
_reveal = st.components.v2.component("mandoline_reveal", js=_script("reveal"))
_strip = st.components.v2.component("mandoline_strip", html="<ol></ol>", js=_script("strip"), css="""
ol { display: flex; gap: 2px; margin: 0; padding: 0; list-style: none; }
button { width: 12px; height: 24px; padding: 0; border: 1px solid currentColor; border-radius: 3px; background: none;
  color: inherit; font-size: 9px; line-height: 1; cursor: pointer; opacity: 0.7; }
button.now { background: currentColor; opacity: 1; }
button.undone { border-style: dotted; }
button:hover, button:focus-visible { opacity: 1; outline: 2px solid currentColor; outline-offset: 1px; }
""")  # fmt: skip
_typing = st.components.v2.component("mandoline_typing", html='<p role="status"></p>', js=_script("typing"), css="""
p { margin: 0; min-height: 1.2rem; font-size: 0.8125rem; line-height: 1.2rem; opacity: 0.85; }
""")  # fmt: skip


def reveal(selector: str, what: str, *, key: str) -> None:
    """Scroll an element into sight whenever there is another one to see.

    Parameters
    ----------
    selector : str
        Finds the element.
    what : str
        Which one it is; nothing moves while it is the same.
    """
    _reveal(key=key, data={"selector": selector, "what": what})


def strip(marks: Sequence[Mapping[str, object]], pick: Callable[[int], None], *, key: str) -> None:
    """Show a row of marks.

    Parameters
    ----------
    marks : sequence of mapping
        The `number` of each, what it `says`, and its `kind`: "now", "kept", "undone" or "".
    pick : callable
        Given the number of the mark that was clicked.
    """

    def picked() -> None:
        number = (st.session_state.get(key) or {}).get("picked")
        if isinstance(number, int) and number in [mark["number"] for mark in marks]:
            pick(number)

    _strip(key=key, data={"marks": marks}, on_picked_change=picked)


def answer_typing(field: str, answer: Callable[[str], str], *, key: str) -> None:
    """Answer below a text box what is half written in it, a quarter of a second after the last key.

    Parameters
    ----------
    field : str
        The key of the box.
    answer : callable
        Given what is written, the answer in plain text.
    """
    of = str((st.session_state.get(key) or {}).get("typed") or "")
    _typing(key=key, data={"field": field, "of": of, "said": answer(of) if of else ""}, on_typed_change=_ignore)


def listen_to_drags(sliders: list[str], take: Callable[[str, float, bool], None], *, key: str) -> None:
    """Hear where sliders are while they are dragged.

    Parameters
    ----------
    sliders : list of str
        Their keys.
    take : callable
        Given the key of a slider, its value, and whether that is the last; before the page is drawn with it.
    """

    def moved() -> None:
        move = (st.session_state.get(key) or {}).get("move")
        if move and move.get("key") in sliders:
            take(str(move["key"]), float(move["value"]), bool(move["ends"]))

    now = (st.session_state.get(key) or {}).get("move") or {}
    _drag(key=key, data={"keys": sliders, "n": now.get("n", 0)}, on_move_change=moved)


def listen_to_order(rows: str, n: int, take: Callable[[int, int], None], *, key: str) -> None:
    """Hear when a row of a list is dragged to another place.

    Parameters
    ----------
    rows : str
        A selector of the rows, in their order.
    n : int
        How many there are.
    take : callable
        Given the row's place, from 0, and where it should go.
    """

    def moved() -> None:
        places = (st.session_state.get(key) or {}).get("moved")
        match places:
            case [int(old), int(new)] if 0 <= old < n and 0 <= new < n:
                take(old, new)

    _order(key=key, data={"rows": rows}, on_moved_change=moved)


def _ignore() -> None:
    """Take no action: what was typed is read when the page is drawn."""
