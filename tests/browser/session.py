"""A visitor without a browser: speaks to the server as the framework's own page does, so that many fit on a machine."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

PATIENCE = 120.0  # seconds
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
_ESCAPED = re.compile(r"\\(.)")


@dataclass
class Widget:
    """Hold a control as it was last drawn, and the part of the page that is drawn anew when it changes."""

    kind: str
    proto: Any
    fragment: str


@dataclass
class Answer:
    """Hold what came back: how long it took, in seconds, and all of it, as bytes."""

    seconds: float = 0.0
    said: bytes = b""
    exceptions: list[str] = field(default_factory=list)


class Session:
    """Visit one page of the app for as long as the `with` block lasts.

    Parameters
    ----------
    link : str
        To a page with a project.
    """

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self._query, self._page = parts.query, parts.path.strip("/")
        self._address = f"ws://{parts.netloc}/_stcore/stream"
        self._widgets: dict[str, Widget] = {}
        self._repeats: dict[str, float] = {}
        self._script = ""

    def __enter__(self) -> Session:
        # What is sent back is large, and packing it would measure the packing.
        self._way_out = connect(self._address, subprotocols=["streamlit"], max_size=None, compression=None)
        self._socket = self._way_out.__enter__()
        self.first = self._ask(ClientState(query_string=self._query, page_name=self._page))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._way_out.__exit__(kind, error, trace)

    def labels(self, kind: str) -> list[str]:
        """List the words on all controls of a kind."""
        return [_words(one.proto) for one in self._widgets.values() if one.kind == kind]

    def type(self, label: str, text: str) -> Answer:
        """Type into a box, and press Enter."""
        return self._set("text_input", label, string_value=text)

    def switch(self, label: str, *, on: bool) -> Answer:
        """Turn a switch."""
        return self._set("checkbox", label, bool_value=on)

    def press(self, label: str) -> Answer:
        """Press a button."""
        return self._set("button", label, trigger_value=True)

    def think(self, seconds: float) -> list[Answer]:
        """Do nothing for a while; parts of the page that look by themselves how far work is go on doing so."""
        end, found = time.monotonic() + seconds, list[Answer]()
        while (left := end - time.monotonic()) > 0:
            if not self._repeats:
                time.sleep(left)
                break
            fragment, every = min(self._repeats.items(), key=lambda one: one[1])
            time.sleep(min(every, left))
            found.append(self._ask(self._state(fragment, is_auto_rerun=True)))
        return found

    def _set(self, kind: str, label: str, **value: object) -> Answer:
        widget = next(one for one in self._widgets.values() if one.kind == kind and _words(one.proto).startswith(label))
        state = self._state(widget.fragment)
        state.widget_states.widgets.append(WidgetState(id=widget.proto.id, **value))
        return self._ask(state)

    def _state(self, fragment: str = "", **more: bool) -> ClientState:
        return ClientState(query_string=self._query, page_script_hash=self._script, fragment_id=fragment, **more)

    def _ask(self, state: ClientState) -> Answer:
        """Send what a page sends, and take in what comes until the script has ended."""
        start, said, answer = time.monotonic(), list[bytes](), Answer()
        if not state.fragment_id:
            self._widgets.clear()
        self._repeats.pop(state.fragment_id, None)
        self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        while True:
            raw = self._socket.recv(PATIENCE)
            assert isinstance(raw, bytes)
            said.append(raw)
            message = ForwardMsg.FromString(raw)
            kind = message.WhichOneof("type")
            if kind == "navigation":
                self._script = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                self._repeats[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._draw(message.delta.new_element, message.delta.fragment_id, answer)
            elif kind == "script_finished" and message.script_finished in _DONE:
                break
            elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                answer.exceptions.append("the script cannot be read")
                break
        answer.seconds, answer.said = time.monotonic() - start, b"".join(said)
        return answer

    def _draw(self, element: Element, fragment: str, answer: Answer) -> None:
        kind = element.WhichOneof("type") or ""
        proto = getattr(element, kind, None)
        if kind == "exception":
            answer.exceptions.append(f"{element.exception.type}: {element.exception.message}")
        elif getattr(proto, "id", ""):
            self._widgets[proto.id] = Widget(kind, proto, fragment)


def _words(proto: Any) -> str:
    """Read the words on a control, without Markdown's escapes."""
    return _ESCAPED.sub(r"\1", getattr(proto, "label", ""))
