"""Access: callers that name the server, from its own pages, are let in; who signs in comes back to their link."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from app import visits
from app.access import AccessMiddleware
from app.visits import Visit

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
        ("http://[::1", False),
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
    assert b"Max-Age=0" in [value for name, value in answer["headers"] if name == b"set-cookie"][-1]


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
    answers = [
        knock("http", LINK, cookie="_streamlit_user=signed"),
        knock("http", "/slices"),
        knock("http", LINK, guard=AccessMiddleware(inside)),
    ]
    assert not any(b"set-cookie" in dict(answer["headers"]) for answer in answers)


class Kept:
    """Keep one file of a visit, and take files of up to a hundred bytes."""

    def visit_of(self, filename: str) -> str | None:
        """Find the visit that a file is for."""
        return {"report.html": "visit-1"}.get(filename)

    def why_not(self, session_id: str, file_id: str, size: int) -> str:
        """Say why a file cannot be taken."""
        return f"{session_id} {file_id} is too large." if size > 100 else ""


@pytest.mark.parametrize("asks", [False, True])
def test_who_has_not_signed_in_sends_nothing(*, asks: bool) -> None:
    """The framework would take a file from any visit; nobody sends one to another's visit either."""
    guard = AccessMiddleware(inside, asks=asks, files=Kept())
    upload = "/_stcore/upload_file/visit-7/file-1"
    visits.note("visit-7", Visit("ann", is_admitted=False, may_see=lambda: True))
    for method in ("PUT", "POST", "DELETE"):
        assert not is_let_in(knock("http", upload, guard, method, cookie="mandoline_browser=ann"))
    assert is_let_in(knock("http", "/auth/login", guard))
    visits.note("visit-7", Visit("ann", is_admitted=True, may_see=lambda: True))
    for method in ("PUT", "DELETE"):
        assert is_let_in(knock("http", upload, guard, method, cookie="mandoline_browser=ann"))
        assert not is_let_in(knock("http", upload, guard, method, cookie="mandoline_browser=bob"))
        assert not is_let_in(knock("http", upload, guard, method))
        assert not is_let_in(knock("http", upload.replace("7", "8"), guard, method, cookie="mandoline_browser=ann"))
    large = knock("http", upload, guard, "PUT", **{"cookie": "mandoline_browser=ann", "content-length": "101"})
    assert large["status"] == 413
    odd = ("/visit-7/_stcore/upload_file/visit-8/file-1", "/_stcore/upload_file/visit-8/visit-7")
    assert not any(is_let_in(knock("http", path, guard, "PUT", cookie="mandoline_browser=ann")) for path in odd)


def test_a_file_is_served_to_the_browser_it_is_for_while_its_link_leads_there() -> None:
    """Whoever else learns its address gets nothing, nor does the visit once its link was revoked."""
    leads = [True]
    visits.note("visit-1", Visit("ann", is_admitted=True, may_see=lambda: leads[0]))
    guard = AccessMiddleware(inside, files=Kept())
    path = "/media/report.html"
    assert is_let_in(knock("http", path, guard, cookie="mandoline_browser=ann"))
    assert not is_let_in(knock("http", path, guard, cookie="mandoline_browser=bob"))
    assert not is_let_in(knock("http", path, guard))
    assert is_let_in(knock("http", "/static/media/font.woff2", guard))  # the framework's own
    assert not is_let_in(knock("http", "/media/other.html", guard, cookie="mandoline_browser=ann"))
    leads[0] = False
    assert not is_let_in(knock("http", "/media/report.html", guard, cookie="mandoline_browser=ann"))


def test_a_browser_brings_the_token_once() -> None:
    """It is taken out of the address, and remembered in a cookie that is not the token; all else is refused."""
    guard = AccessMiddleware(inside, ["models.example.org"], token="right")  # noqa: S106  made up
    first = knock("http", "/slices?token=right&project=abc", guard)
    headers = dict(first["headers"])
    assert (first["status"], headers[b"location"]) == (303, b"/slices?project=abc")
    cookie = headers[b"set-cookie"].decode()
    assert "right" not in cookie
    assert cookie.startswith("mandoline_token_8501=")
    assert "HttpOnly; SameSite=Lax" in cookie
    held = cookie.partition(";")[0]
    for kind in ("http", "websocket"):
        assert is_let_in(knock(kind, "/", guard, cookie=held))
        for wrong in ("", "mandoline_token_8501=right", held[:-1], held.replace("8501", "8502")):
            assert knock(kind, "/", guard, cookie=wrong)["status"] == 403
        assert knock(kind, "/?token=wrong", guard)["status"] == 403
    assert not is_let_in(knock("http", "/?token=right", guard, method="POST"))
    proxied = {"host": "models.example.org"}
    assert not is_let_in(knock("http", "/media/a", guard, **proxied))
    assert is_let_in(knock("http", "/_stcore/health", guard, **proxied))
    elsewhere = knock("http", "//evil.example/?token=right", guard)
    assert dict(elsewhere["headers"])[b"location"] == b"/evil.example/"


def test_a_connection_that_has_not_signed_in_can_only_draw_the_page() -> None:
    """It would have others' downloads written, and be given addresses to send files to."""
    draw, ask = BackMsg(), BackMsg()
    draw.rerun_script.query_string = "project=a"
    ask.file_urls_request.request_id = "a"
    write, install = BackMsg(), BackMsg()
    write.backend_operation_request.deferred_file.file_id = "a"
    install.backend_operation_request.install_skills.SetInParent()
    heard = hear_of(AccessMiddleware, [draw, ask, write, install], asks=True)
    assert heard == [draw.SerializeToString()]
    heard = hear_of(AccessMiddleware, [draw, ask, write, install])
    assert heard == [message.SerializeToString() for message in (draw, ask, write)]


@pytest.mark.parametrize(
    ("url", "host", "status"),
    [
        ("/", "127.0.0.1:8501", 200),
        ("/media/a.csv", "localhost", 200),
        ("/_stcore/health", "127.0.0.1:8501", 200),
        ("/", "evil.example", 403),
        ("/_stcore/metrics", "127.0.0.1:8501", 404),
        ("/under/_stcore/metrics/", "localhost", 404),
    ],
)
def test_every_answer_says_who_may_frame_and_load_it(url: str, host: str, status: int) -> None:
    """A page elsewhere could lay an invisible one of ours under a visitor's clicks."""
    answer = knock("http", url, host=host)
    assert answer["status"] == status
    found = {name.decode(): value.decode() for name, value in answer["headers"]}
    assert found["x-frame-options"] == "SAMEORIGIN"
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "same-origin"
    policy = dict(part.strip().split(" ", 1) for part in found["content-security-policy"].split(";"))
    assert policy["frame-ancestors"] == policy["default-src"] == policy["base-uri"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert "evil" not in found["content-security-policy"]


def test_a_host_with_more_than_a_name_adds_nothing_to_the_policy() -> None:
    """Who calls writes the header, and a proxy may keep the answer for others."""
    answer = knock("http", "/", host="127.0.0.1:80; script-src *")
    assert b"script-src *" not in dict(answer["headers"]).get(b"content-security-policy", b"")


def hear_of(make: Callable[..., AccessMiddleware], messages: list[BackMsg | bytes], **how: bool) -> list[object]:
    """Send messages over a connection, and return those that are passed on."""
    contents = [one if isinstance(one, bytes) else one.SerializeToString() for one in messages]
    sent: list[Message] = [{"type": "websocket.receive", "bytes": content} for content in contents]
    sent += [{"type": "websocket.receive", "text": "a"}, {"type": "websocket.disconnect"}]
    heard: list[Message] = []

    async def receive() -> Message:
        return sent.pop(0)

    async def listen(_scope: Scope, receive: Receive, _send: Send) -> None:
        while not heard or heard[-1]["type"] != "websocket.disconnect":
            heard.append(await receive())

    async def send(_message: Message) -> None:
        raise AssertionError

    scope = {"type": "websocket", "path": "/_stcore/stream", "query_string": b"", "headers": [(b"host", b"localhost")]}
    asyncio.run(make(listen, **how)(scope, receive, send))
    return [message["bytes"] for message in heard[:-1]]


def test_a_connection_passes_on_only_what_pages_ask_for() -> None:
    """One message would clear the caches of everybody who is on the server."""
    rerun, clear, often = BackMsg(), BackMsg(clear_cache=True), BackMsg(set_run_on_save=True)
    rerun.rerun_script.query_string = "project=a"
    assert hear_of(AccessMiddleware, [clear, often, b"\xff\xff", b"", rerun]) == [rerun.SerializeToString()]


def test_visits_are_noted_from_many_threads_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page that is drawn notes its visit, in a thread of its own; the oldest go when there are too many."""
    monkeypatch.setattr(visits, "_MOST", 2)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def draw_pages(visitor: int) -> None:
        for page in range(40_000):
            visits.note(f"{visitor}-{page}", Visit("", is_admitted=True, may_see=lambda: True))

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(draw_pages, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert len(visits._visits) == 2
