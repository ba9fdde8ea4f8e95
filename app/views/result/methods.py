"""How far methods are, a way to run or stop them, and what those on columns look at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import parts
from app.words import duration, wording
from mandoline_core.data import kind_of

Seen = tuple[object, ...]


def seen(workspace: Workspace, pace: compute.Pace) -> Seen:
    """Say what makes a page another: one more answer on the model on show, or a job that has begun or ended."""
    job = compute.comparison_job(workspace, pace)
    return (len(compute.not_run(workspace, pace)), *(() if job is None else (job.running, job.stopping)))


def progress(workspace: Workspace, pace: compute.Pace, drawn: Seen) -> None:
    """Show how far methods are while they run, with a way to stop; offer to run those that wait."""
    job = compute.comparison_job(workspace, pace)
    parts.show_job_error(job)
    if drawn != seen(workspace, pace) or (job is not None and (job.running or job.stopping)):
        parts.job_panel(
            lambda: compute.comparison_job(workspace, pace), pace, seen=lambda: seen(workspace, pace), drawn=drawn
        )
    if job is not None and job.running:
        return
    start = partial(compute.start_comparison, workspace, pace)
    if pace == "slow" and compute.not_run(workspace, pace):
        title = f"Run the methods on columns ({duration(compute.expected_seconds(workspace))})"
        parts.offer_job(job, title, pace, start)
    elif pace == "quick" and compute.n_coming(workspace):
        parts.offer_job(job, "Resume", pace, start)


def method_settings(workspace: Workspace) -> None:
    """Say what the methods on columns look at, and how they are tuned."""
    with st.expander("Settings of the methods on columns"):
        with parts.boundary():
            _columns(workspace)
            _scores(workspace)
        methods = workspace.project.methods
        left, right = st.columns(2)
        with left:
            _number("max_rows", "Maximum rows", methods.max_rows, "Of each dataset. More rows take longer.", step=1000)
            _number(
                "width",
                "Kernel width",
                methods.width,
                "For kernel mean matching and density ratios. Empty: chosen from the data.",
            )
        with right:
            _number("box", "Maximum weight", methods.box, "For kernel mean matching (bound B).")
            _number(
                "tolerance",
                "Tolerance of the mean weight",
                methods.tolerance,
                "For kernel mean matching (epsilon). Empty: from the number of rows.",
            )


def _columns(workspace: Workspace) -> None:
    defaults, left_out = compute.feature_columns(workspace)
    source, target = compute.samples(workspace)
    chosen = workspace.project.methods.features
    both = [column for column in source.columns if column in target.columns]
    options = list(dict.fromkeys([*both, *chosen]))
    st.multiselect(
        "Columns",
        options,
        key=visit.bind("methods:features", list(chosen or defaults)),
        on_change=_choose_columns,
        args=(defaults,),
        help="Empty: all columns except labels, predictions and identifiers.",
    )
    for column in chosen:
        if column not in both:
            side = source.name if column not in source.columns else target.name
            st.error(f"Column {wording.plain(column)} is not in {wording.plain(side)}. Choose others.")
    reasons: dict[str, list[str]] = {}
    for column, why in left_out.items():
        reasons.setdefault(why, []).append(column)
    if reasons and not chosen:
        said = [f"{', '.join(columns)} ({why})" for why, columns in reasons.items()]
        st.caption(f"Left out: {wording.plain(', '.join(said))}.")
    parts.show_refusal("methods:features")


def _choose_columns(defaults: tuple[str, ...]) -> None:
    picked = tuple(visit.typed("methods:features"))
    _set("features", () if set(picked) == set(defaults) else picked, "choose columns")


def _scores(workspace: Workspace) -> None:
    source, _ = compute.samples(workspace)
    now = workspace.project.methods.scores
    numeric = [column for column, dtype in source.schema.items() if kind_of(dtype) == "numbers"]
    st.selectbox(
        "Column of scores",
        list(dict.fromkeys([*numeric, *([now] if now is not None else [])])),
        index=None,
        placeholder="none",
        key=_bind("scores", now),
        on_change=_choose,
        args=("scores", now, "choose the column of scores"),
        help="For your own domain classifier: the probability that a row is new, from 0 to below 1.",
    )
    parts.show_refusal("methods:scores")


def _number(name: str, label: str, value: float | None, meaning: str, *, step: int | None = None) -> None:
    st.number_input(
        label,
        value=None,
        key=_bind(name, value),
        step=step,
        format=None if step is not None else "%g",
        placeholder="from the data",
        help=meaning,
        on_change=_choose,
        args=(name, value, f"set {label[:1].lower()}{label[1:]}"),
    )
    parts.show_refusal(f"methods:{name}")


def _key(name: str, value: object) -> str:
    return f"methods:{name}:{'empty' if value is None else 'set'}"


def _bind(name: str, value: object) -> str:
    """Bind a control that may be empty: an empty one is a control of its own, so that undo empties it again."""
    return visit.bind(_key(name, value), value)


def _choose(name: str, value: object, label: str) -> None:
    _set(name, visit.typed(_key(name, value)), label)


def _set(name: str, value: Any, label: str) -> None:
    """Write one setting into the project, or keep what is wrong with it next to its control."""
    parts.change_beside(
        f"methods:{name}", label, lambda project: replace(project, methods=replace(project.methods, **{name: value}))
    )
