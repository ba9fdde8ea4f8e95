"""A reproduction as text, with the paper's numbers next to ours; its figures, and a page of them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mandoline_core.formatting import show_number, table, wrapped
from mandoline_core.paper.experiment import ERROR, METHOD, VALUE, FigureSpec, Row
from mandoline_core.paper.registry import get_experiment
from mandoline_core.paper.reproduction import Reproduction

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from mandoline_core.report.charts import Point

PLACE = "place"
_OURS = (VALUE, ERROR)
_APART = {*_OURS, PLACE}


def render(reproduction: Reproduction) -> str:
    """Write what the experiment shows, the tables, the differences from the paper, and how it was run."""
    experiment = get_experiment(reproduction.name)
    text = [f"{reproduction.title} ({experiment.place})", "", wrapped(experiment.shows, ""), ""]
    text += [number_table(reproduction), ""]
    alone = paper_alone(reproduction)
    if alone:
        text += ["Other numbers in the paper:", "", _laid_out(alone, [*fields(alone), PLACE]), ""]
    text += [
        wrapped(f"Differences from the paper: {experiment.differs}", ""),
        "",
        wrapped(made_words(reproduction), ""),
    ]
    return "\n".join(text)


def number_table(reproduction: Reproduction) -> str:
    """Write our rows, with the paper's number next to ours if it has one."""
    beside = beside_ours(reproduction)
    rows = [{**row, "paper": printed} for row, printed in zip(reproduction.rows, beside, strict=True)]
    more = ["paper"] if any(printed is not None for printed in beside) else []
    return _laid_out(rows, [*fields(reproduction.rows), *more])


def beside_ours(reproduction: Reproduction) -> list[Any]:
    """List the paper's number for each of our rows; None if it gives none."""
    printed = {_key(row): row[VALUE] for row in reproduction.paper}
    return [printed.get(_key(row)) for row in reproduction.rows]


def paper_alone(reproduction: Reproduction) -> list[Row]:
    """List the paper's numbers that match none of ours."""
    ours = {_key(row) for row in reproduction.rows}
    return [row for row in reproduction.paper if _key(row) not in ours]


def fields(rows: Sequence[Row]) -> list[str]:
    """List the fields of rows: what varied first, then the method, then the numbers."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    last = [name for name in (METHOD, VALUE, ERROR) if name in names]
    if ERROR in last and all(row.get(ERROR) is None for row in rows):
        last.remove(ERROR)
    return [name for name in names if name not in {METHOD, *_APART}] + last


def shown(value: Any) -> str:
    """Write one entry of a table.

    >>> shown(0.123456), shown(None), shown("slices"), shown(10_000)
    ('0.123', '-', 'slices', '10,000')
    """
    if value is None:
        return "-"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return show_number(float(f"{value:.3g}"))


def made_words(reproduction: Reproduction) -> str:
    """Say when and how the numbers were computed; they depend only on seeds and versions."""
    made = reproduction.made
    how = "a quick run" if made["quick"] else "a full run"
    times = f"{made['seeds']} seeds" if made["seeds"] != 1 else "1 seed"
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    return f"Computed on {made['when']} in {how} with {times}, on {made['data']}, with {versions}."


def _key(row: Row) -> frozenset[tuple[str, Any]]:
    return frozenset((name, value) for name, value in row.items() if name not in _APART)


def _laid_out(rows: Sequence[Row], names: Sequence[str]) -> str:
    numbers = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in names]
    lines = [["standard error" if name == ERROR else name.replace("_", " ") for name in names]]
    lines += [[shown(row.get(name)) for name in names] for row in rows]
    return table(lines, "".join(">" if number else "<" for number in numbers))


def draw(reproduction: Reproduction, figure: FigureSpec, *, dark: bool = False) -> go.Figure:
    """Draw one of the figures of an experiment."""
    from mandoline_core.report.charts import experiment_dots, experiment_lines  # they need Plotly, which numbers do not

    points = _points(figure, reproduction.rows)
    title, x, y = (text for text in (figure.title, figure.x_title, figure.y_title))
    if figure.kind == "dots":
        return experiment_dots(points, title=title, x=y, log=figure.log_y, dark=dark)
    return experiment_lines(
        points,
        title=title,
        x=x,
        y=y,
        paper=_points(figure, reproduction.paper),
        log_x=figure.log_x,
        log_y=figure.log_y,
        dark=dark,
    )


def _points(figure: FigureSpec, rows: Iterable[Row]) -> list[Point]:
    """Choose the rows that can be drawn."""
    from mandoline_core.report.charts import Point, is_number

    chosen = [row for row in figure.rows(rows) if is_number(row[VALUE]) and row.get(figure.series) is not None]
    return [
        Point(str(row[figure.series]), row[figure.x], row[VALUE], row.get(ERROR))
        for row in chosen
        if row.get(figure.x) is not None and (figure.kind == "dots" or is_number(row[figure.x]))
    ]


def figures_page(reproduction: Reproduction) -> str:
    """Write the figures and the numbers as one self-contained HTML file."""
    from plotly.io import to_html

    from mandoline_core.report.charts import chart_config

    experiment = get_experiment(reproduction.name)
    drawn = "".join(
        to_html(
            draw(reproduction, figure),
            include_plotlyjs=number == 0,
            full_html=False,
            config=chart_config(f"{reproduction.name}-{number + 1}"),
        )
        for number, figure in enumerate(experiment.figures)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(reproduction.title)}</title>"
        "<style>body{max-width:60rem;margin:2rem auto;padding:0 1rem;font-family:system-ui,sans-serif}"
        "pre{overflow-x:auto}</style></head><body>"
        f"<h1>{html.escape(reproduction.title)}</h1>{drawn}<pre>{html.escape(render(reproduction))}</pre></body></html>\n"
    )
