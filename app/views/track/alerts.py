"""The alert rule: how much worse is too much, or which score is; as the command line has it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app.project import Workspace, state, track_plan, visit
from app.words import track as words
from mandoline_core.formatting import tidy_number
from mandoline_core.metrics import get_metric
from mandoline_core.monitoring import BASES, LEVELS, AlertRule

DROP, BASE, WORST, VERDICT, FALSE = "alert_drop", "alert_base", "alert_worst", "alert_verdict", "alert_false"


def show(workspace: Workspace) -> None:
    """Let the user say when to alert; who may only look is told."""
    metric = get_metric(workspace.project.metric)
    plan, threshold = track_plan.plan_of(workspace.revision.document), workspace.project.decision.threshold
    if workspace.view_only:
        st.caption(words.rule_sentence(track_plan.alert_of(plan, metric, threshold), metric))
        return
    now = track_plan.alert_of(plan, metric) or AlertRule()
    scale = 100 if metric.share else 1
    worst = None if now.worst is None else float(tidy_number(scale * now.worst))
    least, most = words.limits(metric, scale)
    drop, base, floor = st.columns([4, 3, 4], vertical_alignment="bottom")
    bound: dict[str, Any] = {"on_change": _change, "args": (scale,)}
    box: dict[str, Any] = {
        "step": 1.0 if metric.share else None,
        "format": "%g",
        "value": None,
        "placeholder": "never",
        **bound,
    }
    drop.number_input(words.drop_label(metric), min_value=0.0, key=visit.bind(DROP, now.drop), **box)
    key = visit.bind(BASE, now.base)
    base.selectbox("Worse than", BASES, format_func=words.BASES.__getitem__, key=key, **bound)
    key = visit.bind(WORST, worst)
    floor.number_input(
        words.worst_label(metric),
        min_value=least,
        max_value=most,
        key=key,
        **box | {"placeholder": words.threshold_hint(threshold, scale)},
    )
    verdict, chance = st.columns([4, 7], vertical_alignment="bottom")
    key = visit.bind(VERDICT, now.verdict)
    levels = LEVELS[LEVELS.index("amber") :]  # at a better level there is nothing to alert
    verdict.selectbox(
        "Alert on verdict", levels, index=None, placeholder="never", format_func=words.verdict_choice, key=key, **bound
    )
    if metric.better == "near 0":
        return
    share = None if now.false_alarms is None else float(tidy_number(100 * now.false_alarms))
    key = visit.bind(FALSE, share)
    chance.number_input(
        words.FALSE_ALARMS, min_value=0.1, max_value=50.0, key=key, help=words.FALSE_ALARMS_HELP, **box | {"step": 1.0}
    )


def _change(scale: float) -> None:
    """Write the rule next to the project; undo brings the other back."""
    drop, base, worst, verdict, false = (visit.typed(key) for key in (DROP, BASE, WORST, VERDICT, FALSE))
    with visit.refusing():
        limit = None if worst is None else tidy_number(worst / scale)
        rule = AlertRule(drop, base, limit, verdict, None if false is None else tidy_number(false / 100))
        state.change_track("set the alert rule", lambda plan: replace(plan, alert=rule))
