"""What a notebook shows: tables, without the app's framework, with every name escaped."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd

import mandoline_core as md

HOSTILE = "<script>alert(1)</script>"


def samples() -> tuple[md.Sample, md.Sample, list[md.Slice]]:
    """Make samples whose model, column and slice have names that would take effect unescaped."""
    rng = np.random.default_rng(1)
    source = pd.DataFrame({HOSTILE: rng.integers(0, 2, 200), "y": rng.integers(0, 2, 200)})
    source["p"] = np.where(rng.random(200) < 0.7, source["y"], 1 - source["y"])
    target = pd.DataFrame({HOSTILE: rng.integers(0, 2, 100) | rng.integers(0, 2, 100), "p": 1})
    models = [md.Model(HOSTILE, "p"), md.Model("other", "p")]
    return md.Sample(source, label="y", models=models), md.Sample(target), [md.Flag(HOSTILE, column=HOSTILE)]


class Tags(HTMLParser):
    """Collect the tags of a fragment, and whether they are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Remember a tag."""
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Refuse tags that close in another order."""
        assert self.open.pop() == tag


def test_report_comparison_and_slices_show_as_tables() -> None:
    source, target, slices = samples()
    problem = md.prepare(source, target, slices, model=source.models[0])
    for shown in (
        md.estimate(source, target, slices),
        md.compare(source, target, slices, estimators=["source", "mandoline"]),
        md.slice_table(problem),
    ):
        text = shown._repr_html_()
        found = Tags(text)
        assert not found.open
        assert "table" in found.seen
        assert "script" not in found.seen
        assert "&lt;script&gt;" in text


def test_showing_needs_no_streamlit() -> None:
    code = (
        "import sys; sys.modules['streamlit'] = None\n"
        "import mandoline_core as md\n"
        "report = md.estimate_from_codes([[1], [-1], [-1]], [0, 1, 1], [[1], [-1]])\n"
        "print(report._repr_html_()[:5])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "<div>"
