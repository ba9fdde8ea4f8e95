"""The guard against errors sees one in the script, however Streamlit logs it, and one in the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import new_context
from tests.browser.server import Server
from tests.browser.visitor import Visitor

# The second run takes the exception away, as the next step of a person does.
SCRIPT = """
import streamlit as st

st.title("A page")
if not st.button("Resume"):
    raise ValueError("nobody caught this")
"""


@pytest.mark.parametrize("rich", ["true", pytest.param("false", marks=pytest.mark.long)])
def test_an_exception_is_found_on_the_page_and_in_the_log(browser: Browser, tmp_path: Path, rich: str) -> None:
    """Also when it is no longer on the page; the console's errors count, too."""
    script = tmp_path / "page.py"
    script.write_text(SCRIPT)
    context = new_context(browser)
    with Server(tmp_path, script=script, options={"logger.enableRich": rich}) as server:
        visitor = Visitor(context, server.url).open()
        visitor.button("Resume").click()
        expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
        visitor.page.evaluate("console.error('a broken script')")
        visitor.hear()
        assert len(visitor.wrong) == 2
        assert "nobody caught this" in visitor.wrong[0]
        assert "a broken script" in visitor.wrong[1]
        (logged,) = server.errors()
        assert "ValueError: nobody caught this" in logged
        assert ("Uncaught app execution" in server.log.read_text()) == (rich == "false")
    context.close()
