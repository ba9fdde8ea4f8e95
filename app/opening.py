"""Opening: what is printed at the start, and the browser, where the address has a token."""

from __future__ import annotations

import asyncio
import html
import os
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.web.server.server_util import get_url

from app.project.store import default_folder

OPENS = "MANDOLINE_OPEN"  # set where a browser is to be opened


def announcing(token: str) -> Callable[[Any], AbstractAsyncContextManager[dict[str, Any] | None]] | None:
    """Return what is done as the server starts and stops; nothing without a token: then the framework does it."""
    if not token:
        return None

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[dict[str, Any] | None]:
        address = str(st.get_option("server.address") or "localhost")
        url = f"{get_url(f'[{address}]' if ':' in address else address).rstrip('/')}/?token={token}"
        print(f"\n  Mandoline: {url}\n\n  Only who has this address can use it. To stop: Ctrl+C\n", flush=True)  # noqa: T201
        page = None
        if os.environ.get(OPENS):
            page = _page_to(url)
            await asyncio.to_thread(webbrowser.open, page.as_uri())
        try:
            yield {}
        finally:
            if page is not None:
                page.unlink(missing_ok=True)

    return lifespan


def _page_to(url: str) -> Path:
    """Write a page that leads to an address: a browser's command line, with an address in it, is for all to see."""
    folder = default_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    page = folder / f"open-{st.get_option('server.port')}.html"
    page.unlink(missing_ok=True)
    with open(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(url)}">')
    return page
