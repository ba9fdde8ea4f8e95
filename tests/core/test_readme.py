"""The README is short, and its examples do what they show where nothing but the package is installed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.core.documents import README, blocks, check, prose


def test_the_readme_is_short() -> None:
    assert len(README.read_bytes()) <= 8_192


def test_the_examples_show_what_they_print(tmp_path: Path) -> None:
    """In an empty folder: no example needs a checkout."""
    assert {"python", "console", "sh"} <= {language for language, _ in blocks(README)}
    check(README, Path(sys.executable), tmp_path)


def test_one_line_says_that_both_pairs_of_words_are_the_same() -> None:
    (line,) = re.findall(r"^.*`source`.*$", prose(README), flags=re.MULTILINE)
    assert "labelled data" in line
    assert "new data" in line
    assert "`target`" in line
