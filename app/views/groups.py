"""Rows that belong together: a button next to the finding that sets their group."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from app import compute
from app.project import edits, state
from app.words import wording
from mandoline_core import Finding


def offer(findings: Iterable[Finding], check: str) -> None:
    """Offer to set the group where rows that share a column are alike."""
    for finding in findings:
        if finding.check == check and finding.code == "rows_alike":
            column = str(finding.numbers["column"])
            label = f"Set group to {wording.plain(column)}"
            st.button(label, key=f"set_group:{column}", icon=":material/group_work:", on_click=_set, args=(column,))


def _set(column: str) -> None:
    samples = compute.plain_samples(state.workspace())
    sides = [side for side, sample in zip(("source", "target"), samples, strict=True) if column in sample.columns]
    compute.attempt(f"set group to {column}", partial(edits.set_group, column=column, sides=sides))
