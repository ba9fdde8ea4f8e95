"""Methods: what other methods say of this model, and what each takes for granted."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import live, parts
from app.views.result import evidence, methods
from app.words import comparison as words
from app.words import wording
from mandoline_core import ESTIMATORS, MandolineError
from mandoline_core.comparison import ModelComparison
from mandoline_core.formatting import listed
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, title_of
from mandoline_core.report.words import methods as methods_words

FIRST_PAIRS = 3
FIGURE_HEIGHT = 900  # pixels; a longer one scrolls
FOUR_LINES = 84  # pixels a row
HEIGHT = 5 * FOUR_LINES  # of the table, which scrolls
SHOWN_FIRST = ("method", "assumes", "estimate", "interval", "change", "self-test", "error", "note")


def show(workspace: Workspace) -> None:
    """Show what methods have said so far, and how far the others are."""
    found = ask(workspace)
    if found is None:
        return
    comparison, quick, slow = found
    coming, waiting = compute.not_run(workspace, "quick"), compute.not_run(workspace, "slow")
    headline(workspace, comparison, coming)
    methods.progress(workspace, "quick", quick)
    figure = charts.method_dots(
        comparison, chosen=workspace.project.estimator.name, waiting=[*coming, *waiting], dark=parts.is_dark()
    )
    with st.container(height=FIGURE_HEIGHT, border=False):
        parts.chart(figure, "methods", alt="The estimate of every method, with its interval")
    methods.progress(workspace, "slow", slow)
    methods.method_settings(workspace)
    pick(workspace, comparison)
    with st.expander("What each method assumes"):
        method_table(comparison, coming, waiting)


def ask(workspace: Workspace) -> tuple[ModelComparison, methods.Seen, methods.Seen] | None:
    """Have the quick methods run; return what all have said, and how far those of each pace were then."""
    problem = live.problem(workspace)
    try:
        with st.spinner("Running methods ..."):
            compute.ask_quick(workspace)
            # Before it is drawn: what comes in the meantime is new.
            quick, slow = (methods.seen(workspace, pace) for pace in get_args(compute.Pace))
            return compute.compare_model(workspace), quick, slow
    except MandolineError as error:
        no_comparison(error, problem)
        return None


def no_comparison(error: MandolineError, said: MandolineError | None) -> None:
    """Say why nothing can be compared, unless it was said already, and lead on."""
    if str(error) != str(said):
        parts.show_error(error)
    with st.container(horizontal=True):
        st.page_link("views/data/data.py", label="Change the data", icon=":material/table:")
        st.page_link("views/slices/slices.py", label="Change the slices", icon=":material/content_cut:")


def headline(workspace: Workspace, comparison: ModelComparison, coming: list[str]) -> None:
    """Say whether the methods agree before anything else; while some still run, how many are done."""
    said, caution = methods_words.agreement(comparison)
    said = wording.tell(said)
    if coming:
        names = listed((title_of(name) for name in coming), most=3)
        st.markdown(f"#### {len(comparison.entries)} methods are done. Running: {wording.plain(names)}.")
    elif caution:
        st.warning(f"**{said}**", icon=":material/warning:")
    else:
        st.markdown(f"#### {said}")
        st.caption("Methods that agree can still be wrong together.")
    st.caption(wording.SAMPLING_ONLY)
    if comparison.second_opinion is not None:
        st.markdown(wording.tell(comparison.second_opinion))
    if not any(rule.enabled for rule in workspace.project.slices):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("No slices, so methods that need slices do not apply.")
            st.page_link("views/slices/slices.py", label="Add a slice", icon=":material/content_cut:")


def method_table(comparison: ModelComparison, coming: list[str], waiting: list[str]) -> None:
    """Show what each method says, assumes and looks at."""
    share = comparison.metric.share
    table = words.method_table(comparison, waiting, coming)
    st.dataframe(
        words.shown_table(table, share=share),
        hide_index=True,
        height=HEIGHT,
        row_height=FOUR_LINES,
        placeholder="",
        column_order=SHOWN_FIRST + tuple(name for name in table if name not in SHOWN_FIRST),
        column_config={
            "method": st.column_config.TextColumn(pinned=True, width=130),  # with the next one, what a phone shows
            "assumes": st.column_config.TextColumn(width=200),
            "estimate": st.column_config.NumberColumn(format="%.1f%%" if share else "%.4g", width=70),
            "interval": st.column_config.TextColumn(help=parts.more(TOOLTIPS["interval"], "interval"), width=95),
            "change": st.column_config.TextColumn(help="From the score on the labelled data", width=110),
            "self-test": st.column_config.TextColumn(
                help="Estimate minus score between halves of the labelled data, where nothing shifts (standard error)",
                width=95,
            ),
            "error": st.column_config.TextColumn(help="Estimate minus truth", width=95),
            "note": st.column_config.TextColumn(width=240),
        },
    )
    evidence.download(table, "methods compared")


def pick(workspace: Workspace, comparison: ModelComparison) -> None:
    """Let the user choose one of the methods for the estimate."""
    st.subheader("Use a method")
    now = workspace.project.estimator.name
    said = comparison.entries
    able = [name for name in ESTIMATORS if (said[name].available if name in said else name == now)]
    first = now if now in able else able[0]
    kept = visit.typed("picked")
    key = visit.bind("picked", first if kept not in able else kept)
    picked = st.selectbox("Method", able, format_func=title_of, key=key)
    st.caption(wording.estimator_sentence(picked))
    if picked == now:
        st.caption("In use.")
    else:
        st.button("Use this method", key="use_method", icon=":material/check:", on_click=use, args=(picked,))


def use(name: str) -> None:
    """Write the method into the project; undo brings the other back."""
    title = title_of(name)
    done = f"The estimate now uses {title}."
    compute.attempt(
        f"use {title}", lambda project: replace(project, estimator=replace(project.estimator, name=name)), done
    )
