"""Edits of a project: pure functions from a project to a project, each a step of undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mandoline_core import Noise, Project, ProjectError, Sample, Slice, SliceError


def put_slice(project: Project, name: str, rule: Slice) -> Project:
    """Put a rule in the place of the one called `name`; a new name is carried over to edges and combinations."""
    find_slice(project, name)

    def moved(slice_: str) -> str:
        return rule.name + slice_.removeprefix(name) if _owner(project, slice_) == name else slice_

    slices = tuple(rule if old.name == name else _renamed(old, moved) for old in project.slices)
    edges = project.edges
    if not isinstance(edges, str):
        edges = tuple((moved(a), moved(b)) for a, b in edges)
    return replace(project, slices=slices, edges=edges)


def write_field(project: Project, name: str, field: str, value: Any, source: Sample) -> Project:
    """Write what a control of a rule's form now holds into the rule called `name`.

    A browser may send all that a form holds, also what nobody touched. What the rule holds already starts nothing anew,
    such as the cut that belongs to a column.
    """
    rule = find_slice(project, name)
    if any(control.field == field and control.value == value for control in rule.form()):
        return project
    return put_slice(project, name, rule.edited(field, value, source))


def add_slice(project: Project, rule: Slice) -> Project:
    """Add a rule at the end, under a name that is free."""
    return replace(project, slices=(*project.slices, replace(rule, name=free_name(project, rule.name))))


def duplicate_slice(project: Project, name: str) -> Project:
    """Add a copy right after a rule."""
    slices = list(project.slices)
    rule = find_slice(project, name)
    slices.insert(slices.index(rule) + 1, replace(rule, name=free_name(project, name)))
    return replace(project, slices=tuple(slices))


def remove_slice(project: Project, name: str) -> Project:
    """Remove a rule with its edges; one that others are made of stays."""
    find_slice(project, name)
    users = [
        rule.name
        for rule in project.slices
        if any(isinstance(part, str) and _owner(project, part) == name for part in rule.made_of)
    ]
    if users:
        raise SliceError(f"Slice {name!r} is part of {users[0]!r}. Change or remove {users[0]!r} first.")
    slices = tuple(rule for rule in project.slices if rule.name != name)
    edges = project.edges
    if not isinstance(edges, str):
        edges = tuple(pair for pair in edges if all(_owner(project, end) != name for end in pair))
    return replace(project, slices=slices, edges=edges)


def move_slice(project: Project, name: str, by: int) -> Project:
    """Move a rule up (-1) or down (1); the order is that of the ablation curve."""
    slices = list(project.slices)
    place = slices.index(find_slice(project, name))
    other = min(max(place + by, 0), len(slices) - 1)
    slices.insert(other, slices.pop(place))
    return replace(project, slices=tuple(slices))


def switch_slice(project: Project, name: str, *, on: bool) -> Project:
    """Switch a rule on or off."""
    return put_slice(project, name, replace(find_slice(project, name), enabled=on))


def rename_slice(project: Project, name: str, new: str) -> Project:
    """Give a rule another name."""
    return put_slice(project, name, replace(find_slice(project, name), name=new))


def check_members(members: Mapping[str, Sequence[str]], name: str, new: str) -> None:
    """Refuse a new name under which a slice, or a member of its family, would be called as another slice is.

    >>> check_members({"short": ["short"], "doubt": ["doubt_1", "doubt_2"]}, "short", "brief")
    """
    others = {member for rule, found in members.items() if rule != name for member in found}
    for member in members.get(name, ()):
        if (called := new + member.removeprefix(name)) in others:
            raise SliceError(f"Two slices would be called {called!r}. Choose another name.")


def set_noise(project: Project, name: str, noise: Noise | None) -> Project:
    """Set a rule's corrections; none takes the slice at its word."""
    kept = None if noise is None or (noise.is_identity and not noise.same) else noise
    return put_slice(project, name, replace(find_slice(project, name), noise=kept))


def set_edges(project: Project, edges: Sequence[tuple[str, str]] | str) -> Project:
    """Set the pairs of slices that move together, or "auto"."""
    return replace(project, edges=edges if isinstance(edges, str) else tuple(edges))


def merge_classes(project: Project, new: str, classes: Sequence[str]) -> Project:
    """Let the metric take some classes for one, or add them to those that have that name already."""
    if not new:
        raise ProjectError("The merged class has no name. Type one.")
    if not classes:
        raise ProjectError("No classes are chosen. Choose those to take for one.")
    merges = project.metric.merge
    merge = {**merges, new: (*merges.get(new, ()), *classes)}
    return replace(project, metric=replace(project.metric, merge=merge))


def part_classes(project: Project, new: str) -> Project:
    """Let the metric tell the classes of a merge apart again."""
    merge = {name: classes for name, classes in project.metric.merge.items() if name != new}
    return replace(project, metric=replace(project.metric, merge=merge))


def declare_harmless(project: Project, column: str, reason: str) -> Project:
    """Declare that a change of a column does not matter, and why."""
    if not reason.strip():
        raise ProjectError("No reason is given. Say why it does not matter: whoever reads the report will ask.")
    harmless = {**project.trust.harmless, column: reason.strip()}
    return replace(project, trust=replace(project.trust, harmless=harmless))


def take_back(project: Project, column: str) -> Project:
    """Let the checks look at a column again."""
    harmless = {name: reason for name, reason in project.trust.harmless.items() if name != column}
    return replace(project, trust=replace(project.trust, harmless=harmless))


def find_slice(project: Project, name: str) -> Slice:
    """Return the rule with a name."""
    for rule in project.slices:
        if rule.name == name:
            return rule
    raise SliceError(
        f"Slice {name!r} is no longer there: someone renamed or deleted it in the meantime. "
        "Look at the slices as they are now."
    )


def free_name(project: Project, name: str) -> str:
    """Return the name, with a number if it is taken."""
    taken = {rule.name for rule in project.slices}
    if name not in taken:
        return name
    number = 2
    while f"{name} {number}" in taken:
        number += 1
    return f"{name} {number}"


def _renamed(rule: Slice, moved: Callable[[str], str]) -> Slice:
    """Carry new names over to what a combination is made of."""
    parts = tuple(moved(part) if isinstance(part, str) else _renamed(part, moved) for part in rule.made_of)
    return rule if parts == rule.made_of else rule.made_again(parts)


def _owner(project: Project, slice_: str) -> str | None:
    """Name the rule that a slice comes from: its own, or the family that it is a member of."""
    if any(rule.name == slice_ for rule in project.slices):
        return slice_
    families = [rule.name for rule in project.slices if rule.is_family and slice_.startswith(f"{rule.name}_")]
    return max(families, key=len, default=None)
