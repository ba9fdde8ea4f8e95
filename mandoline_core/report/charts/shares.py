"""Paired bars: what share of each sample is of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import SOURCE, TARGET, finish, label, mark, safe, shorten

_BAR = 19  # pixels a bar
MOST_CLASSES = 20
_NO_SHIFT = 0.01 + 1e-9  # a share; beyond it two percentages differ when written


class _Pair(NamedTuple):
    """Hold one line: a name, and its share of each sample."""

    name: str
    source: float
    target: float | None


def class_balance(
    source_shares: Mapping[str, float],
    target_shares: Mapping[str, float] | None,
    *,
    what: str = "class",
    dark: bool = False,
) -> go.Figure:
    """Show how often each class occurs in each sample, most frequent first; rare ones are put together.

    Parameters
    ----------
    source_shares, target_shares : mapping of str to float
        Share of rows by class. None for a target whose classes are not known.
    what : str
        What the classes are, for the axis: "label", "predicted class".
    """
    target = target_shares or {}
    names = sorted(
        {*source_shares, *target}, key=lambda name: (-source_shares.get(name, 0.0), -target.get(name, 0.0), name)
    )
    known = target_shares is not None
    pairs = [
        _Pair(name, source_shares.get(name, 0.0), target.get(name, 0.0) if known else None)
        for name in names[:MOST_CLASSES]
    ]
    if rest := names[MOST_CLASSES:]:
        others = sum(target.get(name, 0.0) for name in rest) if known else None
        pairs.append(_Pair(f"{len(rest)} others", sum(source_shares.get(name, 0.0) for name in rest), others))
    return _paired(pairs, title=_class_title(pairs, known), x="share of rows (%)", y=what, dark=dark)


def _class_title(pairs: Sequence[_Pair], known: bool) -> str:
    if not pairs:
        return "There are no classes to count"
    if not known:
        return f"{shorten(pairs[0].name, 24)} is the most frequent, {_percent(pairs[0].source)} of the labelled data"
    # A shift that the percentages would not show is none to speak of.
    most = max(pairs, key=lambda pair: abs((pair.target or 0.0) - pair.source))
    if abs((most.target or 0.0) - most.source) <= _NO_SHIFT:
        return "No class shifts by more than a point"
    return (
        f"{shorten(most.name, 24)} shifts most: {_percent(most.source)} of the labelled data, "
        f"{_percent(most.target or 0.0)} of the new data"
    )


def _paired(pairs: Sequence[_Pair], *, title: str, x: str, y: str, dark: bool) -> go.Figure:
    figure = Drawing()
    has_target = any(pair.target is not None for pair in pairs)
    sides = [("labelled", SOURCE, "", 0.2 if has_target else 0.0, [pair.source for pair in pairs])]
    if has_target:
        sides.append(("new", TARGET, "/", -0.2, [pair.target or 0.0 for pair in pairs]))
    for side, colour, pattern, offset, shares in sides:
        # The first pair says which bar is which; the colours and the hatching say it for the rest.
        texts = [f"{side} {_percent(share)}" if i == 0 else _percent(share) for i, share in enumerate(shares)]
        figure.add_bar(
            x=[100 * share for share in shares],
            y=[-i + offset for i in range(len(pairs))],
            width=0.38 if has_target else 0.6,
            orientation="h",
            name=side,
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "bgcolor": colour, "fgcolor": "white", "fgopacity": 0.6, "size": 5},
            },
            text=texts,
            textposition="outside",
            textangle=0,
            cliponaxis=False,
            hovertext=[_pair_words(pair) for pair in pairs],
            hoverinfo="text",
            customdata=[mark(pair.name) for pair in pairs],
        )
    furthest = max((100 * max(pair.source, pair.target or 0.0) for pair in pairs), default=0.0) or 1.0
    figure.update_xaxes(range=[0, 1.35 * furthest], showgrid=True, nticks=6, ticksuffix="%", tickvals=None)
    figure.update_yaxes(
        tickvals=[-i for i in range(len(pairs))],
        ticktext=[label(pair.name) for pair in pairs],
        range=[0.55 - max(len(pairs), 1), 0.55],
        showgrid=False,
    )
    height = (2 if has_target else 1.4) * _BAR * len(pairs) + 62
    return finish(figure, title=title, x=x, y=y, height=round(height), dark=dark)


def _pair_words(pair: _Pair) -> str:
    lines = [f"<b>{safe(shorten(pair.name, 60))}</b>", f"labelled data {_percent(pair.source)}"]
    if pair.target is not None:
        lines[1] += f", new data {_percent(pair.target)}"
    return "<br>".join(lines)


def _percent(share: float) -> str:
    """Write a share with a digit more where it is small.

    >>> _percent(0.19), _percent(0.004), _percent(0.0), _percent(0.00004)
    ('19%', '0.4%', '0%', '<0.1%')
    """
    if 0 < share < 0.0005:
        return "<0.1%"
    return f"{100 * share:.1f}%" if 0 < share < 0.0995 else f"{100 * share:.0f}%"
