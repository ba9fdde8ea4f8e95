"""A provider, servers of the app that ask who comes, a browser, and people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.desk import new_context
from tests.browser.server import Server, free_port
from tests.browser.visitor import Visitor, launch
from tests.sign_in.provider import Provider, password

Come = Callable[..., Visitor]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a browser."""
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.fixture(scope="session")
def port() -> int:
    """Choose where the app will be: the provider has to know it first."""
    return free_port()


@pytest.fixture(scope="session")
def provider(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Provider]:
    """Start the provider."""
    with Provider(tmp_path_factory.mktemp("provider"), f"http://127.0.0.1:{port}") as found:
        yield found


@pytest.fixture
def server(tmp_path: Path, provider: Provider, port: int, request: pytest.FixtureRequest) -> Iterator[Server]:
    """Start the app; a test may name further arguments of the command."""
    more = getattr(request, "param", ())
    arguments = ["--auth", str(provider.settings(tmp_path / "auth.toml")), *more]
    with Server(tmp_path, arguments=arguments, port=port) as found:
        yield found
    assert not found.errors()


@pytest.fixture
def come(browser: Browser, server: Server, provider: Provider) -> Iterator[Come]:
    """Let people come to the app, each with a browser of their own; who has a name signs in."""
    visitors: list[Visitor] = []

    def come(name: str | None = None, link: str | None = None) -> Visitor:
        visitor = Visitor(new_context(browser), server.url, also=provider.url)
        visitors.append(visitor)
        visitor.open(link)
        if name is not None:
            sign_in(visitor, name)
        return visitor

    yield come
    for visitor in visitors:
        visitor.hear()
        visitor.context.close()
    assert not [said for visitor in visitors for said in visitor.wrong]


def sign_in(visitor: Visitor, name: str) -> None:
    """Go from the app to the provider, say who one is, and come back."""
    page = visitor.page
    visitor.button("Sign in").click()
    page.locator("input[name=login]").fill(name)
    page.locator("button[name=answer]").click()
    page.locator("input[name=password]").fill(password(name))
    page.get_by_role("button", name="Sign in", exact=True).click()
    agreeing = page.get_by_role("button", name="Accept")  # asked once of each
    agreeing.or_(page.get_by_test_id("stApp")).first.wait_for()
    if agreeing.is_visible():
        agreeing.click()
    page.wait_for_url(f"{visitor.url}/**")
    page.locator("h1").first.wait_for()
    visitor.settle()
