"""Mark in a text what a rule matched; the text itself shows as plain text, whatever it holds."""

from __future__ import annotations

from collections.abc import Sequence

from app.words.wording import plain
from mandoline_core import Slice

_WIDTH = 160


def highlighted(texts: Sequence[str], *rules: Slice, width: int = _WIDTH) -> list[str]:
    """Return Markdown for shortened texts with the matches marked, as the engine that found the texts marks them."""
    found = [rule.marks(texts) for rule in rules]
    return [
        _highlighted(text, sorted(span for marks in found for span in marks[place]), width)
        for place, text in enumerate(texts)
    ]


def _highlighted(text: str, spans: Sequence[tuple[int, int]], width: int) -> str:
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
