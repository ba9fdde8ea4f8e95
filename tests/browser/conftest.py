"""A server for the session, a browser for the package, and visitors for each test."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.desk import Desk, new_context
from tests.browser.server import ROOT, Server
from tests.browser.visitor import HOW_TO_GET_ONE, Visitor, chromium, launch

SAMPLE = ROOT / "sample_data" / "reviews" / "project.toml"
SCREENSHOTS = ROOT / "test-results"
_failed = pytest.StashKey[bool]()
Arrive = Callable[..., Visitor]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember whether a test failed, so that its visitors can take a picture."""
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


# The package, not the session: while Playwright runs, no other test in this process can have an event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start a browser; without one, skip on a person's machine and fail in continuous integration."""
    if chromium() is None and not os.environ.get("CI"):
        pytest.skip(HOW_TO_GET_ONE)
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the app."""
    with Server(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture(scope="package")
def desk(browser: Browser, server: Server) -> Desk:
    """Let tests share the process that draws their pages."""
    return Desk(browser, server.url)


@pytest.fixture
def arrive(browser: Browser, desk: Desk, server: Server, request: pytest.FixtureRequest) -> Iterator[Arrive]:
    """Let visitors come, each to a browser that knows nothing yet; at the end nothing may have gone wrong.

    Who brings no link comes to the reviews sample. Who comes `beside` a visitor shares their browser: another tab.
    """
    visitors: list[Visitor] = []
    servers = {server.url: server}

    def come(
        link: str | None = None, at: Server = server, *, wait: bool = True, beside: Visitor | None = None
    ) -> Visitor:
        servers[at.url] = at
        if link is None and at is server:  # others have left projects there: without a link one would choose among them
            link = server.link_to(SAMPLE)
        context = beside.context if beside else new_context(browser) if visitors else desk.context
        visitors.append(Visitor(context, at.url))
        return visitors[-1].open(link, wait=wait)

    before = len(server.errors())
    yield come
    failed = request.node.stash.get(_failed, False)
    for number, visitor in enumerate(visitors):
        visitor.hear()
        if failed:
            SCREENSHOTS.mkdir(exist_ok=True)
            name = re.sub(r"\W+", "-", request.node.name)
            visitor.page.screenshot(path=SCREENSHOTS / f"{name}-{number}.png", full_page=True)
    for context in {visitor.context for visitor in visitors} - {desk.context}:
        context.close()
    if failed:
        desk.replace()
    else:
        desk.clear(servers)
    wrong = [said for visitor in visitors for said in visitor.wrong]
    wrong += [said for one in servers.values() for said in one.errors()[before if one is server else 0 :]]
    assert not wrong, "\n\n".join(wrong)


@pytest.fixture
def visitor(arrive: Arrive) -> Visitor:
    """Let one visitor come."""
    return arrive()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder for what a person brings and takes away."""
    found = tmp_path / "files"
    found.mkdir()
    return found
