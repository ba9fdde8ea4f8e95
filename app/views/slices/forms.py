"""One form for each kind of slice: each widget writes straight into the project, and says why when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from app import charts, compute
from app.project import Workspace, edits, state
from app.views import parts
from app.views.slices import renaming
from app.words import wording
from mandoline_core import MandolineError, Project, Sample, Slice
from mandoline_core.samples import kind_of
from mandoline_core.slices import FUNCTIONS, ExpressionError

Read = Callable[[Any], dict[str, Any]]


def edit_form(workspace: Workspace, rule: Slice) -> None:
    """Show the form that fits a rule, under its name."""
    renaming.name_field(rule)
    _FORMS[rule.kind](workspace, rule)
    problem = state.remember(f"problem:{rule.name}")
    if problem:
        st.error(wording.tell(problem), icon=":material/error:")


def _write(name: str, key: str, read: Read) -> None:
    """Take what a widget holds into the rule, or remember why it cannot be."""
    value = state.typed(key)

    def edit(rule: Slice) -> Slice:
        return replace(rule, **read(value))

    _change(name, edit)


def _move(name: str, key: str, source: Sample) -> None:
    """Put the rule on the column that was chosen."""
    _change(name, lambda rule: edits.on_column(rule, state.typed(key), source))


def _change(name: str, change: Callable[[Slice], Slice]) -> None:
    """Change a rule of the project, or remember why it cannot be."""

    def edit(project: Project) -> Project:
        return edits.put_slice(project, name, change(edits.find_slice(project, name)))

    try:
        state.change(f"edit {name}", edit)
    except MandolineError as error:
        # An expression's mistake is shown below its box, at its place.
        state.remember(f"problem:{name}", "" if isinstance(error, ExpressionError) else error.sentence)
    else:
        state.remember(f"problem:{name}", "")


def _bound(rule: Slice, field: str, value: Any, read: Read | None = None, *, among: Any = "") -> dict[str, Any]:
    """Return the arguments that tie a widget to a field of a rule.

    What there is to choose from goes into `among`: a widget that offers other things is another one, which starts
    from the project's value and not from the first thing it offers.
    """
    key = state.bind(":".join(["edit", rule.name, rule.kind, field, *([str(among)] if among else [])]), value)
    return {"key": key, "on_change": _write, "args": (rule.name, key, read or (lambda given: {field: given}))}


def _columns(workspace: Workspace, kind: str | None, now: str) -> list[str]:
    """List the columns that both samples have and that hold the right kind of values; the one in use always."""
    source, target = compute.samples(workspace)
    fit = [
        name
        for name in source.columns
        if name in target.columns and (kind is None or kind_of(source.schema[name]) == kind)
    ]
    return fit if now in fit else [now, *fit]


def _column(workspace: Workspace, rule: Any, kind: str | None) -> None:
    key = state.bind(f"edit:{rule.name}:{rule.kind}:column", rule.column)
    source, _ = compute.samples(workspace)
    options = _columns(workspace, kind, rule.column)
    st.selectbox("Column", options, key=key, on_change=_move, args=(rule.name, key, source))


def _keyword(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, "text")
    st.multiselect(
        "Words",
        list(rule.words),
        accept_new_options=True,
        placeholder="Type a word or phrase and press Enter",
        **_bound(rule, "words", list(rule.words), lambda words: {"words": tuple(words)}),
    )
    with st.container(horizontal=True):
        st.toggle("Whole words only", **_bound(rule, "whole_words", rule.whole_words))
        st.toggle("Match case", **_bound(rule, "case", rule.case))


def _regex(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, "text")
    st.text_input(
        "Pattern",
        help="A regular expression, without look-around or back-references, so that it runs in linear time.",
        **_bound(rule, "pattern", rule.pattern),
    )


def _threshold(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, "numbers")
    values = _numbers(workspace, rule.column)
    if values is None:
        _bounds(rule)
        return
    source, target, low, high = values
    _bounds(rule, low, high)
    figure = charts.histogram_with_cut(
        source, target, column=rule.column, above=rule.above, below=rule.below, dark=parts.is_dark()
    )
    parts.chart(figure, f"cut:{rule.name}", alt=f"Values of {rule.column} in both samples, with the cut")


def _numbers(workspace: Workspace, column: str) -> tuple[Any, Any, float, float] | None:
    source, target = compute.samples(workspace)
    if kind_of(source.schema[column]) != "numbers" or kind_of(target.schema[column]) != "numbers":
        return None
    return compute.column_values(workspace, column)


def _bounds(rule: Any, low: float | None = None, high: float | None = None) -> None:
    """Show one or two cuts: above, below, or both with abstention between."""
    ways = {"above": "Above a value", "below": "Below a value", "both": "Above one, below another; abstain between"}
    both = rule.above is not None and rule.below is not None
    now = "both" if both else "above" if rule.above is not None else "below"
    cut = rule.above if rule.above is not None else rule.below

    def way(chosen: str) -> dict[str, Any]:
        return {"above": cut if chosen != "below" else None, "below": cut if chosen != "above" else None}

    st.radio("Inside when", list(ways), format_func=ways.get, horizontal=True, **_bound(rule, "way", now, way))
    for field in ("above", "below"):
        value = getattr(rule, field)
        if value is None:
            continue
        label = f"{field.capitalize()}"
        if low is None or high is None or not low < high:
            st.number_input(label, **_bound(rule, field, value))
        else:
            span = (min(low, float(value)), max(high, float(value)))
            whole = low.is_integer() and high.is_integer() and float(value).is_integer() and high - low > 10
            step = 1.0 if whole else (high - low) / 200
            among = (getattr(rule, "column", ""), *span, step)
            st.slider(label, *span, step=step, **_bound(rule, field, float(value), among=among))


def _range(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, "numbers")
    values = _numbers(workspace, rule.column)
    if values is None or not values[2] < values[3]:
        st.number_input("From", **_bound(rule, "low", float(rule.low)))
        st.number_input("To", **_bound(rule, "high", float(rule.high)))
        return
    low, high = min(values[2], rule.low), max(values[3], rule.high)
    ends = (float(rule.low), float(rule.high))

    def read(given: tuple[float, float]) -> dict[str, Any]:
        return {"low": given[0], "high": given[1]}

    st.slider("From and to", low, high, **_bound(rule, "ends", ends, read, among=(rule.column, low, high)))


def _category(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, None)
    counts = compute.value_counts(workspace, rule.column)
    every = rule.values is None

    def one_each(on: bool) -> dict[str, Any]:
        return {"values": None if on else tuple(list(counts)[:1])}

    st.toggle("One slice for each value", **_bound(rule, "family", every, one_each))
    if every:
        return
    names = {str(value): value for value in counts}
    chosen = [str(value) for value in rule.values]
    options = [*names, *(name for name in chosen if name not in names)]

    def read(given: list[str]) -> dict[str, Any]:
        # A browser may send what a value was shown as before its count changed: that is no value.
        return {"values": tuple(names.get(name, name) for name in given if name in options)}

    st.multiselect(
        "Values",
        options,
        format_func=lambda name: f"{name} ({counts[names[name]][0] if name in names else 0:,} labelled rows)",
        **_bound(rule, "values", chosen, read, among=rule.column),
    )


def _flag(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, None)


def _length(workspace: Workspace, rule: Any) -> None:
    _column(workspace, rule, "text")
    st.radio("Counted in", ["words", "characters"], horizontal=True, **_bound(rule, "unit", rule.unit))
    _bounds(rule)


def _overlap(workspace: Workspace, rule: Any) -> None:
    options = _columns(workspace, "text", rule.columns[0])
    for i, label in enumerate(("First text", "Second text")):

        def read(given: str, place: int = i) -> dict[str, Any]:
            return {"columns": (given, rule.columns[1]) if place == 0 else (rule.columns[0], given)}

        st.selectbox(label, options, **_bound(rule, f"columns{i}", rule.columns[i], read))
    st.caption("The share of the second text's words that are found in the first.")
    _bounds(rule, 0.0, 1.0)


def _entropy(workspace: Workspace, rule: Any) -> None:
    every = rule.buckets is not None

    def family(on: bool) -> dict[str, Any]:
        return {"buckets": 6, "low": None, "high": None} if on else {"buckets": None, "low": 0.5, "high": 0.7}

    st.toggle("Equal buckets, one slice each", **_bound(rule, "family", every, family))
    if every:
        st.number_input("Buckets", min_value=2, max_value=50, **_bound(rule, "buckets", rule.buckets))
        return
    for field, label in (("low", "From (nats)"), ("high", "Up to (nats)")):
        st.number_input(label, step=0.05, **_bound(rule, field, getattr(rule, field)))


def _prediction(workspace: Workspace, rule: Any) -> None:
    classes = compute.predicted_classes(workspace)
    every = "(one slice for each class)"
    now = every if rule.value is None else str(rule.value)
    st.selectbox(
        "Predicted class",
        [every, *classes],
        **_bound(rule, "value", now, lambda given: {"value": None if given == every else given}),
    )


def _confidence(workspace: Workspace, rule: Any) -> None:
    st.caption("The model's largest class probability.")
    _bounds(rule, 0.0, 1.0)


def _expression(workspace: Workspace, rule: Any) -> None:
    st.text_area(
        "Expression",
        height=100,
        help="Columns by name, numbers, texts in quotes, and, or, not, comparisons, in (...).",
        **_bound(rule, "text", rule.text),
    )
    parts.expression_is_sound(workspace, str(state.typed(f"edit:{rule.name}:{rule.kind}:text")))
    with st.popover("Functions and columns"):
        st.table({"function": list(FUNCTIONS), "what it gives": [str(use) for use in FUNCTIONS.values()]})
        st.caption(wording.plain("Columns: " + ", ".join(_shared(compute.samples(workspace)))))


def _shared(samples: tuple[Sample, Sample]) -> list[str]:
    return [name for name in samples[0].columns if name in samples[1].columns]


def _combination(workspace: Workspace, rule: Any) -> None:
    others = [other.name for other in workspace.project.slices if other.name != rule.name and not other.is_family]
    if rule.kind == "not":
        st.selectbox("Of", others, **_bound(rule, "of", rule.of[0], lambda given: {"of": (given,)}))
    else:
        st.multiselect("Of", others, **_bound(rule, "of", list(rule.of), lambda given: {"of": tuple(given)}))


_FORMS: dict[str, Callable[[Workspace, Any], None]] = {
    "keyword": _keyword,
    "regex": _regex,
    "threshold": _threshold,
    "range": _range,
    "category": _category,
    "flag": _flag,
    "missing": _flag,
    "length": _length,
    "overlap": _overlap,
    "entropy": _entropy,
    "prediction": _prediction,
    "confidence": _confidence,
    "expression": _expression,
    "all": _combination,
    "any": _combination,
    "not": _combination,
}
