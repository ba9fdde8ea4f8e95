"""Take a picture of every page, light and dark, wide and narrow, into the folder `screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.server import ROOT, Server
from tests.browser.visitor import Visitor, launch

FOLDER = ROOT / "screenshots"
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")


def main() -> None:
    """Start the app on the reviews sample and visit every page."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server, sync_playwright() as playwright:
        browser = launch(playwright)
        for scheme in SCHEMES:
            for width in WIDTHS:
                _visit(browser, server, scheme, width)
        browser.close()


def _visit(browser: Browser, server: Server, scheme: str, width: int) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    visitor = Visitor(context, server.url).open()
    links = visitor.page.get_by_role("navigation").get_by_role("link").all()
    pages = {link.inner_text().split()[-1].lower(): link.get_attribute("href") for link in links}
    query = visitor.link.partition("?")[2]
    for name, address in pages.items():
        visitor.page.set_viewport_size({"width": width, "height": 900})
        visitor.open(f"{address}?{query}")
        # The page scrolls inside the window: make the window as high as what is in it, twice, as figures come late.
        for _ in range(2):
            height = visitor.page.get_by_test_id("stMain").evaluate("found => found.scrollHeight")
            visitor.page.set_viewport_size({"width": width, "height": height})
            visitor.settle()
            visitor.page.wait_for_load_state("networkidle")
        path = FOLDER / f"{name}-{scheme}-{width}.png"
        visitor.page.screenshot(path=path)
        print(path.relative_to(ROOT))
    context.close()


if __name__ == "__main__":
    main()
