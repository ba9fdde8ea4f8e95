"""Gallery: the paper's experiments, its numbers beside ours; each opens as a project and runs again for real."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.views.estimate import evidence
from app.words import gallery as words
from app.words import wording
from mandoline_core.formatting import say
from mandoline_core.paper import EXPERIMENTS, Experiment, Reproduction, draw, made_words, stored
from mandoline_core.report.words import PLAIN

TEXT_WIDTH = 860  # pixels: a longer line is hard to follow
MOST_HEIGHT = 420  # pixels of a table; a longer one scrolls
ROUGH, FULL = "Rough, in seconds", "Full, in minutes"


def main() -> None:
    """Show the page."""
    st.title("Gallery")
    st.caption("The experiments of the paper behind Mandoline, run with this software: its numbers beside ours.")
    experiment = chosen()
    workspace = state.workspace()
    job = compute.experiment_job(workspace)
    running = job is not None and job.running
    if running:
        parts.job_panel(lambda: compute.experiment_job(workspace), "experiment")
    st.subheader(experiment.title)
    st.caption(
        f"In the paper: {wording.plain(experiment.place)}. On the command line: `mandoline reproduce {experiment.name}`"
    )
    if job is not None and job.would_bring({experiment.name}):
        parts.show_job_error(job)
    st.markdown(wording.tell(experiment.shows), width=TEXT_WIDTH)
    found = on_show(experiment)
    if found is None:
        st.info("No full run of it is kept here. Run it to see its numbers.", icon=":material/info:")
    else:
        figures(experiment, found)
        numbers(found)
    st.markdown(f"**Where ours differs.** {wording.tell(experiment.differs)}", width=TEXT_WIDTH)
    actions(workspace, experiment, running=running)


def chosen() -> Experiment:
    """Let a person choose an experiment; the choice outlives a visit to another page."""
    name = visit.remember("experiment") or next(iter(EXPERIMENTS))
    key = visit.bind("experiment_chosen", name)
    st.pills("Experiment", list(EXPERIMENTS), key=key, required=True, on_change=visit.keep, args=("experiment", key))
    return EXPERIMENTS[name]


def on_show(experiment: Experiment) -> Reproduction | None:
    """Choose between what is kept and what was run here, and say how it was made."""
    kept, own = stored(experiment.name), compute.reproduction(experiment.name)
    found = own or kept
    if kept is not None and own is not None:
        ways = {"Run here": own, "Kept with the software": kept}
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
            alt=f"{say(figure.title, PLAIN)}. The numbers are in the table below.",
            saved_as=f"{experiment.name}-{number + 1}",
        )


def numbers(found: Reproduction) -> None:
    """Show our numbers with the paper's beside them, then those that stand beside none of ours."""
    measures, measure = words.measures(found), None
    if measures:
        key = visit.bind(f"measure:{found.name}", measures[0])
        measure = st.selectbox("What is measured", measures, key=key)
    table = words.ours_table(found, measure)
    st.dataframe(table, hide_index=True, height="content" if len(table) < 11 else MOST_HEIGHT)
    theirs = words.paper_table(found)
    if len(theirs):
        with st.expander(f"More numbers of the paper ({len(theirs):,})", type="compact"):
            st.dataframe(theirs, hide_index=True, height="content" if len(theirs) < 11 else MOST_HEIGHT)
    evidence.download(words.ours_table(found), found.name)


def actions(workspace: Workspace, experiment: Experiment, *, running: bool) -> None:
    """Offer the data as a project, and to run it again."""
    if experiment.project is not None and st.button(
        "Open as a project", key="open_experiment", icon=":material/folder_open:"
    ):
        open_as_project(experiment)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.segmented_control(
            "How to run it", (ROUGH, FULL), key=visit.bind("experiment_way", ROUGH), required=True
        )
        st.button(
            "Run again",
            key="run_experiment",
            icon=":material/play_arrow:",
            on_click=start,
            args=(workspace, experiment.name, way),
            disabled=running,
            help="An experiment is running. Wait for it, or stop it." if running else None,
        )
    if experiment.formats:
        with st.expander("Run it on the published files", type="compact"):
            st.code(f"mandoline reproduce {experiment.name} --data DIR", language=None)
            st.code(experiment.formats, language=None, wrap_lines=True)


def start(workspace: Workspace, name: str, way: str | None) -> None:
    """Run an experiment in the background."""
    compute.start_experiment(workspace, name, quick=way != FULL)


def open_as_project(experiment: Experiment) -> None:
    """Make a project of an experiment's data and go to it."""
    with parts.boundary():
        with st.spinner("Writing its data"), tempfile.TemporaryDirectory() as folder:
            project, files = compute.experiment_project(experiment.name, Path(folder))
            state.open_project(project, files=files)
        st.switch_page(parts.ESTIMATE)


main()
