"""The decision: the threshold, what the model is for, and who signs; slides, report and Track show it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.words import track as words
from mandoline_core.formatting import tidy_number
from mandoline_core.metrics import get_metric
from mandoline_core.report.words import ABOUT

THRESHOLD, SIGN_OFF = "decision_threshold", "decision_sign_off"
_HELP = "Slides, report and Track compare the estimate with it. Saved in the project file."


def show(workspace: Workspace) -> None:
    """Let the user state the decision; every field is optional."""
    decision, metric = workspace.project.decision, get_metric(workspace.project.metric)
    scale = 100 if metric.share else 1
    now = None if decision.threshold is None else float(tidy_number(scale * decision.threshold))
    least, most = words.limits(metric, scale)
    st.number_input(
        f"Threshold ({'%' if metric.share else metric.spoken})",
        value=None,  # what an empty field means
        min_value=least,
        max_value=most,
        step=1.0 if metric.share else None,
        format="%g",
        placeholder="none",
        key=visit.bind(THRESHOLD, now),
        help=_HELP,
        on_change=_change_threshold,
        args=(scale,),
    )
    left, right = st.columns(2)
    for i, (name, title) in enumerate(ABOUT.items()):
        key = visit.bind(f"decision_{name}", getattr(decision, name))
        (left, right)[i % 2].text_input(title, key=key, on_change=_change_words, args=(name, key))
    key = visit.bind(SIGN_OFF, "\n".join(decision.sign_off))
    st.text_area(
        "Sign-off, one role per line", key=key, height=80, help="The report ends with a line for each.", on_change=_sign
    )


def _change_threshold(scale: float) -> None:
    typed = visit.typed(THRESHOLD)
    _change("set threshold", threshold=None if typed is None else tidy_number(typed / scale))


def _change_words(name: str, key: str) -> None:
    _change(f"edit {ABOUT[name].lower()}", **{name: str(visit.typed(key)).strip()})


def _sign() -> None:
    lines = [line.strip() for line in str(visit.typed(SIGN_OFF)).splitlines()]
    _change("edit sign-off", sign_off=tuple(filter(None, lines)))


def _change(label: str, **said: Any) -> None:
    compute.attempt(label, lambda project: replace(project, decision=replace(project.decision, **said)))
