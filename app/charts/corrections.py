"""How sure a person is of a slice: the correction matrix as a small table that reads as a heat map.

It follows every move of a slider, and a browser draws a table many times faster than a figure.
"""

from __future__ import annotations

from html import escape

_LIGHT, _DARK = (238, 240, 242), (48, 54, 61)  # what is rare keeps close to the page
_ON_LIGHT, _ON_DARK = "#16191D", "#FFFFFF"
_HALF = 0.5
_CELL = "text-align:center;padding:0.4rem 0.2rem;border:2px solid transparent;background-clip:padding-box"


def correction_matrix(inside: float, outside: float, abstain: float | None, *, title: str, dark: bool = False) -> str:
    """Write an HTML table of how often a row is truly in, and truly out, given what the slice says.

    Parameters
    ----------
    inside, outside, abstain : float
        p(truly in), where the slice says in, says out, and abstains; None for a slice that never abstains.
    """
    says = {"in": inside, "out": outside} | ({} if abstain is None else {"abstains": abstain})
    head = "".join(f'<th scope="col" style="{_CELL};font-weight:normal">{word}</th>' for word in says)
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};font-weight:normal;text-align:right">{truth}</th>'
        + "".join(_cell(share if truth == "truly in" else 1 - share, word, truth, dark) for word, share in says.items())
        + "</tr>"
        for truth in ("truly in", "truly out")
    )
    return (
        '<table style="border-collapse:separate;font-size:0.8rem;width:100%">'
        '<caption style="caption-side:top;text-align:left;font-weight:600">'
        f"{escape(title)}: the slice says &hellip;</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _cell(share: float, says: str, truth: str, dark: bool) -> str:
    low, high = (_DARK, _LIGHT) if dark else (_LIGHT, _DARK)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    ink = _ON_LIGHT if (share > _HALF) == dark else _ON_DARK
    words = (
        f"of the rows where the slice {says if says == 'abstains' else f'says {says}'}, {_percent(share)} are {truth}"
    )
    style = f"{_CELL};background-color:rgb({red},{green},{blue});color:{ink};font-weight:600"
    return f'<td title="{words}" style="{style}">{_percent(share)}</td>'


def _percent(share: float) -> str:
    """Write a share with the digits it needs.

    >>> _percent(0.995), _percent(0.02), _percent(1.0)
    ('99.5%', '2%', '100%')
    """
    return f"{round(100 * share, 1):g}%"
