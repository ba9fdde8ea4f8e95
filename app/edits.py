"""Edits of a project: pure functions from a project to a project, each a step of undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    Range,
    Regex,
    Sample,
    Slice,
    SliceError,
    Threshold,
)
from mandoline_core.data import kind_of


def put_slice(project: Project, name: str, rule: Slice) -> Project:
    """Put a rule in the place of the one called `name`; a new name is carried over to edges and combinations."""
    slices = tuple(rule if old.name == name else _renamed(old, name, rule.name) for old in project.slices)
    edges = project.edges
    if not isinstance(edges, str) and rule.name != name:
        edges = tuple((_new(a, name, rule.name), _new(b, name, rule.name)) for a, b in edges)
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
    users = [rule.name for rule in project.slices if name in _parts(rule)]
    if users:
        raise SliceError(f"Slice {name!r} is part of {users[0]!r}. Change or remove {users[0]!r} first.")
    slices = tuple(rule for rule in project.slices if rule.name != name)
    edges = project.edges
    if not isinstance(edges, str):
        edges = tuple(pair for pair in edges if not any(end == name or _member(end, name, project) for end in pair))
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


def set_noise(project: Project, name: str, noise: Noise | None) -> Project:
    """Set a rule's corrections; none takes the slice at its word."""
    kept = None if noise is None or (noise.is_identity and not noise.same) else noise
    return put_slice(project, name, replace(find_slice(project, name), noise=kept))


def set_edges(project: Project, edges: Sequence[tuple[str, str]] | str) -> Project:
    """Set the pairs of slices that move together, or "auto"."""
    return replace(project, edges=edges if isinstance(edges, str) else tuple(edges))


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


def starters(source: Sample, target: Sample) -> dict[str, Callable[[], Slice]]:
    """List the kinds that these samples allow, each with a rule to start from."""
    shared = [column for column in source.columns if column in target.columns]
    roles = {column for model in source.models for column in model.columns} | {source.label}
    free = [column for column in shared if column not in roles]
    text = [c for c in free if kind_of(source.schema[c]) == "text"]
    numbers = [c for c in free if kind_of(source.schema[c]) == "numbers"]
    wordy = sorted(text, key=lambda column: -_mean_length(source, column))
    short = sorted(text, key=lambda column: _mean_length(source, column))
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


def _renamed(rule: Slice, old: str, new: str) -> Slice:
    if old in _parts(rule):
        return replace(rule, of=tuple(_new(part, old, new) for part in _parts(rule)))  # type: ignore[call-arg]
    return rule


def _new(name: str, old: str, new: str) -> str:
    if name == old:
        return new
    return f"{new}_{name.removeprefix(f'{old}_')}" if name.startswith(f"{old}_") else name


def _parts(rule: Slice) -> tuple[str, ...]:
    return tuple(str(part) for part in getattr(rule, "of", ()))


def _member(end: str, name: str, project: Project) -> bool:
    """Tell whether an edge's end is a member of the family called `name`."""
    return find_slice(project, name).is_family and end.startswith(f"{name}_")


def _mean_length(sample: Sample, column: str) -> float:
    lengths = sample.series(column).head(200).str.len_chars().mean()
    return float(lengths or 0.0)


def _middle(sample: Sample, column: str) -> float:
    middle = sample.series(column).drop_nulls().median()
    return float(middle or 0.0)


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
