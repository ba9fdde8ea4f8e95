"""What a page says where it looks at some of the rows: how many, of how many."""

from __future__ import annotations


def draw_words(rows: tuple[int, int], everything: tuple[int, int]) -> str:
    """Say which rows were looked at, of the samples that are not looked at whole; nothing where both are.

    >>> draw_words((20_000, 20_000), (10_000_000, 5_000_000))
    'a draw of 20,000 of 10,000,000 labelled rows and 20,000 of 5,000,000 new rows'
    >>> draw_words((6_000, 20_000), (6_000, 5_000_000))
    'a draw of 20,000 of 5,000,000 new rows'
    """
    said = [
        f"{some:,} of {every:,} {word} rows"
        for some, every, word in zip(rows, everything, ("labelled", "new"), strict=True)
        if some < every
    ]
    return f"a draw of {' and '.join(said)}" if said else ""
