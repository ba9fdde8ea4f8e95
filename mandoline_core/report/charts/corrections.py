"""How sure a person is of a slice, and what remains of pairs: small tables and bars that read as figures.

They follow every move of a slider, and a browser draws them many times faster than a figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from mandoline_core.arrays import Interval
from mandoline_core.report.charts.template import palette

_LIGHT, _DARK = (238, 240, 242), (48, 54, 61)  # what is rare keeps close to the page
_ON_LIGHT, _ON_DARK = "#16191D", "#FFFFFF"
_HALF = 0.5
_SAYS = {"inside": "in", "outside": "out", "abstain": "abstains"}
_CELL = "text-align:center;padding:0.4rem 0.2rem;border:2px solid transparent;background-clip:padding-box"
_NAME = "font-weight:normal;text-align:left;overflow-wrap:anywhere"


def correction_matrix(
    inside: float,
    outside: float,
    abstain: float | None,
    *,
    title: str,
    dark: bool = False,
    intervals: Mapping[str, Interval] | None = None,
) -> str:
    """Write an HTML table of how often a row is truly in, and truly out, given what the slice says.

    Parameters
    ----------
    inside, outside, abstain : float
        p(truly in), where the slice says in, says out, and abstains; None for a slice that never abstains.
    intervals : mapping of {"inside", "outside", "abstain"} to pairs, optional
        How surely these are known, where they were measured.
    """
    known = {_SAYS[key]: interval for key, interval in (intervals or {}).items()}
    says = {"in": inside, "out": outside} | ({} if abstain is None else {"abstains": abstain})
    head = "".join(f'<th scope="col" style="{_CELL};font-weight:normal">{word}</th>' for word in says)
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};font-weight:normal;text-align:right">{truth}</th>'
        + "".join(
            _cell(share, word, truth, known.get(word), dark)
            if truth == "truly in"
            else _cell(1 - share, word, truth, _opposite(known.get(word)), dark)
            for word, share in says.items()
        )
        + "</tr>"
        for truth in ("truly in", "truly out")
    )
    return (
        '<table style="border-collapse:separate;font-size:0.8rem;width:100%">'
        '<caption style="caption-side:top;text-align:left;font-weight:600">'
        f"{escape(title)}: the slice says &hellip;</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def rate_table(rates: Mapping[str, Sequence[str]], sides: Sequence[str]) -> str:
    """Write an HTML table of what becomes of the rates of several slices, a column for each sample.

    >>> "<td" in rate_table({"doubt_1": ["4.0%", "9.0%"]}, ["labelled data", "new data"])
    True
    """
    head = "".join(f'<th scope="col" style="{_CELL};font-weight:normal">{escape(side)}</th>' for side in sides)
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};{_NAME}">{escape(name)}</th>'
        + "".join(f'<td style="{_CELL}">{escape(said)}</td>' for said in shown)
        + "</tr>"
        for name, shown in rates.items()
    )
    return (
        '<table style="border-collapse:separate;font-size:0.8rem;width:100%">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def side_by_side(tables: Sequence[str]) -> str:
    """Put HTML tables beside each other, or under each other where there is no room."""
    boxes = "".join(f'<div style="flex:1 1 11rem;min-width:0">{table}</div>' for table in tables)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0.5rem 1.5rem">{boxes}</div>'


def pair_line(length: float, remains: str, effect: str, *, dark: bool = False) -> str:
    """Write what remains of a pair of slices as an HTML bar with words under it.

    Parameters
    ----------
    length : float
        Of the bar, from 0 to 1.
    remains, effect : str
        How far the pair is off, and what joining or parting it does to the estimate.
    """
    colours = palette(dark)
    return (
        f'<div style="background-color:{colours.grid};height:0.5rem;border-radius:0.25rem">'
        f'<div style="background-color:{colours.ink};height:100%;border-radius:0.25rem;width:{length:.1%}"></div></div>'
        f'<div style="font-size:0.85rem;overflow-wrap:anywhere">{escape(remains)}. <b>{escape(effect)}</b></div>'
    )


def _opposite(interval: Interval | None) -> Interval | None:
    return None if interval is None else (1 - interval[1], 1 - interval[0])


def _cell(share: float, says: str, truth: str, interval: Interval | None, dark: bool) -> str:
    low, high = (_DARK, _LIGHT) if dark else (_LIGHT, _DARK)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    ink = _ON_LIGHT if (share > _HALF) == dark else _ON_DARK
    words = (
        f"of the rows where the slice {says if says == 'abstains' else f'says {says}'}, {_percent(share)} are {truth}"
    )
    style = f"{_CELL};background-color:rgb({red},{green},{blue});color:{ink};font-weight:600"
    sure = "" if interval is None else f"<br><small>{100 * interval[0]:.0f} to {100 * interval[1]:.0f}%</small>"
    return f'<td title="{words}" style="{style}">{_percent(share)}{sure}</td>'


def _percent(share: float) -> str:
    """Write a share with the digits it needs.

    >>> _percent(0.995), _percent(0.02), _percent(1.0)
    ('99.5%', '2%', '100%')
    """
    return f"{round(100 * share, 1):g}%"
