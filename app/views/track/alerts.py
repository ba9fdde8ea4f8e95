"""The alert rule: how much worse is too much, or which score is; as the command line has it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import streamlit as st

from app.project import Workspace, state, track_plan, visit
from app.words import track as words
from mandoline_core.formatting import tidy_number
from mandoline_core.metrics import Metric, get_metric
from mandoline_core.monitoring import BASES, AlertRule

DROP, BASE, WORST = "alert_drop", "alert_base", "alert_worst"


def show(workspace: Workspace) -> None:
    """Let a person say when to alert; who may only look is told."""
    metric = get_metric(workspace.project.metric.name)
    rule = track_plan.alert_of(track_plan.plan_of(workspace.revision.document), metric)
    if workspace.view_only:
        st.caption(words.rule_sentence(rule, metric))
        return
    now = rule or AlertRule()
    scale = 100 if metric.share else 1
    worst = None if now.worst is None else float(tidy_number(scale * now.worst))
    least, most = _limits(metric, scale)
    drop, base, floor = st.columns([4, 3, 4], vertical_alignment="bottom")
    bound: dict[str, Any] = {"on_change": _change, "args": (scale,)}
    box: dict[str, Any] = {"step": 1.0 if metric.share else None, "format": "%g", "placeholder": "never", **bound}
    drop.number_input(words.drop_label(metric), min_value=0.0, key=visit.bind(DROP, now.drop), **box)
    key = visit.bind(BASE, now.base)
    base.selectbox("Worse than", BASES, format_func=words.BASES.__getitem__, key=key, **bound)
    key = visit.bind(WORST, worst)
    floor.number_input(words.worst_label(metric), min_value=least, max_value=most, key=key, **box)


def _limits(metric: Metric, scale: float) -> tuple[float | None, float | None]:
    """Return the least and the largest score that there can be, where there is one."""
    least, most = metric.bounds or (-math.inf, math.inf)
    least = max(least, 0.0) if metric.better == "near 0" else least
    return (
        float(scale * least) if math.isfinite(least) else None,
        float(scale * most) if math.isfinite(most) else None,
    )


def _change(scale: float) -> None:
    """Write the rule beside the project; undo brings the other back."""
    drop, base, worst = (visit.typed(key) for key in (DROP, BASE, WORST))
    with visit.refusing():
        rule = AlertRule(drop, base, None if worst is None else tidy_number(worst / scale))
        state.change_track("set the alert rule", lambda plan: replace(plan, alert=rule))
