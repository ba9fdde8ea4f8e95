"""Access: callers that name the server, from its own pages, are let in; who signs in comes back to their link."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from starlette.types import Message, Receive, Scope, Send

from app import access
from app.access import AccessMiddleware, admit

LINK = "/slices?view=abc-DEF_123"


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whoever is let in: in words, by taking the connection, or, back from the provider, by signing them in."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    back = scope["path"] == "/oauth2callback"
    headers = [(b"location", b"/"), (b"set-cookie", b"_streamlit_user=signed")] if back else []
    await send({"type": "http.response.start", "status": 302 if back else 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"inside"})


def knock(
    kind: str = "websocket", url: str = "/", guard: AccessMiddleware | None = None, method: str = "GET", **given: str
) -> Message:
    """Call the server with some headers, and return the first answer."""
    path, _, query = url.partition("?")
    headers = [(name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8501", **given}.items()]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers, "method": method}
    if kind == "websocket":
        scope["extensions"] = {"websocket.http.response": {}}
    answers: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        answers.append(message)

    asyncio.run((guard or AccessMiddleware(inside, ["models.example.org"], asks=True))(scope, receive, send))
    return answers[0]


def is_let_in(answer: Message) -> bool:
    """Tell whether the caller was let in."""
    return answer["type"] == "websocket.accept" or answer.get("status") in (200, 302)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8501", True),
        ("localhost:8501", True),
        ("LOCALHOST", True),
        ("[::1]:8501", True),
        ("192.168.7.7:8501", True),
        ("models.example.org", True),
        ("Models.Example.Org.:443", True),
        ("evil.example:8501", False),
        ("models.example.org.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example@127.0.0.1", True),  # a browser sends no name before an @; what counts comes after it
        ("127.0.0.1@evil.example", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_only_its_own_names_are_answered(kind: str, host: str, *, known: bool) -> None:
    """A name that leads here without the server knowing it is how a page elsewhere reaches a private machine."""
    answer = knock(kind, host=host)
    assert is_let_in(answer) == known
    if not known:
        assert answer["status"] == 403


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://127.0.0.1:8501", True),
        ("https://models.example.org", True),  # a proxy that speaks for the server
        ("http://127.0.0.1:3000", False),  # another server of this machine
        ("http://localhost:8501", False),  # the same one by another name: the page itself has one name only
        ("https://evil.example", False),
        ("https://evil.example/127.0.0.1:8501", False),
        ("null", False),
        ("", False),
    ],
)
def test_only_its_own_pages_may_connect_or_send(origin: str, *, own: bool) -> None:
    """To connect, and to send a file; reading is for the browser to forbid, which is not told to allow it."""
    assert is_let_in(knock("websocket", origin=origin)) == own
    assert (
        is_let_in(knock("http", origin=origin, method="PUT", guard=AccessMiddleware(inside, ["models.example.org"])))
        == own
    )
    assert is_let_in(knock("http", origin=origin, method="GET"))


def test_who_signs_in_comes_back_to_the_link() -> None:
    """It is kept on the way out, in a cookie that no script reads, and used once."""
    kept = dict(knock("http", LINK)["headers"])[b"set-cookie"].decode()
    assert kept.startswith(f"mandoline_back={quote(LINK)};")
    assert "HttpOnly" in kept
    answer = knock("http", "/oauth2callback", cookie=kept.partition(";")[0])
    assert dict(answer["headers"])[b"location"] == LINK.encode()
    assert b"Max-Age=0" in answer["headers"][-1][1]


@pytest.mark.parametrize(
    "link",
    [
        "//evil.example/?view=a",
        "/\\evil.example?view=a",
        "https://evil.example/?view=a",
        "/slices?view=a&next=b",
        "/slices?view=<script>",
        "/slices?view=",
        "/a\r\nSet-Cookie: a=b?view=a",
    ],
)
def test_nobody_is_led_elsewhere(link: str) -> None:
    """A cookie is the caller's to write: only a link to a project is followed."""
    answer = knock("http", "/oauth2callback", cookie=f"mandoline_back={quote(link, safe='')}")
    assert dict(answer["headers"])[b"location"] == b"/"


def test_nothing_is_kept_of_who_is_signed_in_or_brings_no_link() -> None:
    """Nor where nobody signs in."""
    assert not knock("http", LINK, cookie="_streamlit_user=signed")["headers"]
    assert not knock("http", "/slices")["headers"]
    assert not knock("http", LINK, guard=AccessMiddleware(inside))["headers"]


def test_who_has_not_signed_in_sends_nothing() -> None:
    """The framework would take a file from any visit; reading, which is how one signs in, is free."""
    upload = "/_stcore/upload_file/visit-7/file-1"
    for method in ("PUT", "POST", "DELETE"):
        assert not is_let_in(knock("http", upload, method=method))
    assert is_let_in(knock("http", "/auth/login"))
    admit("visit-7")
    for method in ("PUT", "DELETE"):
        assert is_let_in(knock("http", upload, method=method))
        assert not is_let_in(knock("http", upload.replace("7", "8"), method=method))


def test_visits_are_admitted_from_many_threads_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page that is drawn admits its visit, in a thread of its own; the oldest go when there are too many."""
    monkeypatch.setattr(access, "_MOST_VISITS", 2)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def draw_pages(visitor: int) -> None:
        for page in range(40_000):
            admit(f"{visitor}-{page}")

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(draw_pages, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert len(access._admitted) == 2
