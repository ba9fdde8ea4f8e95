"""Take the pictures of the README and the guides again: `python -m tests.browser.pictures`; then look at them."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.server import ROOT, Server
from tests.browser.visitor import Visitor, launch

IMAGES = Path("mandoline_core") / "guide" / "images"
# The page, and what of the window is kept: left, top, right, bottom.
WINDOW = (1280, 800)
MAIN = (300, 60, 1260, 800)  # without the list of pages
PICTURES = {
    Path(".github") / "slices.png": ("Slices", (0, 0, *WINDOW)),
    IMAGES / "data.png": ("Data", (300, 60, 1260, 670)),
    IMAGES / "slices.png": ("Slices", MAIN),
    IMAGES / "result.png": ("Result", (300, 60, 1260, 800)),
    IMAGES / "report.png": ("Share", (400, 377, 1160, 816)),
}
COLOURS = 256  # enough for a page, at a third of the bytes


def main() -> None:
    """Start the app on the reviews sample, close the tour, and visit the pages."""
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server, sync_playwright() as playwright:
        browser = launch(playwright)
        visitor = Visitor(browser.new_context(viewport={"width": WINDOW[0], "height": WINDOW[1]}), server.url).open()
        visitor.page.locator(".st-key-tour").get_by_role("button").last.click()
        visitor.settle()
        for path, (title, part) in PICTURES.items():
            visitor.page.set_viewport_size({"width": WINDOW[0], "height": max(part[3], WINDOW[1])})
            visitor.go(title)
            visitor.page.wait_for_load_state("networkidle")
            visitor.settle()
            window = Image.open(io.BytesIO(visitor.page.screenshot())).convert("RGB")
            picture = window.crop(part).quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            picture.save(ROOT / path, optimize=True)
            print(path, f"{(ROOT / path).stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
