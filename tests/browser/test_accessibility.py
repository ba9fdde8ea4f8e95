"""Every page can be used by everyone: axe-core finds nothing serious, in light or in dark."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.visitor import Visitor

# In the dark all but the colours is the same.
RULES: dict[Literal["light", "dark"], list[str]] = {"light": ["wcag2a", "wcag2aa"], "dark": ["color-contrast"]}
GRAVE = ("serious", "critical")


def found_on(page: Page, rules: list[str]) -> list[str]:
    """List what axe-core holds against a page, where it is grave."""
    response: dict[str, Any] = Axe().run(page, options={"runOnly": rules}).response
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in response["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_keeps_people_out(visitor: Visitor, scheme: Literal["light", "dark"]) -> None:
    """All pages of the navigation, as they open, with the visitor's system light or dark."""
    visitor.page.emulate_media(color_scheme=scheme)
    links = visitor.page.get_by_role("navigation").get_by_role("link").all()
    titles = [link.inner_text().split()[-1] for link in links]
    assert titles == ["Projects", "Data", "Slices", "Result", "Track", "Share"]
    wrong = []
    for title in (*titles, "Guide", "Share", "Present"):  # which has no navigation, and so comes last
        visitor.page.get_by_role("link", name=title, exact=True).first.click()
        visitor.page.locator("h1").first.wait_for()
        visitor.page.wait_for_function(
            "dark => (getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark') === dark",
            arg=scheme == "dark",
        )
        visitor.settle()
        wrong += [f"{title}: {said}" for said in found_on(visitor.page, RULES[scheme])]
    assert not wrong, "\n".join(wrong)
