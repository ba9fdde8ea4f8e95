"""The token: a person's own server is theirs, whoever else can reach it; what a page hands out is for its visit."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import SAMPLE, Arrive
from tests.browser.desk import new_context
from tests.browser.server import Server
from tests.browser.visitor import Visitor


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    """Start the app as a person does on their own machine."""
    with Server(tmp_path, arguments=[]) as found:
        yield found
    assert not found.errors()


def address(server: Server) -> str:
    """Read the address that was printed."""
    while not (found := re.search(r"http://\S+token=\S+", server.log.read_text(encoding="utf-8"))):
        time.sleep(0.05)
    return found[0]


def test_only_who_has_the_address_gets_in(own: Server, browser: Browser) -> None:
    """It opens the app once; then the browser is known, the token is nowhere in sight, and links work."""
    visitor = Visitor(new_context(browser), own.url).open(address(own))
    expect(visitor.page.get_by_role("heading", name="Result", exact=True, level=1)).to_be_visible()
    assert "token" not in visitor.page.url
    project = visitor.page.url
    visitor.open(own.url)
    other = new_context(browser)
    page = other.new_page()
    for link in (own.url, project, f"{own.url}/media/a", address(own)[:-1]):
        answer = page.goto(link)
        assert answer is not None
        assert answer.status == 403
        expect(page.locator("body")).to_contain_text("Open the address that `mandoline app` printed")
    visitor.hear()
    assert not visitor.wrong
    for context in (other, visitor.context):
        context.close()


def test_a_download_is_for_the_visit_that_was_offered_it(arrive: Arrive, server: Server, browser: Browser) -> None:
    """Its address is of no use to others, nor to the visit once its view link is revoked, and tells nothing of it."""
    owner = arrive(server.link_to(SAMPLE))
    owner.button("Save and share").click()
    code = owner.page.get_by_test_id("stCode").filter(has_text="view=")
    link = code.inner_text().strip()
    owner.page.keyboard.press("Escape")
    guest = arrive(link)
    guest.go("Projects")
    expect(guest.main.get_by_role("button", name="Open", exact=True)).to_have_count(0)
    guest.open(link)
    guest.button("Save and share").click()
    with guest.page.expect_download() as found:
        guest.button("Download estimate (JSON)").click()
    file = found.value.url
    assert guest.context.request.get(file).status == 200
    stranger = new_context(browser)
    assert stranger.request.get(file).status == 403
    stranger.close()
    with guest.page.expect_download() as found:
        guest.button("Download estimate (JSON)").click()
    assert found.value.url == file  # the same content, asked for by the same visit
