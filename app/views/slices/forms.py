"""The form of a slice, drawn from what its kind says: each control writes into the project, and says why it cannot."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import streamlit as st

from app import charts, compute
from app.project import Workspace, edits, state
from app.views import parts
from app.views.slices import renaming
from app.words import wording
from mandoline_core import MandolineError, Project, Sample, Slice
from mandoline_core.slices import FUNCTIONS, NUMBERS, Control, ExpressionError, fitting_columns


def edit_form(workspace: Workspace, rule: Slice) -> None:
    """Show the controls of a rule under its name; switches that follow each other share a line."""
    renaming.name_field(rule)
    for is_switch, group in groupby(rule.form(), lambda control: control.type == "switch"):
        with st.container(horizontal=is_switch):
            for control in group:
                _DRAWERS[control.type](workspace, rule, control)
    problem = state.remember(f"problem:{rule.name}")
    if problem:
        st.error(wording.tell(problem), icon=":material/error:")


def _write(name: str, key: str, field: str, read: Callable[[Any], Any], source: Sample) -> None:
    """Take what a widget holds into the rule, or remember why it cannot be."""
    value = state.typed(key)

    def edit(project: Project) -> Project:
        return edits.put_slice(project, name, edits.find_slice(project, name).edited(field, read(value), source))

    try:
        state.change(f"edit {name}", edit)
    except MandolineError as error:
        # An expression's mistake is shown below its box, at its place.
        state.remember(f"problem:{name}", "" if isinstance(error, ExpressionError) else error.sentence)
    else:
        state.remember(f"problem:{name}", "")


def _bound(
    workspace: Workspace,
    rule: Slice,
    control: Control,
    *,
    shown: Callable[[Any], Any] = lambda value: value,
    read: Callable[[Any], Any] = lambda given: given,
    among: Any = "",
) -> dict[str, Any]:
    """Return the arguments that tie a widget to a control.

    What there is to choose from goes into `among`: a widget that offers other things is another one, which starts
    from the project's value and not from the first thing it offers.
    """
    name = ":".join(["edit", rule.name, rule.kind, control.field, *([str(among)] if among else [])])
    key = state.bind(name, shown(control.value))
    args = (rule.name, key, control.field, read, compute.samples(workspace)[0])
    return {"label": control.label, "help": control.help, "key": key, "on_change": _write, "args": args}


def _with(options: list[str], now: str) -> list[str]:
    return options if now in options else [now, *options]


def _column(workspace: Workspace, rule: Slice, control: Control) -> None:
    fitting = fitting_columns(*compute.samples(workspace), control.need)
    st.selectbox(options=_with(fitting, control.value), **_bound(workspace, rule, control))


def _text(workspace: Workspace, rule: Slice, control: Control) -> None:
    st.text_input(**_bound(workspace, rule, control))


def _words(workspace: Workspace, rule: Slice, control: Control) -> None:
    bound = _bound(workspace, rule, control, shown=list) | {"help": None, "placeholder": control.help}
    st.multiselect(options=list(control.value), accept_new_options=True, **bound)


def _switch(workspace: Workspace, rule: Slice, control: Control) -> None:
    st.toggle(**_bound(workspace, rule, control))


def _choice(workspace: Workspace, rule: Slice, control: Control) -> None:
    bound = _bound(workspace, rule, control)
    st.radio(options=list(control.options), format_func=control.options.get, horizontal=True, **bound)


def _number(workspace: Workspace, rule: Slice, control: Control) -> None:
    limits: dict[str, Any] = {"min_value": control.low, "max_value": control.high, "step": control.step}
    st.number_input(**limits, **_bound(workspace, rule, control))


def _cut(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Show a slider from the least to the largest value, or from limit to limit; without either, a box."""
    low, high = _limits(workspace, control)
    if low is None or high is None or not low < high:
        st.number_input(**_bound(workspace, rule, control))
        return
    value = float(control.value)
    span = (min(low, value), max(high, value))
    whole = low.is_integer() and high.is_integer() and value.is_integer() and high - low > 10
    step = 1.0 if whole else (high - low) / 200
    among = (control.column or "", *span, step)
    bound = _bound(workspace, rule, control, shown=float, among=among)
    st.slider(min_value=span[0], max_value=span[1], step=step, **bound)


def _interval(workspace: Workspace, rule: Slice, control: Control) -> None:
    (low, high), ends = _limits(workspace, control), control.value
    span = (ends[0] if low is None else min(low, ends[0]), ends[1] if high is None else max(high, ends[1]))
    if span[0] == span[1]:  # a slider needs some room
        span = (span[0] - 1.0, span[1] + 1.0)
    bound = _bound(workspace, rule, control, among=(control.column, *span))
    st.slider(min_value=span[0], max_value=span[1], **bound)


def _limits(workspace: Workspace, control: Control) -> tuple[float | None, float | None]:
    if control.column is None:
        return control.low, control.high
    found = _numbers(workspace, control.column)
    return (None, None) if found is None else found[2:]


def _numbers(workspace: Workspace, column: str) -> tuple[Any, Any, float, float] | None:
    """Return the values of a column that holds numbers in both samples."""
    fits = column in fitting_columns(*compute.samples(workspace), NUMBERS)
    return compute.column_values(workspace, column) if fits else None


def _histogram(workspace: Workspace, rule: Slice, control: Control) -> None:
    column = str(control.column)
    values = _numbers(workspace, column)
    if values is not None:
        above, below = control.value
        figure = charts.histogram_with_cut(
            values[0], values[1], column=column, above=above, below=below, dark=parts.is_dark()
        )
        parts.chart(figure, f"cut:{rule.name}", alt=f"Values of {column} in both samples, with the cut")


def _values(workspace: Workspace, rule: Slice, control: Control) -> None:
    counts = compute.value_counts(workspace, str(control.column))
    names = {str(value): value for value in counts}
    chosen = [str(value) for value in control.value]
    options = [*names, *(name for name in chosen if name not in names)]

    def read(given: list[str]) -> tuple[Any, ...]:
        # A browser may send what a value was shown as before its count changed: that is no value.
        return tuple(names.get(name, name) for name in given if name in options)

    st.multiselect(
        options=options,
        format_func=lambda name: f"{name} ({counts[names[name]][0] if name in names else 0:,} labelled rows)",
        **_bound(workspace, rule, control, shown=lambda _: chosen, read=read, among=control.column),
    )


def _class(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Offer the classes that the model on show predicts, after the control's own options."""
    own = {name: value for value, name in control.options.items()}
    now = control.options.get(control.value, str(control.value))
    bound = _bound(workspace, rule, control, shown=lambda _: now, read=lambda given: own.get(given, given))
    st.selectbox(options=_with([*own, *compute.predicted_classes(workspace)], now), **bound)


def _expression(workspace: Workspace, rule: Slice, control: Control) -> None:
    bound = _bound(workspace, rule, control)
    st.text_area(height=100, **bound)
    parts.expression_is_sound(workspace, str(state.typed(bound["key"])))
    with st.popover("Functions and columns"):
        st.table({"function": list(FUNCTIONS), "what it gives": [str(use) for use in FUNCTIONS.values()]})
        shared = fitting_columns(*compute.samples(workspace), control.need)
        st.caption(wording.plain("Columns: " + ", ".join(shared)))


def _slices(workspace: Workspace, rule: Slice, control: Control) -> None:
    st.multiselect(options=_others(workspace, rule), **_bound(workspace, rule, control))


def _slice(workspace: Workspace, rule: Slice, control: Control) -> None:
    st.selectbox(options=_others(workspace, rule), **_bound(workspace, rule, control))


def _others(workspace: Workspace, rule: Slice) -> list[str]:
    return [other.name for other in workspace.project.slices if other.name != rule.name and not other.is_family]


def _note(workspace: Workspace, rule: Slice, control: Control) -> None:
    st.caption(control.label)


_DRAWERS: dict[str, Callable[[Workspace, Slice, Control], None]] = {
    "column": _column,
    "text": _text,
    "words": _words,
    "switch": _switch,
    "choice": _choice,
    "number": _number,
    "cut": _cut,
    "interval": _interval,
    "histogram": _histogram,
    "values": _values,
    "class": _class,
    "expression": _expression,
    "slices": _slices,
    "slice": _slice,
    "note": _note,
}
