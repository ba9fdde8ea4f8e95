"""Corrections: how sure a person is of each slice, and which slices move together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app import charts, compute
from app.project import Workspace, edits, state
from app.views import parts
from app.vocabulary import title_of
from app.words import wording
from mandoline_core import Correction, Noise, Slice

LABELS = {
    "inside": "Truly in, when the slice says in",
    "outside": "Truly in, when the slice says out",
    "abstain": "Truly in, when the slice abstains",
}
TARGET_WAYS = {
    "derived": "Follow from the labelled data's error rates",
    "same": "The same matrix",
    "own": "Set separately",
}
HELD = {
    "derived": "Derived from the labelled data's error rates. Choose 'Set separately' to move these.",
    "same": "Copied from the labelled data's sliders. Choose 'Set separately' to move these.",
}


def main() -> None:
    """Show the page."""
    st.title("Corrections")
    st.caption("A slice is rarely right every time. Say how sure you are of each; the estimate follows.")
    workbench()


@st.fragment
def workbench() -> None:
    """Show the sliders and the live panel; a move reruns only this."""
    workspace = state.workspace()
    parts.live_summary(workspace)
    work, live = st.columns([3, 2])
    with work, parts.boundary():
        if not workspace.project.slices:
            st.info("There are no slices to correct yet.")
            st.page_link("views/slices/slices.py", label="Write a slice")
        else:
            names = [rule.name for rule in workspace.project.slices]
            wanted = state.remember("correcting")
            key = state.bind("correct_which", wanted if wanted in names else names[0])
            st.selectbox("Slice", names, key=key, on_change=choose)
            rule = edits.find_slice(workspace.project, state.typed(key))
            source_sliders(workspace, rule)
            target_sliders(workspace, rule)
            estimator_switch(workspace)
            dependencies(workspace)
    with live:
        parts.live_panel(workspace)


def choose() -> None:
    """Remember which slice is being corrected."""
    state.remember("correcting", state.typed("correct_which"))


def source_sliders(workspace: Workspace, rule: Slice) -> None:
    """Set the source's corrections, with the matrix beside them."""
    st.subheader("In the labelled data", help=wording.TOOLTIPS["how sure you are of this slice"])
    row = compute.correction_row(workspace, rule.name)
    measured = rule.noise is not None and rule.noise.measured
    sliders, matrix = st.columns([3, 2])
    with sliders:
        shown = row.source
        if measured:
            st.caption(f"{row.measured_on} Press 'Reset' to set these yourself.")
        for field in ("inside", "outside", *(("abstain",) if row.source.abstains else ())):
            slider(rule, "source", field, getattr(shown, field), disabled=measured)
        with st.container(horizontal=True):
            if rule.gold is not None:
                st.button(
                    "Measure it",
                    icon=":material/straighten:",
                    key=f"measure:{rule.name}",
                    help=f"Compare the slice with the column {wording.plain(rule.gold)} in the labelled rows.",
                    on_click=write_noise,
                    args=(rule.name, "measure", Noise(measured=True)),
                    disabled=measured,
                )
            st.button(
                "Reset",
                icon=":material/restart_alt:",
                key=f"reset:{rule.name}",
                on_click=write_noise,
                args=(rule.name, "reset", None),
                disabled=rule.noise is None,
            )
    with matrix:
        parts.chart(
            charts.correction_matrix(
                shown.inside,
                shown.outside,
                shown.abstain if row.source.abstains else None,
                title="Labelled data",
                dark=parts.is_dark(),
            ),
            f"matrix:source:{rule.name}",
            alt="Correction matrix of the labelled data",
        )
        st.caption(row.source.sentence)


def target_sliders(workspace: Workspace, rule: Slice) -> None:
    """Choose how the target's corrections come about."""
    st.subheader("In the new data", help=wording.TOOLTIPS["derived corrections"])
    noise = rule.noise or Noise()
    now = "own" if noise.target is not None else "same" if noise.same else "derived"
    key = state.bind(f"target_way:{rule.name}", now)
    row = compute.correction_row(workspace, rule.name)
    st.radio(
        "Corrections in the new data",
        list(TARGET_WAYS),
        format_func=TARGET_WAYS.get,
        horizontal=True,
        key=key,
        on_change=choose_way,
        args=(rule.name, key, row.target),
    )
    sliders, matrix = st.columns([3, 2])
    with sliders:
        if now in HELD:
            st.caption(HELD[now])
        for field in ("inside", "outside", *(("abstain",) if row.target.abstains else ())):
            slider(rule, "target", field, getattr(row.target, field), disabled=now in HELD)
    with matrix:
        parts.chart(
            charts.correction_matrix(
                row.target.inside,
                row.target.outside,
                row.target.abstain if row.target.abstains else None,
                title="New data",
                dark=parts.is_dark(),
            ),
            f"matrix:target:{rule.name}",
            alt="Correction matrix of the new data",
        )
        st.caption(row.target.sentence)


def slider(rule: Slice, side: str, field: str, value: float, *, disabled: bool) -> None:
    """Show one correction as a slider; moving it writes the project."""
    key = state.bind(f"correct:{rule.name}:{side}:{field}", round(float(value), 4))
    st.slider(
        f"{LABELS[field]} ({'labelled' if side == 'source' else 'new'} data)",
        0.0,
        1.0,
        step=0.01,
        key=key,
        disabled=disabled,
        on_change=move,
        args=(rule.name, side, field, key),
    )


def move(name: str, side: str, field: str, key: str) -> None:
    """Take a slider's value into the corrections."""
    value = float(state.typed(key))

    def edit(project: Any) -> Any:
        noise = edits.find_slice(project, name).noise or Noise()
        now = getattr(noise, side) or Correction()
        moved: dict[str, Any] = {side: replace(now, **{field: value})}
        return edits.set_noise(project, name, replace(noise, **moved))

    state.attempt(f"correct {name}", edit)


def choose_way(name: str, key: str, target: compute.CorrectionInUse) -> None:
    """Switch between derived, the same, and separate corrections for the target."""
    way = state.typed(key)

    def edit(project: Any) -> Any:
        noise = edits.find_slice(project, name).noise or Noise()
        own = Correction(round(target.inside, 2), round(target.outside, 2), target.abstain) if way == "own" else None
        return edits.set_noise(project, name, replace(noise, target=own, same=way == "same"))

    state.attempt(f"new-data corrections of {name}", edit)


def write_noise(name: str, label: str, noise: Noise | None) -> None:
    """Measure or reset a slice's corrections."""
    state.attempt(f"{label} {name}", lambda project: edits.set_noise(project, name, noise))


def estimator_switch(workspace: Workspace) -> None:
    """Choose between the paper's weights and the denoised estimator."""
    st.subheader("With noisy slices", help=wording.TOOLTIPS["denoised"])
    now = workspace.project.estimator.name
    names = list(dict.fromkeys(["mandoline", "denoised", now]))
    short = {"mandoline": "The paper's weights", "denoised": "Denoised"}
    key = state.bind("estimator", now)
    st.radio(
        "Estimator",
        names,
        format_func=lambda name: short.get(name) or title_of(name),
        captions=[wording.estimator_sentence(name) for name in names],
        key=key,
        on_change=choose_estimator,
        args=(key,),
    )


def choose_estimator(key: str) -> None:
    """Write the estimator into the project."""
    name = state.typed(key)
    state.attempt(f"use {name}", lambda project: replace(project, estimator=replace(project.estimator, name=name)))


def dependencies(workspace: Workspace) -> None:
    """Show which slices move together, and what is left of every pair's shift."""
    st.subheader("Slices that move together", help=wording.TOOLTIPS["slices that move together"])
    project = workspace.project
    pairs = compute.pairs(workspace)
    st.toggle(
        "Let tests choose the pairs",
        key=state.bind("edges_auto", project.edges == "auto"),
        on_change=choose_auto,
        help="Adds a pair when its joint frequency is still off after weighting.",
    )
    if project.edges != "auto":
        options = [f"{a} and {b}" for a, b in pairs.all]
        lookup = dict(zip(options, pairs.all, strict=True))
        chosen = [f"{a} and {b}" for a, b in pairs.edges]
        key = state.bind("edges", chosen)
        st.multiselect("Pairs in use", options, key=key, on_change=choose_edges, args=(key, lookup))
    if len(pairs.names) > 1:
        dark = parts.is_dark()
        suggested = [pair for pair in pairs.suggested if pair[:2] not in pairs.edges]
        parts.chart(
            charts.slice_graph(pairs.names, pairs.edges, suggested, dark=dark), "graph", alt="Slices that move together"
        )
        parts.chart(
            charts.pair_gaps(pairs.all, pairs.before, pairs.after, dark=dark),
            "pairs",
            alt="Shift of every pair of slices",
        )


def choose_auto() -> None:
    """Let the score tests choose the edges, or stop."""
    on = state.typed("edges_auto")
    state.attempt(
        "let tests choose pairs" if on else "choose pairs", lambda p: edits.set_edges(p, "auto" if on else ())
    )


def choose_edges(key: str, lookup: dict[str, tuple[str, str]]) -> None:
    """Write the chosen pairs into the project."""
    chosen = [lookup[name] for name in state.typed(key)]
    state.attempt("change pairs", lambda project: edits.set_edges(project, chosen))


main()
