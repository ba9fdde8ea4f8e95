"""Offers: buttons that say what will happen, each tried before it is shown."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from app import compute
from app.project import Remedy, Workspace, remedies, state, visit
from app.words import offers, wording
from mandoline_core import Slice


def worth_offering(workspace: Workspace, remedies: Iterable[Remedy], most: int) -> list[tuple[Remedy, compute.Tried]]:
    """Try remedies, in order; keep those that end in an estimate, and stop at so many tries."""
    tried = [(remedy, compute.tried(workspace, remedy.edit)) for remedy, _ in zip(remedies, range(most), strict=False)]
    return [(remedy, found) for remedy, found in tried if found is not None]


def button(remedy: Remedy, found: compute.Tried, key: str) -> None:
    """Offer a remedy, with the estimate it will give."""
    said = wording.step_to(found.before, found.after, share=found.share)
    rows = None
    if found.source is not None and found.target is not None:
        rows = f"{found.source:,} labelled rows and {found.target:,} new rows are inside."
    said += " on a draw" if found.on_draw else ""
    st.button(wording.plain(f"{remedy.label}, {said}"), key=key, help=rows, on_click=_apply, args=(remedy,))


def offer_slice(workspace: Workspace, rule: Slice, key: str) -> None:
    """Offer a rule as a slice with what it would do, or say why it is none to offer."""
    if rule.key in [known.key for known in workspace.project.slices]:
        st.caption(wording.plain(f"{rule.describe()}: one of your slices."))
        return
    tried = worth_offering(workspace, [remedies.addition(rule)], 1)
    for remedy, found in tried:
        button(remedy, found, key)
    if not tried:
        st.caption(wording.plain(offers.not_offered(rule.describe(), compute.rows_inside(workspace, rule))))


def _apply(remedy: Remedy) -> None:
    """Do what a remedy says; undo brings it back. A slice that it adds is the one that is open on its page."""
    label = remedy.label[:1].lower() + remedy.label[1:]
    before = {rule.name for rule in state.workspace().project.slices}
    if compute.attempt(label, remedy.edit, f"Done: {remedy.label}. Undo takes it back."):
        for rule in state.workspace().project.slices:
            if rule.name not in before:
                visit.remember("editing", rule.name)
