"""A desk at which visitors sit one after another: each finds it empty, but the browser has read the app's scripts."""

from __future__ import annotations

from collections.abc import Iterable

from playwright.sync_api import Browser, BrowserContext

LIGHT = "/_stcore/health"  # a page of the app's server without a script


def new_context(browser: Browser) -> BrowserContext:
    """Make a browser profile that knows nothing yet."""
    return browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True, reduced_motion="reduce")


class Desk:
    """Keep one browser profile, and with it one process for all of its tabs, from test to test.

    Compiling the app's scripts takes a new process longer than it takes to draw a page.

    Parameters
    ----------
    browser : Browser
    url : str
        Where the app is. A tab stays there, as a process ends with its last tab.
    """

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._context: BrowserContext | None = None

    @property
    def context(self) -> BrowserContext:
        """The profile, made at the first use."""
        if self._context is None:
            self._context = new_context(self._browser)
            self._context.new_page().goto(self._url + LIGHT)
        return self._context

    def clear(self, urls: Iterable[str]) -> None:
        """Close what was opened, and forget what servers at these addresses have stored."""
        if self._context is None:
            return
        first, *others = self._context.pages
        for page in others:
            page.close()
        session = self._context.new_cdp_session(first)
        for url in urls:
            session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
        session.detach()
        self._context.clear_cookies()

    def replace(self) -> None:
        """Give the profile up; the next use makes another."""
        if self._context is not None:
            self._context.close()
            self._context = None
