"""The paper's bound on the error, term after term, what is known apart from what is assumed."""

from __future__ import annotations

import plotly.graph_objects as go

from mandoline_core.checks import TheoremBound
from mandoline_core.formatting import say
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import finish, palette, safe, wrap
from mandoline_core.report.words import PLAIN

TERM_NAMES = {"hidden shift": "hidden change", "corrections": "corrections", "sampling error": "luck of the draw"}
_ROW = 46


def bound_bars(bound: TheoremBound, *, half_interval: float | None, share: bool, dark: bool = False) -> go.Figure:
    """Stack the terms of the bound, each on a line of its own, starting where the one before ends.

    Parameters
    ----------
    half_interval : float or None
        How far the interval reaches from the estimate, for comparison.
    """
    colours, scale = palette(dark), 100.0 if share else 1.0
    starts = [scale * sum(term.value for term in bound.terms[:i]) for i in range(len(bound.terms))]
    names = [
        f"{TERM_NAMES.get(term.name, safe(term.name))} ({'from the data' if term.known else 'you assume'})<br>"
        f"<b>{_number(scale * term.value, share)}</b>"
        for term in bound.terms
    ]
    names.append(f"the bound, all together<br><b>{_number(scale * bound.total, share)}</b>")
    places = [-i for i in range(len(names))]
    figure = Drawing()
    for term, start, place in zip(bound.terms, starts, places, strict=False):
        # Once on a line of its own, once as a part of the whole.
        figure.add_bar(
            x=[scale * term.value] * 2,
            y=[place, places[-1]],
            base=[start] * 2,
            orientation="h",
            width=0.6,
            name=term.name,
            marker={
                "color": colours.muted,
                "pattern": {
                    "shape": "" if term.known else "/",
                    "fillmode": "replace",
                    "fgcolor": colours.ink,
                    "size": 7,
                },
                "line": {"width": 1, "color": colours.ink},
            },
            hovertext=wrap(say(term.words, PLAIN), 60),
            hoverinfo="text",
        )
    if half_interval is not None:
        names.append(f"for comparison: the<br>interval's half <b>{_number(scale * half_interval, share)}</b>")
        places.append(-len(places))
        figure.add_scatter(
            x=[scale * half_interval],
            y=[places[-1]],
            name="half interval",
            mode="markers",
            cliponaxis=False,
            marker={"symbol": "diamond", "size": 12, "color": colours.ink},
            hovertext="what is likely, if nothing is hidden",
            hoverinfo="text",
        )
    figure.update_layout(barmode="overlay")
    most = max([scale * bound.total, scale * (half_interval or 0.0), 1e-9])
    figure.update_yaxes(tickvals=places, ticktext=names, range=[places[-1] - 0.6, 0.6], showgrid=False)
    figure.update_xaxes(range=[-0.03 * most, 1.08 * most], nticks=5, showgrid=True)
    return finish(
        figure,
        title=_title(bound, scale, share),
        x=f"error of the estimate ({'points' if share else 'in units of the metric'}; hatched: assumed)",
        y="",
        height=_ROW * len(names) + 50,
        dark=dark,
    )


def _title(bound: TheoremBound, scale: float, share: bool) -> str:
    if share and bound.total >= 1:
        return "The bound is wider than the whole scale: in the worst case anything is possible"
    return f"If your assumptions hold, the estimate is off by at most {_number(scale * bound.total, share)}"


def _number(value: float, share: bool) -> str:
    return f"{value:,.1f} points" if share else f"{value:.3g}"
