"""Merged classes: which classes the metric treats as one, with a button to merge and one to split again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.words import wording
from mandoline_core import METRICS, MandolineError, Project, ProjectError
from mandoline_core.data import class_name

NAME, CHOSEN = "merge_name", "merge_chosen"


def show(workspace: Workspace) -> None:
    """Show what is merged, and let the user merge more."""
    merges = workspace.project.metric.merge
    said = ", ".join(merges) or "none"
    # The key keeps it open while its title changes.
    with st.expander(f"Merged classes: {wording.plain(said)}", key="merges"):
        metric = METRICS.get(workspace.project.metric.name)
        if metric is not None and metric.needs in ("column", "numbers"):
            st.caption("This metric uses numbers, so merging classes has no effect.")
        else:
            st.caption("The metric treats merged classes as one. The data do not change.")
        for new, old in merges.items():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    f"Remove {wording.plain(new)}",
                    icon=":material/close:",
                    key=f"part:{new}",
                    on_click=part,
                    args=(new,),
                )
                st.markdown(f"**{wording.plain(new)}**: {wording.plain(', '.join(map(str, old)))}")
        _new_merge(workspace)


def _new_merge(workspace: Workspace) -> None:
    merges = workspace.project.metric.merge
    merged = {class_name(value) for old in merges.values() for value in old}
    classes = [name for name in compute.source_classes(workspace) if class_name(name) not in merged]
    if not classes:
        st.caption("No classes left to merge.")
        return
    # Fields of their own for every state of the merges: what was merged leaves them empty.
    keys = [visit.bind(f"{kind}:{merges!r}", empty) for kind, empty in ((NAME, ""), (CHOSEN, []))]
    with st.form(f"merge:{merges!r}", border=False):
        name, chosen = st.columns(2, vertical_alignment="bottom")
        name.text_input("Name of the merged class", key=keys[0], placeholder="A new or existing class")
        chosen.multiselect("Classes to merge", classes, key=keys[1])
        st.form_submit_button("Merge", icon=":material/merge:", on_click=join, args=(*keys, tuple(classes)))
    parts.show_refusal("merge")


def join(name_key: str, chosen_key: str, classes: tuple[str, ...]) -> None:
    """Merge the classes that were chosen, or remember next to the button why that is impossible."""
    new, chosen = str(visit.typed(name_key) or "").strip(), visit.typed(chosen_key) or []
    workspace = compute.current()

    def edit(project: Project) -> Project:
        changed = edits.merge_classes(project, new, chosen)
        _check_classes(changed.metric.merge, new, classes)
        _check_scores(workspace, changed)
        return changed

    parts.change_beside("merge", f"merge classes into {new}", edit, name_key, chosen_key)


def part(new: str) -> None:
    """Take a merge back."""
    compute.attempt(f"split merged class {new}", partial(edits.part_classes, new=new))


def _check_classes(merges: Mapping[str, Sequence[object]], new: str, classes: Sequence[str]) -> None:
    """Refuse a merge of one class, and one after which all are the same; `classes` were not merged before it."""
    merged = {class_name(value) for value in merges[new]}
    if len(merged) == 1 and class_name(new) not in map(class_name, classes):
        raise ProjectError(f"A merge needs two classes. Got only {merges[new][0]!r}. Choose another class.")
    if len(merges) == 1 and {class_name(name) for name in classes} <= merged | {class_name(new)}:
        raise ProjectError("Merging all classes would make every prediction right. Leave out at least one class.")


def _check_scores(workspace: Workspace, changed: Project) -> None:
    """Refuse a merge that leaves a model without a score it had."""
    before = compute.source_scores(workspace)
    for model, score in compute.source_scores(replace(workspace, project=changed)).items():
        if isinstance(score, MandolineError) and not isinstance(before[model], MandolineError):
            raise ProjectError(f"{model}: {score!s}")
