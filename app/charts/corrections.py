"""How sure a person is of a slice: the correction matrix as a small heat map."""

from __future__ import annotations

import plotly.graph_objects as go

from app.charts.drawing import Drawing
from app.charts.template import finish

_LIGHT, _DARK = "#EEF0F2", "#30363D"  # what is rare keeps close to the page
_ON_LIGHT, _ON_DARK = "#16191D", "#FFFFFF"
_HALF = 0.5


def correction_matrix(
    inside: float, outside: float, abstain: float | None, *, title: str, dark: bool = False
) -> go.Figure:
    """Show how often a row is truly in, and truly out, given what the slice says; columns add up to 100%.

    Parameters
    ----------
    inside, outside, abstain : float
        p(truly in), where the slice says in, says out, and abstains; None for a slice that never abstains.
    """
    says = ["in", "out"] if abstain is None else ["in", "out", "abstains"]
    truly_in = [inside, outside] if abstain is None else [inside, outside, abstain]
    cells = [[1 - share for share in truly_in], truly_in]  # the upper row comes last
    figure = Drawing()
    figure.add_heatmap(
        x=list(range(len(says))),
        y=[0, 1],
        z=cells,
        zmin=0,
        zmax=1,
        colorscale=[(0.0, _DARK), (1.0, _LIGHT)] if dark else [(0.0, _LIGHT), (1.0, _DARK)],
        showscale=False,
        xgap=3,
        ygap=3,
        hovertext=[
            [f"of the rows where the slice {_words(word)},<br>{_percent(cell)} are {truth}" for word, cell in line]
            for truth, line in (
                ("truly out", list(zip(says, cells[0], strict=True))),
                ("truly in", list(zip(says, cells[1], strict=True))),
            )
        ],
        hoverinfo="text",
    )
    for y, line in enumerate(cells):
        for x, cell in enumerate(line):
            colour = _ON_LIGHT if (cell > _HALF) == dark else _ON_DARK
            figure.add_annotation(
                x=x, y=y, text=f"<b>{_percent(cell)}</b>", showarrow=False, font={"color": colour, "size": 15}
            )
    figure.update_xaxes(tickvals=list(range(len(says))), ticktext=says, showgrid=False, ticks="", tickangle=0)
    figure.update_yaxes(tickvals=[0, 1], ticktext=["truly out", "truly in"], showgrid=False, ticks="")
    return finish(figure, title=title, x="slice says (%)", y="the truth", height=170, dark=dark)


def _words(says: str) -> str:
    return says if says == "abstains" else f"says {says}"


def _percent(share: float) -> str:
    """Write a share with the digits it needs.

    >>> _percent(0.995), _percent(0.02), _percent(1.0)
    ('99.5%', '2%', '100%')
    """
    return f"{round(100 * share, 1):g}%"
