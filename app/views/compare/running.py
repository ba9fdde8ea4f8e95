"""Parts of the Compare page that do something: running methods, and saying what those on columns look at."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import parts
from app.words import duration, wording
from mandoline_core import MandolineError
from mandoline_core.data import kind_of

_LOOKS_EVERY = 1.0  # seconds
Seen = Mapping[compute.Pace, tuple[object, ...]]


def seen(workspace: Workspace) -> Seen:
    """Say what makes a page another: one more answer on the model on show, or a run that has begun or ended."""
    return {pace: _seen(workspace, pace) for pace in get_args(compute.Pace)}


def _seen(workspace: Workspace, pace: compute.Pace) -> tuple[object, ...]:
    run = compute.find_run(workspace, pace)
    return (len(compute.not_run(workspace, pace)), *(() if run is None else (run.running, run.stopping)))


def progress(workspace: Workspace, pace: compute.Pace, drawn: Seen) -> None:
    """Show how far methods are while they run, with a way to stop; offer to run those that wait."""
    run = compute.find_run(workspace, pace)
    error = None if run is None else run.take_error()
    if error is not None:
        raise error
    at_work = drawn[pace] != _seen(workspace, pace) or (run is not None and (run.running or run.stopping))
    looks = itertools.count()
    st.fragment(_panel, run_every=_LOOKS_EVERY if at_work else None)(workspace, pace, drawn[pace], looks)


def _panel(workspace: Workspace, pace: compute.Pace, drawn: tuple[object, ...], looks: Iterator[int]) -> None:
    """Draw the panel; once there is something else to see than was drawn, draw the whole page anew.

    At the first look the page is still being drawn, and is let finish.
    """
    if next(looks) and _seen(workspace, pace) != drawn:
        st.rerun()
    run = compute.find_run(workspace, pace)
    if run is not None and run.running:
        with st.container(border=True):
            st.progress(
                (run.done + run.share) / len(run.tasks),
                text=f"{wording.plain(run.current)}: {run.done + 1} of {len(run.tasks)}, {run.seconds:.0f} s so far",
            )
            st.button("Stop", key=f"stop_{pace}", icon=":material/stop_circle:", on_click=run.stop)
    elif pace == "slow" and compute.not_run(workspace, pace):
        title = f"Run the methods on columns ({duration(compute.expected_seconds(workspace))})"
        why = "They compare rows column by column, which takes longer, so they wait until you ask."
        _offer(workspace, pace, title, _ending(run) or why)
    elif pace == "quick" and compute.n_coming(workspace):
        _offer(workspace, pace, "Go on", _ending(run))


def _ending(run: compute.Run | None) -> str:
    if run is None or not run.stopped:
        return ""
    return f"{'It stops after the step at hand' if run.stopping else 'Stopped'}. What was done is kept."


def _offer(workspace: Workspace, pace: compute.Pace, title: str, why: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(title, key=f"run_{pace}", icon=":material/play_arrow:", on_click=_start, args=(workspace, pace))
        st.caption(why)


def _start(workspace: Workspace, pace: compute.Pace) -> None:
    compute.start(workspace, pace)


def method_settings(workspace: Workspace) -> None:
    """Say what the methods on columns look at, and how they are tuned."""
    with st.expander("What the methods on columns look at"):
        with parts.boundary():
            _columns(workspace)
            _scores(workspace)
        methods = workspace.project.methods
        left, right = st.columns(2)
        with left:
            _number("max_rows", "Most rows of each sample", methods.max_rows, "More rows take longer.", step=1000)
            _number(
                "width",
                "How far apart alike rows may be",
                methods.width,
                "For kernel matching and density ratios (the kernel's width). Empty: chosen from the data.",
            )
        with right:
            _number("box", "The most a row may count", methods.box, "Kernel matching only (its bound B).")
            _number(
                "tolerance",
                "How far rows may be from counting once on average",
                methods.tolerance,
                "Kernel matching only (its epsilon). Empty: from the number of rows.",
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
        help="Empty: every column but labels, answers and identifiers.",
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
    _wrong("features")


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
        help="For the classifier trained elsewhere: how likely a row is to be new, from 0 to below 1.",
    )
    _wrong("scores")


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
    _wrong(name)


def _key(name: str, value: object) -> str:
    return f"methods:{name}:{'empty' if value is None else 'set'}"


def _bind(name: str, value: object) -> str:
    """Bind a control that may be empty: an empty one is a control of its own, so that undo empties it again."""
    return visit.bind(_key(name, value), value)


def _choose(name: str, value: object, label: str) -> None:
    _set(name, visit.typed(_key(name, value)), label)


def _set(name: str, value: Any, label: str) -> None:
    """Write one setting into the project, or keep what is wrong with it beside its control."""
    try:
        compute.change(label, lambda project: replace(project, methods=replace(project.methods, **{name: value})))
    except MandolineError as error:
        visit.remember(f"wrong:{name}", error.sentence)
    else:
        visit.remember(f"wrong:{name}", "")


def _wrong(name: str) -> None:
    message = visit.remember(f"wrong:{name}")
    if message:
        st.error(wording.tell(message), icon=":material/error:")
