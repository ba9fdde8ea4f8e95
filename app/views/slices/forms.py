"""The form of a slice, drawn from what its kind says: each control writes into the project, and says why it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import offers, parts
from app.views.slices import drags, names_of
from app.words import wording
from mandoline_core import Keyword, MandolineError, Project, Sample, Slice
from mandoline_core.data import from_milliseconds, moment, read_date
from mandoline_core.formatting import tidy_number
from mandoline_core.slices import FUNCTIONS, ORDERED, Control, Scale, fitting_columns

_BOX = 150  # pixels; room for a number and its two buttons
_ENDS = ("From", "To")
_MOST_COUNTED = 40  # words whose rows are shown
_NOTE = Control("text", "note", "Slice note", help="Shown in the report.")


def edit_form(workspace: Workspace, rule: Slice) -> None:
    """Show the controls of a rule under its name, and why it is there; switches that follow each other share a line."""
    name_field(rule)
    for is_switch, group in groupby(rule.form(), lambda control: control.type == "switch"):
        if is_switch:
            _switches(workspace, rule, list(group))
            continue
        for control in group:
            _DRAWERS[control.type](workspace, rule, control)
            _refusal(rule, control)
    st.text_input(**_bound(workspace, rule, replace(_NOTE, value=rule.note)))
    _refusal(rule, _NOTE)


def _write(
    name: str, key: str, field: str, read: Callable[[Any], Any], source: Sample, twins: tuple[str, ...] = ()
) -> None:
    """Take what a widget holds into the rule, or remember why it cannot be.

    With every move the browser sends what all controls hold. When a move comes before the answer to the last one, the
    twins of the control still hold the value of before, as if it had been typed: they are made again, and what comes
    from one that was made again is ignored.
    """
    drags.go_on(key)
    if not twins or key == visit.renewable(twins[0]):
        _take(name, key, field, read, source, twins, visit.typed(key))


def _take(
    name: str, key: str, field: str, read: Callable[[Any], Any], source: Sample, twins: tuple[str, ...], value: Any
) -> None:
    """Take a value into the rule. A name that was made from the rule changes with it, also in the middle of a drag."""
    for other in twins[1:]:
        visit.renew(other)
    workspace = state.workspace()
    names = [rule.name for rule in workspace.project.slices]
    name, first = names_of.now(name, names), names_of.first(name)

    def edit(project: Project) -> Project:
        return edits.write_field(project, name, field, read(value), source)

    if parts.change_beside(f"{first}:{field}", names_of.label(name, workspace.revision), edit, key):
        renamed = [rule.name for rule in state.workspace().project.slices if rule.name not in names]
        names_of.follow(name, *renamed[:1])


def _refusal(rule: Slice, control: Control) -> None:
    """Say below a control why what it holds is not in use, for as long as it holds it."""
    if parts.show_refusal(f"{names_of.first(rule.name)}:{control.field}"):
        st.caption("Not applied: the estimate uses the last valid value.")


def _bound(
    workspace: Workspace,
    rule: Slice,
    control: Control,
    *,
    shown: Callable[[Any], Any] = lambda value: value,
    read: Callable[[Any], Any] = lambda given: given,
    among: Any = "",
    twins: tuple[Any, ...] = (),
) -> dict[str, Any]:
    """Return the arguments that tie a widget to a control.

    What there is to choose from goes into `among`: a widget that offers other things is another one, which starts
    from the project's value and not from the first thing it offers. The `twins` are what other widgets of the same
    value are among.
    """

    def called(among: Any) -> str:
        found = ["edit", names_of.first(rule.name), rule.kind, control.field]
        return ":".join([*found, *([str(among)] if among else [])])

    own, *others = map(called, (among, *twins))
    key = visit.bind(visit.renewable(own) if others else own, shown(control.value))
    args = (rule.name, key, control.field, read, compute.samples(workspace)[0], (own, *others) if others else ())
    return {"label": control.label, "help": control.help, "key": key, "on_change": _write, "args": args}


def _with(options: list[str], now: str) -> list[str]:
    return options if now in options else [now, *options]


def _column(workspace: Workspace, rule: Slice, control: Control) -> None:
    fitting = fitting_columns(*compute.samples(workspace), control.need)
    st.selectbox(options=_with(fitting, control.value), **_bound(workspace, rule, control))


def _columns(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Offer every column that a rule may read, but for the label."""
    source, target = compute.samples(workspace)
    options = [column for column in fitting_columns(source, target, control.need) if column != source.label]
    st.multiselect(options=options, **_bound(workspace, rule, control, shown=list))


def _words(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Show the words with the rows that have each; more are typed one by one, or pasted as a list."""
    bound = _bound(workspace, rule, control, shown=list) | {"help": None, "placeholder": control.help}
    st.multiselect(options=list(control.value), accept_new_options=True, **bound)
    with st.popover("Paste a list", icon=":material/content_paste:"):
        pasted = Control("words", control.field, "Words, one per line or separated by commas", "")
        more = _bound(workspace, rule, pasted, read=lambda given: [*control.value, given], among="pasted")
        st.text_area(**more | {"on_change": _paste})
    if isinstance(rule, Keyword):
        _word_counts(workspace, rule)


def _paste(name: str, key: str, *more: Any) -> None:
    _write(name, key, *more)
    if not visit.remember(f"refused:{names_of.first(name)}:{more[0]}"):
        visit.empty(key)


def _word_counts(workspace: Workspace, rule: Keyword) -> None:
    """Say how many rows have each word, and which word none has."""
    told = [
        f"**{wording.plain(word)}** {counts[0]:,} labelled, {counts[1]:,} new"
        if any(counts)
        else f":orange[**{wording.plain(word)}** matches nothing]"
        for word, counts in compute.word_counts(workspace, rule, _MOST_COUNTED).items()
    ]
    rest = len(rule.words) - len(told)
    st.caption("Rows with each word: " + "; ".join(told) + (f"; and {rest:,} more words." if rest else "."))


def _switches(workspace: Workspace, rule: Slice, controls: list[Control]) -> None:
    with st.container(horizontal=True):
        for control in controls:
            st.toggle(**_bound(workspace, rule, control))
    for control in controls:
        _refusal(rule, control)


def _choice(workspace: Workspace, rule: Slice, control: Control) -> None:
    bound = _bound(workspace, rule, control)
    st.radio(options=list(control.options), format_func=control.options.get, horizontal=True, **bound)


def _number(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Show a box within limits; without a step, for whole numbers."""
    limits: dict[str, Any] = {"min_value": control.low, "max_value": control.high, "step": control.step}
    look: dict[str, Any] = {} if control.step is None else {"format": "%g"}
    st.number_input(value=None, **limits, **look, **_bound(workspace, rule, control, read=_tidied))


def _cut(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Show a slider over the column, or from limit to limit, with a box next to it; without either, the box."""
    if isinstance(control.value, str):
        _calendar(workspace, rule, control)
        return
    scale = _scale(workspace, control, control.value)
    if scale is None:
        _box(workspace, rule, control, control.label, step=control.step)
        return
    place, label = (control.column or "", scale), f"{control.label}, as a number"
    bound = _bound(workspace, rule, control, shown=float, read=_tidied, among=place, twins=(label,))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(**_ends(scale), **bound)
        drags.follow(bound["key"], partial(_take, *bound["args"]))
        _box(workspace, rule, control, label, step=scale.step, slider=place)


def _interval(workspace: Workspace, rule: Slice, control: Control) -> None:
    """Show a slider with two ends, and a box for each; for dates, two calendars."""
    if isinstance(control.value[0], str):
        with st.container(horizontal=True):
            for place, label in enumerate(_ENDS):
                one = Control("cut", control.field, label, control.value[place], column=control.column)
                _calendar(workspace, rule, one, read=partial(_with_date, control.value, place))
        return
    scale = _scale(workspace, control, *control.value)
    if scale is not None:
        ends = _bound(
            workspace,
            rule,
            control,
            shown=lambda value: tuple(map(float, value)),
            read=lambda given: tuple(map(_tidied, given)),
            among=(control.column, scale),
            twins=_ENDS,
        )
        st.slider(**_ends(scale), **ends)
    step = None if scale is None else scale.step
    with st.container(horizontal=True):
        for place, label in enumerate(_ENDS):
            one = Control("cut", control.field, label, control.value[place])
            read, slider = partial(_with_end, control.value, place), scale and (control.column, scale)
            _box(workspace, rule, one, label, step=step, slider=slider, beside=False, read=read)


def _calendar(
    workspace: Workspace, rule: Slice, control: Control, read: Callable[[Any], Any] = lambda given: given
) -> None:
    """Show a calendar; where the rule has a time of day, with the clock."""
    timed = " " in control.value
    bound = _bound(workspace, rule, control, shown=read_date, read=read, among=(control.label, control.column, timed))
    _, _, low, high = compute.column_values(workspace, str(control.column))
    ends = [from_milliseconds(low), from_milliseconds(high), moment(read_date(control.value) or date.today())]
    limits: dict[str, Any] = {"min_value": min(ends), "max_value": max(ends)}
    if not timed:
        limits = {key: end.date() for key, end in limits.items()}
    (st.datetime_input if timed else st.date_input)(value=None, format="YYYY-MM-DD", **limits, **bound)


def _with_date(ends: tuple[Any, Any], place: int, given: date) -> tuple[Any, Any]:
    """Replace one end by a date."""
    return (given, ends[1]) if place == 0 else (ends[0], given)


def _with_end(ends: tuple[float, float], place: int, given: Any) -> tuple[Any, Any]:
    """Replace one end by a number."""
    return (_tidied(given), ends[1]) if place == 0 else (ends[0], _tidied(given))


def _box(
    workspace: Workspace,
    rule: Slice,
    control: Control,
    label: str,
    *,
    step: float | None,
    slider: Any = None,
    beside: bool | None = None,
    read: Callable[[Any], Any] | None = None,
) -> None:
    """Show a box for any number, which shows all its digits; beside a slider, without its label.

    Parameters
    ----------
    slider : optional
        What the slider of the same value is among.
    """
    beside, twins = slider is not None if beside is None else beside, () if slider is None else (slider,)
    bound = _bound(workspace, rule, control, shown=float, read=read or _tidied, among=label, twins=twins)
    bound |= {"label": label}
    look: dict[str, Any] = {"label_visibility": "collapsed", "width": _BOX} if beside else {}
    st.number_input(value=None, step=float(step or 1), format="%g", **look, **bound)


def _tidied(value: float | None) -> float | None:
    return None if value is None else tidy_number(value)


def _ends(scale: Scale) -> dict[str, Any]:
    """Return the arguments that give a slider its scale; a value between two steps stays where it is."""
    ends = {"min_value": float(scale.low), "max_value": float(scale.high), "step": float(scale.step)}
    return {**ends, "format": "%g"}


def _scale(workspace: Workspace, control: Control, *values: float) -> Scale | None:
    """Choose round numbers for a control, with room for what it holds."""
    if control.column is not None:
        found = compute.scale(workspace, control.column)
    elif control.low is None or control.high is None:
        found = None
    else:
        found = Scale.between(control.low, control.high)
    return None if found is None else found.around(*values)


def _histogram(workspace: Workspace, rule: Slice, control: Control) -> None:
    column = str(control.column)
    if column in fitting_columns(*compute.samples(workspace), ORDERED):
        alt = f"Values of {column} in labelled and new data, with the cut"
        offers.histogram(workspace, column, control.value, f"cut:{rule.name}", alt=alt)


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
    st.text_area(height=100, **_bound(workspace, rule, control))
    with st.popover("Functions and columns"):
        st.table({"function": list(FUNCTIONS), "result": [str(use) for use in FUNCTIONS.values()]})
        shared = fitting_columns(*compute.samples(workspace), control.need)
        st.caption(wording.plain("Columns: " + ", ".join(shared)))


def _others(workspace: Workspace, rule: Slice) -> list[str]:
    return [other.name for other in workspace.project.slices if other.name != rule.name and not other.is_family]


_DRAWERS: dict[str, Callable[[Workspace, Slice, Control], object]] = {
    "column": _column,
    "columns": _columns,
    "text": lambda workspace, rule, control: st.text_input(**_bound(workspace, rule, control)),
    "words": _words,
    "choice": _choice,
    "number": _number,
    "cut": _cut,
    "interval": _interval,
    "histogram": _histogram,
    "values": _values,
    "class": _class,
    "expression": _expression,
    "slices": lambda workspace, rule, control: st.multiselect(
        options=_others(workspace, rule), **_bound(workspace, rule, control)
    ),
    "slice": lambda workspace, rule, control: st.selectbox(
        options=_others(workspace, rule), **_bound(workspace, rule, control)
    ),
    "note": lambda _workspace, _rule, control: st.caption(control.label),
}


def name_field(rule: Slice) -> None:
    """Show a slice's name as a field; a name that cannot be is refused under it."""
    key = visit.bind(f"name:{rule.name}", rule.name)
    st.text_input(
        "Name",
        key=key,
        on_change=_take_name,
        args=(rule.name, key),
        help="Pairs and combinations use the new name.",
    )
    parts.show_refusal(key)


def rename(name: str, new: str) -> None:
    """Rename a slice in the project, and in what this visitor has open and in order."""
    workspace = compute.current()
    try:
        members = compute.members(workspace)
    except MandolineError:
        members = {}  # some rule cannot be evaluated, which is shown where the slices are
    edits.check_members(members, name, new)
    compute.change(f"rename {name}", lambda project: edits.rename_slice(project, name, new))
    visit.remember("editing", new)
    order = workspace.revision.document.get("order")
    if order and name in order:
        state.look(order=[new if one == name else one for one in order])


def _take_name(name: str, key: str) -> None:
    try:
        rename(name, str(visit.typed(key)).strip())
    except MandolineError as error:
        parts.note_refusal(key, error, key)
