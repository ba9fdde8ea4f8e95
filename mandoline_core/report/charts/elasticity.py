"""What one point less of certainty in each correction does to the estimate."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mandoline_core.formatting import is_nothing, say, show_step
from mandoline_core.pipeline import CorrectionSlope
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import finish, label, palette, safe, shorten
from mandoline_core.report.words import PLAIN

MOST = 16
EFFECT_DIGITS = 2  # after the point, of points: an effect is a hundredth of a slope
_ROW = 34
_SIDES = {"source": "labelled data", "target": "new data"}


def effect(slope: CorrectionSlope) -> float | None:
    """Return what one point less of certainty does to the estimate; None where it cannot be said.

    >>> effect(CorrectionSlope("a", "source", "inside", 0.9, 0.5, ""))
    -0.005
    """
    if slope.slope is None:
        return None
    # Less sure inside is a lower chance of being inside; less sure outside, a higher one.
    return (-0.01 if slope.key == "inside" else 0.01) * slope.slope


def _show(value: float, share: bool) -> str:
    return show_step(value, share=share, digits=EFFECT_DIGITS, figures=3)


def correction_effects(slopes: Sequence[CorrectionSlope], *, share: bool, dark: bool = False) -> go.Figure:
    """Show how the estimate moves with one point less of certainty in each correction, the strongest on top."""
    known = [(slope, value) for slope in slopes if (value := effect(slope)) is not None]
    known.sort(key=lambda pair: -abs(pair[1]))
    shown = [pair for pair in known if not is_nothing(pair[1], share=share, digits=EFFECT_DIGITS)][:MOST] or known[:1]
    places, colours = [-i for i in range(len(shown))], palette(dark)
    values = [(100.0 if share else 1.0) * value for _, value in shown]
    figure = Drawing()
    figure.add_bar(
        x=values,
        y=places,
        orientation="h",
        width=0.55,
        name="effect",
        marker={"color": colours.muted},
        text=[_show(value, share) for _, value in shown],
        textposition="outside",
        cliponaxis=False,
        hovertext=[f"<b>{safe(shorten(slope.slice, 60))}</b><br>{safe(say(slope.words, PLAIN))}" for slope, _ in shown],
        hoverinfo="text",
    )
    ends = [0.0, *values]
    room = 0.4 * (max(ends) - min(ends)) or 1.0
    figure.update_xaxes(range=[min(ends) - room, max(ends) + room], zeroline=True, zerolinewidth=2, nticks=5)
    figure.update_yaxes(
        tickvals=places,
        ticktext=[f"{label(slope.slice)}<br>{slope.key}, {_SIDES[slope.side]}" for slope, _ in shown],
        range=[0.6 - max(len(shown), 1), 0.6],
        showgrid=False,
    )
    unit = "points" if share else "the metric's units"
    title = "No correction moves the estimate"
    if shown and not is_nothing(size := abs(shown[0][1]), share=share, digits=EFFECT_DIGITS):
        most = f"{100 * size:.{EFFECT_DIGITS}f} points" if share else f"{size:.3g}"
        title = (
            f"One point less sure of {shorten(shown[0][0].slice, 20)} {shown[0][0].key} moves the estimate by {most}"
        )
    others = f"; {len(known) - len(shown)} of {len(known)} do less" if len(shown) < len(known) else ""
    return finish(
        figure,
        title=title,
        x=f"change of the estimate for one point less of certainty ({unit}{others})",
        y="",
        height=_ROW * max(len(shown), 1) + 60,
        dark=dark,
    )
