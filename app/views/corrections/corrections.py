"""Corrections: how sure a person is of each slice, and which slices move together."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app import compute
from app.project import Workspace, state
from app.views import live, parts
from app.views.corrections import board, pairs
from app.words import auditing, wording
from mandoline_core import MandolineError
from mandoline_core.words import TOOLTIPS, title_of

SHORT = {"mandoline": "The paper's weights", "denoised": "Denoised"}


def main() -> None:
    """Show the page."""
    st.title("Corrections")
    st.caption("A slice is rarely right every time. Say how sure you are of each; the estimate follows.")
    workbench()


@st.fragment
def workbench() -> None:
    """Show the board and the live panel; a move reruns only this."""
    workspace = state.workspace()
    problem = live.summary(workspace)
    work, beside = st.columns([3, 2])
    with work, parts.boundary(said=problem):
        if not workspace.project.slices:
            st.info("There are no slices to correct yet.")
            st.page_link("views/slices/slices.py", label="Write a slice")
        else:
            board.show(workspace, problem)
            pairs.show(workspace)
            estimator_switch(workspace, problem)
    if problem is None:
        with beside:
            live.panel(workspace)


def estimator_switch(workspace: Workspace, said: MandolineError | None) -> None:
    """Choose between the paper's weights and the denoised estimator, beside a test of what the latter assumes."""
    now = workspace.project.estimator.name
    key = state.bind("estimator", now)
    st.segmented_control(
        "With noisy slices, use",
        list(dict.fromkeys([*SHORT, now])),
        format_func=lambda name: SHORT.get(name) or title_of(name),
        required=True,
        help=TOOLTIPS["denoised"],
        key=key,
        on_change=choose_estimator,
        args=(key,),
    )
    st.caption(wording.estimator_sentence(now))
    with parts.boundary(said):
        tested = compute.mistake_tests(workspace)
        if tested:
            told = " ".join(auditing.mistake_words(name, test.z, test.n) for name, test in tested.items())
            st.caption(wording.plain(f"What Denoised assumes, tested. {told}"))


def choose_estimator(key: str) -> None:
    """Write the estimator into the project."""
    name = state.typed(key)
    compute.attempt(
        f"use {SHORT.get(name, name).lower()}",
        lambda project: replace(project, estimator=replace(project.estimator, name=name)),
    )


main()
