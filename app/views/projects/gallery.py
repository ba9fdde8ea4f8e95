"""The paper's experiments, its numbers and ours; each opens as a project and can be run again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from app import compute
from app.project import state, visit
from app.views import parts
from app.views.result import evidence
from app.words import gallery as words
from app.words import wording
from mandoline_core.paper import EXPERIMENTS, Experiment, Reproduction, draw, made_words, stored

TEXT_WIDTH = 860  # pixels: a longer line is hard to follow
MOST_HEIGHT = 420  # pixels of a table; a longer one scrolls
ROUGH, FULL = "Quick (seconds)", "Full (minutes)"


OPEN = "paper"  # whether the examples are open, for this visit


def show() -> None:
    """Show the experiments once they are asked for."""
    key = visit.bind("paper_examples", bool(visit.remember(OPEN)))
    place = st.expander("Examples from the paper", icon=":material/collections:", key=key, on_change=_keep)
    if place.open:
        with place:
            _opened()


def _keep() -> None:
    visit.keep(OPEN, "paper_examples")


def _opened() -> None:
    st.caption("The experiments of the Mandoline paper: its numbers and ours.")
    experiment = chosen()
    job = compute.experiment_job(visit.mark())
    running = job is not None and job.running
    if running:
        parts.job_panel(lambda: compute.experiment_job(visit.mark()), "experiment")
    st.subheader(experiment.title)
    st.caption(f"In the paper: {wording.plain(experiment.place)}. Command: `mandoline reproduce {experiment.name}`")
    if job is not None and job.would_bring({experiment.name}):
        parts.show_job_error(job)
    st.markdown(wording.tell(experiment.shows), width=TEXT_WIDTH)
    found = on_show(experiment)
    if found is None:
        st.info("No results yet. Run the experiment.", icon=":material/info:")
    else:
        figures(experiment, found)
        numbers(found)
    st.markdown(f"**Differences from the paper.** {wording.tell(experiment.differs)}", width=TEXT_WIDTH)
    actions(experiment, running=running)


def chosen() -> Experiment:
    """Let the user choose an experiment; the choice outlives a visit to another page."""
    name = visit.remember("experiment") or next(iter(EXPERIMENTS))
    key = visit.bind("experiment_chosen", name)
    st.pills("Experiment", list(EXPERIMENTS), key=key, required=True, on_change=visit.keep, args=("experiment", key))
    return EXPERIMENTS[name]


def on_show(experiment: Experiment) -> Reproduction | None:
    """Choose between what is kept and what was run here, and say how it was made."""
    kept, own = stored(experiment.name), compute.reproduction(experiment.name)
    found = own or kept
    if kept is not None and own is not None:
        ways = {"Run here": own, "Included": kept}
        key = visit.bind(f"numbers:{experiment.name}", "Run here")
        found = ways[st.segmented_control("Numbers", list(ways), key=key, required=True) or "Run here"]
    if found is not None:
        st.caption(wording.plain(made_words(found)))
    return found


def figures(experiment: Experiment, found: Reproduction) -> None:
    """Draw what was found."""
    for number, figure in enumerate(experiment.figures):
        parts.chart(
            draw(found, figure, dark=parts.is_dark()),
            f"{experiment.name}-{number + 1}",
            alt=f"{figure.title}. The numbers are in the table below.",
            saved_as=f"{experiment.name}-{number + 1}",
        )


def numbers(found: Reproduction) -> None:
    """Show our numbers with the paper's, then those of the paper without one of ours."""
    measures, measure = words.measures(found), None
    if measures:
        key = visit.bind(f"measure:{found.name}", measures[0])
        measure = st.selectbox("Measure", measures, key=key)
    table = words.ours_table(found, measure)
    st.dataframe(table, hide_index=True, height="content" if len(table) < 11 else MOST_HEIGHT)
    theirs = words.paper_table(found)
    if len(theirs):
        with st.expander(f"More results of the paper ({len(theirs):,})", type="compact"):
            st.dataframe(theirs, hide_index=True, height="content" if len(theirs) < 11 else MOST_HEIGHT)
    evidence.download(words.ours_table(found), found.name)


def actions(experiment: Experiment, *, running: bool) -> None:
    """Offer the data as a project, and to run it again."""
    if experiment.project is not None and st.button(
        "Open as a project", key="open_experiment", icon=":material/folder_open:"
    ):
        open_as_project(experiment)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.segmented_control("Run", (ROUGH, FULL), key=visit.bind("experiment_way", ROUGH), required=True)
        st.button(
            "Run again",
            key="run_experiment",
            icon=":material/play_arrow:",
            on_click=start,
            args=(experiment.name, way),
            disabled=running,
            help="Another experiment is running." if running else None,
        )
    if experiment.formats:
        with st.expander("Run on the published files", type="compact"):
            st.code(f"mandoline reproduce {experiment.name} --data DIR", language=None)
            st.code(experiment.formats, language=None, wrap_lines=True)


def start(name: str, way: str | None) -> None:
    """Run an experiment in the background."""
    compute.start_experiment(visit.mark(), name, quick=way != FULL)


def open_as_project(experiment: Experiment) -> None:
    """Make a project of an experiment's data and go to it."""
    with parts.boundary():
        with st.spinner("Writing data ..."), tempfile.TemporaryDirectory() as folder:
            project, files = compute.experiment_project(experiment.name, Path(folder))
            state.open_project(project, files=files)
        st.switch_page(parts.RESULT)
