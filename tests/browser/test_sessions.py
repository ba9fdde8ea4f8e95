"""Several visitors at once, without a browser: each edits a project of their own, and sees nothing of anyone else's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

from app.project.store import Store
from tests.browser.conftest import SAMPLE
from tests.browser.edits import Visit, edits
from tests.browser.server import Server
from tests.browser.session import Session

VISITORS, TURNS = 3, 2


def visit(number: int, link: str) -> Visit:
    """Come, edit and leave."""
    found = Visit(number)
    with Session(link) as session:
        found.note(session.first)
        for _ in edits(session, found, TURNS):
            pass
    return found


def test_visitors_edit_at_once_and_see_only_their_own_work(server: Server) -> None:
    """`make load` is the same for many more, with times and memory."""
    before = len(server.errors())
    links = [server.link_to(SAMPLE, "slices") for _ in range(VISITORS)]
    with ThreadPoolExecutor(VISITORS) as pool:
        visits = list(pool.map(visit, range(VISITORS), links))
    assert [said for one in visits for said in one.wrong] == []
    assert [len(one.seconds) for one in visits] == [5 * TURNS] * VISITORS
    store = Store(server.folder / "data")
    for number, link in enumerate(links):
        saved = store.head(parse_qs(urlsplit(link).query)["project"][0])
        assert f'name = "marker{number}x{TURNS - 1}"' in saved.document["toml"]
    assert server.errors()[before:] == []
