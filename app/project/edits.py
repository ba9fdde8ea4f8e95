"""Edits of a project: pure functions from a project to a project, each a step of undo."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from mandoline_core import (
    All,
    Any,
    Category,
    Confidence,
    Entropy,
    Expression,
    Flag,
    Keyword,
    Length,
    Missing,
    Noise,
    Not,
    Overlap,
    Prediction,
    Project,
    ProjectError,
    Range,
    Regex,
    Sample,
    Slice,
    SliceError,
    Threshold,
)
from mandoline_core.samples import kind_of
from mandoline_core.slices import Combination, measure


def put_slice(project: Project, name: str, rule: Slice) -> Project:
    """Put a rule in the place of the one called `name`; a new name is carried over to edges and combinations."""

    def moved(slice_: str) -> str:
        return rule.name + slice_.removeprefix(name) if _owner(project, slice_) == name else slice_

    slices = tuple(rule if old.name == name else _renamed(old, moved) for old in project.slices)
    edges = project.edges
    if not isinstance(edges, str):
        edges = tuple((moved(a), moved(b)) for a, b in edges)
    return replace(project, slices=slices, edges=edges)


def add_slice(project: Project, rule: Slice) -> Project:
    """Add a rule at the end, under a name that is free."""
    return replace(project, slices=(*project.slices, replace(rule, name=free_name(project, rule.name))))


def duplicate_slice(project: Project, name: str) -> Project:
    """Add a copy right after a rule."""
    found: list[Slice] = []
    for rule in project.slices:
        found.append(rule)
        if rule.name == name:
            found.append(replace(rule, name=free_name(project, name)))
    return replace(project, slices=tuple(found))


def remove_slice(project: Project, name: str) -> Project:
    """Remove a rule with its edges; one that others are made of stays."""
    users = [rule.name for rule in project.slices if any(_owner(project, part) == name for part in _parts(rule))]
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
    place = next(i for i, rule in enumerate(slices) if rule.name == name)
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


def find_slice(project: Project, name: str) -> Slice:
    """Return the rule with a name."""
    for rule in project.slices:
        if rule.name == name:
            return rule
    raise SliceError(f"Slice {name!r} is no longer there.")


def free_name(project: Project, name: str) -> str:
    """Return the name, with a number if it is taken."""
    taken = {rule.name for rule in project.slices}
    if name not in taken:
        return name
    number = 2
    while f"{name} {number}" in taken:
        number += 1
    return f"{name} {number}"


def on_column(rule: Slice, column: str, source: Sample) -> Slice:
    """Put a rule on another column; bounds and values, which belong to a column, start anew from that one.

    Parameters
    ----------
    rule : Slice
        Of a kind that reads one column.
    source : Sample
        The new bounds and values are this sample's.
    """
    moved = replace(rule, column=column)  # type: ignore[call-arg]
    if isinstance(moved, (Threshold, Length)):
        cut = _middle(source, column) if isinstance(moved, Threshold) else _middle_length(source, moved)
        above, below = (None if bound is None else cut for bound in (moved.above, moved.below))
        return replace(moved, above=above, below=below)
    if isinstance(moved, Range):
        start = _starting_range(source, column)
        return replace(moved, low=start.low, high=start.high)
    if isinstance(moved, Category) and moved.values is not None:
        return replace(moved, values=(_first_value(source, column),))
    return moved


def starters(source: Sample, target: Sample, identifiers: Collection[str] = ()) -> dict[str, Callable[[], Slice]]:
    """List the kinds that these samples allow, each with a rule to start from; on an identifier only without others."""
    shared = [column for column in source.columns if column in target.columns]
    roles = {column for model in source.models for column in model.columns} | {source.label}
    free = sorted((column for column in shared if column not in roles), key=lambda column: column in identifiers)
    text = [c for c in free if kind_of(source.schema[c]) == "text"]
    numbers = [c for c in free if kind_of(source.schema[c]) == "numbers"]
    wordy = sorted(text, key=lambda column: (column in identifiers, -_mean_length(source, column)))
    short = sorted(text, key=lambda column: (column in identifiers, _mean_length(source, column)))
    found: dict[str, Callable[[], Slice]] = {}
    if wordy:
        found["keyword"] = lambda: Keyword("keyword", column=wordy[0], words=("not",))
        found["length"] = lambda: Length("short", column=wordy[0], below=30)
        found["regex"] = lambda: Regex("pattern", column=wordy[0], pattern="[0-9]+")
    if numbers:
        found["threshold"] = lambda: Threshold("threshold", column=numbers[0], above=_middle(source, numbers[0]))
        found["range"] = lambda: _starting_range(source, numbers[0])
    if short or numbers:
        column = (short or numbers)[0]
        found["category"] = lambda: Category("category", column=column, values=(_first_value(source, column),))
    if source.models:
        found["prediction"] = lambda: Prediction("predicted")
    if any(model.probabilities for model in source.models):
        found["entropy"] = lambda: Entropy("entropy", buckets=6)
        found["confidence"] = lambda: Confidence("unsure", below=0.7)
    if free:
        found["missing"] = lambda: Missing("missing", column=free[0])
        found["expression"] = lambda: Expression("expression", text=_starting_expression(wordy, numbers, free))
        found["flag"] = lambda: Flag("flag", column=free[0])
    if len(wordy) > 1:
        found["overlap"] = lambda: Overlap("overlap", columns=(wordy[0], wordy[1]), above=0.8)
    return found


def combination(project: Project, kind: str) -> Slice:
    """Make a combination of slices to start from."""
    names = [rule.name for rule in project.slices if not rule.is_family]
    if not names or (kind != "not" and len(names) < 2):
        raise SliceError("A combination needs other slices to be made of. Add them first.")
    if kind == "not":
        return Not("not", of=(names[0],))
    return (All if kind == "all" else Any)(kind, of=tuple(names[:2]))


def _renamed(rule: Slice, moved: Callable[[str], str]) -> Slice:
    """Carry new names over to what a combination is made of."""
    if not isinstance(rule, Combination):
        return rule
    parts = tuple(moved(part) if isinstance(part, str) else _renamed(part, moved) for part in rule.of)
    return rule if parts == rule.of else replace(rule, of=parts)


def _parts(rule: Slice) -> tuple[str, ...]:
    return rule.names if isinstance(rule, Combination) else ()


def _owner(project: Project, slice_: str) -> str | None:
    """Name the rule that a slice comes from: its own, or the family that it is a member of."""
    if any(rule.name == slice_ for rule in project.slices):
        return slice_
    families = [rule.name for rule in project.slices if rule.is_family and slice_.startswith(f"{rule.name}_")]
    return max(families, key=len, default=None)


def _mean_length(sample: Sample, column: str) -> float:
    lengths = sample.series(column).head(200).str.len_chars().mean()
    return float(lengths or 0.0)


def _middle(sample: Sample, column: str) -> float:
    middle = sample.series(column).drop_nulls().median()
    return float(middle or 0.0)


def _middle_length(sample: Sample, rule: Length) -> float:
    lengths = sample.frame.select(measure(rule, sample.schema).alias("length")).get_column("length")
    return float(lengths.drop_nulls().median() or 0.0)


def _starting_range(sample: Sample, column: str) -> Range:
    values = sample.series(column).drop_nulls()
    low, high = (float(values.quantile(q, interpolation="nearest")) for q in (0.25, 0.75))
    return Range("range", column=column, low=low, high=high)


def _first_value(sample: Sample, column: str) -> str | int | float:
    values = sample.series(column).drop_nulls()
    return values[0] if len(values) else ""


def _starting_expression(text: list[str], numbers: list[str], free: list[str]) -> str:
    def name(column: str) -> str:
        return column if column.isidentifier() else f'col("{column}")'

    if text:
        return f'contains({name(text[0])}, "not") and words({name(text[0])}) < 30'
    return f"{name(numbers[0])} > 0" if numbers else f"is_missing({name(free[0])})"
