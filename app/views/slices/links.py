"""Links: which slices move together, which others could, and what that would do to the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.words import corrections, wording
from mandoline_core import MandolineError, ModelReport
from mandoline_core.formatting import counted, show_percent, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.project import INVERSE_COVARIANCE, read_edge_choice
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

STEP = 8  # pairs shown at first, and more at a time: each of them is tried


def show(workspace: Workspace) -> None:
    """Show the pairs in use, and on request those that could be; one slice alone has none."""
    try:
        names, joined = compute.pairs_in_use(workspace)
    except MandolineError:  # the line above the work says what is wrong; if it is a pair, it can be taken away
        for pair in () if isinstance(workspace.project.edges, str) else workspace.project.edges:
            switch(*pair, joined=True)
        return
    if len(names) < 2:
        return
    st.subheader("Slices that move together", help=parts.more(TOOLTIPS["slices that move together"], "edges"))
    choice(workspace, joined)
    st.caption(f"In use: {in_use(joined)}.")
    with parts.boundary():
        list_pairs(workspace)


def choice(workspace: Workspace, joined: tuple[tuple[str, str], ...]) -> None:
    """Choose who chooses the pairs: the person, or one of three ways; taken back by hand, the pairs stay."""
    edges = workspace.project.edges
    key = visit.bind("edges_by", corrections.choice_of(edges))
    st.segmented_control(
        "Choose pairs",
        list(corrections.CHOICES),
        format_func=corrections.CHOICES.__getitem__,
        required=True,
        help=corrections.HELP,
        key=key,
        on_change=choose_way,
        args=(key, joined),
    )
    if corrections.choice_of(edges) == INVERSE_COVARIANCE:
        key = visit.bind("edges_most", read_edge_choice(edges)[1])
        st.number_input("Number of pairs", 1, 99, key=key, on_change=choose_most, args=(key,))


def in_use(joined: Sequence[tuple[str, str]]) -> str:
    """Name the pairs in use."""
    return "; ".join(f"{wording.plain(first)} and {wording.plain(second)}" for first, second in joined) or "none"


def list_pairs(workspace: Workspace) -> None:
    """List the pairs in use, then the others by what remains of them, with what each does and who would choose it."""
    found = compute.pairs(workspace)
    free, left = chosen_pairs(found)
    tried = compute.try_pairs(workspace, tuple((pair.first, pair.second) for pair in (*found.joined, *free)))
    most = max((abs(pair.after) for pair in found.free), default=0.0)
    if found.joined:
        st.markdown("**In use**")
        for pair in found.joined:
            line(workspace, pair, tried[pair.first, pair.second], most, joined=True)
    st.markdown("**Not in use, largest remaining shift first**")
    for pair in free:
        line(workspace, pair, tried[pair.first, pair.second], most, joined=False)
    if not free:
        st.caption("No other pairs.")
    notes(found, left)
    if len(found.names) <= charts.MOST_NODES:
        suggested = [(pair.first, pair.second, pair.z or 0.0) for pair in found.standing_out]
        edges = [(pair.first, pair.second) for pair in found.joined]
        figure = charts.slice_graph(found.names, edges, suggested, dark=parts.is_dark())
        parts.chart(figure, "graph", alt="Slices that move together")


def chosen_pairs(found: compute.PairTests) -> tuple[list[compute.PairTest], int]:
    """Choose which of the pairs that could be joined to show: those of one slice, or all; and count the rest."""
    free = list(found.free)
    if len(free) > STEP:
        key = visit.bind("pairs_of", None)
        wanted = st.selectbox("Show pairs of", found.names, index=None, key=key, placeholder="all slices")
        free = [pair for pair in free if wanted in (None, pair.first, pair.second)]
    shown = visit.remember("pairs_shown") or STEP
    return free[:shown], max(len(free) - shown, 0)


def notes(found: compute.PairTests, left: int) -> None:
    """Offer the rest of the list, and say what is not in it."""
    if left:
        shown = (visit.remember("pairs_shown") or STEP) + STEP
        label = f"Show {min(left, STEP)} of {left:,} more"
        st.button(label, key="more_pairs", on_click=visit.remember, args=("pairs_shown", shown))
    if found.impossible:
        st.caption(
            f"{counted(found.impossible, 'pair')} not offered: some combination of the two slices has too few labelled "
            "rows."
        )


def line(
    workspace: Workspace, pair: compute.PairTest, trial: tuple[float, float] | None, most: float, *, joined: bool
) -> None:
    """Show one pair: a switch, what remains of it as a bar and in words, who chooses it, what switching would do."""
    locked = isinstance(workspace.project.edges, str)
    left, words = st.columns([2, 3], vertical_alignment="center")
    with left:
        switch(pair.first, pair.second, joined=joined, disabled=locked or trial is None)
    with words:
        effect = effect_words(compute.report(workspace), trial, joined=joined)
        by = corrections.chosen_by(compute.choosers(workspace).get((pair.first, pair.second), ()))
        length = min(abs(pair.after) / (most or 1), 1)
        st.html(charts.pair_line(length, f"{remains(pair)}. {by}", effect, dark=parts.is_dark()))


def switch(first: str, second: str, *, joined: bool, disabled: bool = False) -> None:
    """Show the switch that adds a pair, or removes it."""
    key = visit.bind(f"pair:{(first, second)!r}", joined)
    st.toggle(
        f"{wording.plain(first)} and {wording.plain(second)}",
        key=key,
        on_change=switch_pair,
        args=(key, first, second),
        disabled=disabled,
        wrap=True,
    )


def remains(pair: compute.PairTest) -> str:
    r"""Say how far a pair is off after weighting.

    >>> remains(compute.PairTest("a", "b", 0.1, -0.031, -8.24))
    'Agreement 3.1 points lower in new rows (z\xa0=\xa0-8.2)'
    """
    z = "" if pair.z is None else f" (z\u00a0=\u00a0{pair.z:.1f})"
    points = f"{abs(100 * pair.after):.1f}"
    if points == "0.0":
        return f"Same agreement in both{z}"
    return f"Agreement {points} points {'higher' if pair.after > 0 else 'lower'} in new rows{z}"


def effect_words(report: ModelReport, trial: tuple[float, float] | None, *, joined: bool) -> str:
    """Say what adding, or removing, a pair does to the estimate."""
    what = "Without it" if joined else "With it"
    if trial is None:
        return f"{what}: no estimate"
    value, set_aside = trial
    now, then = (show_value(one, share=is_share(report)) for one in ((report.without or report).estimate, value))
    aside = f", {show_percent(set_aside)} of new rows left out" if set_aside > report.set_aside else ""
    return f"{what}: {f'no change ({now})' if now == then else f'{now} → {then}'}{aside}"


def switch_pair(key: str, first: str, second: str) -> None:
    """Add a pair, or remove it; the other pairs stay as they are by now."""
    joins = visit.typed(key)
    edit = edits.join if joins else edits.part
    label = f"{'add' if joins else 'remove'} pair {first} and {second}"
    compute.attempt(label, lambda project: edit(project, first, second))


def choose_way(key: str, joined: tuple[tuple[str, str], ...]) -> None:
    """Let the pairs be chosen another way, or keep those that are in use and choose by hand."""
    way = visit.typed(key)
    edges = joined if way == corrections.BY_HAND else way
    kept = way == corrections.BY_HAND and joined
    done = f"Kept {counted(len(joined), 'pair')} in use. Switch off what should not move together." if kept else ""
    edit = partial(edits.set_edges, edges=edges)
    compute.attempt(f"choose pairs: {corrections.chosen_how(edges)}", edit, done)


def choose_most(key: str) -> None:
    """Take more or fewer of the strongest ties."""
    edges = f"{INVERSE_COVARIANCE}:{visit.typed(key)}"
    compute.attempt(f"choose pairs: {corrections.chosen_how(edges)}", lambda project: edits.set_edges(project, edges))
