"""Mark in a text what a rule matched; the text itself shows as plain text, whatever it holds."""

from __future__ import annotations

from app.words.wording import plain
from mandoline_core import Slice

_WIDTH = 160


def highlighted(text: str, rule: Slice) -> str:
    """Return Markdown for a shortened text with the matches marked, as the engine that found the text marks them."""
    spans = rule.marks(text)
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
