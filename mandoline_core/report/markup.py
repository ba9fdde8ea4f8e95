"""Building blocks of HTML and SVG: escaped text, elements, tables and sections."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_EMPTY = {"circle", "img", "line", "path", "polyline", "rect"}  # elements that hold nothing, and are not closed
_MOST_COLUMNS, _SHORT = 3, 14  # columns on a phone; characters that stay on one line


class Html(str):
    """Mark text that is HTML already."""

    __slots__ = ()


def text(words: object) -> Html:
    """Escape text; HTML stays as it is.

    >>> text("<b> & 'c'"), text(Html("<b>"))
    ('&lt;b&gt; &amp; &#x27;c&#x27;', '<b>')
    """
    return words if isinstance(words, Html) else Html(html.escape(str(words)))


def tag(name: str, *inner: object, **attributes: object) -> Html:
    """Write an element; attributes end in an underscore where Python has the word, and hyphens are underscores.

    >>> tag("p", "a < b", class_="small", aria_label='"')
    '<p class="small" aria-label="&quot;">a &lt; b</p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}/>" if name in _EMPTY else f"<{name}{given}>{joined(inner)}</{name}>")


def joined(parts: Iterable[object]) -> Html:
    """Join parts."""
    return Html("".join(text(part) for part in parts))


def paragraphs(*sentences: object) -> Html:
    """Write a paragraph per sentence, leaving out empty ones."""
    return joined(tag("p", sentence) for sentence in sentences if sentence)


def bullets(sentences: Iterable[object]) -> Html:
    """Write a list; nothing if it is empty."""
    items = joined(tag("li", sentence) for sentence in sentences)
    return tag("ul", items) if items else items


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """Write a table: the first cell of a row is its header, and a cell that starts with a digit is a number."""
    top = joined(tag("th", name, scope="col", class_=_side(column, rows)) for column, name in enumerate(head))
    body = joined(
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            *(
                tag("td", cell, class_=_side(column, rows), data_head=head[column])
                for column, cell in enumerate(row[1:], start=1)
            ),
        )
        for row in rows
    )
    wide = "wide" if len(head) > _MOST_COLUMNS else None  # for a phone, which then shows a row as a block
    inner = tag("table", tag("caption", caption), tag("thead", tag("tr", top)), tag("tbody", body), class_=wide)
    # A box that scrolls must be reachable by keyboard.
    return tag("div", inner, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _side(column: int, rows: Sequence[Sequence[object]]) -> str | None:
    """Align a column: numbers to the right."""
    cells = [str(row[column]) for row in rows]
    # A dash for "none" must not change the alignment.
    filled = [cell for cell in cells if cell not in ("", "-")]
    if not (filled and all(map(_is_number, filled)) and column):
        return None
    return "number" if max(map(len, filled)) <= _SHORT else "number long"


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or (cell[0] in "+-" and cell[1:2].isdigit())


def section(name: str, title: str, *inner: object) -> Html:
    """Write a section with its heading."""
    return tag("section", tag("h2", title, id=name), *inner, aria_labelledby=name)
