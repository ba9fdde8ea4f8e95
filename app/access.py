"""Who is let in before a page is drawn: callers that name this server, from pages that are its own.

A page elsewhere may have its own name lead to this machine, and so reach a server that listens to nobody else ("DNS
rebinding"); it may also open a connection across. Either is refused here, before anything answers.
"""

from __future__ import annotations

import ipaddress
import re
import threading
from collections.abc import Collection
from urllib.parse import quote, unquote, urlsplit

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

_WAY_BACK = "mandoline_back"
_USER = "_streamlit_user"
_LINK = re.compile(r"/[A-Za-z0-9_/-]*\?(?:project|edit|view)=[A-Za-z0-9_-]{1,64}")
_SECONDS = 600  # that signing in may take
_WRONG_NAME = "Unknown host name. To allow it, start the server with: mandoline app --allow-host NAME\n"
_SIGN_IN = "Sign in first.\n"
_WRONG_PAGE = "Pages of another site may not connect to this server.\n"
_OFF = ("/_stcore/metrics",)  # say how busy the server is and with what, to anyone
# What a page asks for over its connection. The framework knows more: to clear everyone's caches, to say how often a
# script runs, to name the folder and the commit that it is in.
_ASKED = ("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
_PLAIN = re.compile(r"[A-Za-z0-9.:\[\]-]+")
_UPLOAD = re.compile(r".*/_stcore/upload_file/(?P<visit>[^/]+)/[^/]+")
_MOST_VISITS = 10_000  # at a time; the oldest have to be admitted again, which drawing a page does
_admitted: dict[str, None] = {}
_admitting = threading.Lock()  # every visitor's pages are drawn in a thread of their own


def admit(visit: str) -> None:
    """Note that someone has signed in: the framework takes files from any visit, also from who has yet to do so.

    Parameters
    ----------
    visit : str
        The framework's mark for it, which is in the address that files are sent to.
    """
    with _admitting:
        _admitted.pop(visit, None)
        _admitted[visit] = None
        while len(_admitted) > _MOST_VISITS:
            del _admitted[next(iter(_admitted))]


class AccessMiddleware:
    """Refuse callers with a foreign name for this server, and connections from pages of other sites.

    Parameters
    ----------
    inner : ASGIApp
        What answers those who are let in.
    names : collection of str
        Host names of the server, in addition to localhost and IP addresses, which no other site can take.
    asks : bool
        Whether people sign in. Those who have are brought back to the link that they came with; those who have not
        may send nothing.
    """

    def __init__(self, inner: ASGIApp, names: Collection[str] = (), *, asks: bool = False) -> None:
        self._inner = inner
        self._names = {name.lower().rstrip(".") for name in names}
        self._asks = asks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        headers = Headers(scope=scope)
        reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS")
        why = self._refusal(headers, reads=reads)
        if why is None and self._asks and scope["type"] == "http" and not reads:
            upload = _UPLOAD.fullmatch(scope["path"])
            why = None if upload is not None and upload["visit"] in _admitted else _SIGN_IN
        if scope["type"] == "http":
            send = _with_headers("" if why else headers.get("host", ""), send)
        if why:
            await PlainTextResponse(why, status_code=403)(scope, receive, send)
        elif scope["path"].rstrip("/").endswith(_OFF):
            await PlainTextResponse("Not found.\n", status_code=404)(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._inner(scope, _only_asked(receive), send)
        elif self._asks:
            await self._inner(scope, receive, _with_way_back(scope, headers, send))
        else:
            await self._inner(scope, receive, send)

    def _refusal(self, headers: Headers, *, reads: bool) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        name = _hostname(host)
        if not (name == "localhost" or name in self._names or _is_address(name)):
            return _WRONG_NAME
        if origin is None or reads:  # what a browser lets another site read is said in the answer, which says nothing
            return None
        page = origin.partition("://")[2].lower()  # an origin has no path
        return None if page == host.lower() or _hostname(page) in self._names else _WRONG_PAGE


def _only_asked(receive: Receive) -> Receive:
    """Pass on what a page asks for over its connection, and leave out what no page of the app sends."""

    async def receiving() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or _is_asked(message.get("bytes") or b""):
                return message

    return receiving


def _is_asked(content: bytes) -> bool:
    try:
        return BackMsg.FromString(content).WhichOneof("type") in _ASKED
    except DecodeError:
        return False


def _with_headers(host: str, send: Send) -> Send:
    """Say with every answer that only pages of this server may frame it, and what they may load; links stay here."""
    socket = f"ws://{host} wss://{host}" if _PLAIN.fullmatch(host) else ""  # some browsers do not count it as 'self'
    # The framework evaluates its charts' formats and styles its elements in place. It loads nothing from elsewhere.
    policy = (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; "
        f"connect-src 'self' {socket} data: blob:; worker-src 'self' blob:; "
        "frame-src 'self' data: blob:; frame-ancestors 'self'; object-src 'none'; base-uri 'self'; form-action 'self'"
    )

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer = MutableHeaders(scope=message)
            answer["x-content-type-options"] = "nosniff"
            answer["x-frame-options"] = "SAMEORIGIN"
            answer["referrer-policy"] = "same-origin"
            answer["content-security-policy"] = policy
        await send(message)

    return sending


def _with_way_back(scope: Scope, headers: Headers, send: Send) -> Send:
    """Keep the link of who comes without having signed in, and send them there when they come back from it."""
    cookies = cookie_parser(headers.get("cookie", ""))
    link = f"{scope['path']}?{scope['query_string'].decode('latin-1')}"
    kept = unquote(cookies.get(_WAY_BACK, ""))

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer = MutableHeaders(scope=message)
            if scope["path"].endswith("/oauth2callback"):
                signed_in = any(one.startswith(f"{_USER}=") for one in answer.getlist("set-cookie"))
                if signed_in and _LINK.fullmatch(kept):
                    answer["location"] = kept
                    answer.append("set-cookie", _cookie("", 0))
            elif _USER not in cookies and _LINK.fullmatch(link):
                answer.append("set-cookie", _cookie(quote(link), _SECONDS))
        await send(message)

    return sending


def _cookie(value: str, seconds: int) -> str:
    return f"{_WAY_BACK}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax"


def _hostname(netloc: str) -> str:
    """Find the name in a name with a port; nothing where it is not one."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
