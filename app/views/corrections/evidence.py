"""Evidence for corrections beside a gold column: an audit, a second rule, precision and recall from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits
from app.views import parts
from app.views.corrections import audit
from app.words import corrections, wording
from mandoline_core import MandolineError, Project, Slice
from mandoline_core.formatting import counted, show_percent

Change = Callable[[str, str, Callable[[Project], Project]], None]


def show(workspace: Workspace, rule: Slice, change: Change) -> None:
    """Offer the ways to learn how far to trust a slice.

    Parameters
    ----------
    change : callable
        Makes an edit of the slice: given its name, what the edit is called, and the edit.
    """
    if rule.is_family:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        audit.show(workspace, rule)
        with st.popover("I know its precision and recall", icon=":material/menu_book:"):
            _published(workspace, rule.name, change)
        others = compute.second_rules(workspace, rule.name)
        if others:
            with st.popover("Compare with another rule", icon=":material/compare:"):
                _second_rule(workspace, rule.name, others, change)


def _published(workspace: Workspace, name: str, change: Change) -> None:
    """Take precision and recall that someone else has measured."""
    st.caption("Measured elsewhere, by you or in a publication. What the slice misses follows from how often it fires.")
    shares = {
        word: st.number_input(
            f"{word}, in percent", 0.0, 100.0, 90.0, 1.0, format="%g", key=f"{word}:{name}", help=what
        )
        for word, what in (
            ("Precision", "Of the rows that the slice puts in, those truly in."),
            ("Recall", "Of the rows truly in, those that the slice puts in."),
        )
    }
    try:
        found = compute.from_published(workspace, name, shares["Precision"] / 100, shares["Recall"] / 100)
    except MandolineError as error:
        parts.show_error(error)
        return
    said = f"truly in: {show_percent(found.inside)} where it says in, {show_percent(round(found.outside, 4))} where out"
    st.markdown(wording.plain(f"At its rate in the labelled data, {said}."))
    edit = partial(edits.state_corrections, name=name, source=found)
    label = f"take precision and recall of {name}"
    st.button("Use these numbers", type="primary", key=f"published:{name}", on_click=change, args=(name, label, edit))


def _second_rule(workspace: Workspace, name: str, others: list[str], change: Change) -> None:
    """Take another slice for the truth, as far as it speaks."""
    key = f"second_rule:{name}"
    other = st.selectbox(
        "A rule for the same thing that you trust more", others, index=None, key=key, placeholder="None"
    )
    if other is None:
        st.caption("Where the other says in, this slice should. It may be switched off in the estimate.")
        return
    try:
        found = compute.agreements(workspace, name, other)
    except MandolineError as error:
        parts.show_error(error)
        return
    for side, one in found.items():
        inside, outside = (show_percent(round(share, 4)) for share in (one.correction.inside, one.correction.outside))
        st.markdown(
            wording.plain(
                f"On {one.n:,} {corrections.SIDES[side]} rows: truly in {inside} of the {counted(one.n_inside, 'row')} "
                f"that it puts in, and {outside} of the {counted(one.n_outside, 'row')} that it puts out."
            )
        )
    source, target = (found[side].correction for side in compute.BOTH)
    edit = partial(edits.state_corrections, name=name, source=source, target=target)
    label = f"take {other} for the truth of {name}"
    st.button("Use what it says", type="primary", key=f"second:{name}", on_click=change, args=(name, label, edit))
