"""Mark in a text what a rule matched; the text itself shows as plain text, whatever it holds."""

from __future__ import annotations

from app.words.wording import plain
from mandoline_core import Slice

_WIDTH = 160


def highlighted(text: str, *rules: Slice, width: int = _WIDTH) -> str:
    """Return Markdown for a shortened text with the matches marked, as the engine that found the text marks them."""
    spans = sorted(span for rule in rules for span in rule.marks(text))
    start = max(spans[0][0] - width // 3, 0) if spans and len(text) > width else 0
    end = min(start + width, len(text))
    parts, place = ["… " if start else ""], start
    for low, high in spans:
        if low < place or high > end:
            continue
        parts += [plain(text[place:low]), f":orange-background[**{plain(text[low:high])}**]"]
        place = high
    parts += [plain(text[place:end]), " …" if end < len(text) else ""]
    return "".join(parts).replace("\n", " ")
