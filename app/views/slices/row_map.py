"""The map: both samples as dots; a lasso around some gets the simplest rule that describes them, to add as a slice."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import offers, parts
from app.views.parts import Selection
from app.words import offers as words
from app.words import wording
from mandoline_core import Description, MandolineError
from mandoline_core.report import charts

_COLOURS = {"side": "labelled or new", "score": "score", "weight": "weight"}
_TOOLS: dict[parts.Tool, str] = {"lasso": "lasso2d", "box": "select2d"}


def show(workspace: Workspace) -> None:
    """Show the map, or how far it is."""
    job = compute.map_job(workspace)
    running = job is not None and job.running  # asked before the map is looked for, which it may bring meanwhile
    drawn = compute.row_map(workspace)
    if drawn is not None:
        _map(workspace, drawn)
        return
    parts.show_job_error(job)
    if job is None:
        compute.start_map(workspace)
    if job is None or running:
        parts.job_panel(lambda: compute.map_job(workspace), "map")
    else:
        parts.offer_job(job, "Draw the map", "map", partial(compute.start_map, workspace))


def _map(workspace: Workspace, drawn: compute.DrawnMap) -> None:
    st.caption("Drag around some rows to get a rule that describes them. Double-click to clear.")
    parts.draw_caption(workspace)
    colour = st.segmented_control(
        "Colour by", list(_COLOURS), key=visit.bind("map_colour", "side"), format_func=_COLOURS.__getitem__
    )
    chosen = _choose(workspace, drawn, colour or "side")
    if chosen.points:
        _described(workspace, chosen)


def _choose(workspace: Workspace, drawn: compute.DrawnMap, colour: str) -> Selection:
    """Draw the map and return what is selected on it, also when it was selected under other colours."""
    shade = None
    if colour == "score":
        shade = compute.map_scores(workspace, drawn.rows)
    elif colour == "weight":
        shade = compute.map_weights(workspace, drawn.rows)
    dark = parts.is_dark()
    # What was selected, on which map, and under which figure: another figure starts without a selection.
    before, map_key, under = visit.remember("map_chosen") or (Selection(), drawn.key, "")
    if map_key != drawn.key:
        before, under = Selection(), ""
    look = f"{drawn.key}:{colour}:{dark}:{'' if shade is None else hash(shade.values.tobytes())}"
    start = visit.remember("map_start")
    if not start or start[0] != look:
        start = (look, before)
        visit.remember("map_start", start)
    points = start[1].points
    figure = charts.row_map(
        drawn.rows,
        drawn.hover,
        shade=shade,
        selected=(start[1].of_trace(0), start[1].of_trace(1)) if points else None,
        dark=dark,
    )
    now = parts.chart(figure, "map", alt="Map of labelled and new rows", tools=_TOOLS)
    if not now.points and under != look:
        return before
    visit.remember("map_chosen", (now, drawn.key, look))
    return now


def _described(workspace: Workspace, chosen: Selection) -> None:
    """Say which rules describe what was selected, with one click to make a slice of each."""
    source, target = chosen.of_trace(0), chosen.of_trace(1)
    side, rows = ("target", target) if target else ("source", source)
    try:
        found = compute.described(workspace, side, rows)
    except MandolineError as error:
        st.info(wording.tell(error), icon=":material/info:")
        return
    st.markdown(words.selection_sentence(len(source), len(target), found))
    for number, description in enumerate(found):
        _offer(workspace, description, side, number)


def _offer(workspace: Workspace, description: Description, side: str, number: int) -> None:
    """Show one rule: what it says and would do, and how well it fits."""
    counts = compute.rows_inside(workspace, description.rule)
    source, target = compute.n_looked_at(workspace)
    with st.container(border=True, gap="small"):
        offers.offer_slice(workspace, description.rule, f"point:{number}")
        st.caption(words.description_sentence(description, side, counts, (source, target)))
