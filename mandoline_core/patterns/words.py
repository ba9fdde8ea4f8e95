"""A slice pattern in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from mandoline_core.formatting import listed

MOST_NAMED = 40


def describe(
    names: Sequence[str], codes: Iterable[int], *, say_not: Collection[str] = (), most: int = MOST_NAMED
) -> str:
    """Describe a slice pattern: slices that match, that do not match (if asked for), and that abstain.

    Parameters
    ----------
    codes : iterable of int, length n_slices
        1 inside, -1 outside, 0 abstained.
    say_not : collection of str
        The slices of which it is worth saying that rows are not in them.
    most : int
        The number of slices to name; the others are counted.

    Examples
    --------
    >>> describe(("long", "web", "old"), (-1, 0, 1), say_not=("long",))
    'old, not long, web unknown'
    >>> describe(("long", "web"), (-1, -1))
    'no slice'
    """
    pairs = list(zip(names, codes, strict=True))
    parts = [name for name, code in pairs if code == 1]
    parts += [f"not {name}" for name, code in pairs if code == -1 and name in say_not]
    parts += [f"{name} unknown" for name, code in pairs if code == 0]
    return listed(parts, most) or "no slice"
