"""Which column is what: controls for metric, label, predictions and probabilities; problems beside each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from app import compute
from app.project import Workspace, imports, state, visit
from app.views import parts
from app.views.data import class_merges
from app.words import wording
from mandoline_core import METRICS, Model, Project, Sample
from mandoline_core.data import class_name
from mandoline_core.metrics import get_metric, merged_name
from mandoline_core.project import choose_models

NONE = "(none)"


def show(workspace: Workspace) -> None:
    """Let a person say which column is what; what cannot be is said beside it. The data must be there."""
    source, target = compute.plain_samples(workspace)
    project = workspace.project
    st.markdown("**Which column is what**")
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
            "Predictions, one column a model",
            list(dict.fromkeys([*shared, *chosen])),
            key=visit.bind("role_predictions", chosen),
            on_change=attempt,
            args=("role_predictions", "change predictions", set_predictions),
            help="The model's answers, in both files.",
        )
        problem("role_predictions")
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

    if get_metric(project.metric.name).about_one:
        now = NONE if project.metric.positive is None else class_name(project.metric.positive)
        classes = [merged_name(name, project.metric.merge) for name in compute.source_classes(state.workspace())]
        st.selectbox(
            "Class it is about",
            list(dict.fromkeys([NONE, *classes, now])),
            key=visit.bind("role_positive", now),
            format_func=lambda name: "the average over all classes" if name == NONE else wording.plain(name),
            on_change=attempt,
            args=("role_positive", "change metric", set_positive),
            help="One class, such as the rare one you care about; or every class, counting the same.",
        )
        problem("role_positive")


def probability_controls(workspace: Workspace, source: Sample) -> None:
    """Choose the column of each class's probability, model by model."""
    numbers = [column for column in source.columns if source.schema[column].is_numeric()]
    for model in workspace.project.models:
        said = (
            f"{len(model.probabilities)} columns"
            if model.probabilities
            else "none; entropy and confidence slices need them"
        )
        with st.expander(f"Probabilities of {wording.plain(model.name)}: {said}"):
            columns = st.columns(4)
            for number, class_ in enumerate(compute.classes(workspace, model)):
                now = model.probabilities.get(class_, NONE)
                key = f"role_probability:{model.name}:{class_}"
                columns[number % 4].selectbox(
                    f"Probability of {wording.plain(class_)}",
                    list(dict.fromkeys([NONE, *numbers, now])),
                    key=visit.bind(key, now),
                    on_change=attempt,
                    args=(key, "change probabilities", set_probability(model.name, class_, key)),
                )
                with columns[number % 4]:
                    problem(key)


def attempt(key: str, label: str, edit: Callable[[Project], Project]) -> None:
    """Change the project, or remember beside the control why that cannot be."""
    samples = compute.plain_samples(state.workspace())

    def checked(project: Project) -> Project:
        changed = edit(project)
        imports.check_roles(changed, *samples)
        return changed

    parts.change_beside("role", label, checked, key)


def problem(key: str) -> None:
    """Show what is wrong with a control's value, beside it, for as long as it has that value."""
    # One place for all roles: what is wrong with one of them, such as a metric without its column, another may mend.
    refused = visit.remember("refused:role")
    if refused and key in refused[1]:
        parts.show_refusal("role")


def set_label(project: Project) -> Project:
    """Take the label that was chosen."""
    chosen = visit.typed("role_label")
    return replace(project, label=None if chosen == NONE else chosen)


def set_predictions(project: Project) -> Project:
    """Take the prediction columns that were chosen; a new one brings the probabilities that go by its name.

    What someone else has chosen in the meantime stays chosen.
    """
    source, target = compute.plain_samples(state.workspace())
    now = [model.prediction for model in project.models if model.prediction is not None]
    chosen = merged(visit.shown("role_predictions") or now, visit.typed("role_predictions"), now)
    return replace(project, models=choose_models(source, target.columns, project.label, chosen, project.models))


def merged(before: Sequence[str], after: Sequence[str], now: Sequence[str]) -> list[str]:
    """Take what a person added to a list and took out of it over to what the list has become in the meantime.

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
