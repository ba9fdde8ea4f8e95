"""Lines of the published formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

HANS_HEADER = "\t".join(
    ("gold_label", "sentence1_binary_parse", "sentence2_binary_parse", "sentence1_parse", "sentence2_parse",
     "sentence1", "sentence2", "pairID", "heuristic", "subcase", "template")
)  # fmt: skip


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    """Write a file, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def relation(label: str, premise: str, hypothesis: str) -> str:
    """Write a pair as SNLI and MultiNLI do."""
    found = {
        "annotator_labels": [label],
        "gold_label": label,
        "pairID": "1",
        "sentence1": premise,
        "sentence2": hypothesis,
    }
    return json.dumps(found)


def hans_line(label: str, premise: str, hypothesis: str) -> str:
    """Write a pair as HANS does."""
    return "\t".join((label, "( )", "( )", "(S )", "(S )", premise, hypothesis, "ex1", "subsequence", "sn_x", "temp1"))
