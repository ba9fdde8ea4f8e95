"""Which column is what: controls for metric, label, predictions and probabilities; problems next to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, count, product
from typing import Any

import streamlit as st

from app import compute
from app.project import Workspace, imports, state, visit
from app.views import parts
from app.views.data import class_merges
from app.words import wording
from mandoline_core import METRICS, Model, Project, Sample
from mandoline_core.data import class_name
from mandoline_core.formatting import counted
from mandoline_core.metrics import get_metric, merged_name
from mandoline_core.project import choose_models

NONE = "(none)"
DESIGN = {
    "group": "Rows with the same value belong together, such as those of one user. Intervals and splits go by group.",
    "weight": "How much each row counts, such as 1 over its sampling probability (design weight). Only ratios matter.",
}
STEPS = {"beta": 0.5, "quantile": 0.05, "k": 1}  # of the numbers that a metric may read


def show(workspace: Workspace) -> None:
    """Let the user say which column is what; what cannot be is said next to it. The data must be there."""
    source, target = compute.plain_samples(workspace)
    project = workspace.project
    st.markdown("**Column roles**")
    metric, label, predictions = st.columns(3)
    with metric:
        metric_controls(project, source)
    with label:
        st.selectbox(
            "Label",
            [NONE, *source.columns],
            key=visit.bind("role_label", project.label or NONE),
            on_change=attempt,
            args=("role_label", "change label", set_label),
            help="The column of true classes in the labelled data.",
        )
        problem("role_label")
    with predictions:
        shared = [column for column in source.columns if column in target.columns]
        chosen = [model.prediction for model in project.models if model.prediction is not None]
        st.multiselect(
            "Predictions (one column per model)",
            list(dict.fromkeys([*shared, *chosen])),
            key=visit.bind("role_predictions", chosen),
            on_change=attempt,
            args=("role_predictions", "change predictions", set_predictions),
            help="Columns of both files.",
        )
        problem("role_predictions")
    design_controls(project, source, target)
    probability_controls(workspace, source)
    class_merges.show(workspace)


def metric_controls(project: Project, source: Sample) -> None:
    """Choose what is estimated."""
    st.selectbox(
        "Metric",
        list(METRICS),
        key=visit.bind("role_metric", project.metric.name),
        help="\n".join(f"- {name}: {metric.title}" for name, metric in METRICS.items()),
        on_change=attempt,
        args=("role_metric", "change metric", set_metric),
    )
    problem("role_metric")
    if project.metric.column is not None or visit.typed("role_metric") == "mean":
        numbers = [column for column in source.columns if source.schema[column].is_numeric()]
        st.selectbox(
            "Column to average",
            list(dict.fromkeys([*numbers, *([project.metric.column] if project.metric.column else [])])),
            key=visit.bind("role_column", project.metric.column),
            index=None,
            on_change=attempt,
            args=("role_column", "change metric", set_metric),
        )
        problem("role_column")

    for name in get_metric(project.metric).reads:
        st.number_input(
            name.capitalize(),
            value=None,
            step=STEPS[name],
            key=visit.bind(f"role_{name}", type(STEPS[name])(getattr(project.metric, name))),
            on_change=attempt,
            args=(f"role_{name}", "change metric", set_metric_setting(name)),
        )
        problem(f"role_{name}")
    if get_metric(project.metric).about_one:
        now = NONE if project.metric.positive is None else class_name(project.metric.positive)
        classes = [merged_name(name, project.metric.merge) for name in compute.source_classes(state.workspace())]
        st.selectbox(
            "Positive class",
            list(dict.fromkeys([NONE, *classes, now])),
            key=visit.bind("role_positive", now),
            format_func=lambda name: "average over classes" if name == NONE else wording.plain(name),
            on_change=attempt,
            args=("role_positive", "change metric", set_positive),
            help="One class, or the mean over all classes.",
        )
        problem("role_positive")


def design_controls(project: Project, source: Sample, target: Sample) -> None:
    """Choose what rows belong together by, and how much each counts, in each sample."""
    sides = ("source", "labelled data", source), ("target", "new data", target)
    for place, (role, (side, words, sample)) in zip(st.columns(4), product(DESIGN, sides), strict=True):
        now, key = getattr(project, f"{side}_{role}") or NONE, f"role_{role}_{side}"
        columns = [column for column in sample.columns if role == "group" or sample.schema[column].is_numeric()]
        with place:
            st.selectbox(
                f"{role.capitalize()} ({words})",
                list(dict.fromkeys([NONE, *columns, now])),
                key=visit.bind(key, now),
                on_change=attempt,
                args=(key, f"change {role}", set_design(side, role)),
                help=DESIGN[role],
            )
            problem(key)


def probability_controls(workspace: Workspace, source: Sample) -> None:
    """Choose the column of each class's probability, model by model."""
    numbers = [column for column in source.columns if source.schema[column].is_numeric()]
    for model in workspace.project.models:
        said = (
            counted(len(model.probabilities), "column")
            if model.probabilities
            else "none (entropy and confidence slices need them)"
        )
        with st.expander(f"Probabilities of {wording.plain(model.name)}: {said}"):
            # A row at a time, so that a phone shows them in order.
            places = chain.from_iterable(st.columns(4) for _ in count())
            for class_, column in zip(compute.classes(workspace, model), places, strict=False):
                now = model.probabilities.get(class_, NONE)
                key = f"role_probability:{model.name}:{class_}"
                column.selectbox(
                    f"Probability of {wording.plain(class_)}",
                    list(dict.fromkeys([NONE, *numbers, now])),
                    key=visit.bind(key, now),
                    on_change=attempt,
                    args=(key, "change probabilities", set_probability(model.name, class_, key)),
                )
                with column:
                    problem(key)


def attempt(key: str, label: str, edit: Callable[[Project], Project]) -> None:
    """Change the project, or remember next to the control why that is impossible."""
    samples = compute.plain_samples(state.workspace())

    def checked(project: Project) -> Project:
        changed = edit(project)
        imports.check_roles(changed, *samples)
        return changed

    parts.change_beside("role", label, checked, key)


def problem(key: str) -> None:
    """Show what is wrong with a control's value, next to it, for as long as it has that value."""
    # One place for all roles: what is wrong with one of them, such as a metric without its column, another may mend.
    refused = visit.remember("refused:role")
    if refused and key in refused[1]:
        parts.show_refusal("role")


def set_label(project: Project) -> Project:
    """Take the label that was chosen."""
    chosen = visit.typed("role_label")
    return replace(project, label=None if chosen == NONE else chosen)


def set_design(side: str, role: str) -> Callable[[Project], Project]:
    """Make the edit that takes the column of groups or of weights that was chosen for a sample."""

    def edit(project: Project) -> Project:
        chosen = visit.typed(f"role_{role}_{side}")
        change: dict[str, Any] = {f"{side}_{role}": None if chosen == NONE else str(chosen)}
        return replace(project, **change)

    return edit


def set_predictions(project: Project) -> Project:
    """Take the prediction columns that were chosen; a new one brings the probabilities that go by its name.

    What someone else has chosen in the meantime stays chosen.
    """
    source, target = compute.plain_samples(state.workspace())
    now = [model.prediction for model in project.models if model.prediction is not None]
    chosen = merged(visit.shown("role_predictions") or now, visit.typed("role_predictions"), now)
    models = choose_models(source, target.columns, project.label, chosen, project.models)
    return replace(project, models=(*(model for model in project.models if model.prediction is None), *models))


def merged(before: Sequence[str], after: Sequence[str], now: Sequence[str]) -> list[str]:
    """Apply what was added to a list and removed from it to what the list has become in the meantime.

    >>> merged(before=["a", "b"], after=["b", "c"], now=["a", "b", "d"])
    ['b', 'd', 'c']
    """
    return [one for one in now if one in after or one not in before] + [
        one for one in after if one not in (*before, *now)
    ]


def set_metric(project: Project) -> Project:
    """Take the metric that was chosen, with its column if it averages one."""
    name = visit.typed("role_metric")
    column = visit.typed("role_column") if name == "mean" else None
    return replace(project, metric=replace(project.metric, name=name, column=column))


def set_metric_setting(name: str) -> Callable[[Project], Project]:
    """Make the edit that takes a number which the metric reads."""
    return lambda project: replace(project, metric=replace(project.metric, **{name: visit.typed(f"role_{name}")}))


def set_positive(project: Project) -> Project:
    """Take the class that the metric is about."""
    chosen = visit.typed("role_positive")
    return replace(project, metric=replace(project.metric, positive=None if chosen == NONE else chosen))


def set_probability(name: str, class_: str, key: str) -> Callable[[Project], Project]:
    """Make the edit that takes the column chosen for one class of one model."""

    def changed(model: Model) -> Model:
        column = visit.typed(key)
        others = {other: found for other, found in model.probabilities.items() if other != class_}
        return replace(model, probabilities=others if column == NONE else {**others, class_: column})

    def edit(project: Project) -> Project:
        return replace(project, models=tuple(changed(m) if m.name == name else m for m in project.models))

    return edit
