"""Corrections: how sure a person is of each slice, and which slices move together."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import compute
from app.project import Workspace, visit
from app.views import live, parts
from app.views.corrections import board, pairs
from app.words import corrections, wording
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.report.words import TOOLTIPS, title_of

SHORT = {"mandoline": "The paper's weights", "denoised": "Denoised"}


def main() -> None:
    """Show the page."""
    st.title("Corrections")
    st.caption("A slice is rarely right every time. Say how sure you are of each; the estimate follows.")
    workbench()


@st.fragment
def workbench() -> None:
    """Lay the page out and draw what a move does not change; then the rest."""
    visit.remember(board.WHOLE, "")  # it is being drawn
    workspace = compute.current()
    bar = live.place()
    work, beside = st.columns([3, 2])
    cards: dict[str, DeltaGenerator] = {}
    with work, parts.boundary(said=live.problem(workspace)):
        if not workspace.project.slices:
            st.info("There are no slices to correct yet.")
            st.page_link("views/slices/slices.py", label="Write a slice")
        else:
            cards = board.show(workspace)
            pairs.show(workspace)
            estimator_switch(workspace)
    moving(bar, cards, beside)


# A fragment in a fragment: a slider is moved many times a second, and each time only its own card, the number and the
# panel change. They are drawn into places that the outer fragment laid out, so that nothing else is drawn again.
@st.fragment
def moving(bar: DeltaGenerator, cards: dict[str, DeltaGenerator], beside: DeltaGenerator) -> None:
    """Draw all that a move of a slider changes, in the places that were laid out for it; a move reruns only this."""
    if visit.remember(board.WHOLE):  # an edit within a card changed more than that card, the number and the panel
        st.rerun()
    workspace = compute.current()
    live.summary(workspace, bar)
    board.show_open(workspace, cards)
    with beside:
        live.panel(workspace)


def estimator_switch(workspace: Workspace) -> None:
    """Choose between the paper's weights and the denoised estimator, beside a test of what the latter assumes."""
    now = workspace.project.estimator.name
    able = [name for name, method in ESTIMATORS.items() if method.takes_corrections]
    key = visit.bind("estimator", now)
    st.segmented_control(
        "With noisy slices, use",
        list(dict.fromkeys([*able, now])),
        format_func=lambda name: SHORT.get(name) or title_of(name),
        required=True,
        help=TOOLTIPS["denoised"],
        key=key,
        on_change=choose_estimator,
        args=(key,),
    )
    st.caption(wording.estimator_sentence(now))
    tested = compute.mistake_tests(workspace)
    if tested:
        told = " ".join(corrections.mistake_words(name, *test) for name, test in tested.items())
        st.caption(wording.plain(f"What Denoised assumes, tested. {told}"))


def choose_estimator(key: str) -> None:
    """Write the estimator into the project."""
    name = visit.typed(key)
    compute.attempt(
        f"use {SHORT.get(name, name).lower()}",
        lambda project: replace(project, estimator=replace(project.estimator, name=name)),
    )


main()
