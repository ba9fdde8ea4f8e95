"""Edits of a project: pure functions from a project to a project, each a step of undo."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.words import corrections
from mandoline_core import Correction, Noise, Project, ProjectError, Sample, Slice, SliceAudit, SliceError
from mandoline_core import slices as rules
from mandoline_core.data import ColumnType
from mandoline_core.slices import Answer, Side


def put_slice(project: Project, name: str, rule: Slice) -> Project:
    """Replace the rule called `name`; a new name is carried over to edges, combinations and what was chosen."""
    find_slice(project, name)

    def moved(slice_: str) -> str:
        return rule.name + slice_.removeprefix(name) if _owner(project, slice_) == name else slice_

    slices = tuple(rule if old.name == name else _renamed(old, moved) for old in project.slices)
    edges = project.edges
    if not isinstance(edges, str):
        edges = tuple((moved(a), moved(b)) for a, b in edges)
    chosen = tuple(map(moved, project.trust.chosen_slices))
    return replace(project, slices=slices, edges=edges, trust=replace(project.trust, chosen_slices=chosen))


def write_field(project: Project, name: str, field: str, value: Any, source: Sample) -> Project:
    """Write what a control of a rule's form now holds into the rule called `name`.

    A browser may send all that a form holds, also what was not changed. What the rule already holds resets nothing,
    such as the cut that belongs to a column. A name made from the rule follows it; one that people gave stays.
    """
    rule = find_slice(project, name)
    if any(control.field == field and control.value == value for control in rule.form()):
        return project
    edited = rule.edited(field, value, source)
    if _is_named_by_rule(rule):
        others = {other.name for other in project.slices if other.name != name}
        edited = replace(edited, name=rules.free_name(rules.default_name(edited), others))
    return put_slice(project, name, edited)


def _is_named_by_rule(rule: Slice) -> bool:
    """Tell whether a name was made from the rule, perhaps with a number behind it."""
    base, _, number = rule.name.rpartition(" (")
    name = base if number.removesuffix(")").isdigit() else rule.name
    return name in (rules.default_name(rule), rule.describe())


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
    users = _users(project, name)
    if users:
        raise SliceError(f"Slice {name!r} is part of {users[0]!r}. Change or remove {users[0]!r} first.")
    slices = tuple(rule for rule in project.slices if rule.name != name)
    edges = project.edges
    if not isinstance(edges, str):
        edges = tuple(pair for pair in edges if all(_owner(project, end) != name for end in pair))
    return replace(project, slices=slices, edges=edges)


def _users(project: Project, name: str) -> list[str]:
    """List the rules that are made of a rule."""
    return [
        rule.name
        for rule in project.slices
        if any(isinstance(part, str) and _owner(project, part) == name for part in rule.made_of)
    ]


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


def switch_slices(project: Project, names: Sequence[str], *, on: bool) -> Project:
    """Switch several rules on or off."""
    for name in names:
        project = switch_slice(project, name, on=on)
    return project


def remove_slices(project: Project, names: Sequence[str]) -> Project:
    """Remove several rules: those that are made of others first."""
    left = list(names)
    while left:
        free = [name for name in left if not _users(project, name)]
        name = free[-1] if free else left[-1]  # refused, with the reason
        project = remove_slice(project, name)
        left.remove(name)
    return project


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
    """Set a rule's corrections; None makes the slice exact."""
    kept = None if noise is None or (noise.is_identity and not noise.same) else noise
    return put_slice(project, name, replace(find_slice(project, name), noise=kept))


def set_edges(project: Project, edges: Sequence[tuple[str, str]] | str) -> Project:
    """Set the pairs of slices that move together, or "auto"."""
    return replace(project, edges=edges if isinstance(edges, str) else tuple(edges))


def merge_classes(project: Project, new: str, classes: Sequence[str]) -> Project:
    """Let the metric treat some classes as one, or add them to those that have that name already."""
    if not new:
        raise ProjectError("The merged class has no name. Type one.")
    if not classes:
        raise ProjectError("No classes are chosen. Choose classes to merge.")
    merges = project.metric.merge
    merge = {**merges, new: (*merges.get(new, ()), *classes)}
    return replace(project, metric=replace(project.metric, merge=merge))


def part_classes(project: Project, new: str) -> Project:
    """Split merged classes again."""
    merge = {name: classes for name, classes in project.metric.merge.items() if name != new}
    return replace(project, metric=replace(project.metric, merge=merge))


def declare_harmless(project: Project, column: str, reason: str) -> Project:
    """Mark a column as irrelevant, with the reason."""
    if not reason.strip():
        raise ProjectError(f"Marking {column!r} as irrelevant needs a reason. Readers of the report will ask for it.")
    harmless = {**project.trust.harmless, column: reason.strip()}
    return replace(project, trust=replace(project.trust, harmless=harmless))


def take_back(project: Project, column: str) -> Project:
    """Let the checks look at a column again."""
    harmless = {name: reason for name, reason in project.trust.harmless.items() if name != column}
    return replace(project, trust=replace(project.trust, harmless=harmless))


def set_group(project: Project, column: str, sides: Collection[str]) -> Project:
    """Let rows that share a column belong together, in some of the samples."""
    if "source" in sides:
        project = replace(project, source_group=column)
    return replace(project, target_group=column) if "target" in sides else project


def set_type(project: Project, column: str, kind: ColumnType | None, sides: Collection[str]) -> Project:
    """Read a column of text as numbers or dates, in some of the samples; None reads it as text again."""
    changed: dict[str, Any] = {}
    for side in sides:
        types = {name: known for name, known in getattr(project, f"{side}_types").items() if name != column}
        changed[f"{side}_types"] = types if kind is None else {**types, column: kind}
    return replace(project, **changed)


def find_slice(project: Project, name: str) -> Slice:
    """Return the rule with a name."""
    for rule in project.slices:
        if rule.name == name:
            return rule
    raise SliceError(f"Slice {name!r} no longer exists: someone renamed or deleted it. Check the current slices.")


def free_name(project: Project, name: str) -> str:
    """Return the name, with a number if a slice has it."""
    return rules.free_name(name, {rule.name for rule in project.slices})


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


# Corrections and pairs: how reliable a slice is, how that is measured, and what moves together.


PRESETS = {
    "exact": Correction(),
    "mostly right": Correction(inside=0.9, outside=0.05),
    "rough": Correction(inside=0.75, outside=0.15),
}
MEASURED, OWN = "measured", "custom"
DERIVED, SAME, SEPARATE = ("derived", "same", "separate")


def preset_of(rule: Slice) -> str:
    """Say how reliable a slice is: the name of a preset, "measured", or "custom" for other numbers.

    >>> from mandoline_core import Missing
    >>> rule = Missing("no_age", column="age")
    >>> preset_of(rule), preset_of(replace(rule, noise=Noise(Correction(0.8))))
    ('exact', 'custom')
    """
    noise = rule.noise or Noise()
    if noise.measured:
        return MEASURED
    stated = noise.source or Correction()
    return next((name for name, preset in PRESETS.items() if preset == stated), OWN)


def set_preset(project: Project, name: str, sure: str, start: Correction) -> Project:
    """Take a preset for the labelled data, measure, or go on from `start`; what was said of the new data stays."""
    noise = find_slice(project, name).noise or Noise()
    source = None if sure == MEASURED else PRESETS.get(sure, start)
    return set_noise(project, name, replace(noise, source=source, measured=sure == MEASURED))


def set_share(project: Project, name: str, side: str, says: str, share: float) -> Project:
    """Say how often a row is truly in: in one sample ("source", "target"), for one answer of the slice ("inside" ...).

    The other answers stay as they are.
    """
    noise = find_slice(project, name).noise or Noise()
    stated: dict[str, Any] = {side: replace(getattr(noise, side) or Correction(), **{says: share})}
    if side == "target":
        stated["target_measured"] = False
    return set_noise(project, name, replace(noise, **stated))


def way(rule: Slice) -> str:
    """Say where the new data's corrections come from: derived, the same, separate or measured."""
    noise = rule.noise or Noise()
    if noise.target_measured:
        return MEASURED
    return SEPARATE if noise.target is not None else SAME if noise.same else DERIVED


def set_way(project: Project, name: str, chosen: str, start: Correction) -> Project:
    """Let the new data's corrections be derived, the same, measured, or set separately, from `start`."""
    noise = find_slice(project, name).noise or Noise()
    own = start if chosen == SEPARATE else None
    return set_noise(project, name, replace(noise, target=own, same=chosen == SAME, target_measured=chosen == MEASURED))


def copy_corrections(project: Project, name: str, others: Collection[str]) -> Project:
    """Correct other slices as one is; one that has been removed in the meantime is passed over."""
    noise = find_slice(project, name).noise
    if noise is not None and (noise.measured or noise.target_measured):
        raise ProjectError(f"Corrections of {name!r} are measured on its own rows, so they cannot be copied.")
    for other in [rule.name for rule in project.slices if rule.name in others]:
        project = set_noise(project, other, noise)
    return project


def set_gold(project: Project, name: str, column: str | None) -> Project:
    """Name the column that holds a slice's gold labels; without one, what was measured on it goes too."""
    rule = find_slice(project, name)
    measured = rule.noise is not None and rule.noise.measured and rule.audit is None
    noise = None if column is None and measured else rule.noise
    return put_slice(project, name, replace(rule, gold=column, noise=noise))


def answer_row(
    project: Project, name: str, columns: tuple[str, ...], side: Side, key: str, answer: Answer | None
) -> Project:
    """Store an answer about a row; None removes it.

    Parameters
    ----------
    columns : tuple of str
        What rows are known by, for the first answer about the slice.
    """
    rule = find_slice(project, name)
    audit = (rule.audit or SliceAudit(columns)).put(side, key, answer)
    return put_slice(project, name, replace(rule, audit=audit))


def use_audit(project: Project, name: str, sides: Collection[Side]) -> Project:
    """Measure the corrections of some samples on what was answered; what was said of the others stays."""
    noise = find_slice(project, name).noise or Noise()
    if "source" in sides:
        noise = replace(noise, source=None, measured=True)
    if "target" in sides:
        noise = replace(noise, target=None, same=False, target_measured=True)
    return set_noise(project, name, noise)


def state_corrections(project: Project, name: str, source: Correction, target: Correction | None = None) -> Project:
    """Take corrections that are known from elsewhere; without the new data's own, these are derived."""
    return set_noise(project, name, Noise(_rounded(source), None if target is None else _rounded(target)))


def _rounded(correction: Correction) -> Correction:
    abstain = None if correction.abstain is None else round(correction.abstain, 4)
    return Correction(round(correction.inside, 4), round(correction.outside, 4), abstain)


def join(project: Project, first: str, second: str) -> Project:
    """Let two slices move together, in addition to the pairs that do so now."""
    return set_edges(project, (*_other_pairs(project, first, second), (first, second)))


def part(project: Project, first: str, second: str) -> Project:
    """Let two slices no longer move together; all other pairs stay."""
    return set_edges(project, _other_pairs(project, first, second))


def _other_pairs(project: Project, first: str, second: str) -> tuple[tuple[str, str], ...]:
    if isinstance(project.edges, str):
        raise ProjectError(f"Pairs are {corrections.chosen_how(project.edges)}. Choose them by hand first.")
    return tuple(pair for pair in project.edges if {*pair} != {first, second})
