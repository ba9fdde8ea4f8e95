"""Wrong files, wrong turns and second thoughts: a clear message, and nothing lost."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from playwright.sync_api import expect

import mandoline_core as md
from tests.browser.conftest import Arrive
from tests.browser.server import ROOT, Server

SAMPLE = ROOT / "sample_data" / "reviews"


def picture(side: int = 64) -> bytes:
    """Make a small PNG."""
    rows = b"".join(b"\0" + bytes((3 * x * y + 41 * x) % 251 for x in range(side * 3)) for y in range(side))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def test_wrong_files_get_a_clear_message_and_nothing_is_lost(arrive: Arrive, server: Server, folder: Path) -> None:
    """A picture in disguise and a table without rows are refused by name; the project and the good file stay."""
    (folder / "photo.csv").write_bytes(picture())
    (folder / "header.csv").write_text("label,text,pred_lr\n")
    visitor = arrive(server.link_to(SAMPLE / "project.toml", "projects"))
    visitor.page.get_by_role("tab", name="Use my files").click()
    visitor.upload("Labelled data", SAMPLE / "source.csv")
    expect(visitor.main).to_contain_text("source.csv: 6,000 rows, 12 columns.")
    for name in ("photo.csv", "header.csv"):
        visitor.upload("New data", folder / name)
        expect(visitor.main.get_by_role("alert").filter(has_text=name)).to_be_visible()
        expect(visitor.button("Use these files")).to_have_count(0)
        visitor.settle()
    alert = visitor.main.get_by_role("alert")  # one only: the picture's has gone
    expect(alert).to_contain_text("header.csv has a header but no rows. Add at least one row.")
    expect(visitor.main).to_contain_text("source.csv: 6,000 rows, 12 columns.")
    visitor.upload("New data", SAMPLE / "target.csv")
    expect(visitor.button("Use these files")).to_be_visible()
    visitor.go("Slices")
    visitor.expect_estimate(md.estimate(md.load_project(SAMPLE / "project.toml")).first)
