"""Offers: buttons that say what will happen, each tried before it is shown."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from app import compute
from app.project import Remedy, Workspace, state
from app.words import wording


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
    st.button(wording.plain(f"{remedy.label}, {said}"), key=key, help=rows, on_click=_apply, args=(remedy,))


def _apply(remedy: Remedy) -> None:
    """Do what a remedy says; undo brings it back. A slice that it adds is the one that is open on its page."""
    label = remedy.label[:1].lower() + remedy.label[1:]
    before = {rule.name for rule in state.workspace().project.slices}
    if compute.attempt(label, remedy.edit, f"Done: {remedy.label}. Undo takes it back."):
        for rule in state.workspace().project.slices:
            if rule.name not in before:
                state.remember("editing", rule.name)
