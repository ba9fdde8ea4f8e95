"""Mark in a text what a rule matched; the text itself shows as plain text, whatever it holds."""

from __future__ import annotations

import re

from app.words.wording import plain
from mandoline_core import Slice

_WIDTH = 160


def highlighted(text: str, rule: Slice) -> str:
    """Return Markdown for a shortened text with the matches marked.

    Python's own regular expressions find the places to mark; a pattern they read differently from the engines
    marks nothing rather than something wrong.
    """
    spans = _spans(text, rule)
    start = max(spans[0][0] - _WIDTH // 3, 0) if spans else 0
    end = min(start + _WIDTH, len(text))
    parts, place = ["… " if start else ""], start
    for low, high in spans:
        if low < place or high > end:
            continue
        parts += [plain(text[place:low]), f":orange-background[**{plain(text[low:high])}**]"]
        place = high
    parts += [plain(text[place:end]), " …" if end < len(text) else ""]
    return "".join(parts).replace("\n", " ")


def _spans(text: str, rule: Slice) -> list[tuple[int, int]]:
    if rule.kind == "keyword":
        words = getattr(rule, "words", ())
        flags = 0 if getattr(rule, "case", False) else re.IGNORECASE
        edge = (r"(?<!\w)", r"(?!\w)") if getattr(rule, "whole_words", True) else ("", "")
        options = "|".join(_word(word) for word in sorted(words, key=len, reverse=True))
        return [match.span() for match in re.finditer(f"{edge[0]}(?:{options}){edge[1]}", text, flags)]
    if rule.kind == "regex":
        try:
            found = list(re.finditer(getattr(rule, "pattern", ""), text[:2000]))
        except re.error:
            return []
        return [match.span() for match in found if match.end() > match.start()]
    return []


def _word(word: str) -> str:
    escaped = r"\s+".join(re.escape(part) for part in word.split())
    return escaped.replace("'", "['\N{RIGHT SINGLE QUOTATION MARK}]")
