"""Who is let in before a page is drawn: callers that name this server, from pages that are its own.

A page elsewhere may have its own name lead to this machine, and so reach a server that listens to nobody else ("DNS
rebinding"); it may also open a connection across. Either is refused here, before anything answers.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Collection, Mapping
from typing import Protocol
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from anyio import to_thread
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.config import get_option
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks

from app import visits

_WAY_BACK = "mandoline_back"
_TOKEN = "mandoline_token"  # noqa: S105  the name of a cookie, and of a parameter
_USER = "_streamlit_user"
_LINK = re.compile(r"/[A-Za-z0-9_/-]*\?(?:project|edit|view)=[A-Za-z0-9_-]{1,64}")
_SECONDS = 600  # that signing in may take
_WRONG_NAME = "Unknown host name. To allow it, start the server with: mandoline app --allow-host NAME\n"
_NO_TOKEN = "Open the address that `mandoline app` printed: it has a token. Each start has a new one.\n"  # noqa: S105
_SIGN_IN = "Sign in first.\n"
_WRONG_PAGE = "Pages of another site may not connect to this server.\n"
_NOT_YOURS = "This file belongs to another visit. Reload the page and try again.\n"
_OFF = ("/_stcore/metrics",)  # say how busy the server is and with what, to anyone
_OPEN = ("/_stcore/health",)  # says that the server is there, which whoever asks knows
# What a page asks for over its connection. The framework knows more: to clear everyone's caches, to say how often a
# script runs, to name the folder and the commit that it is in, to write into that folder.
_ASKED_BY_ALL = ("rerun_script", "stop_script", "app_heartbeat")
_ASKED = (*_ASKED_BY_ALL, "file_urls_request", "backend_operation_request")
_OPERATIONS = ("deferred_file", "dataframe_chunk")
_PLAIN = re.compile(r"[A-Za-z0-9.:\[\]-]+")
_UPLOAD = re.compile(r".*/_stcore/upload_file/(?P<visit>[^/]+)/(?P<file>[^/]+)")
_RANDOM = re.compile(r"[A-Za-z0-9_-]{20,64}")


class FileKeeper(Protocol):
    """What the server keeps of pages, and takes from visitors."""

    def visit_of(self, filename: str) -> str | None:
        """Find the visit that a file is for."""

    def why_not(self, session_id: str, file_id: str, size: int) -> str:
        """Say why a file cannot be taken."""


class AccessMiddleware:
    """Refuse callers with a foreign name for this server, without its token, and connections from pages of other sites.

    Parameters
    ----------
    inner : ASGIApp
        What answers those who are let in.
    names : collection of str
        Host names of the server, in addition to localhost and IP addresses, which no other site can take.
    asks : bool
        Whether people sign in. Those who have are brought back to the link that they came with; those who have not
        may send nothing.
    token : str
        What a browser has to bring once, in the address; nothing where all who reach the server may use it.
    files : FileKeeper, optional
        Files are served and taken as it says; without it, anyone's.
    """

    def __init__(
        self,
        inner: ASGIApp,
        names: Collection[str] = (),
        *,
        asks: bool = False,
        token: str = "",
        files: FileKeeper | None = None,
    ) -> None:
        self._inner = inner
        self._names = {name.lower().rstrip(".") for name in names}
        self._asks = asks
        self._token = token
        self._files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookies = cookie_parser(headers.get("cookie", ""))
        is_http = scope["type"] == "http"
        reads = is_http and scope["method"] in ("GET", "HEAD", "OPTIONS")
        why = self._refusal(headers, reads=reads)
        answer: Response | None = PlainTextResponse(why, status_code=403) if why else None
        answer = answer or self._ask_for_token(scope, headers, cookies, reads=reads)
        answer = answer or (await self._about_files(scope, headers, cookies, reads=reads) if is_http else None)
        if is_http:
            send = _with_headers("" if why else headers.get("host", ""), send)
        if answer is not None:
            await answer(scope, receive, send)
        elif scope["path"].rstrip("/").endswith(_OFF):
            await PlainTextResponse("Not found.\n", status_code=404)(scope, receive, send)
        elif not is_http:
            kinds = _ASKED_BY_ALL if self._asks and not _has_signed_in(cookies) else _ASKED
            await self._inner(scope, _only_asked(receive, kinds), send)
        else:
            send = _with_browser(cookies, send)
            await self._inner(scope, receive, _with_way_back(scope, cookies, send) if self._asks else send)

    def _ask_for_token(
        self, scope: Scope, headers: Headers, cookies: Mapping[str, str], *, reads: bool
    ) -> Response | None:
        """Refuse a browser that has not brought the token; take it out of the address of one that does."""
        if not self._token or scope["path"].endswith(_OPEN):
            return None
        # Browsers send a cookie to every port of a machine: another server of ours has one of its own name. It does not
        # hold the token itself, which is in the address of other visits.
        name = f"{_TOKEN}_{headers.get('host', '').rpartition(':')[2] or 'none'}"
        proof = hashlib.sha256(f"cookie {self._token}".encode()).hexdigest()
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for key, value in query if key == "token"), "")
        if reads and given and hmac.compare_digest(given.encode(), self._token.encode()):
            rest = urlencode([(key, value) for key, value in query if key != "token"])
            path = quote("/" + scope["path"].lstrip("/\\"))
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
            answer.headers["set-cookie"] = f"{name}={proof}; Path=/; HttpOnly; SameSite=Lax"
            answer.headers["cache-control"] = "no-store"
            return answer
        if hmac.compare_digest(cookies.get(name, "").encode(), proof.encode()):
            return None
        return PlainTextResponse(_NO_TOKEN, status_code=403)

    async def _about_files(
        self, scope: Scope, headers: Headers, cookies: Mapping[str, str], *, reads: bool
    ) -> Response | None:
        """Refuse to serve a file to another browser than its visit's, or to take one for another visit."""
        browser, path = cookies.get(visits.COOKIE, ""), scope["path"]
        if reads:
            base = str(get_option("server.baseUrlPath") or "").strip("/")
            media = f"/{base}/media/" if base else "/media/"
            if self._files is None or not path.startswith(media):
                return None
            visit = self._files.visit_of(path.removeprefix(media))
            # The store is asked whether the visit's link still leads there.
            seen = visit is not None and await to_thread.run_sync(visits.may_fetch, visit, browser)
            return None if seen else PlainTextResponse(_NOT_YOURS, status_code=403)
        upload = _UPLOAD.fullmatch(path)
        if upload is None:
            return PlainTextResponse(_SIGN_IN, status_code=403) if self._asks else None
        if not visits.may_send(upload["visit"], browser):
            return PlainTextResponse(_SIGN_IN if self._asks else _NOT_YOURS, status_code=403)
        if self._files is None or scope["method"] == "DELETE":
            return None
        size = headers.get("content-length", "")
        why = self._files.why_not(upload["visit"], upload["file"], int(size) if size.isdecimal() else 0)
        return PlainTextResponse(why, status_code=413) if why else None

    def _refusal(self, headers: Headers, *, reads: bool) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        name = _hostname(host)
        if not (name == "localhost" or name in self._names or _is_address(name)):
            return _WRONG_NAME
        if origin is None or reads:  # what a browser lets another site read is said in the answer, which says nothing
            return None
        page = origin.partition("://")[2].lower()  # an origin has no path
        return None if page == host.lower() or _hostname(page) in self._names else _WRONG_PAGE


def _has_signed_in(cookies: Mapping[str, str]) -> bool:
    """Tell whether a browser brings the framework's signed mark of who signed in; who that may be is asked later."""
    return _get_signed_cookie_with_chunks(dict(cookies), _USER) is not None


def _only_asked(receive: Receive, kinds: Collection[str]) -> Receive:
    """Pass on what a page asks for over its connection, and leave out what no page of the app sends."""

    async def receiving() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or _is_asked(message.get("bytes") or b"", kinds):
                return message

    return receiving


def _is_asked(content: bytes, kinds: Collection[str]) -> bool:
    try:
        message = BackMsg.FromString(content)
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return kind in kinds and any(message.backend_operation_request.HasField(name) for name in _OPERATIONS)
    return kind in kinds


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


def _with_browser(cookies: Mapping[str, str], send: Send) -> Send:
    """Give a browser that comes to a page a random mark: files of its visits are served to it alone."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and not _RANDOM.fullmatch(cookies.get(visits.COOKIE, "")):
            answer = MutableHeaders(scope=message)
            if answer.get("content-type", "").startswith("text/html"):
                mark = secrets.token_urlsafe(24)
                answer.append("set-cookie", f"{visits.COOKIE}={mark}; Path=/; HttpOnly; SameSite=Lax")
        await send(message)

    return sending


def _with_way_back(scope: Scope, cookies: Mapping[str, str], send: Send) -> Send:
    """Keep the link of who comes without having signed in, and send them there when they come back from it."""
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
