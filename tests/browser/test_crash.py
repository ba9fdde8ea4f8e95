"""A server that is killed while somebody edits: what the page showed as done is there after a new start."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SAMPLE, Arrive
from tests.browser.server import Server

KILLS = int(os.environ.get("SERVER_KILLS", "3"))


@pytest.mark.long
def test_what_a_page_showed_as_done_outlives_the_server(arrive: Arrive, tmp_path: Path) -> None:
    """A visitor adds word after word; the server is killed at a random moment, and started again."""
    draw = random.Random(14)  # noqa: S311  repeatable, not secret
    with Server(tmp_path) as server:
        visitor = arrive(server.link_to(SAMPLE, "slices"), at=server)
        link, done = visitor.link, 0
        for _ in range(KILLS):
            visitor.edit("negation")
            for _ in range(draw.randrange(1, 4)):
                visitor.add_word(f"word{done}")
                expect(visitor.button(f"Remove word{done}")).to_be_visible()
                done += 1
            visitor.add_word(f"word{done}")  # which the server may come to save, or may not
            visitor.page.wait_for_timeout(draw.uniform(0, 300))
            server.kill()
            server.start()
            visitor.open(link)
            visitor.edit("negation")
            for number in range(done):
                expect(visitor.button(f"Remove word{number}")).to_be_visible()
            visitor.settle()
            done += visitor.button(f"Remove word{done}").count()
            with closing(sqlite3.connect(tmp_path / "data" / "projects.sqlite")) as database:
                assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    print(f"\n{KILLS} kills, {done} words")
